"""The corpus as a whole: the links between its documents, and the keys of what is loaded of each.

A document that makes a step over all documents fail is found by bisection, and left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pipelines.core.codec import collector_paused
from pipelines.core.errors import DocumentsFailed
from pipelines.core.ids import content_id
from pipelines.core.outcome import Failure, as_failure, each, ends_the_run
from pipelines.core.settings_section import fingerprint
from pipelines.graph.document_profile import DocumentProfile
from pipelines.graph.entities import entity_profiles
from pipelines.graph.entity_judge import Verdicts
from pipelines.graph.link import Linked, link, unlinked
from pipelines.graph.mentions import ChunkText
from pipelines.graph.resolve import open_pairs
from pipelines.ingest.feedback import ConfirmedQuestion, confirmed_key, confirmed_questions
from pipelines.ingest.gate import Gate, gate
from pipelines.ingest.keys import VERSIONS
from pipelines.ingest.verdicts import SAID, renamed, said_key, splits, with_said, wrong_atoms
from pipelines.ingest.vocabulary import corpus_classes, vocabulary
from pipelines.ingest.workers import Workers, judge_maker
from pipelines.llm.embedder import Side
from pipelines.llm.embedders import default_embedder
from pipelines.resources import Stores, vectors_name
from pipelines.settings import Settings
from pipelines.store.artifact import read_distillate, read_value
from pipelines.store.catalog import Entry
from pipelines.store.facts import CatalogFact

ROUNDS = 8
"""Tries to link a corpus, each without the documents that made the one before fail; then it is left unlinked."""
_MOST_FAULTY = 8
"""Faulty documents beyond which the step itself is taken to be at fault, and no document."""
VERDICTS: CatalogFact[Verdicts] = CatalogFact("judged entities", Verdicts, Verdicts())
"""What a model said of entities that no rule decides; none where no model was ever asked."""


@dataclass(frozen=True, slots=True)
class Linking:
    """The links of a corpus. `key` stands for all that they were made from; empty where they are not whole.

    `load_keys` has for each document, by its id, the digest of all that its part of the stores is made from; `gate`
    says which of its atoms failed the self-recall gate and are not indexed. `failures` are the documents, by their
    ids, that made linking or loading fail: nothing else here is about them. `trouble` says why links are missing that
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


@dataclass(frozen=True, slots=True)
class Gated:
    """The self-recall gate that was started for these documents; calling `gate` waits for its result."""

    documents: frozenset[str]
    gate: Callable[[], Gate]


@collector_paused()
def link_corpus(
    entries: Sequence[Entry],
    stores: Stores,
    settings: Settings,
    failed: Sequence[Failure] = (),
    gated: Gated | None = None,
) -> Linking:
    """Return the links of all these documents but the `failed`; names are compared by the packaged embedder.

    A document that makes a step raise is left out, and the others are linked anew without all that failed in the step.

    Args:
        entries: the searchable entries of the catalog as it will be.
        stores: where the documents' artifacts are.
        settings: all settings.
        failed: documents that are known to fail, by their ids.
        gated: the self-recall gate, where it was begun before; it counts for just the documents it was begun for.

    Raises:
        StoreError: and whatever else no document is to blame for (`ends_the_run`).
    """
    failures = {failure.subject: failure for failure in failed}
    trouble = ""
    for _ in range(ROUNDS):
        left = [entry for entry in entries if entry.document not in failures]
        try:
            return _named_by(_link(left, stores, settings, gated), entries, failures.values(), stores, settings)
        except DocumentsFailed as error:
            failures |= {failure.subject: failure for failure in error.failures}
        except Exception as error:
            trouble = as_failure("", "link", error).reason
            found = find_faulty(left, lambda some: _link(some, stores, settings))
            if not found:
                break
            failures |= {entry.document: as_failure(entry.document, "link", error) for entry in found}
    left = [entry for entry in entries if entry.document not in failures]
    return _unlinked(left, failures.values(), trouble or "link: too many documents failed", stores)


def _link(entries: Sequence[Entry], stores: Stores, settings: Settings, gated: Gated | None = None) -> Linking:
    profiles = read_profiles(entries, stores)
    verdicts = VERDICTS.read(stores.catalog)
    by_document = {entry.document: entry for entry in entries}
    names = default_embedder()

    def text_of(document: str) -> Sequence[ChunkText]:
        chunks = read_distillate(stores.artifacts, by_document[document]).chunks
        return [ChunkText(chunk.id, chunk.provenance.span.start, chunk.text) for chunk in chunks]

    told = SAID.read(stores.catalog)
    corrected, moved = renamed(profiles, told)
    terms = vocabulary(corrected, corpus_classes(settings, stores), names)
    tags = {**terms.merged, **{id: terms.merged.get(to, to) for id, to in moved.items()}}
    linked = link(
        terms.profiles,
        text_of,
        with_said(settings.graph, told),
        lambda texts: names.embed(texts, Side.PASSAGE),
        decide=verdicts.decide,
        cache=stores.artifacts,
        splits=splits(told),
    )
    linked = replace(linked, merged={**linked.merged, **tags})
    passed = gated.gate() if gated and gated.documents == by_document.keys() else gate(entries, stores)
    passed = passed.with_wrong(wrong_atoms(told))
    index = vectors_name(stores.embedder.info)
    said = confirmed_questions(stores.catalog)
    keys = {
        profile.document: _load_key(
            by_document[profile.document], profile, linked, passed, index, said.get(profile.document, ())
        )
        for profile in profiles
    }
    return Linking(linked, "", keys, passed)


