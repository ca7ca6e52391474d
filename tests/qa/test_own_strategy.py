"""Tests of a strategy defined outside the package and named in strata.toml."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipelines.core.errors import SettingsError
from pipelines.ingest.build import build
from pipelines.llm.testing.fakes import ScriptedChat
from pipelines.settings import load
from qa import KnowledgeBase
from tests.conftest import Strata

MODULE = """
from qa.answer import Answer, Claim
from qa.citations import Citer

async def first_sentence(question, retrieval, model, settings):
    hit, *_ = retrieval.retrieve(question, 1)
    citer = Citer(retrieval)
    number = citer.cite(hit, hit.chunk.provenance.span)
    heard = "a model" if model else "no model"
    return Answer(question, heard, claims=(Claim(heard, (number,)),), citations=citer.citations)

not_a_function = 7
"""
LINE = '[qa.answer]\nstrategy = "strategy_of_a_user:first_sentence"\n'
NAME = "strategy_of_a_user:first_sentence"
QUESTION = "What does the casing weigh?"


@pytest.fixture(autouse=True)
def module(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's module on Python's path, and an empty user configuration."""
    folder = tmp_path_factory.mktemp("modules")
    (folder / "strategy_of_a_user.py").write_text(MODULE)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("configuration")))


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "pump.md").write_text("# Pump\n\nThe casing weighs 148 kg.\n")
    build(tmp_path / "folder", tmp_path / "kb")
    (tmp_path / "kb" / "strata.toml").write_text(LINE)
    return tmp_path / "kb"


def test_a_strategy_named_in_the_settings_is_loaded_only_after_the_file_is_trusted(kb: Path, strata: Strata) -> None:
    with pytest.raises(SettingsError, match="would be loaded and run as code") as raised:
        KnowledgeBase.open(kb)
    assert "strata config trust" in raised.value.hint
    code, out, err = strata("ask", QUESTION, "--kb", kb)
    assert (code, out) == (2, "")
    assert "qa.answer.strategy" in err
    assert NAME in strata("config", "trust", kb)[1]
    with KnowledgeBase.open(kb) as knowledge:
        answer = knowledge.ask(QUESTION)
        assert knowledge.default_strategy == NAME
    assert (answer.text, answer.strategy) == ("no model", NAME)
    assert answer.citations[0].uri == "pump.md"
    code, out, _ = strata("ask", QUESTION, "--kb", kb)
    assert code == 0
    assert "148 kg" in out


def test_any_change_of_the_settings_file_revokes_trust(kb: Path, strata: Strata) -> None:
    strata("config", "trust", kb)
    (kb / "strata.toml").write_text(LINE.replace("first_sentence", "another"))
    assert strata("ask", QUESTION, "--kb", kb)[0] == 2
    (kb / "strata.toml").write_text(LINE + '[llm]\nbase_url = "http://models.example/v1"\n')
    assert strata("ask", QUESTION, "--kb", kb)[0] == 2
    strata("config", "trust", kb)
    assert load(kb).settings.llm.base_url  # an ingest does not read the strategy, so the rest of the file is trusted


def test_a_strategy_named_by_the_user_needs_no_trust_and_receives_the_model(kb: Path, strata: Strata) -> None:
    (kb / "strata.toml").write_text('[qa.answer]\nstrategy = "extractive"\n')
    with KnowledgeBase.open(kb, chat=ScriptedChat([])) as knowledge:
        assert knowledge.ask(QUESTION, strategy=NAME).text == "a model"
    assert strata("ask", QUESTION, "--kb", kb, "--strategy", NAME)[0] == 0


@pytest.mark.parametrize(
    "name", ["no_such_module:solve", "strategy_of_a_user:nothing", "strategy_of_a_user:not_a_function", ":", "json:"]
)
def test_a_strategy_that_cannot_be_loaded_is_a_settings_error(kb: Path, strata: Strata, name: str) -> None:
    (kb / "strata.toml").unlink()
    code, _, err = strata("ask", QUESTION, "--kb", kb, "--strategy", name)
    assert code == 2
    assert err.startswith("strata: ")
    assert err.count("\n") == 1
