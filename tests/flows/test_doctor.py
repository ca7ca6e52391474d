"""Tests of `strata doctor`: each check with a working and a failing subject."""

from __future__ import annotations

import json
import shutil
import socket
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from flows import doctor_checks
from flows.cli.app import main
from flows.doctor import CHECKS
from flows.doctor_checks import Check, Grade, Result, Subject, good, result_of
from pipelines.core.libraries import disable_telemetry
from pipelines.ingest.build import build
from pipelines.resources import open_stores
from pipelines.settings import load
from pipelines.store.facts import INGEST, Ingest
from pipelines.store.folder import KnowledgeBaseFolder
from pipelines.store.neo4j.connection import Neo4jAddress
from qa.settings import QaSettings
from tests.qa.endpoints import GARBLED, NO_MODEL, PAGE, REFUSED, Sent, completion, endpoint

BY_NAME = {check.name: check for check in CHECKS}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("folder")
    (folder / "sheet.md").write_text("# Data sheet\n\nThe efficiency of the K80 is 79 %.\n", encoding="utf-8")
    subject = tmp_path_factory.mktemp("built") / "kb"
    build(folder, subject)
    return subject


@pytest.fixture
def kb(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "kb"))


def found(name: str, kb: Path, **options: object) -> Result:
    """The result of one check, with settings given by path, `__` standing for a dot."""
    chosen = {path.replace("__", "."): value for path, value in options.items()}
    return result_of(BY_NAME[name], Subject(kb, load(kb, chosen, QaSettings).settings))


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_working_endpoint_passes_with_one_call(tmp_path: Path) -> None:
    with endpoint(completion("ready")) as server:
        result = found("language model", tmp_path, llm__base_url=server.url, llm__model="m")
    assert (result.grade, len(server.paths)) == (Grade.OK, 1)
    assert server.url in result.text


@pytest.mark.parametrize(
    ("sent", "words", "hint"),
    [
        (REFUSED, "refuses the key", "OPENAI_API_KEY"),
        (NO_MODEL, "no such address or model", "model"),
        (PAGE, "no choices", "OpenAI-compatible"),
        (GARBLED, "broken", "OpenAI-compatible"),
        (Sent(404, "<html>nginx</html>", "text/html"), "(HTTP 404)", "base_url"),
    ],
)
def test_failures_of_an_endpoint_are_distinguished(sent: Sent, words: str, hint: str, tmp_path: Path) -> None:
    with endpoint(sent) as server:
        result = found("language model", tmp_path, llm__base_url=server.url, llm__model="m")
    assert result.grade is Grade.FAILED
    assert words in result.text
    assert hint in result.hint
    assert "html" not in result.text


