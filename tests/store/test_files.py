from __future__ import annotations

from pathlib import Path

import pytest

from pipelines.store.artifact import ArtifactStore
from pipelines.store.files import FileArtifacts
from tests.contracts.artifact_store import KEY, ArtifactStoreContract


@pytest.fixture(params=[(), ("parse",)], ids=["compressed", "plain"])
def artifacts(request: pytest.FixtureRequest, tmp_path: Path) -> ArtifactStore:
    return FileArtifacts(tmp_path / "artifacts", plain=request.param)


class TestFileArtifacts(ArtifactStoreContract):
    pass


def test_an_artifact_lies_under_its_stage_and_key(tmp_path: Path) -> None:
    FileArtifacts(tmp_path).put("parse", KEY, b"text" * 1000)
    path = tmp_path / "parse" / "ab" / KEY
    assert path == FileArtifacts(tmp_path).path("parse", KEY)
    assert 0 < path.stat().st_size < 100


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "a\\b", ".hidden", "a\n"])
def test_a_name_that_leaves_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="not a name"):
        FileArtifacts(tmp_path).put("parse", name, b"x")


def test_a_damaged_artifact_counts_as_absent_and_is_made_again(tmp_path: Path) -> None:
    artifacts = FileArtifacts(tmp_path)
    artifacts.put("parse", KEY, b"whole")
    artifacts.path("parse", KEY).write_bytes(b"torn")
    assert artifacts.get("parse", KEY) is None
    artifacts.put("parse", KEY, b"whole")
    assert artifacts.get("parse", KEY) == b"whole"


def test_what_a_killed_writer_left_is_no_artifact(tmp_path: Path) -> None:
    artifacts = FileArtifacts(tmp_path)
    artifacts.put("parse", KEY, b"x")
    (artifacts.path("parse", KEY).parent / ".writing-abc").write_bytes(b"half")
    assert list(artifacts.keys("parse")) == [KEY]
