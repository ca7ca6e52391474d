"""Tests of the command line: output, files and exit codes."""

import itertools
import json
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.conftest import Strata
from tests.ingest.knowledge import kill_after, write_folder


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from pipelines import build

    place = tmp_path_factory.mktemp("cli")
    build(write_folder(place / "folder"), place / "kb")
    return place / "kb"


def test_version_is_that_of_the_package(strata: Strata) -> None:
    assert strata("--version") == (0, f"strata {version('strata-kb')}\n", "")


def test_ingest_prints_a_summary_as_json(strata: Strata, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "folder")
    code, out, err = strata("ingest", folder, "--kb", tmp_path / "kb", "--no-flow", "--json")
    report = json.loads(out)
    assert (code, err) == (0, "")
    assert report["documents"] == {"indexed": 3}
    assert report["stages"]["parse"] == {"done": 3, "reused": 0, "failed": 0}


def test_an_ingest_without_changes_reports_so(strata: Strata, kb: Path) -> None:
    code, out, _ = strata("ingest", kb.parent / "folder", "--kb", kb, "--no-flow", "--quiet")
    assert code == 0
    assert "3 of 3 documents can be found; 3 unchanged; nothing to parse, chunk or embed" in " ".join(out.split())
    assert "quarantined" not in out  # none is


def test_status_reports_an_unfinished_ingest(strata: Strata, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "folder")
    kill_after(5, folder, tmp_path / "kb")
    code, out, _ = strata("status", "--kb", tmp_path / "kb")
    assert code == 0
    assert "run `strata ingest` again: it continues where it stopped" in out
    strata("ingest", folder, "--kb", tmp_path / "kb", "--no-flow")
    assert "strata ingest" not in strata("status", "--kb", tmp_path / "kb")[1]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--runner", "dask"), "given together"),
        (("--address", "tcp://127.0.0.1:8786"), "given together"),
        (("--runner", "ray", "--address", "tcp://127.0.0.1:8786"), "is not an address for --runner ray"),
    ],
)
def test_a_runner_needs_a_matching_address(
    options: tuple[str, ...], words: str, strata: Strata, tmp_path: Path
) -> None:
    code, _, err = strata("ingest", write_folder(tmp_path / "folder"), "--kb", tmp_path / "kb", *options)
    assert code == 2
    assert words in err
    assert not (tmp_path / "kb").exists()


@pytest.mark.parametrize(
    ("make", "code", "line"),
    [
        (lambda path: None, 4, "strata: no such folder:"),
        (lambda path: path.mkdir(), 4, "strata: no documents in"),
        (lambda path: path.write_text("a file"), 4, "strata: "),
    ],
    ids=["missing", "empty", "file"],
)
def test_a_folder_that_cannot_be_ingested_is_reported_in_one_line(
    make: Callable[[Path], object], code: int, line: str, strata: Strata, tmp_path: Path
) -> None:
    make(tmp_path / "folder")
    ended, out, err = strata("ingest", tmp_path / "folder", "--kb", tmp_path / "kb", "--no-flow", "--quiet")
    assert (ended, out) == (code, "")
    assert err.startswith(line)
    assert err.count("\n") == 1


