"""Tools for agents, independent of the protocol: list, read, neighbourhoods."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from pipelines.core.document import Document, Section
from pipelines.core.errors import NotFound
from pipelines.core.ids import called, normalize
from pipelines.store.catalog import Entry
from pipelines.store.explore import find_node
from serve.documents import list_documents
from serve.library import OpenBase, document_key
from serve.names import bounded_neighbourhood
from serve.results import GraphView
from serve.services import Services
from serve.views import DocumentLine, ListPart

LONGEST = 20_000
"""Maximum characters of a section per call: about 5,000 tokens."""
LISTED = 1000
"""Maximum documents listed as resources: clients request all of them at once."""
SECTIONS = 300
"""Maximum sections of an outline."""


@dataclass(frozen=True, slots=True)
class OutlineLine:
    id: str
    title: str
    number: str
    level: int
    page: int | None
    characters: int


@dataclass(frozen=True, slots=True)
class SectionText:
    """The text of a section from `offset`; `more` if there is more.

    Without a section, `outline` lists the sections, of which there are `sections` in all.
    """

    document: str
    uri: str
    title: str
    section: str
    heading_path: tuple[str, ...]
    page: int | None
    text: str
    offset: int
    more: bool
    outline: tuple[OutlineLine, ...] = ()
    sections: int = 0


class Tools:
    """The tools over a server's knowledge bases; `kb` is the name of one, empty for the first."""

    def __init__(self, services: Services) -> None:
        self.services = services

    def base(self, kb: str) -> OpenBase:
        """Return a knowledge base. Raises `NotFound`."""
        return self.services.base(kb) if kb else self.services.bases()[0]

    def list_documents(self, kb: str, words: str, offset: int, limit: int) -> ListPart[DocumentLine]:
        """Return the files with these words in title or path. Raises `NotFound`."""
        return list_documents(self.base(kb), words=words, offset=max(0, offset), limit=self._bounded(limit))

    def read_section(self, kb: str, document: str, section: str, offset: int) -> SectionText:
        """Return the text of a section by its id, number or title; without one, the document's outline and beginning.

        Raises `NotFound` for an unknown document or section, and `ArtifactUnreadable`.
        """
        base = self.base(kb)
        entry = _entry(base, document)
        parsed = _parsed(base, entry)
        found = _section(parsed, section) if section else None
        text = found.span.slice(parsed.text) if found else parsed.text
        begin = max(0, offset)
        return SectionText(
            document_key(entry),
            entry.uri,
            parsed.title,
            found.title if found else "",
            found.path if found else (),
            found.page if found else None,
            text[begin : begin + LONGEST],
            begin,
            len(text) > begin + LONGEST,
            () if found else _outline(parsed),
            sum(bool(one.parent) for one in parsed.sections),
        )

    def readable(self) -> tuple[tuple[str, DocumentLine], ...]:
        """Return up to `LISTED` documents with text, each with the name of its knowledge base."""
        found = (
            (base.name, line) for base in self.services.bases() for line in list_documents(base, limit=LISTED).items
        )
        return tuple(islice(((name, line) for name, line in found if line.searchable), LISTED))

    def text(self, kb: str, document: str) -> str:
        """Return the full text of a document. Raises `NotFound` if it does not exist or has no text."""
        base = self.base(kb)
        return _parsed(base, _entry(base, document)).text

    def neighbours(self, kb: str, node: str, hops: int, limit: int) -> GraphView:
        """Return the neighbourhood of a node, by its id or the name of a document, entity or tag. Raises `NotFound`."""
        graph = self.base(kb).knowledge.stores.graph
        most = min(self.services.limits.nodes, max(1, limit))
        return bounded_neighbourhood(graph, find_node(graph, node).id, min(3, max(1, hops)), most)

    def _bounded(self, limit: int) -> int:
        return min(self.services.limits.results, max(1, limit))


def _entry(base: OpenBase, name: str) -> Entry:
    """Return the file with this id or path."""
    entries = base.entries()
    uris = called(name, [entry.uri for entry in entries])
    found = [entry for entry in entries if document_key(entry) == name or entry.uri in uris]
    if len(found) != 1:
        raise NotFound(f"no document {name}", ids=(name,), hint="list_documents lists them")
    return found[0]


def _parsed(base: OpenBase, entry: Entry) -> Document:
    parsed = base.document(entry)
    if parsed is None:
        raise NotFound(f"the document is {entry.status.value}: it has no text", ids=(entry.uri,), hint=entry.reason)
    return parsed


def _section(document: Document, name: str) -> Section:
    wanted = normalize(name)
    for same in (_has_id, _has_number, _has_title):
        for section in document.sections:
            if section.parent and same(section, name, wanted):
                return section
    raise NotFound(f"no section {name}", ids=(name,), hint="read_section without a section lists them")


def _has_id(section: Section, name: str, wanted: str) -> bool:
    return section.id == name


def _has_number(section: Section, name: str, wanted: str) -> bool:
    return bool(section.number) and normalize(section.number) == wanted


def _has_title(section: Section, name: str, wanted: str) -> bool:
    return normalize(section.title) == wanted


def _outline(document: Document) -> tuple[OutlineLine, ...]:
    sections = [section for section in document.sections if section.parent][:SECTIONS]
    return tuple(OutlineLine(one.id, one.title, one.number, one.level, one.page, len(one.span)) for one in sections)
