from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
import typer
from typer.testing import CliRunner

from evaluate.questions import GoldSource, Question
from evaluate.tune import QuestionSet, tune, value, weights, write_settings
from flows.cli import evaluate as command
from pipelines.core.errors import SettingsError, SourceError
from pipelines.retrieve.retriever import Retriever
from pipelines.sections import RetrieveSettings
from pipelines.settings import load
from qa.settings import QaSettings
from tests.qa.corpus import PASSAGES, QUESTIONS, documents_at, passages_at

SOURCES = (
    Question("d1", "After how many hours is the shaft seal changed?", sources=(GoldSource("Pump_Handbook.pdf", 1),)),
    Question("d2", "What grease do bearings take?", sources=(GoldSource("Pump_Handbook.pdf", 2),)),
    Question("d3", "What does an impeller cost?", sources=(GoldSource("prices.csv"),)),
)


@pytest.fixture(scope="module")
def passages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QuestionSet]:
    with passages_at(tmp_path_factory.mktemp("passages")) as retriever:
        yield QuestionSet("passages", retriever, QUESTIONS)


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QuestionSet]:
    with documents_at(tmp_path_factory.mktemp("documents")) as retriever:
        yield QuestionSet("documents", retriever, SOURCES)


def test_tuning_improves_poor_weights(passages: QuestionSet) -> None:
    start = RetrieveSettings(hop=0.02, title=0.05)
    tuned = tune([passages], start, trials=30, folds=2)
    assert tuned.after >= tuned.before
    assert tuned.settings.hop > start.hop
    assert [fold.questions for fold in tuned.folds] == [1, 1]


def test_the_same_seed_gives_the_same_weights(passages: QuestionSet) -> None:
    one, two, other = (tune([passages], RetrieveSettings(), trials=8, folds=2, seed=seed) for seed in (3, 3, 4))
    assert one == two
    assert one.settings != other.settings


def test_there_are_no_more_folds_than_questions(passages: QuestionSet) -> None:
    tuned = tune([passages], RetrieveSettings(), trials=3, folds=5)
    assert [fold.questions for fold in tuned.folds] == [1] * len(QUESTIONS)
    alone = QuestionSet("one", passages.retriever, QUESTIONS[:1])
    assert tune([alone], RetrieveSettings(), trials=3).folds == ()
    with pytest.raises(SourceError, match="no answerable question"):
        tune([QuestionSet("none", passages.retriever, ())], RetrieveSettings(), trials=3)


def test_a_weight_of_zero_is_not_tuned(passages: QuestionSet) -> None:
    tuned = tune([passages], RetrieveSettings(tag=0.0, next=0.0), trials=5, folds=2)
    assert (tuned.settings.tag, tuned.settings.next) == (0.0, 0.0)
    assert all((fold.settings.tag, fold.settings.next) == (0.0, 0.0) for fold in tuned.folds)


def test_with_several_sets_each_is_held_out_once(passages: QuestionSet, documents: QuestionSet) -> None:
    told: list[int] = []
    tuned = tune([passages, documents], RetrieveSettings(), trials=5, tell=told.append)
    assert [(fold.name, fold.questions) for fold in tuned.folds] == [("passages", 2), ("documents", 3)]
    assert told == [1, 2, 3, 4, 5, 6]
    assert all(0 <= fold.before <= 100 for fold in tuned.folds)


def test_sets_of_one_corpus_are_held_out_together(passages: QuestionSet, documents: QuestionSet) -> None:
    halves = [
        replace(documents, name=f"d{n}", questions=part, corpus="d")
        for n, part in enumerate((SOURCES[:1], SOURCES[1:]))
    ]
    tuned = tune([passages, *halves], RetrieveSettings(), trials=3)
    assert [(fold.name, fold.questions) for fold in tuned.folds] == [("passages", 2), ("d", 3)]
    of_corpora = [
        (fold.before, fold.questions) for fold in tune([passages, documents], RetrieveSettings(), trials=1).folds
    ]
    assert [(fold.before, fold.questions) for fold in tuned.folds] == of_corpora


def test_the_value_of_hits_counts_document_and_page(documents: QuestionSet) -> None:
    retriever: Retriever = documents.retriever
    hits = retriever.retrieve(SOURCES[0].question, 5)
    assert value(hits, SOURCES[0]) == 1.0
    assert value([], SOURCES[0]) == 0.0


def test_written_weights_are_loaded_by_the_settings(tmp_path: Path) -> None:
    path = tmp_path / "strata.toml"
    path.write_text("# mine\n[chunk]\nmax_tokens = 500  # small\n\n[qa.answer]\n")
    write_settings(path, RetrieveSettings(hop=1.25))
    text = path.read_text()
    assert "# mine" in text
    assert "max_tokens = 500  # small" in text
    loaded = load(tmp_path, {}, QaSettings).settings
    assert loaded.retrieve.hop == 1.25
    write_settings(path, RetrieveSettings(hop=0.5))
    assert tomllib.loads(path.read_text())["retrieve"]["hop"] == 0.5


def test_a_missing_settings_file_is_created(tmp_path: Path) -> None:
    write_settings(tmp_path / "strata.toml", RetrieveSettings())
    assert tomllib.loads((tmp_path / "strata.toml").read_text())["retrieve"] == weights(RetrieveSettings())


def test_the_command_tunes_on_a_corpus(tmp_path: Path) -> None:
    corpus, questions, toml = tmp_path / "corpus.jsonl", tmp_path / "questions.jsonl", tmp_path / "strata.toml"
    corpus.write_bytes(b"\n".join(msgspec.json.encode(passage) for passage in PASSAGES))
    questions.write_bytes(b"\n".join(msgspec.json.encode(question) for question in QUESTIONS))
    app = typer.Typer()
    command.register(app)
    arguments = [str(questions), "--corpus", str(corpus), "--trials", "4", "--folds", "2", "--write", str(toml)]
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert "fold 1" in done.stdout
    assert "[retrieve]" in done.stdout
    assert toml.exists()
    printed = CliRunner().invoke(app, [*arguments, "--json"], catch_exceptions=False)
    assert {"weights", "before", "after", "folds"} <= json.loads(printed.stdout).keys()


def test_the_command_needs_a_knowledge_base_or_a_corpus(tmp_path: Path) -> None:
    app = typer.Typer()
    command.register(app)
    with pytest.raises(SettingsError):
        CliRunner().invoke(app, [str(tmp_path / "q.jsonl")], catch_exceptions=False)
