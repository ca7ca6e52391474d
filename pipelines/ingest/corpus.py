"""The corpus as a whole: what links its documents, and under which keys their loads stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pipelines.core.codec import collector_paused
from pipelines.core.errors import DocumentsFailed
from pipelines.core.failures import as_failure, each
from pipelines.core.ids import content_id
from pipelines.core.outcome import Failure
from pipelines.core.section import fingerprint
from pipelines.graph.card import DocumentCard
from pipelines.graph.link import Linked, link, unlinked
from pipelines.graph.mentions import Passage
from pipelines.graph.same_entity import Verdicts
from pipelines.ingest.culprit import find_culprits
from pipelines.ingest.gate import Gate, gate
from pipelines.ingest.judged import kept_verdicts
from pipelines.ingest.keys import VERSIONS
from pipelines.ingest.language import corpus_classes
from pipelines.ingest.vocabulary import vocabulary
from pipelines.llm.embedder import Side
from pipelines.llm.wordllama import WordLlamaEmbedder
from pipelines.resources import Stores, vectors_name
from pipelines.settings import Settings
from pipelines.store.artifact import read_distillate, read_value
from pipelines.store.catalog import Entry
from pipelines.store.facts import LINKED_FACT

__all__ = ["LINKED_FACT", "Linking", "corpus_key", "link_corpus", "read_cards"]

ROUNDS = 8
"""How often a corpus is linked at most, each time without the documents that made it fail; then it goes unlinked."""


@dataclass(frozen=True, slots=True)
class Linking:
    """The links of a corpus. `key` stands for all that they were made from; empty where they are not whole.

    `load_keys` has for each document, by its id, the digest of all that its part of the stores is made from; `gate`
    says which of its atoms failed the self-recall gate and are not indexed. `failures` are the documents, by their
    ids, that made linking or loading fail: they are in nothing of all this. `trouble` says why links are missing that
    no single document is to blame for.
    """

    linked: Linked
    key: str
    load_keys: Mapping[str, str]
    gate: Gate
    failures: tuple[Failure, ...] = ()
    trouble: str = ""

    @property
    def failed(self) -> dict[str, Failure]:
        return {failure.subject: failure for failure in self.failures}


@collector_paused()
def link_corpus(
    entries: Sequence[Entry], stores: Stores, settings: Settings, failed: Sequence[Failure] = ()
) -> Linking:
    """Return the links of all these documents but the `failed`; names are compared by the packaged embedder.

    What a document makes a step of it raise costs that document: the rest is linked anew without all that failed in
    the step. Raises what `is_machines`.
    """
    failures = {failure.subject: failure for failure in failed}
    trouble = ""
    for _ in range(ROUNDS):
        left = [entry for entry in entries if entry.document not in failures]
        try:
            return _named_by(_link(left, stores, settings), entries, failures.values(), stores, settings)
        except DocumentsFailed as error:
            failures |= {failure.subject: failure for failure in error.failures}
        except Exception as error:
            trouble = as_failure("", "link", error).reason
            found = find_culprits(left, lambda some: _link(some, stores, settings))
            if not found:
                break
            failures |= {entry.document: as_failure(entry.document, "link", error) for entry in found}
    left = [entry for entry in entries if entry.document not in failures]
    return _unlinked(left, failures.values(), trouble or "link: too many documents failed", stores)


def _link(entries: Sequence[Entry], stores: Stores, settings: Settings) -> Linking:
    cards = read_cards(entries, stores)
    verdicts = kept_verdicts(stores.catalog)
    by_document = {entry.document: entry for entry in entries}
    names = WordLlamaEmbedder()

    def text_of(document: str) -> Sequence[Passage]:
        chunks = read_distillate(stores.artifacts, by_document[document]).chunks
        return [Passage(chunk.id, chunk.provenance.span.start, chunk.text) for chunk in chunks]

    passed = gate(entries, stores)
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
    keys = {card.document: _load_key(by_document[card.document], card, linked, passed, index) for card in cards}
    return Linking(linked, "", keys, passed)


def _named_by(
    linking: Linking, entries: Sequence[Entry], failures: Iterable[Failure], stores: Stores, settings: Settings
) -> Linking:
    """The linking with the key of all that it was made from.

    Documents that will fail again are part of that, so that they do not have the others linked anew by every run.
    """
    gone = {failure.subject: failure for failure in failures}
    tried = [entry for entry in entries if not (entry.document in gone and gone[entry.document].retryable)]
    index, verdicts = vectors_name(stores.embedder.info), kept_verdicts(stores.catalog)
    return replace(linking, key=corpus_key(tried, settings, index, verdicts), failures=tuple(gone.values()))


def _unlinked(entries: Sequence[Entry], failures: Iterable[Failure], trouble: str, stores: Stores) -> Linking:
    """The documents side by side: with the tags and entities that they bear, and no links."""
    linked, index = unlinked(read_cards(entries, stores)), vectors_name(stores.embedder.info)
    keys = {entry.document: _load_key(entry, None, linked, Gate(), index) for entry in entries}
    return Linking(linked, "", keys, Gate(), tuple(failures), trouble)


def read_cards(entries: Iterable[Entry], stores: Stores) -> list[DocumentCard]:
    """Return the cards of these documents. Raises `DocumentsFailed` where some of them cannot be read."""
    return each(
        "card", entries, lambda one: one.document, lambda one: read_value(stores.artifacts, one, "card", DocumentCard)
    )


def corpus_key(entries: Sequence[Entry], settings: Settings, index: str, verdicts: Verdicts) -> str:
    """Return the digest of all that the links are made from.

    That is every document's card and vectors, the settings, and what a model said of entities.
    """
    made = sorted(f"{entry.artifacts['card']} {entry.artifacts['embed']}" for entry in entries)
    made += sorted(f"{pair} {score}" for pair, score in verdicts.scores.items() if score)
    return content_id("link", str(VERSIONS["link"]), fingerprint(settings.graph), index, *made)


def _load_key(entry: Entry, card: DocumentCard | None, linked: Linked, passed: Gate, index: str) -> str:
    borne = [*(one.id for one in card.entities), *(one.id for one in card.tags)] if card else []
    merged = sorted(f"{one}>{linked.merged[one]}" for one in borne if one in linked.merged)
    failed = passed.quarantined.get(entry.document, ())
    made = [entry.artifacts[stage] for stage in ("parse", "atomize", "embed")]
    return content_id("load", str(VERSIONS["load"]), index, *made, *merged, *failed).partition(":")[2]
