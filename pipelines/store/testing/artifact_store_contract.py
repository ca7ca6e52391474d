"""What every artifact store must do; a test subclasses this and gives the fixture `artifacts`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from pipelines.store.artifact import ArtifactStore

KEY = "ab" * 32
OTHER = "cd" * 32


class ArtifactStoreContract:
    """Asks for the fixture `artifacts`: an empty one."""

    def test_what_is_not_there_is_none(self, artifacts: ArtifactStore) -> None:
        assert artifacts.get("parse", KEY) is None
        assert list(artifacts.keys("parse")) == []

    def test_bytes_come_back_as_they_were(self, artifacts: ArtifactStore) -> None:
        for number, data in enumerate((b"", b"text" * 1000, bytes(range(256)), "泵".encode())):
            artifacts.put("parse", f"{KEY}{number}", data)
            assert artifacts.get("parse", f"{KEY}{number}") == data

    def test_an_artifact_never_changes(self, artifacts: ArtifactStore) -> None:
        artifacts.put("parse", KEY, b"first")
        artifacts.put("parse", KEY, b"second")
        assert artifacts.get("parse", KEY) == b"first"

    def test_stages_are_apart(self, artifacts: ArtifactStore) -> None:
        artifacts.put("parse", KEY, b"parsed")
        assert artifacts.get("chunk", KEY) is None

    def test_keys_come_in_order(self, artifacts: ArtifactStore) -> None:
        for key in (OTHER, KEY, "abaa"):
            artifacts.put("parse", key, b"x")
        assert list(artifacts.keys("parse")) == ["abaa", KEY, OTHER]

    def test_removing_may_be_repeated(self, artifacts: ArtifactStore) -> None:
        artifacts.put("parse", KEY, b"x")
        artifacts.remove("parse", KEY)
        artifacts.remove("parse", KEY)
        assert artifacts.get("parse", KEY) is None
        assert list(artifacts.keys("parse")) == []

    def test_many_writers_of_one_key_leave_one_whole_artifact(self, artifacts: ArtifactStore) -> None:
        contents = [bytes([number]) * 100_000 for number in range(8)]
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda data: artifacts.put("parse", KEY, data), contents))
        assert artifacts.get("parse", KEY) in contents
        assert list(artifacts.keys("parse")) == [KEY]

    def test_a_sweep_leaves_what_is_wanted(self, artifacts: ArtifactStore) -> None:
        for stage, key in (("parse", KEY), ("parse", OTHER), ("chunk", KEY)):
            artifacts.put(stage, key, b"x")
        assert artifacts.stages() == ("chunk", "parse")
        assert artifacts.sweep(lambda stage, key: (stage, key) == ("parse", OTHER)) == 2
        assert [artifacts.get(*one) for one in (("parse", KEY), ("parse", OTHER), ("chunk", KEY))] == [None, b"x", None]
