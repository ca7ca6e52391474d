"""The corpus as a whole: what links its documents, and under which keys their loads stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pipelines.core import codec
from pipelines.core.collector import collector_paused
from pipelines.core.ids import content_id
from pipelines.graph.card import DocumentCard
from pipelines.graph.link import Linked, link
from pipelines.graph.mentions import Passage
from pipelines.graph.same_entity import Verdicts
from pipelines.ingest.artifacts import read_artifact, read_distillate
from pipelines.ingest.gate import Gate, gate
from pipelines.ingest.judged import kept_verdicts
from pipelines.ingest.keys import VERSIONS
from pipelines.ingest.language import corpus_classes
from pipelines.ingest.vocabulary import vocabulary
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


@collector_paused()
def link_corpus(entries: Sequence[Entry], stores: Stores, settings: Settings) -> Linking:
    """Return the links of all these documents; names are compared by the packaged embedder."""
    cards = read_cards(entries, stores)
    verdicts = kept_verdicts(stores.catalog)
    by_document = {entry.document: entry for entry in entries}
    names = WordLlamaEmbedder()

    def text_of(document: str) -> Sequence[Passage]:
        chunks = read_distillate(stores, by_document[document]).chunks
        return [Passage(chunk.id, chunk.provenance.span.start, chunk.text) for chunk in chunks]

    terms = vocabulary(cards, corpus_classes(settings, stores), names)
    linked = link(
        terms.cards,
        text_of,
        settings.graph,
        lambda texts: names.embed(texts, Side.PASSAGE),
        decide=verdicts.decide,
        cache=stores.artifacts,
    )
    linked = replace(linked, merged={**linked.merged, **terms.merged})
    index = vectors_name(stores.embedder.info)
    passed = gate(entries, stores)
    keys = {card.document: _load_key(by_document[card.document], card, linked, passed, index) for card in cards}
    return Linking(linked, corpus_key(entries, settings, index, verdicts), keys, passed)


def read_cards(entries: Iterable[Entry], stores: Stores) -> list[DocumentCard]:
    """Return the cards of these documents. Raises `StoreError` where an artifact is gone."""
    return [codec.decode(read_artifact(stores, entry, "card"), DocumentCard) for entry in entries]


def corpus_key(entries: Sequence[Entry], settings: Settings, index: str, verdicts: Verdicts) -> str:
    """Return the digest of all that the links are made from.

    That is every document's card and vectors, the settings, and what a model said of entities.
    """
    made = sorted(f"{entry.artifacts['card']} {entry.artifacts['embed']}" for entry in entries)
    made += sorted(f"{pair} {score}" for pair, score in verdicts.scores.items() if score)
    return content_id("link", str(VERSIONS["link"]), fingerprint(settings.graph), index, *made)


def _load_key(entry: Entry, card: DocumentCard, linked: Linked, passed: Gate, index: str) -> str:
    borne = [*(one.id for one in card.entities), *(one.id for one in card.tags)]
    merged = sorted(f"{one}>{linked.merged[one]}" for one in borne if one in linked.merged)
    failed = passed.quarantined.get(entry.document, ())
    made = [entry.artifacts[stage] for stage in ("parse", "atomize", "embed")]
    return content_id("load", str(VERSIONS["load"]), index, *made, *merged, *failed).partition(":")[2]
