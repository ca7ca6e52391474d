"""Tests of a model that judges whether two entities are the same where rules cannot decide."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipelines import build
from pipelines.core.graph import NodeKind
from pipelines.graph.entity_judge import ROLE
from pipelines.ingest.dry_run import estimate_ingest
from pipelines.ingest.fsck import fsck
from pipelines.llm.testing.loopback import LoopbackServer
from pipelines.llm.testing.loopback_wire import Call
from pipelines.settings import Settings
from tests.ingest.knowledge import FEW, graph_of

NAMES = ("wear rings clearance", "wear ring clearances")


class Model:
    """Distils one fact per document, and judges every pair as the same entity while `answers` is true."""

    def __init__(self) -> None:
        self.pairs = 0
        self.answers = True

    def __call__(self, call: Call) -> str:
        asked = call.first_turns[-1].content
        if "<pairs" in asked:
            self.pairs += 1
            return '{"same": [1]}' if self.answers else "I cannot tell"
        if found := re.search("|".join(NAMES), asked):
            fact = {"subject": found.group(), "relation": "limits", "object": "the flow"}
            return json.dumps({"tags": {}, "facts": [fact], "questions": []})
        return json.dumps({"classes": [], "cuts": []})


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def settings(model: Model) -> Iterator[Settings]:
    with LoopbackServer(model) as server:
        llm = {"base_url": server.url, "api_key": "none", "model": "m", "max_wait": 0.01}
        yield Settings.model_validate({"llm": llm, "ingest": FEW, "atomize": {"tag_classes": ["term"]}})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    for number, name in enumerate(NAMES):
        (tmp_path / "folder" / f"{number}.md").write_text(f"# Note {number}\n\nThe {name} limits the flow.\n")
    return tmp_path / "folder"


def entities(kb: Path) -> dict[str, tuple[str, ...]]:
    """The names of the entities about clearances, with the names merged into each."""
    found = {str(node.properties["name"]): node for node in graph_of(kb)[0] if node.kind is NodeKind.ENTITY}
    merges = {name: node.properties.get("merges", ()) for name, node in found.items() if "clearance" in name}
    return {name: told for name, told in merges.items() if isinstance(told, tuple)}


def test_entities_that_the_model_judges_the_same_are_merged_with_the_reason(
    folder: Path, tmp_path: Path, settings: Settings
) -> None:
    report = build(folder, tmp_path / "kb", settings)
    ((name, merges),) = entities(tmp_path / "kb").items()
    assert merges == (f"{next(other for other in NAMES if other != name)} (model, 0.80)",)
    assert report.usage[ROLE]["calls"] == 1


def test_a_pair_is_judged_once_and_stays_merged(folder: Path, tmp_path: Path, settings: Settings, model: Model) -> None:
    build(folder, tmp_path / "kb", settings)
    merged = entities(tmp_path / "kb")
    (folder / "new.md").write_text("# Another note\n\nNothing of interest.\n")
    build(folder, tmp_path / "kb", settings)
    assert (model.pairs, entities(tmp_path / "kb")) == (1, merged)
    assert fsck(tmp_path / "kb", settings).clean


def test_a_merge_is_undone_by_the_keep_apart_setting(folder: Path, tmp_path: Path, settings: Settings) -> None:
    build(folder, tmp_path / "kb", settings)
    apart = settings.model_copy(update={"graph": settings.graph.model_copy(update={"keep_apart": (NAMES,)})})
    build(folder, tmp_path / "kb", apart)
    assert set(entities(tmp_path / "kb")) == set(NAMES)


def test_without_a_usable_reply_a_pair_stays_unmerged_until_a_later_build(
    folder: Path, tmp_path: Path, settings: Settings, model: Model
) -> None:
    model.answers = False
    build(folder, tmp_path / "kb", settings)
    assert set(entities(tmp_path / "kb")) == set(NAMES)
    model.answers = True
    build(folder, tmp_path / "kb", settings)
    assert len(entities(tmp_path / "kb")) == 1


def test_no_pairs_are_judged_if_the_limit_is_zero(
    folder: Path, tmp_path: Path, settings: Settings, model: Model
) -> None:
    off = settings.model_copy(update={"graph": settings.graph.model_copy(update={"judged_pairs": 0})})
    build(folder, tmp_path / "kb", off)
    assert model.pairs == 0
    assert set(entities(tmp_path / "kb")) == set(NAMES)


def test_the_estimate_counts_the_undecided_pairs(folder: Path, tmp_path: Path, settings: Settings) -> None:
    kb = tmp_path / "kb"
    build(folder, kb, settings.model_copy(update={"graph": settings.graph.model_copy(update={"judged_pairs": 0})}))
    (line,) = estimate_ingest(folder, kb, settings).lines
    report = build(folder, kb, settings)
    assert (line.role, line.usage.calls) == (ROLE, 1)
    assert report.usage[ROLE]["calls"] == report.usage[ROLE]["estimated calls"] == 1
    assert estimate_ingest(folder, kb, settings).lines == ()