def _named_by(
    linking: Linking, entries: Sequence[Entry], failures: Iterable[Failure], stores: Stores, settings: Settings
) -> Linking:
    """The linking with its key.

    Documents that will fail again are part of the key: without them every run would link the others anew.
    """
    gone = {failure.subject: failure for failure in failures}
    tried = [entry for entry in entries if not (entry.document in gone and gone[entry.document].retryable)]
    return replace(linking, key=corpus_key(tried, settings, stores), failures=tuple(gone.values()))


def _unlinked(entries: Sequence[Entry], failures: Iterable[Failure], trouble: str, stores: Stores) -> Linking:
    """The documents without links between them, with their own tags and entities."""
    linked, index = unlinked(read_profiles(entries, stores)), vectors_name(stores.embedder.info)
    said = confirmed_questions(stores.catalog)
    keys = {
        entry.document: _load_key(entry, None, linked, Gate(), index, said.get(entry.document, ())) for entry in entries
    }
    return Linking(linked, "", keys, Gate(), tuple(failures), trouble)


def read_profiles(entries: Iterable[Entry], stores: Stores) -> list[DocumentProfile]:
    """Return the profiles of these documents. Raises `DocumentsFailed` where some of them cannot be read."""
    return each(
        "card",
        entries,
        lambda one: one.document,
        lambda one: read_value(stores.artifacts, one, "card", DocumentProfile),
    )


def corpus_key(entries: Sequence[Entry], settings: Settings, stores: Stores) -> str:
    """Return the digest of all that the links are made from.

    That is every document's profile and vectors, the settings, what a model said of entities, and what people said.
    """
    index, verdicts = vectors_name(stores.embedder.info), VERDICTS.read(stores.catalog)
    documents = {entry.document for entry in entries}
    made = sorted(f"{entry.artifacts['card']} {entry.artifacts['embed']}" for entry in entries)
    made += sorted(f"{pair} {score}" for pair, score in verdicts.scores.items() if score)
    made += said_key(stores.catalog)
    for document, given in confirmed_questions(stores.catalog).items():
        made += (document, *confirmed_key(given)) if document in documents else ()
    return content_id("link", str(VERSIONS["link"]), fingerprint(settings.graph), index, *made)


def _load_key(
    entry: Entry,
    profile: DocumentProfile | None,
    linked: Linked,
    passed: Gate,
    index: str,
    said: Sequence[ConfirmedQuestion],
) -> str:
    borne = [*(one.id for one in profile.entities), *(one.id for one in profile.tags)] if profile else []
    replacements = linked.replacements(entry.document)
    merged = sorted(f"{one}>{replacements[one]}" for one in borne if one in replacements)
    failed = passed.quarantined.get(entry.document, ())
    made = [entry.artifacts[stage] for stage in ("parse", "atomize", "embed")]
    return content_id("load", str(VERSIONS["load"]), index, *made, *merged, *failed, *confirmed_key(said)).partition(
        ":"
    )[2]


async def judge_entities(profiles: Iterable[DocumentProfile], workers: Workers, stores: Stores) -> Verdicts:
    """Return what the model says of the pairs of entities that no rule decides among these documents.

    Only pairs are asked about that this model was not asked about before; what it said of others is dropped. Without
    a model the verdicts are those that are kept. Raises `BudgetExceeded`; what was answered until then is in the
    cache of replies.
    """
    judge, kept, names = workers.judge(), VERDICTS.read(stores.catalog), default_embedder()
    if judge is None:
        return kept
    pairs = open_pairs(
        entity_profiles(profiles),
        workers.settings.graph,
        lambda texts: names.embed(texts, Side.PASSAGE),
        stores.artifacts,
    )
    return await judge.judge(pairs, judge_maker(workers.settings, stores), kept)


def find_faulty(entries: Sequence[Entry], step: Callable[[Sequence[Entry]], object]) -> tuple[Entry, ...]:
    """Return the entries with each of which alone `step` fails, as it does for all of them together, by bisection.

    None where it takes several to make it fail, where they are more than `_MOST_FAULTY`, and where it fails with each.
    Finding one takes about as long as two steps over all. Raises what `ends_the_run`.
    """
    found: list[Entry] = []

    def search(suspects: Sequence[Entry]) -> None:
        if len(suspects) == 1:
            found.extend(suspects)
            return
        middle = len(suspects) // 2
        for half in (suspects[:middle], suspects[middle:]):
            if len(found) <= _MOST_FAULTY and _fails(half, step):
                search(half)

    search(entries)
    return () if len(found) > _MOST_FAULTY or len(found) == len(entries) else tuple(found)


def _fails(entries: Sequence[Entry], step: Callable[[Sequence[Entry]], object]) -> bool:
    try:
        step(entries)
    except Exception as error:
        if ends_the_run(error):
            raise
        return True
    return False
