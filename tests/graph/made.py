"""Short constructors of documents from plain text, with their distillates, for tests of the graph."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pipelines.core.document import Block, BlockKind, Chunk, Document, Reference, ReferenceKind, Section, Source
from pipelines.core.ids import content_id, digest
from pipelines.core.knowledge import ChunkTag, Distillate, Entity, Mention, Tag
from pipelines.core.provenance import Provenance, Span
from pipelines.graph.document_profile import DocumentProfile, document_profile
from pipelines.graph.link import Linked, link
from pipelines.graph.mentions import ChunkText
from pipelines.graph.settings import GraphSettings

Made = tuple[Document, Distillate]
_HEADING = re.compile(r"(?P<marks>#+) (?:(?P<number>[\d.]+) )?(?P<title>.+)")


def made(
    uri: str,
    title: str,
    text: str,
    references: Iterable[tuple[ReferenceKind, str, str]] = (),
    entities: Iterable[Entity] = (),
    tags: Iterable[str] = (),
    **metadata: str,
) -> Made:
    """Return a document with a section for each line that begins with "#", and a chunk for each paragraph.

    `references` are (kind, target, evidence), the evidence a part of the text; `metadata` as in `Document`.
    """
    source = Source(uri, "text/plain", len(text), digest(text.encode("utf-8", "surrogatepass")))
    id = source.document_id
    root = Section(content_id("section", id, 0), "", 0, Span(0, len(text)))
    sections, blocks, chunks = [root], [], []
    for match in re.finditer(r"[^\n]+(?:\n[^\n]+)*", text):
        span = Span(*match.span())
        place = Provenance(id, span, 1 + span.start // 500)
        heading = _HEADING.fullmatch(match.group())
        kind = BlockKind.HEADING if heading else BlockKind.PARAGRAPH
        blocks.append(Block(content_id("block", id, span.start), kind, match.group(), place))
        if heading:
            number = heading["number"] or ""
            sections.append(
                Section(
                    content_id("section", id, span.start),
                    heading["title"],
                    1,
                    span,
                    root.id,
                    number,
                    (heading["title"],),
                )
            )
        else:
            chunk = Chunk.make_id(id, span.start, span.end)
            chunks.append(Chunk(chunk, id, sections[-1].id, len(chunks), match.group(), place, sections[-1].path))
    found = tuple(_reference(id, text, *one) for one in references)
    document = Document(id, source, title, text, tuple(blocks), tuple(sections), found, metadata=metadata)
    return document, _distillate(document, chunks, tuple(entities), tuple(tags))


def _reference(id: str, text: str, kind: ReferenceKind, target: str, evidence: str) -> Reference:
    start = text.index(evidence)
    return Reference(kind, target, evidence, Provenance(id, Span(start, start + len(evidence))))


def _distillate(
    document: Document, chunks: Sequence[Chunk], entities: Sequence[Entity], tags: Sequence[str]
) -> Distillate:
    mentions = [
        Mention(chunk.id, entity.id, entity.name, Provenance(document.id, Span(at, at + len(entity.name))))
        for entity in entities
        for chunk in chunks
        if (at := document.text.find(entity.name, chunk.provenance.span.start, chunk.provenance.span.end)) >= 0
    ]
    chunk_tags = [ChunkTag(chunk.id, Tag.make_id(tag), tag) for tag in tags for chunk in chunks if tag in chunk.text]
    return Distillate(document.id, tuple(chunks), (), tuple(chunk_tags), tuple(entities), tuple(mentions))


def linked(*documents: Made, settings: GraphSettings = GraphSettings()) -> Linked:
    """Return the links of these documents; entities are compared by their names only."""
    return link(profiles(*documents), texts(*documents), settings)


def profiles(*documents: Made) -> list[DocumentProfile]:
    return [document_profile(*one) for one in documents]


class texts:  # noqa: N801
    """Gives the chunk texts of documents, and records which documents were requested."""

    def __init__(self, *documents: Made) -> None:
        self._documents = {document.id: distillate for document, distillate in documents}
        self.asked: list[str] = []

    def __call__(self, document: str) -> list[ChunkText]:
        self.asked.append(document)
        chunks = self._documents[document].chunks
        return [ChunkText(chunk.id, chunk.provenance.span.start, chunk.text) for chunk in chunks]