def test_an_unreachable_or_hanging_endpoint_is_reported(tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{closed_port()}/v1"
    assert "cannot be reached" in found("language model", tmp_path, llm__base_url=url).text
    hold = threading.Event()
    with endpoint(Sent(hold=hold)) as server:
        result = found("language model", tmp_path, llm__base_url=server.url, llm__timeout=0.2)
        hold.set()
    assert "in time" in result.text


def test_without_an_endpoint_the_check_passes(tmp_path: Path) -> None:
    result = found("language model", tmp_path)
    assert (result.grade, "quoted" in result.text) == (Grade.OK, True)


def test_the_embedder_must_load_and_match_the_knowledge_base(kb: Path) -> None:
    assert found("embedder", kb).grade is Grade.OK
    other = found("embedder", kb, embed__name="hashing")
    assert other.grade is Grade.FAILED
    assert "was embedded by wordllama" in other.text


def test_an_embedding_endpoint_is_checked(tmp_path: Path) -> None:
    with endpoint(PAGE) as server:
        result = found("embedder", tmp_path, embed__name="openai", embed__base_url=server.url)
    assert result.grade is Grade.FAILED
    assert "no vectors" in result.text


def test_the_ocr_engine_reads_a_picture(tmp_path: Path) -> None:
    result = found("OCR", tmp_path)
    assert (result.grade, "works" in result.text) == (Grade.OK, True)
    assert found("OCR", tmp_path, parse__ocr__engine="none").text.startswith("off")


def test_an_unreachable_neo4j_and_another_server_on_its_port_fail(tmp_path: Path) -> None:
    away = f"bolt://127.0.0.1:{closed_port()}"
    result = found("Neo4j", tmp_path, store__neo4j_uri=away)
    assert (result.grade, away in result.text) == (Grade.FAILED, True)
    with endpoint(PAGE) as server:
        named = {"store.neo4j_uri": f"bolt://127.0.0.1:{server.server_address[1]}"}
        soon = replace(BY_NAME["Neo4j"], seconds=3)  # neither side sends anything, so the check ends by its timeout
        other = result_of(soon, Subject(tmp_path, load(tmp_path, named, QaSettings).settings))
    assert other.grade is Grade.FAILED
    assert found("Neo4j", tmp_path).grade is Grade.OK


@pytest.mark.neo4j
def test_a_neo4j_reports_its_version_and_refuses_a_wrong_password(tmp_path: Path, neo4j_address: Neo4jAddress) -> None:
    named = {"store__neo4j_uri": neo4j_address.uri, "store__neo4j_user": neo4j_address.user}
    right = found("Neo4j", tmp_path, **named, store__neo4j_password=neo4j_address.password)
    assert (right.grade, "Neo4j Kernel" in right.text) == (Grade.OK, True)
    if neo4j_address.password:
        wrong = found("Neo4j", tmp_path, **named, store__neo4j_password="wrong")
        assert "refuses this user name and password" in wrong.text


def test_a_configured_prefect_server_must_respond(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "no server runs" in found("Prefect", tmp_path).text
    with endpoint(Sent(body="true")) as server:
        monkeypatch.setenv("PREFECT_API_URL", f"http://127.0.0.1:{server.server_address[1]}/api")
        assert found("Prefect", tmp_path).grade is Grade.OK
        assert server.paths == ["/api/health"]
    result = found("Prefect", tmp_path)
    assert (result.grade, "--no-flow" in result.hint) == (Grade.FAILED, True)


def test_missing_packages_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert found("packages", tmp_path).grade is Grade.OK
    monkeypatch.setattr(doctor_checks, "requires", lambda name: ["no-such-package-at-all>=1", 'x; extra == "dev"'])
    assert found("packages", tmp_path).text == "not installed: no-such-package-at-all"


def test_the_disk_must_be_writable_and_have_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert found("disk", tmp_path / "not" / "yet").grade is Grade.OK
    for free, grade in ((1 << 30, Grade.WARNING), (1 << 20, Grade.FAILED)):
        usage = shutil.disk_usage(tmp_path)._replace(free=free)
        monkeypatch.setattr(doctor_checks.shutil, "disk_usage", lambda path, usage=usage: usage)
        assert found("disk", tmp_path).grade is grade
    if Path("/proc/self").is_dir():
        assert "cannot be written" in found("disk", Path("/proc/strata")).text


def test_enabled_telemetry_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disable_telemetry()
    assert found("telemetry", tmp_path).grade is Grade.OK
    monkeypatch.setenv("DO_NOT_TRACK", "0")
    assert "DO_NOT_TRACK=0" in found("telemetry", tmp_path).text


def test_libreoffice_is_searched_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "soffice").touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert found("LibreOffice", tmp_path).grade is Grade.OK
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    assert found("LibreOffice", tmp_path).grade is Grade.WARNING


def test_the_models_of_tesseract_are_listed_and_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "tesseract"
    program.write_text(
        "#!/bin/sh\n"
        'case "$*" in *--list-langs*) printf "List:\\nCyrillic\\neng\\nheb\\n" ;;'
        ' *"-l heb"*) echo "Failed loading language heb" >&2; exit 1 ;; esac\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert found("Tesseract", tmp_path).text == "heb: Failed loading language heb"
    program.write_text(program.read_text().replace("-l heb", "-l none"))
    assert (found("Tesseract", tmp_path).grade, found("Tesseract", tmp_path).text) == (Grade.OK, "Cyrillic, heb")
    program.unlink()
    assert found("Tesseract", tmp_path).grade is Grade.WARNING


def test_the_unpackers_are_searched_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("bsdtar", "readpst", "mdb-tables", "gs", "ddjvu"):
        (tmp_path / name).touch(0o755)
    assert found("unpackers", tmp_path).text == "not installed: 7-Zip for CHM"
    (tmp_path / "7zz").touch(0o755)
    assert found("unpackers", tmp_path).grade is Grade.OK


def test_a_knowledge_base_is_reported_as_complete_locked_unfinished_or_damaged(kb: Path) -> None:
    assert found("knowledge base", kb / "none").grade is Grade.OK
    assert found("knowledge base", kb).text == "1 of 1 documents can be found; 1 checked are complete"
    with open_stores(kb, load(kb).settings) as stores:
        with stores.embedded.exclusive():
            locked = found("knowledge base", kb)
        INGEST.write(stores.catalog, Ingest(5))
        half = found("knowledge base", kb)
        INGEST.write(stores.catalog, Ingest(1, finished=True))
    assert (locked.grade, "another process is writing" in locked.text) == (Grade.WARNING, True)
    assert (half.grade, "has not finished" in half.text) == (Grade.WARNING, True)
    shutil.rmtree(KnowledgeBaseFolder(kb).artifacts)
    damaged = found("knowledge base", kb)
    assert damaged.grade is Grade.FAILED
    assert "sheet.md" in damaged.text
    assert "fsck" in damaged.hint


def test_a_check_that_times_out_or_raises_has_failed(tmp_path: Path) -> None:
    subject = Subject(tmp_path, QaSettings())
    held = threading.Event()
    slow = Check("slow", lambda _: good(str(held.wait(60))), 0.05)
    assert result_of(slow, subject).text.startswith("no result within")
    held.set()
    assert result_of(Check("odd", lambda _: good(str(1 / 0))), subject) == Result(
        "odd", Grade.FAILED, "ZeroDivisionError: division by zero"
    )


@pytest.fixture
def strata(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    def run(*words: object) -> tuple[int, str]:
        monkeypatch.setattr("sys.argv", ["strata", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return (code if isinstance(code, int) else 0), capsys.readouterr().out

    return run


def test_the_command_prints_a_line_per_check_and_fails_by_its_exit_code(
    kb: Path, strata: Callable[..., tuple[int, str]]
) -> None:
    code, out = strata("doctor", "--kb", kb)
    assert code == 0
    assert len(out.splitlines()) == len(CHECKS) + 1
    with endpoint(REFUSED) as server:
        code, out = strata("doctor", "--kb", kb, "--json", "--set", f"llm.base_url={server.url}")
    results = {one["name"]: one for one in json.loads(out)}
    assert code == 1
    assert results["language model"]["grade"] == "failed"
    assert results["embedder"]["grade"] == "ok"


def test_invalid_settings_are_reported_and_the_other_checks_still_run(
    kb: Path, strata: Callable[..., tuple[int, str]]
) -> None:
    (kb / "strata.toml").write_text("[llm]\nbase_ur = 'x'\n", encoding="utf-8")
    code, out = strata("doctor", "--kb", kb, "--json")
    first, *rest = json.loads(out)
    assert code == 1
    assert (first["name"], first["grade"], "did you mean" in first["hint"]) == ("settings", "failed", True)
    assert len(rest) == len(CHECKS)
