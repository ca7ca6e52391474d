"""Tests of verdicts of people on the graph: applied by every ingest, withdrawn, and erased with the documents."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from flows.cli.app import main
from pipelines import build
from pipelines.core.errors import NotFound, SourceError
from pipelines.core.graph import EdgeKind, NodeKind
from pipelines.ingest.fsck import fsck
from pipelines.ingest.verdicts import VERDICTS, Verdict
from pipelines.store.vector import RecordKind
from qa import KnowledgeBase
from qa.settings import QaSettings
from serve.corrections import VerdictRequest, all_verdicts, give_verdict, withdraw_verdict
from serve.library import OpenBase

FILES = {
    "one.md": "# Delivery\n\nThe pumps were delivered by Hartmann Pumpenbau GmbH in March. "
    "Hartmann Pumpenbau GmbH has a works in Ulm. The impeller ring of the K65 is made of bronze.\n",
    "two.md": "# Invoice\n\nZephyr Holding AG sent an invoice for the K65 in May. Zephyr Holding AG is in Bern. "
    "The impeller ring was replaced.\n",
}
ONE, TWO = "Hartmann Pumpenbau GmbH", "Zephyr Holding AG"


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("verdicts")
    (place / "folder").mkdir()
    for name, text in FILES.items():
        (place / "folder" / name).write_text(text)
    build(place / "folder", place / "kb")
    return place


@pytest.fixture
def place(begun: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(begun, tmp_path / "place"))


def give(place: Path, kind: str, one: str, two: str = "", where: str = "") -> str:
    with KnowledgeBase.open(place / "kb") as knowledge:
        told = VerdictRequest.model_validate({"kind": kind, "one": one, "two": two, "where": where})
        return give_verdict(OpenBase("kb", knowledge, QaSettings()), told, "boss").id


def withdraw(place: Path, id: str) -> None:
    with KnowledgeBase.open(place / "kb") as knowledge:
        withdraw_verdict(OpenBase("kb", knowledge, QaSettings()), id)


def ingest(place: Path) -> None:
    build(place / "folder", place / "kb")
    assert not fsck(place / "kb").findings


def names(place: Path, kind: NodeKind) -> dict[str, tuple[str, ...]]:
    """The names of the tags or entities with their aliases."""
    with KnowledgeBase.open(place / "kb") as knowledge:
        nodes = list(knowledge.stores.graph.nodes((kind,)))
    return {str(node.properties["name"]): node.properties.get("aliases", ()) for node in nodes}  # type: ignore[misc]


def test_a_merge_verdict_merges_entities_until_an_apart_verdict(place: Path) -> None:
    assert {ONE, TWO} <= names(place, NodeKind.ENTITY).keys()
    give(place, "merge", ONE, TWO)
    ingest(place)
    found = names(place, NodeKind.ENTITY)
    (kept,) = {ONE, TWO} & found.keys()
    assert {ONE, TWO} - {kept} <= set(found[kept])
    with KnowledgeBase.open(place / "kb") as knowledge:
        graph = knowledge.stores.graph
        (node,) = (one for one in graph.nodes((NodeKind.ENTITY,)) if one.properties["name"] == kept)
        assert len({edge.owner for edge in graph.edges((EdgeKind.MENTIONS,), targets=[node.id])}) == 2
    give(place, "apart", TWO, ONE)  # the latest verdict on the pair counts
    with KnowledgeBase.open(place / "kb") as knowledge:
        (verdict,) = all_verdicts(OpenBase("kb", knowledge, QaSettings()))
        assert (verdict.kind.value, verdict.by) == ("apart", "boss")
    ingest(place)
    assert {ONE, TWO} <= names(place, NodeKind.ENTITY).keys()


def test_a_verdict_overrides_the_settings(place: Path) -> None:
    (place / "kb" / "strata.toml").write_text(f'[graph]\nmerge = [["{ONE}", "{TWO}"]]\n')
    ingest(place)
    assert not {ONE, TWO} <= names(place, NodeKind.ENTITY).keys()
    give(place, "apart", ONE, TWO)
    ingest(place)
    assert {ONE, TWO} <= names(place, NodeKind.ENTITY).keys()


def test_a_withdrawn_verdict_is_undone(place: Path) -> None:
    before = names(place, NodeKind.ENTITY)
    id = give(place, "merge", ONE, TWO)
    ingest(place)
    assert names(place, NodeKind.ENTITY) != before
    withdraw(place, id)
    ingest(place)
    assert names(place, NodeKind.ENTITY) == before


def documents_naming(place: Path, entity: str) -> set[str]:
    """The URIs of the documents that mention an entity; empty if there is no such entity."""
    with KnowledgeBase.open(place / "kb") as knowledge:
        graph, uris = knowledge.stores.graph, {one.document: one.uri for one in knowledge.stores.catalog.entries()}
        nodes = [one.id for one in graph.nodes((NodeKind.ENTITY,)) if one.properties["name"] == entity]
        return {uris[edge.owner] for edge in graph.edges((EdgeKind.MENTIONS,), targets=nodes)}


PERSON = f"{ONE} (a person)"


def test_a_split_verdict_splits_an_entity_until_it_is_withdrawn(place: Path) -> None:
    (place / "folder" / "two.md").write_text(f"# Visit\n\n{ONE} came to Bern in May. {ONE} met {TWO} there.\n")
    ingest(place)
    before = names(place, NodeKind.ENTITY)
    assert documents_naming(place, ONE) == {"one.md", "two.md"}
    id = give(place, "split", ONE, PERSON, "two.md")
    ingest(place)
    assert (documents_naming(place, ONE), documents_naming(place, PERSON)) == ({"one.md"}, {"two.md"})
    assert ONE in names(place, NodeKind.ENTITY)[PERSON]  # a search for the name finds both
    with KnowledgeBase.open(place / "kb") as knowledge:
        graph, stores = knowledge.stores.graph, knowledge.stores
        (node,) = (one for one in graph.nodes((NodeKind.ENTITY,)) if one.properties["name"] == PERSON)
        assert (node.properties["documents"], node.properties["mentions"]) == (1, 1)
        found = {one.id for part in stores.vectors.records((RecordKind.ENTITY,)) for one in part.records}
        assert node.id in found
    # Another chunk size and another revision of the document load everything again.
    (place / "kb" / "strata.toml").write_text("[chunk]\nmin_tokens = 0\ntarget_tokens = 20\nmax_tokens = 40\n")
    (place / "folder" / "two.md").write_text(f"# Visit\n\n{ONE} came to Bern in June. {ONE} met {TWO} there.\n")
    ingest(place)
    assert (documents_naming(place, ONE), documents_naming(place, PERSON)) == ({"one.md"}, {"two.md"})
    (place / "kb" / "strata.toml").unlink()
    (place / "folder" / "two.md").write_text(f"# Visit\n\n{ONE} came to Bern in May. {ONE} met {TWO} there.\n")
    withdraw(place, id)
    ingest(place)
    assert names(place, NodeKind.ENTITY) == before
    assert documents_naming(place, ONE) == {"one.md", "two.md"}


def test_a_merged_entity_can_be_split_and_a_split_one_split_again(place: Path) -> None:
    assert documents_naming(place, TWO) == {"two.md"}
    give(place, "merge", ONE, TWO)
    ingest(place)
    (kept,) = {ONE, TWO} & names(place, NodeKind.ENTITY).keys()
    give(place, "split", kept, PERSON, "two.md")  # both names of the merged entity, in one document
    ingest(place)
    assert (documents_naming(place, PERSON), documents_naming(place, kept)) == ({"two.md"}, {"one.md"})
    give(place, "split", PERSON, "A ship", "two.md")  # the entity that was split off
    ingest(place)
    assert (documents_naming(place, "A ship"), documents_naming(place, PERSON), documents_naming(place, kept)) == (
        {"two.md"},
        set(),
        {"one.md"},
    )
    give(place, "split", ONE, TWO, "one.md")  # the latest verdict on the pair counts
    assert [one.kind.value for one in kept_verdicts(place)] == ["split", "split", "split"]
    (place / "folder" / "two.md").unlink()
    ingest(place)
    assert [one.where for one in kept_verdicts(place)] == ["one.md"]


def kept_verdicts(place: Path) -> tuple[Verdict, ...]:
    with KnowledgeBase.open(place / "kb") as knowledge:
        return VERDICTS.read(knowledge.stores.catalog)


def test_a_tag_verdict_renames_the_tag_in_all_chunks(place: Path) -> None:
    tags = names(place, NodeKind.TAG)
    (old,) = (name for name in tags if "impeller ring" in name.lower())
    chunks = chunks_with(place, old)
    id = give(place, "tag", old, "Wear ring")
    ingest(place)
    assert old not in names(place, NodeKind.TAG)
    assert chunks_with(place, "Wear ring") == chunks
    withdraw(place, id)
    ingest(place)
    assert names(place, NodeKind.TAG) == tags


def chunks_with(place: Path, tag: str) -> set[str]:
    """The chunks with a tag."""
    with KnowledgeBase.open(place / "kb") as knowledge:
        graph = knowledge.stores.graph
        (node,) = (one for one in graph.nodes((NodeKind.TAG,)) if one.properties["name"] == tag)
        return {edge.source for edge in graph.edges((EdgeKind.HAS_TAG,), targets=[node.id])}


def atoms(place: Path) -> tuple[dict[str, str], set[str]]:
    """The texts of the atoms in the graph by id, and the ids of the atoms in the vectors."""
    with KnowledgeBase.open(place / "kb") as knowledge:
        stores = knowledge.stores
        nodes = {one.id: str(one.properties["text"]) for one in stores.graph.nodes((NodeKind.ATOM,))}
        return nodes, {one.id for part in stores.vectors.records((RecordKind.ATOM,)) for one in part.records}


def test_an_atom_verdict_keeps_the_atom_in_the_graph_but_not_in_the_vectors(place: Path) -> None:
    nodes, found = atoms(place)
    wrong = sorted(found)[0]
    id = give(place, "atom", wrong)
    ingest(place)
    assert atoms(place) == (nodes, found - {wrong})
    withdraw(place, id)
    ingest(place)
    assert atoms(place) == (nodes, found)


def test_a_verdict_survives_reloading_and_is_erased_with_its_documents(place: Path) -> None:
    give(place, "merge", ONE, TWO)
    give(place, "atom", sorted(atoms(place)[1])[0])
    (place / "kb" / "strata.toml").write_text("[chunk]\nmin_tokens = 0\ntarget_tokens = 20\nmax_tokens = 40\n")
    ingest(place)
    assert not {ONE, TWO} <= names(place, NodeKind.ENTITY).keys()
    (place / "folder" / "two.md").unlink()
    ingest(place)
    with KnowledgeBase.open(place / "kb") as knowledge:
        assert not [one for one in VERDICTS.read(knowledge.stores.catalog) if one.kind.value == "merge"]
    for path in (place / "kb").rglob("*"):
        assert not path.is_file() or b"Zephyr" not in path.read_bytes(), path


def test_a_verdict_on_unknown_names_is_refused(place: Path) -> None:
    for kind, one, two in (("merge", ONE, "Nobody"), ("tag", "nothing", "b"), ("atom", "atom:0", "")):
        with pytest.raises(NotFound):
            give(place, kind, one, two)
    for where in ("one.md", "nowhere.md", ""):
        with pytest.raises(NotFound):
            give(place, "split", TWO, PERSON, where)
    with pytest.raises(SourceError):
        give(place, "merge", ONE, TWO, "two.md")
    with pytest.raises(SourceError):
        give(place, "merge", ONE, ONE.upper())
    with pytest.raises(NotFound):
        withdraw(place, "verdict:0")


def test_the_verdicts_command_gives_lists_and_withdraws(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(place)

    def run(*words: str) -> str:
        monkeypatch.setattr("sys.argv", ["strata", "verdicts", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code in (0, None)
        return capsys.readouterr().out

    run("merge", ONE, TWO)
    run("atom", sorted(atoms(place)[1])[0])
    listed = json.loads(run("--json"))
    assert [one["kind"] for one in listed] == ["merge", "atom"]
    run("apart", ONE, TWO)
    run("undo", listed[1]["id"])
    run("split", TWO, PERSON, "--in", "two.md")
    assert [(one["kind"], one["where"]) for one in json.loads(run("--json"))] == [("apart", ""), ("split", "two.md")]
    assert ONE[:8] in run()
