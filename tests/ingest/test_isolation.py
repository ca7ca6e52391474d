"""Tests that a document that breaks a stage of compiling fails alone."""

import pickle
from pathlib import Path

import pytest

from pipelines import build
from pipelines.core.errors import StoreError
from pipelines.core.outcome import Status
from pipelines.ingest.fsck import fsck
from pipelines.ingest.report import Event, Phase, Report, Stage
from pipelines.ingest.task import without_keys
from pipelines.settings import Settings
from tests.ingest.knowledge import entries_of, exported, vectors_of, write_folder
from tests.ingest.saboteur import ENGINE

GOOD = "The pump P-101A delivers 40 m3/h at 6 bar.\n"
LIMITS: dict[str, object] = {"cpu_s": 3, "stall_s": 2, "memory_mb": 600}


def settings_for(workers: int = 1, **limits: object) -> Settings:
    parse = {"engines": {"text/plain": ENGINE}, "limits": {**LIMITS, **limits}}
    return Settings.model_validate({"parse": parse, "ingest": {"workers": workers}})


def folder_of(folder: Path, **texts: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(f"{text}\n\n{GOOD}")
    return folder


def failures_of(report: Report) -> list[tuple[str, str, Status]]:
    return [(failure.subject, failure.stage, failure.status) for failure in report.failures]


@pytest.mark.parametrize(
    ("orders", "status", "reason"),
    [
        ("chunk loop", Status.TOO_LARGE, "chunking took longer than 3 processor seconds"),
        ("atomize hang", Status.TOO_LARGE, "distilling made no progress for 2 s"),
        ("embed eat", Status.TOO_LARGE, "embedding took more than 600 MiB of memory"),
        ("atomize recurse", Status.TOO_LARGE, "nested too deep for distilling"),
        ("chunk raise", Status.FAILED, "chunking failed: ZeroDivisionError: a fault of the stage"),
        ("embed crash", Status.FAILED, "embedding: the process ended with exit code 3"),
    ],
)
def test_a_document_that_breaks_a_stage_fails_alone(orders: str, status: Status, reason: str, tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "folder", a_before=GOOD, b_bad=orders, c_after=GOOD)
    events: list[Event] = []
    report = build(folder, tmp_path / "kb", settings_for(), progress=events.append)
    entries = entries_of(tmp_path / "kb")
    stage = orders.split(maxsplit=1)[0]
    assert report.documents == {"indexed": 2, status.value: 1}
    assert failures_of(report) == [("b_bad.txt", stage, status)]
    assert entries["b_bad.txt"].reason.startswith(reason)
    assert entries["b_bad.txt"].document == ""
    assert (Stage(stage), Phase.FAILED) in {(one.stage, one.phase) for one in events if one.subject == "b_bad.txt"}
    assert fsck(tmp_path / "kb").clean


def test_a_document_over_a_limit_is_resumed_with_a_higher_limit(tmp_path: Path) -> None:
    folder, kb = folder_of(tmp_path / "folder", a_before=GOOD, b_bad="chunk loop"), tmp_path / "kb"
    build(folder, kb, settings_for())
    again = build(folder, kb, settings_for())
    assert again.changes["unchanged"] == 2
    events: list[Event] = []
    higher = build(folder, kb, settings_for(cpu_s=30), progress=events.append)
    assert higher.documents == {"indexed": 2}
    assert Event(Stage.PARSE, Phase.REUSED, "b_bad.txt") in events


def test_the_checkpoint_of_a_killed_parser_is_indexed_as_partial(tmp_path: Path) -> None:
    folder, kb = folder_of(tmp_path / "folder", a_first=GOOD, b_cut="parse loop"), tmp_path / "kb"
    events: list[Event] = []
    report = build(folder, kb, settings_for(), progress=events.append)
    entry = entries_of(kb)["b_cut.txt"]
    assert report.documents == {"indexed": 1, "partial": 1}
    assert (entry.status, entry.reason) == (Status.PARTIAL, "took longer than 3 processor seconds")
    assert entry.counts["chunks"] == 1
    assert Event(Stage.PARSE, Phase.DONE, "b_cut.txt", entry.reason) in events
    assert "P-101A" in exported(kb)
    assert build(folder, kb, settings_for()).changes["unchanged"] == 2
    assert build(folder, kb, settings_for(cpu_s=30)).documents == {"indexed": 2}
    assert fsck(kb).clean


def test_a_document_whose_worker_is_killed_once_is_retried(tmp_path: Path) -> None:
    orders = {f"{stage}_{n}": f"{stage} die_once {tmp_path}/{stage}" for n, stage in enumerate(("chunk", "embed"))}
    folder = folder_of(tmp_path / "folder", a=GOOD, **orders)
    report = build(folder, tmp_path / "kb", settings_for(workers=2))
    assert report.documents == {"indexed": 3}
    assert report.exit_code == 0


def test_a_document_whose_worker_is_killed_twice_fails(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "folder", a=GOOD, b="read die", c=GOOD)
    report = build(folder, tmp_path / "kb", settings_for())
    assert report.documents == {"indexed": 2, "too_large": 1}
    assert failures_of(report) == [("b.txt", "parse", Status.TOO_LARGE)]
    assert "killed by the system" in entries_of(tmp_path / "kb")["b.txt"].reason


def test_relative_paths_refer_to_the_working_directory_of_the_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second call uses the processes that the first one started in another directory."""
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        folder_of(Path("folder"), a=f"{GOOD}{name}")
        assert build("folder", "kb").documents == {"indexed": 1}
    assert [fsck(tmp_path / name / "kb").clean for name in ("first", "second")] == [True, True]


def test_a_full_disk_ends_the_run_and_keeps_finished_artifacts(tmp_path: Path) -> None:
    folder, kb = folder_of(tmp_path / "folder", a=GOOD, b="chunk fill"), tmp_path / "kb"
    with pytest.raises(StoreError, match="no space left"):
        build(folder, kb, settings_for())
    events: list[Event] = []
    (folder / "b.txt").unlink()
    build(folder, kb, settings_for(), progress=events.append)
    assert Event(Stage.CHUNK, Phase.REUSED, "a.txt") in events


def test_a_damaged_artifact_is_rebuilt(tmp_path: Path) -> None:
    folder, kb = folder_of(tmp_path / "folder", a=GOOD), tmp_path / "kb"
    build(folder, kb, settings_for())
    before = exported(kb)
    import zlib

    for stage in ("parse", "chunk"):
        (path,) = [path for path in (kb / "artifacts" / stage).rglob("*") if path.is_file()]
        path.write_bytes(zlib.compress(b'{"status": 1'))
    for path in kb.glob("strata.db*"):
        path.unlink()
    assert build(folder, kb, settings_for()).documents == {"indexed": 1}
    assert exported(kb) == before


def test_an_error_of_the_progress_callback_ends_the_run(tmp_path: Path) -> None:
    def listen(event: Event) -> None:
        if event.stage is Stage.CHUNK:
            raise LookupError("no place for it")

    with pytest.raises(LookupError, match="no place for it"):
        build(folder_of(tmp_path / "folder", a=GOOD), tmp_path / "kb", settings_for(), progress=listen)


def test_the_number_of_workers_does_not_change_the_result(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "folder")
    one, three = tmp_path / "one", tmp_path / "three"
    build(folder, one, Settings.model_validate({"ingest": {"workers": 1}}))
    build(folder, three, Settings.model_validate({"ingest": {"workers": 3}}))
    assert exported(one) == exported(three)
    assert vectors_of(one) == vectors_of(three)


def test_settings_for_workers_have_no_secrets_and_forbid_downloads() -> None:
    settings = Settings.model_validate(
        {
            "llm": {"api_key": "canary-1", "base_url": "http://canary-2"},
            "embed": {"api_key": "canary-3"},
            "store": {"neo4j_password": "canary-4"},
        }
    )
    assert b"canary" in pickle.dumps(settings)
    assert b"canary" not in pickle.dumps(without_keys(settings))
    assert not without_keys(settings).embed.download
