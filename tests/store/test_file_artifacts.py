from __future__ import annotations

import hashlib
import shutil
import zlib
from pathlib import Path

import pytest

from pipelines.core.ids import digest
from pipelines.store.artifact import ArtifactStore, FileArtifacts
from pipelines.store.testing.catalog_contract import KEY, OTHER, ArtifactStoreContract


@pytest.fixture
def artifacts(tmp_path: Path) -> ArtifactStore:
    return FileArtifacts(tmp_path / "artifacts")


class TestFileArtifacts(ArtifactStoreContract):
    pass


def test_an_artifact_is_stored_compressed_under_its_stage_and_key(tmp_path: Path) -> None:
    FileArtifacts(tmp_path).put("parse", KEY, b"text" * 1000)
    path = tmp_path / "parse" / "ab" / KEY
    assert path == FileArtifacts(tmp_path).path("parse", KEY)
    assert 0 < path.stat().st_size < 100


def test_an_artifact_keyed_by_its_digest_is_stored_unchanged(tmp_path: Path) -> None:
    artifacts, data = FileArtifacts(tmp_path), b"\x89PNG picture"
    artifacts.put("picture", digest(data), data)
    assert artifacts.path("picture", digest(data)).read_bytes() == data
    assert artifacts.get("picture", digest(data)) == data
    artifacts.path("picture", digest(data)).write_bytes(data[:5])
    assert artifacts.get("picture", digest(data)) is None


def test_an_artifact_copied_to_another_key_or_stage_counts_as_absent(tmp_path: Path) -> None:
    artifacts = FileArtifacts(tmp_path)
    artifacts.put("parse", KEY, b"one")
    artifacts.put("parse", OTHER, b"two")
    artifacts.put("chunk", KEY, b"three")
    shutil.copy(artifacts.path("parse", OTHER), artifacts.path("parse", KEY))
    shutil.copy(artifacts.path("parse", OTHER), artifacts.path("chunk", KEY))
    assert artifacts.get("parse", KEY) is None
    assert artifacts.get("chunk", KEY) is None
    assert artifacts.get("parse", OTHER) == b"two"


def test_an_artifact_of_the_first_format_can_be_read(tmp_path: Path) -> None:
    artifacts = FileArtifacts(tmp_path)
    path = artifacts.path("parse", KEY)
    path.parent.mkdir(parents=True)
    path.write_bytes(zlib.compress(b"kept long ago"))
    assert artifacts.get("parse", KEY) == b"kept long ago"


def test_an_artifact_of_the_second_format_can_be_read_only_under_its_key(tmp_path: Path) -> None:
    artifacts, data = FileArtifacts(tmp_path), b"kept last year"
    sum = hashlib.sha256(b"parse/%s\n%s" % (KEY.encode(), data)).digest()[:16]
    for key in (KEY, OTHER):
        artifacts.path("parse", key).parent.mkdir(parents=True, exist_ok=True)
        artifacts.path("parse", key).write_bytes(b"\x00strata1" + sum + zlib.compress(data))
    assert artifacts.get("parse", KEY) == data
    assert artifacts.get("parse", OTHER) is None


def test_an_artifact_with_a_damaged_header_or_truncated_counts_as_absent(tmp_path: Path) -> None:
    artifacts = FileArtifacts(tmp_path)
    artifacts.put("parse", KEY, b"text" * 100)
    path = artifacts.path("parse", KEY)
    whole = path.read_bytes()
    for size in (0, 399, 401, 1 << 31, 1 << 40, (1 << 64) - 1):
        path.write_bytes(whole[:24] + size.to_bytes(8, "little") + whole[32:])
        assert artifacts.get("parse", KEY) is None
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert artifacts.get("parse", KEY) is None


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "a\\b", ".hidden", "a\n"])
def test_a_name_that_leaves_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="not a name"):
        FileArtifacts(tmp_path).put("parse", name, b"x")


def test_a_damaged_artifact_counts_as_absent_and_can_be_written_again(tmp_path: Path) -> None:
    artifacts = FileArtifacts(tmp_path)
    artifacts.put("parse", KEY, b"whole")
    artifacts.path("parse", KEY).write_bytes(b"torn")
    assert artifacts.get("parse", KEY) is None
    artifacts.put("parse", KEY, b"whole")
    assert artifacts.get("parse", KEY) == b"whole"


def test_a_temporary_file_of_a_killed_writer_is_no_artifact_and_is_swept(tmp_path: Path) -> None:
    artifacts = FileArtifacts(tmp_path)
    artifacts.put("parse", KEY, b"x")
    left = artifacts.path("parse", KEY).parent / ".writing-abc"
    left.write_bytes(b"half")
    assert list(artifacts.keys("parse")) == [KEY]
    assert artifacts.sweep(lambda *_: True) == 0
    assert not left.exists()
