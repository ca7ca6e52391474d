"""Tests of the commands `strata cache`, `strata prompts` and `strata ingest --estimate`."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from flows.cli.app import app
from flows.cli.config import cache_app, prompts_app
from pipelines.core.errors import KnowledgeBaseNotFound, NotFound, SettingsError
from pipelines.llm.cache import ReplyStore
from pipelines.llm.chat import Reply, Usage
from pipelines.llm.prompt import find_prompts
from pipelines.store.folder import KnowledgeBaseFolder

RUNNER = CliRunner()


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    """A knowledge base folder with a database file and two cached replies."""
    KnowledgeBaseFolder(tmp_path).database.touch()
    with closing(ReplyStore(KnowledgeBaseFolder(tmp_path).replies)) as store:
        store.put("1", "distill", Reply("two seals", "m", Usage(100, 20, 1)))
        store.put("2", "answer", Reply("two", "m", Usage(50, 1, 1)))
    return tmp_path


def test_stats_are_a_table_or_json(kb: Path) -> None:
    table = RUNNER.invoke(cache_app, ["stats", "--kb", str(kb)])
    assert "distill" in table.output
    printed = RUNNER.invoke(cache_app, ["stats", "--kb", str(kb), "--json"])
    assert [line["role"] for line in json.loads(printed.output)] == ["answer", "distill"]


def test_prune_reports_the_number_of_removed_replies(kb: Path) -> None:
    assert "1 replies removed" in RUNNER.invoke(cache_app, ["prune", "--kb", str(kb), "--role", "answer"]).output
    assert "1 replies removed" in RUNNER.invoke(cache_app, ["prune", "--kb", str(kb)]).output
    assert "no replies" in RUNNER.invoke(cache_app, ["stats", "--kb", str(kb)]).output


def test_no_cache_is_created_without_a_knowledge_base(tmp_path: Path) -> None:
    result = RUNNER.invoke(cache_app, ["stats", "--kb", str(tmp_path)])
    assert isinstance(result.exception, KnowledgeBaseNotFound)
    assert list(tmp_path.iterdir()) == []


def test_all_prompts_are_listed(kb: Path) -> None:
    output = RUNNER.invoke(prompts_app, ["show", "--kb", str(kb)]).output
    assert all(name[:8] in output for _, name in find_prompts("pipelines", "qa"))


def test_a_prompt_can_be_shown_and_overridden(kb: Path) -> None:
    _, name = find_prompts("pipelines", "qa")[0]
    shown = RUNNER.invoke(prompts_app, ["show", name, "--kb", str(kb)]).output
    copied = RUNNER.invoke(prompts_app, ["override", name, "--kb", str(kb)])
    own = kb / "prompts" / f"{name}.md"
    assert copied.exit_code == 0
    assert own.read_text("utf-8").rstrip() == shown.rstrip()
    own.write_text(own.read_text("utf-8") + "\nBe brief.\n", encoding="utf-8")
    assert "Be brief." in RUNNER.invoke(prompts_app, ["show", name, "--kb", str(kb)]).output
    again = RUNNER.invoke(prompts_app, ["override", name, "--kb", str(kb)])
    assert isinstance(again.exception, SettingsError)


def test_an_unknown_prompt_is_an_error(kb: Path) -> None:
    result = RUNNER.invoke(prompts_app, ["show", "nonesuch", "--kb", str(kb)])
    assert isinstance(result.exception, NotFound)


def test_the_estimate_has_a_line_per_role_and_makes_no_call(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "pump.md").write_text("# Pump\n\nThe pump of line 3 stopped with a worn seal.\n")
    endpoint = ["--set", "llm.base_url=http://127.0.0.1:1/v1", "--set", "llm.model=m", "--json"]
    words = ["ingest", str(tmp_path / "folder"), "--kb", str(tmp_path / "kb"), "--estimate", *endpoint]
    printed = json.loads(RUNNER.invoke(app, words).output)
    assert {line["role"]: line["usage"]["calls"] for line in printed["lines"]}["distil"] == 1
    assert printed["total"]["usage"]["calls"] == len(printed["lines"])
