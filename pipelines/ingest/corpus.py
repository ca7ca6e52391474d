"""The corpus as a whole: what links its documents, and under which keys their loads stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipelines.core import codec
from pipelines.core.ids import content_id
from pipelines.graph.card import DocumentCard
from pipelines.graph.link import Linked, link
from pipelines.graph.mentions import Passage
from pipelines.ingest.artifacts import read_artifact, read_distillate
from pipelines.ingest.gate import Gate, gate
from pipelines.ingest.keys import VERSIONS
from pipelines.llm.embedder import Side
from pipelines.llm.wordllama import WordLlamaEmbedder
from pipelines.resources import Stores, vectors_name
from pipelines.settings import Settings, fingerprint
from pipelines.store.catalog import Entry

LINKED_FACT = "linked"
"""The fact under which the catalog keeps the key of the links that the stores hold; empty while they are behind."""


@dataclass(frozen=True, slots=True)
class Linking:
    """The links of a corpus. `key` stands for all that they were made from.

    `load_keys` has for each document, by its id, the digest of all that its part of the stores is made from; `gate`
    says which of its atoms failed the self-recall gate and are not indexed.
    """

    linked: Linked
    key: str
    load_keys: Mapping[str, str]
    gate: Gate


def link_corpus(entries: Sequence[Entry], stores: Stores, settings: Settings) -> Linking:
    """Return the links of all these documents; names are compared by the packaged embedder."""
    cards = [codec.decode(read_artifact(stores, entry, "card"), DocumentCard) for entry in entries]
    by_document = {entry.document: entry for entry in entries}
    names = WordLlamaEmbedder()

    def text_of(document: str) -> Sequence[Passage]:
        chunks = read_distillate(stores, by_document[document]).chunks
        return [Passage(chunk.id, chunk.provenance.span.start, chunk.text) for chunk in chunks]

    linked = link(
        cards, text_of, settings.graph, lambda texts: names.embed(texts, Side.PASSAGE), cache=stores.artifacts
    )
    index = vectors_name(stores.embedder.info)
    passed = gate(entries, stores)
    keys = {card.document: _load_key(by_document[card.document], card, linked, passed, index) for card in cards}
    return Linking(linked, corpus_key(entries, settings, index), keys, passed)


def corpus_key(entries: Sequence[Entry], settings: Settings, index: str) -> str:
    """Return the digest of all that the links are made from: every document's card and vectors, the settings."""
    made = sorted(f"{entry.artifacts['card']} {entry.artifacts['embed']}" for entry in entries)
    return content_id("link", str(VERSIONS["link"]), fingerprint(settings.graph), index, *made)


def _load_key(entry: Entry, card: DocumentCard, linked: Linked, passed: Gate, index: str) -> str:
    merged = sorted(f"{one.id}>{linked.merged[one.id]}" for one in card.entities if one.id in linked.merged)
    failed = passed.quarantined.get(entry.document, ())
    made = [entry.artifacts[stage] for stage in ("parse", "atomize", "embed")]
    return content_id("load", str(VERSIONS["load"]), index, *made, *merged, *failed).partition(":")[2]
