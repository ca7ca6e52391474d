"""The corpus tag collection (PIKE-RAG 5.2.2, figure 7): every tag once, with a class; and pairs learned for it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pipelines.atomize.tag_classes import KINDS, sample_of
from pipelines.atomize.tag_classes_cluster import ClusterClasses, TagClassifier
from pipelines.atomize.tag_pairs import Pairing, read_samples, tag_samples
from pipelines.atomize.tags import collect_tags
from pipelines.core.charge import each
from pipelines.core.ids import digest
from pipelines.core.knowledge import ChunkTag, Tag, TagClass, TagPair
from pipelines.graph.document_profile import DocumentProfile, ProfileTag
from pipelines.llm.embedder import Embedder
from pipelines.resources import Stores
from pipelines.store.artifact import read_distillate
from pipelines.store.catalog import Catalog, Entry
from pipelines.store.facts import TAG_PAIRS, Fact

_LONGEST_SHORT_FORM = 8
"""Characters of an abbreviation at most; a longer alias is another name, with tags of its own."""


@dataclass(frozen=True, slots=True)
class KeptClasses:
    """The classes of the corpus's tags, and the model and prompt that induced them.

    `names` is the digest of the names of all that were induced: it is part of the keys of what was distilled by them,
    which stays as it is when one of the classes goes.
    """

    maker: str
    classes: tuple[TagClass, ...]
    names: str = ""


CLASSES: Fact[KeptClasses | None] = Fact("tag classes", KeptClasses, None)
"""The classes by which a model tags."""


def kept_classes(catalog: Catalog, maker: str) -> KeptClasses | None:
    """Return the classes that `maker` induced for this knowledge base, None where it did not yet."""
    kept = CLASSES.read(catalog)
    return kept if kept is not None and maker and kept.maker == maker else None


def drop_classes(catalog: Catalog, borne: Collection[str]) -> None:
    """Forget the induced classes that no tag is in any more; `borne` are the ids of those that some tag is in."""
    kept = CLASSES.read(catalog)
    if kept is None:
        return
    left = tuple(one for one in kept.classes if one.id in borne or one.name in KINDS)
    if left != kept.classes:
        CLASSES.write(catalog, KeptClasses(kept.maker, left, names_digest(kept)))


def names_digest(kept: KeptClasses) -> str:
    """Return the digest of the names of all classes that were induced, those that went since included."""
    return kept.names or digest(" ".join(one.name for one in kept.classes).encode())[:16]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The profiles of a corpus with their tags as the collection has them.

    `merged` leads from the id of a tag as chunks bear it to the id of the one that stands for it.
    """

    profiles: tuple[DocumentProfile, ...]
    merged: Mapping[str, str] = field(default_factory=dict)


def vocabulary(profiles: Sequence[DocumentProfile], classes: Sequence[TagClass], embedder: Embedder) -> Vocabulary:
    """Return the profiles with spellings of one term merged, and every tag in a class that has none and fits one.

    Without `classes` these are found by clustering the corpus's tags.
    """
    borne = list(_borne(profiles))
    collection = collect_tags(borne, _short_forms(profiles))
    known = classes or ClusterClasses(embedder).classes(sample_of(borne))
    unclassed = [tag.text for tag in collection.tags if not tag.tag_class]
    found = dict(zip(unclassed, TagClassifier(known, embedder).classes_of(unclassed), strict=True))
    tags = {tag.id: replace(tag, tag_class=tag.tag_class or found[tag.text]) for tag in collection.tags}
    return Vocabulary(tuple(_collected(profile, tags, collection.merged) for profile in profiles), collection.merged)


def _borne(profiles: Sequence[DocumentProfile]) -> Iterator[ChunkTag]:
    for profile in profiles:
        for tag in profile.tags:
            yield from (ChunkTag(profile.document, tag.id, tag.text, 1.0, tag.tag_class) for _ in range(tag.count))


def _short_forms(profiles: Sequence[DocumentProfile]) -> Iterator[tuple[str, str]]:
    """Yield each name with its abbreviation, as documents introduce them."""
    for profile in profiles:
        for entity in profile.entities:
            yield from ((entity.name, alias) for alias in entity.aliases if len(alias) <= _LONGEST_SHORT_FORM)


def _collected(profile: DocumentProfile, tags: Mapping[str, Tag], merged: Mapping[str, str]) -> DocumentProfile:
    return replace(profile, tags=tuple(_stands_for(tag, tags[merged.get(tag.id, tag.id)]) for tag in profile.tags))


def _stands_for(borne: ProfileTag, tag: Tag) -> ProfileTag:
    return ProfileTag(tag.id, borne.text, tag.tag_class, borne.count)


@dataclass(frozen=True, slots=True)
class Lessons:
    """A file of question-answer samples, and who tells which of their words stand for which tags."""

    samples: Path
    pairing: Pairing


async def learn_pairs(lessons: Lessons, entries: Sequence[Entry], stores: Stores) -> tuple[TagPair, ...]:
    """Return the pairs that the samples speak for, and keep them for questions to come.

    Each sample's answer is looked for among the chunks of `entries`; the tags there are what its words can lead to.
    Raises `SettingsError` for a file that holds no samples, `DocumentsFailed` where chunks cannot be read,
    `BudgetExceeded`.
    """
    chunks: dict[str, str] = {}
    tags: dict[str, list[str]] = {}
    asked = read_samples(lessons.samples)
    read = each("learn", entries, lambda entry: entry.document, lambda entry: read_distillate(stores.artifacts, entry))
    for distillate in read:
        chunks |= {chunk.id: chunk.text for chunk in distillate.chunks}
        for tag in distillate.tags:
            tags.setdefault(tag.chunk, []).append(tag.text)
    pairs = await lessons.pairing.pair(tag_samples(asked, chunks, tags))
    TAG_PAIRS.write(stores.catalog, pairs)
    return pairs
