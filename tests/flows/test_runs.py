"""Tests of the stored reports of runs."""

from __future__ import annotations

import json
from pathlib import Path

from pipelines import build
from pipelines.ingest.report import MOST_RUNS, RUNS
from pipelines.resources import open_stores
from pipelines.settings import Settings, load
from tests.conftest import Strata
from tests.ingest.knowledge import write_folder


def test_runs_are_listed_and_shown_with_settings_and_failures_by_reason(strata: Strata, tmp_path: Path) -> None:
    folder, kb = write_folder(tmp_path / "folder"), tmp_path / "kb"
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing\n")
    settings = load(None, {"chunk.max_tokens": 500, "store.neo4j_password": "hush"}).settings
    build(folder, kb, settings)
    (folder / "broken.pdf").unlink()
    build(folder, kb, settings)

    first, second = json.loads(strata("runs", "--kb", kb, "--json")[1])
    assert [first["number"], second["number"]] == [1, 2]
    assert first["report"]["documents"] == {"indexed": 3, "malformed": 1}
    assert first["reasons"] == {"parse: malformed": 1}
    assert first["settings"]["chunk.max_tokens"] == 500
    assert second["report"]["changes"]["removed"] == 1
    assert "hush" not in json.dumps([first, second])
    assert "broken.pdf" not in json.dumps([first, second])  # removed together with the document

    code, out, _ = strata("runs", "show", "1", "--kb", kb)
    assert code == 0
    assert "parse: malformed" in out
    assert "chunk.max_tokens" in out
    places = [out.index(f"\n{stage} ") for stage in ("parse", "chunk", "atomize", "embed", "load")]
    assert places == sorted(places)
    listed = strata("runs", "--kb", kb)[1]
    assert listed.count(str(folder)) == 2
    assert first["began"].removesuffix("+00:00").replace("T", " ") in listed
    code, _, err = strata("runs", "show", "9", "--kb", kb)
    assert (code, "there are 1 to 2" in err) == (4, True)


def test_a_run_that_compiles_unchanged_documents_again_says_which_settings_differ(
    strata: Strata, tmp_path: Path
) -> None:
    folder, kb = write_folder(tmp_path / "folder"), tmp_path / "kb"
    with_setting = ("ingest", folder, "--kb", kb, "--no-flow", "--set", "chunk.max_tokens=500")
    code, out, err = strata(*with_setting)
    assert (code, "again" in out + err) == (0, False)
    code, out, err = strata("ingest", folder, "--kb", kb, "--no-flow")
    told = "3 unchanged documents are compiled again; settings differ from the last run:"
    assert told in err, "before the work begins"
    assert " ".join(out.split()).count(f"{told} chunk.max_tokens 500 (now not set)") == 1
    (folder / "new.md").write_text("# Gasket\n\nThe gasket is 3 mm thick.\n", "utf-8")
    code, out, err = strata("ingest", folder, "--kb", kb, "--no-flow")
    assert (code, "again" in out + err) == (0, False)


def test_only_the_latest_runs_are_kept(tmp_path: Path) -> None:
    folder, kb = write_folder(tmp_path / "folder"), tmp_path / "kb"
    report = build(folder, kb)
    from pipelines.ingest.report import record_run

    with open_stores(kb, Settings()) as stores:
        for _ in range(MOST_RUNS):
            record_run(stores.catalog, "folder", {}, report)
        kept = RUNS.read(stores.catalog)
    assert [kept[0].number, kept[-1].number] == [2, MOST_RUNS + 1]
