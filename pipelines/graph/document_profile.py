"""The profile of a document: the data that linking needs, small enough to keep those of all documents in memory."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pipelines.core.document import BlockKind, Document, ReferenceKind, document_date
from pipelines.core.ids import digest
from pipelines.core.knowledge import Distillate
from pipelines.graph.document_names import numbers_of, revision_of
from pipelines.lang.characters import fold

HEAD = 2000
"""Characters at the beginning of a document that are searched for its number and revision."""
_LEAST_TEXT = 200
"""Minimum characters of equal texts that count as the same content; shorter are empty forms and covers."""
_CLAUSE = re.compile(r"\s*(?P<number>\d{1,2}(?:\.\d{1,3}){1,4})\.?\s+[^\W\d_]")
_SECTION_NUMBER = re.compile(r"[\w.]+")
_LONGEST_SECTION_NUMBER = 60
"""Maximum characters of a section number: bounds the time on hostile text."""


@dataclass(frozen=True, slots=True)
class ProfileSection:
    """A section that a reference can name by number or title, or a numbered clause (`id` is then that of its chunk)."""

    id: str
    number: str
    title: str


@dataclass(frozen=True, slots=True)
class ProfileReference:
    """A `Reference` of the document, with the id of its chunk."""

    kind: ReferenceKind
    target: str
    evidence: str
    start: int
    end: int
    chunk: str
    page: int | None = None
    section: str = ""


@dataclass(frozen=True, slots=True)
class ProfileEntity:
    """An entity as named in this document; `count` is the number of mentions."""

    id: str
    name: str
    type: str
    aliases: tuple[str, ...]
    count: int


@dataclass(frozen=True, slots=True)
class ProfileTag:
    """A tag of this document; `count` is the number of chunks that have it."""

    id: str
    text: str
    tag_class: str
    count: int


@dataclass(frozen=True, slots=True)
class DocumentProfile:
    """The data of one document that linking needs; stored as its artifact of the stage "card".

    `digest` is that of the bytes, `text_digest` that of the words, or "" for a very short text. `numbers` are the
    document's own ("DS-2041"), in upper case. `chunks` is a digest of the chunk ids: if it is unchanged, so are the
    chunks and their texts.
    """

    document: str
    uri: str
    digest: str
    text_digest: str
    title: str
    numbers: tuple[str, ...] = ()
    message_id: str = ""
    date: str = ""
    revision: str = ""
    sections: tuple[ProfileSection, ...] = ()
    references: tuple[ProfileReference, ...] = ()
    entities: tuple[ProfileEntity, ...] = ()
    tags: tuple[ProfileTag, ...] = ()
    chunks: str = ""

    @property
    def file_name(self) -> str:
        return self.uri.rsplit("/", 1)[-1]


def document_profile(document: Document, distillate: Distillate) -> DocumentProfile:
    """Return the profile of a document."""
    head = document.text[:HEAD]
    metadata = {name.lower().replace("-", "_"): value for name, value in document.metadata.items()}
    return DocumentProfile(
        document=document.id,
        uri=document.source.uri,
        digest=document.source.digest,
        text_digest=_text_digest(document.text),
        title=document.title,
        numbers=numbers_of(document.title, document.source.name, head, metadata),
        message_id=metadata.get("message_id", "").strip("<> "),
        date=document_date(metadata),
        revision=revision_of(document.title, document.source.name, head, metadata),
        sections=(*_sections(document), *_clauses(document, distillate)),
        references=_references(document, distillate),
        entities=_entities(distillate),
        tags=_tags(distillate),
        chunks=digest(" ".join(chunk.id for chunk in distillate.chunks).encode()),
    )


def _text_digest(text: str) -> str:
    words = re.findall(r"\w+", text.casefold())
    joined = " ".join(words)
    return digest(joined.encode("utf-8", "surrogatepass")) if len(joined) >= _LEAST_TEXT else ""


def _sections(document: Document) -> Iterator[ProfileSection]:
    for section in document.sections:
        if section.parent:
            yield ProfileSection(section.id, section.number, section.title)


def _clauses(document: Document, distillate: Distillate) -> Iterator[ProfileSection]:
    """Yield the numbered paragraphs of a document ("7.3 The suction line ..."), which are usual in standards."""
    chunk_at = _ChunkAt(distillate)
    for block in document.blocks:
        if block.kind in (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM) and (match := _CLAUSE.match(block.text)):
            yield ProfileSection(chunk_at(block.provenance.span.start), match["number"], "")


class _ChunkAt:
    """Returns the id of the chunk at a position of the text."""

    def __init__(self, distillate: Distillate) -> None:
        chunks = sorted(distillate.chunks, key=lambda chunk: chunk.provenance.span)
        self._ids = [chunk.id for chunk in chunks]
        self._starts = [chunk.provenance.span.start for chunk in chunks]

    def __call__(self, place: int) -> str:
        return self._ids[max(bisect_right(self._starts, place) - 1, 0)] if self._ids else ""


def _references(document: Document, distillate: Distillate) -> tuple[ProfileReference, ...]:
    chunk_at = _ChunkAt(distillate)
    found: list[ProfileReference] = []
    for reference in document.references:
        span = reference.provenance.span
        found.append(
            ProfileReference(
                reference.kind,
                reference.target,
                reference.evidence,
                span.start,
                span.end,
                chunk_at(span.start),
                reference.provenance.page,
                reference.section,
            )
        )
    return tuple(found)


def _entities(distillate: Distillate) -> tuple[ProfileEntity, ...]:
    counts = Counter(mention.entity for mention in distillate.mentions)
    found = {
        entity.id: ProfileEntity(entity.id, entity.name, entity.type, entity.aliases, counts[entity.id])
        for entity in distillate.entities
    }
    return tuple(found[id] for id in sorted(found))


def _tags(distillate: Distillate) -> tuple[ProfileTag, ...]:
    counts = Counter(tag.tag for tag in distillate.tags)
    found = {
        tag.tag: ProfileTag(tag.tag, tag.text, tag.tag_class, counts[tag.tag]) for tag in reversed(distillate.tags)
    }
    return tuple(found[id] for id in sorted(found))


class SectionIndex:
    """Look-up of the sections and clauses of one document."""

    def __init__(self, sections: Iterable[ProfileSection]) -> None:
        self._numbers: dict[str, str] = {}
        self._slugs: dict[str, str] = {}
        for one in sections:
            if one.number:
                self._numbers.setdefault(one.number.rstrip(".").casefold(), one.id)
            for slug in (_slug(one.title), _slug(f"{one.number} {one.title}")):
                self._slugs.setdefault(slug, one.id)

    def find(self, part: str) -> str:
        """Return the id of the section or clause with the number, title or anchor `part`, or "" if there is none.

        If the document has no 7.3.1, this is 7.3, else 7.
        """
        wanted = part.strip().rstrip(".")
        number = wanted.casefold()
        while 0 < len(number) <= _LONGEST_SECTION_NUMBER and _SECTION_NUMBER.fullmatch(number):
            if number in self._numbers:
                return self._numbers[number]
            number = number.rpartition(".")[0]
        slug = _slug(wanted)
        return self._slugs.get(slug, "") if slug else ""


def _slug(text: str) -> str:
    return "-".join(re.findall(r"\w+", fold(text)))