def test_an_empty_folder_leaves_a_knowledge_base_that_asks_for_documents(strata: Strata, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    strata("ingest", tmp_path / "folder", "--kb", tmp_path / "kb", "--no-flow", "--quiet")
    code, _, err = strata("ask", "What is it?", "--kb", tmp_path / "kb")
    assert (code, "`strata ingest FOLDER` adds documents" in err, "continues" in err) == (5, True, False)


@pytest.mark.parametrize("command", [("ingest", "--no-flow"), ("diff",)])
def test_a_path_with_a_space_and_without_quotes_is_recognized(
    command: tuple[str, ...], strata: Strata, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_folder(tmp_path / "Werk Nord")
    monkeypatch.chdir(tmp_path)
    code, _, err = strata(*command, "Werk", "Nord")
    assert (code, 'a path with spaces needs quotes: "Werk Nord"' in err) == (2, True)
    assert "give one folder or source" in strata(*command, "Werk Nord", "Ost")[2]


def test_a_misspelt_document_to_forget_is_answered_by_the_nearest_names(strata: Strata, kb: Path) -> None:
    code, _, err = strata("forget", "reports/IR-33.txt", "--kb", kb)
    assert (code, "did you mean reports/IR-3.txt" in err) == (4, True)


def test_a_single_value_for_a_list_or_a_table_is_refused_with_the_right_form(strata: Strata, tmp_path: Path) -> None:
    code, _, err = strata("config", "--kb", tmp_path / "kb", "--set", "parse.passwords=x")
    assert code == 2
    assert """not a table of names with values (for example parse.passwords='{"NAME": "VALUE"}')""" in err
    assert strata("config", "--kb", tmp_path / "kb", "--set", 'parse.passwords={"NAME": "VALUE"}')[0] == 0
    listed = strata("config", "--kb", tmp_path / "kb", "--set", "ingest.exclude=x")[2]
    assert """ingest.exclude in command line: not a list (for example ingest.exclude='["ONE", "TWO"]')""" in listed
    (tmp_path / "kb").mkdir()
    (tmp_path / "kb" / "strata.toml").write_text('[ingest]\nexclude = "x"\n')
    assert 'for example exclude = ["ONE", "TWO"] in [ingest]' in strata("config", "--kb", tmp_path / "kb")[2]


def test_a_file_in_place_of_a_folder_and_a_folder_in_place_of_a_file_are_called_what_they_are(
    strata: Strata, tmp_path: Path
) -> None:
    folder, file = write_folder(tmp_path / "folder"), tmp_path / "one.md"
    file.write_text("# Pump\n")
    for arguments, code, said in (
        (("ingest", file, "--kb", tmp_path / "kb"), 4, "is a file, not a folder"),
        (("ingest", folder, "--kb", file), 5, "one.md is a file (name another one with --kb"),
        (("parse", folder), 4, "is a folder, not a file"),
    ):
        ended, _, err = strata(*arguments)
        assert (ended, said in err) == (code, True)


def test_a_broken_file_is_reported_and_changes_the_exit_code(strata: Strata, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "folder")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    code, out, _ = strata("ingest", folder, "--kb", tmp_path / "kb", "--no-flow", "--quiet")
    assert code == 8
    assert "broken.pdf" in out
    assert "3 of 4 documents can be found; 3 done, 1 failed (" in out
    assert strata("runs", "--kb", tmp_path / "kb")[1].splitlines()[1].split()[4:7] == ["3", "0", "1"]


def test_documents_without_text_are_pointed_out(strata: Strata, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "folder")
    (folder / "nothing.txt").touch()
    code, out, _ = strata("ingest", folder, "--kb", tmp_path / "kb", "--no-flow", "--quiet")
    assert code == 0
    assert f"1 empty: `strata status --kb {tmp_path / 'kb'}` gives the reasons" in " ".join(out.split())


def test_a_question_is_answered_with_its_source(strata: Strata, kb: Path) -> None:
    code, out, _ = strata("ask", "How often is the bearing oil changed?", "--kb", kb)
    assert code == 0
    assert "4000 hours" in out
    assert "manual.md" in out


def test_a_question_may_be_typed_without_quotes(strata: Strata, kb: Path) -> None:
    quoted = strata("ask", "What does the standard describe?", "--kb", kb)
    assert strata("ask", "What", "does", "the", "standard", "describe?", "--kb", kb) == quoted
    assert quoted[0] == 0


def test_the_page_of_an_answer_fits_a_phone_and_a_dark_room(strata: Strata, kb: Path, tmp_path: Path) -> None:
    strata("ask", "What does the standard describe?", "--kb", kb, "--html", tmp_path / "answer.html")
    page = (tmp_path / "answer.html").read_text("utf-8")
    assert "width=device-width" in page
    assert "color-scheme: light dark" in page


def test_json_output_has_the_whole_answer(strata: Strata, kb: Path) -> None:
    _, out, _ = strata("ask", "How often is the bearing oil changed?", "--kb", kb, "--json")
    answer = json.loads(out)
    assert answer["abstained"] is False
    assert answer["citations"][0]["uri"] == "manual.md"
    assert "4000 hours" in answer["citations"][0]["quote"]


def test_a_question_that_no_document_answers_is_refused(strata: Strata, kb: Path) -> None:
    code, out, _ = strata("ask", "Who won the football championship in Zanzibar?", "--kb", kb)
    assert code == 0
    assert "The documents do not say" in out


def test_a_missing_knowledge_base_is_reported_in_one_line(strata: Strata, tmp_path: Path) -> None:
    code, out, err = strata("ask", "Anything?", "--kb", tmp_path / "none")
    assert (code, out) == (5, "")
    assert err == f"strata: no knowledge base at {tmp_path / 'none'} (`strata ingest FOLDER` creates one)\n"


def test_status_lists_every_document(strata: Strata, kb: Path) -> None:
    _, out, _ = strata("status", "--kb", kb, "--json")
    assert [entry["status"] for entry in json.loads(out)] == ["indexed"] * 3


@pytest.mark.usefixtures("all_defaults")
def test_config_shows_the_origin_of_a_value(strata: Strata, kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATA_CHUNK__MAX_TOKENS", "410")
    _, out, _ = strata("config", "--kb", kb, "--changed", "--json")
    assert json.loads(out) == {"chunk.max_tokens": {"value": 410, "from": "environment"}}


def test_config_writes_values_as_strata_toml_takes_them(strata: Strata, kb: Path, tmp_path: Path) -> None:
    lines = [line.split("  ") for line in strata("config", "--kb", kb)[1].splitlines()[1:]]
    rows = {line[0]: next(part.strip() for part in line[1:] if part.strip()) for line in lines}
    assert {rows[name] for name in ("parse.languages", "ingest.hidden", "embed.name")} == {
        '["en", "de", "zh"]', "false", '"wordllama"'
    }  # fmt: skip
    (tmp_path / "own").mkdir()
    text = "".join(f"{name} = {rows[name]}\n" for name in ("parse.languages", "ingest.hidden", "embed.name"))
    (tmp_path / "own" / "strata.toml").write_text(text, encoding="utf-8")
    code, out, err = strata("config", "--kb", tmp_path / "own", "--changed", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["parse.languages"]["value"] == ["en", "de", "zh"]


def test_an_unknown_setting_suggests_the_nearest(strata: Strata, kb: Path) -> None:
    code, _, err = strata("ask", "Anything?", "--kb", kb, "--set", "chunk.max_token=3")
    assert code == 2
    assert "did you mean chunk.max_tokens?" in err


def test_the_graph_is_exported_in_a_stable_order(strata: Strata, kb: Path) -> None:
    first = strata("graph", "export", "--kb", kb)[1]
    assert first == strata("graph", "export", "--kb", kb)[1]
    lines = [json.loads(line) for line in first.splitlines()]
    assert len(lines) > 30


def test_a_consistent_knowledge_base_passes_fsck(strata: Strata, kb: Path) -> None:
    code, out, _ = strata("fsck", "--kb", kb)
    assert code == 0
    assert "agree on 3 documents" in out


def test_diff_of_an_unchanged_folder_reports_no_difference(strata: Strata, kb: Path) -> None:
    _, out, _ = strata("diff", kb.parent / "folder", "--kb", kb, "--quiet")
    assert "no difference" in out


def test_parse_can_show_chunks_with_their_summaries(strata: Strata, tmp_path: Path) -> None:
    file = tmp_path / "pumps.md"
    told = "The feed pump moves cold water through the long pipe of the station."
    file.write_text(
        "\n\n".join(f"# Part {n}\n\n{told} " + f"It is oiled in week {n} of the year. " * 20 for n in (1, 2))
    )
    code, out, _ = strata("parse", file, "--chunks", "--kb", tmp_path / "none")
    assert code == 0
    assert "== 1 · Part 1\n" in out
    assert "== 2 · Part 2\nforward summary: " in out
    assert out.count("\nsummary: ") == 2
    assert not (tmp_path / "none").exists()
    assert strata("parse", file, "--chunks", "--json")[0] == 2


def test_a_long_path_does_not_widen_the_rows_of_other_documents(strata: Strata, tmp_path: Path) -> None:
    from pipelines import build

    folder = write_folder(tmp_path / "folder")
    deep = folder / ("a" * 90) / ("b" * 90)
    deep.mkdir(parents=True)
    (deep / "empty.txt").touch()
    build(folder, tmp_path / "kb")
    lines = strata("status", "--kb", tmp_path / "kb", "--all")[1].splitlines()
    assert len(lines) == 6
    assert any(line.startswith("a" * 90) and line.endswith("  the file is empty") for line in lines)
    assert sorted(map(len, lines))[-2] < 80


def test_the_paragraphs_of_a_help_page_fill_the_width(strata: Strata) -> None:
    out = strata("ask", "--help")[1]
    lines = out[: out.index("Arguments")].splitlines()
    start = next(number for number, line in enumerate(lines) if "do not contain" in line)
    wide = max(map(len, map(str.rstrip, lines)))
    for line, after in itertools.pairwise(lines[start : start + 4]):
        assert len(f"{line.rstrip()} {after.split()[0]}") > wide - 2 or not after.strip()


def test_an_empty_list_of_permissions_says_so(strata: Strata, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert strata("config", "trusted") == (0, "knowledge base\n", "none\n")
    assert strata("config", "trusted", "--json") == (0, "[]\n", "")


def test_help_lists_every_command(strata: Strata) -> None:
    code, out, _ = strata("--help")
    assert code == 0
    for name in ("ingest", "ask", "chat", "parse", "status", "diff", "forget", "fsck", "reindex", "config", "demo"):
        assert name in out
