"""Links between the documents of the corpus, and the keys of the data that is loaded for each document.

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
from pipelines.graph.name_vectors import kept_vectors
from pipelines.graph.resolve import Embed, open_pairs
from pipelines.ingest.feedback import ConfirmedQuestion, confirmed_key, confirmed_questions
from pipelines.ingest.gate import Gate, gate
from pipelines.ingest.keys import VERSIONS
from pipelines.ingest.verdicts import VERDICTS, renamed, splits, verdict_ids, with_verdicts, wrong_atoms
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
"""Attempts to link a corpus, each without the documents that made the previous one fail; then it is left unlinked."""
_MOST_FAULTY = 8
"""Maximum documents that can be at fault; if more fail, the step itself is considered faulty."""
JUDGED_ENTITIES: CatalogFact[Verdicts] = CatalogFact("judged entities", Verdicts, Verdicts())
"""The decisions of a model about entities that no rule decides; empty if no model was ever asked."""


@dataclass(frozen=True, slots=True)
class Linking:
    """The links of a corpus. `key` is the digest of all inputs, or empty if the links are incomplete.

    `load_keys` has, by document id, the digest of all inputs of the document's data in the stores, and `replaced` the
    merged entities and tags of the document with their replacements. `gate` has the atoms that failed the self-recall
    gate and are not indexed. `failures` are those of the documents, by id, that made
    linking or loading fail; they are not in the other fields. `trouble` is the reason of missing links that no single
    document has caused.
    """

    linked: Linked
    key: str
    load_keys: Mapping[str, str]
    replaced: Mapping[str, Mapping[str, str]]
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
    """Return the links of these documents, except the `failed` ones; the packaged embedder compares names.

    If documents make a step fail, the others are linked again without them.

    Args:
        entries: the searchable entries of the future catalog.
        stores: the stores with the artifacts of the documents.
        settings: all settings.
        failed: documents that are known to fail, by their ids.
        gated: a self-recall gate that was started before; it is used only if it is for exactly these documents.

    Raises:
        StoreError: and all other errors for which `ends_the_run` is true.
    """
    failures = {failure.subject: failure for failure in failed}
    trouble = ""
    for _ in range(ROUNDS):
        left = [entry for entry in entries if entry.document not in failures]
        try:
            return _with_key(_link(left, stores, settings, gated), entries, failures.values(), stores, settings)
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
    judged, verdicts = JUDGED_ENTITIES.read(stores.catalog), VERDICTS.read(stores.catalog)
    by_document = {entry.document: entry for entry in entries}
    names = default_embedder()

    def text_of(document: str) -> Sequence[ChunkText]:
        chunks = read_distillate(stores.artifacts, by_document[document]).chunks
        return [ChunkText(chunk.id, chunk.provenance.span.start, chunk.text) for chunk in chunks]

    corrected, moved = renamed(profiles, verdicts)
    terms = vocabulary(corrected, corpus_classes(settings, stores), names)
    tags = {**terms.merged, **{id: terms.merged.get(to, to) for id, to in moved.items()}}
    linked = link(
        terms.profiles,
        text_of,
        with_verdicts(settings.graph, verdicts),
        _name_vectors(stores),
        decide=judged.decide,
        cache=stores.artifacts,
        splits=splits(verdicts),
    )
    linked = replace(linked, merged={**linked.merged, **tags})
    passed = gated.gate() if gated and gated.documents == by_document.keys() else gate(entries, stores)
    passed = passed.with_wrong(wrong_atoms(verdicts))
    index = vectors_name(stores.embedder.info)
    confirmed = confirmed_questions(stores.catalog)
    replaced = {profile.document: _replaced(profile, linked) for profile in profiles}
    keys = {
        id: _load_key(by_document[id], merged, passed, index, confirmed.get(id, ())) for id, merged in replaced.items()
    }
    return Linking(linked, "", keys, replaced, passed)


def _with_key(
    linking: Linking, entries: Sequence[Entry], failures: Iterable[Failure], stores: Stores, settings: Settings
) -> Linking:
    """Return the linking with its key and failures.

    Documents that will fail again are part of the key, because otherwise every run would link the others again.
    """
    gone = {failure.subject: failure for failure in failures}
    tried = [entry for entry in entries if not (entry.document in gone and gone[entry.document].retryable)]
    return replace(linking, key=corpus_key(tried, settings, stores), failures=tuple(gone.values()))


def _unlinked(entries: Sequence[Entry], failures: Iterable[Failure], trouble: str, stores: Stores) -> Linking:
    """Return the tags and entities of the documents, without links between documents."""
    linked, index = unlinked(read_profiles(entries, stores)), vectors_name(stores.embedder.info)
    confirmed = confirmed_questions(stores.catalog)
    keys = {entry.document: _load_key(entry, {}, Gate(), index, confirmed.get(entry.document, ())) for entry in entries}
    return Linking(linked, "", keys, {}, Gate(), tuple(failures), trouble)


def read_profiles(entries: Iterable[Entry], stores: Stores) -> list[DocumentProfile]:
    """Return the profiles of these documents. Raises `DocumentsFailed` if some cannot be read."""
    return each(
        "card",
        entries,
        lambda one: one.document,
        lambda one: read_value(stores.artifacts, one, "card", DocumentProfile),
    )


def corpus_key(entries: Sequence[Entry], settings: Settings, stores: Stores) -> str:
    """Return the digest of all inputs of the links.

    These are the profiles and vectors of the documents, the settings, a model's decisions about entities, and the
    verdicts and feedback of users.
    """
    index, judged = vectors_name(stores.embedder.info), JUDGED_ENTITIES.read(stores.catalog)
    documents = {entry.document for entry in entries}
    inputs = sorted(f"{entry.artifacts['card']} {entry.artifacts['embed']}" for entry in entries)
    inputs += sorted(f"{pair} {score}" for pair, score in judged.scores.items() if score)
    inputs += verdict_ids(stores.catalog)
    for document, confirmed in confirmed_questions(stores.catalog).items():
        inputs += (document, *confirmed_key(confirmed)) if document in documents else ()
    versions = f"{VERSIONS['link']} {VERSIONS['load']}"  # loading is only considered behind linking
    return content_id("link", versions, fingerprint(settings.graph), index, *inputs)


def _replaced(profile: DocumentProfile, linked: Linked) -> dict[str, str]:
    """Return the merged entities and tags of a document with their replacements, as `redirect` expects them."""
    replacements = linked.replacements(profile.document)
    ids = (*(one.id for one in profile.entities), *(one.id for one in profile.tags))
    return {id: replacements[id] for id in ids if id in replacements}


def _load_key(
    entry: Entry, replaced: Mapping[str, str], passed: Gate, index: str, confirmed: Sequence[ConfirmedQuestion]
) -> str:
    failed = passed.quarantined.get(entry.document, ())
    inputs = [entry.artifacts[stage] for stage in ("parse", "atomize", "embed")]
    inputs += [*sorted(f"{id}>{other}" for id, other in replaced.items()), *failed, *confirmed_key(confirmed)]
    return content_id("load", str(VERSIONS["load"]), index, *inputs).partition(":")[2]


async def judge_entities(profiles: Iterable[DocumentProfile], workers: Workers, stores: Stores) -> Verdicts:
    """Return the model's decisions about all pairs of entities of these documents that no rule decides.

    The model is asked only about pairs that it has not decided before; decisions about other pairs are dropped. Without
    a model, the stored decisions are returned. Raises `BudgetExceeded`; the replies received so far are cached.
    """
    judge, kept = workers.judge(), JUDGED_ENTITIES.read(stores.catalog)
    if judge is None:
        return kept
    known = entity_profiles(profiles)
    pairs = open_pairs(known, workers.settings.graph, _name_vectors(stores), stores.artifacts)
    return await judge.judge(pairs, judge_maker(workers.settings, stores), kept)


def _name_vectors(stores: Stores) -> Embed:
    """Return the function for the vectors of names, by the packaged embedder."""
    embedder = default_embedder()
    return kept_vectors(lambda names: embedder.embed(names, Side.PASSAGE), embedder.info, stores.artifacts)


def find_faulty(entries: Sequence[Entry], step: Callable[[Sequence[Entry]], object]) -> tuple[Entry, ...]:
    """Find by bisection the entries for which `step` fails, given that it fails for all entries together.

    Returns an empty tuple if `step` fails only for several entries together, if it fails for every entry, or if more
    than `_MOST_FAULTY` are found. Finding one takes about as long as two steps over all entries. Raises errors for
    which `ends_the_run` is true.
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
