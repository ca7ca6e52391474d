"""The explorer's pages, rendered on the server; small scripts stream answers and draw the graph.

The page of a document shows one of its pages with boxes, or a part of its chunks if it has no pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from pipelines.core.graph import NodeKind
from pipelines.core.outcome import Status
from pipelines.core.provenance import Box
from serve import corrections, documents, names, overview
from serve.api import Id, Kb, Offset, Words
from serve.documents import locate, page_content
from serve.library import OpenBase
from serve.overview import runs_of
from serve.render import at, render
from serve.services import Services, reading_route
from serve.views import (
    AtomView,
    ChunkView,
    DocumentView,
    FigureView,
    ListPart,
    PageContent,
    PageView,
    TableView,
    list_part,
)

CHUNKS = 20
"""Chunks shown at a time for a document without pages."""
LISTED = 60
"""Maximum lines of each list; the API has the rest."""


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """The data of a document's page, with all its `pages` for navigation.

    `boxes` are those of the quote on the shown page, `start` and `end` its span.
    """

    id: str
    document: DocumentView
    pages: Sequence[PageView]
    shown: PageContent | None
    chunks: ListPart[ChunkView]
    tables: ListPart[TableView]
    figures: ListPart[FigureView]
    atoms: ListPart[AtomView]
    boxes: tuple[Box, ...] = ()
    start: int = 0
    end: int = 0

    @property
    def numbers(self) -> list[int]:
        """The numbers of the pages."""
        return [page.number for page in self.pages]


def document_page(
    services: Services,
    base: OpenBase,
    id: str,
    page: int | None,
    quote: tuple[int | None, int | None],
    offset: int,
) -> DocumentPage:
    """Return the data of a document's page: `page`, else that of the quote, else the first. Raises `NotFound`."""
    entry = base.entry(id)
    document = base.document(entry)
    start, end = quote[0] or 0, quote[1] or 0
    place = locate(document, start, end)
    pages = services.pictures.pages(base, id, entry, document)
    number = page or (place.page if place else None) or 1
    shown = page_content(base, services.pictures, id, number) if pages else None
    every = documents.chunks_of(base, id)
    chunks = list_part(every, _offset(every, start, end, offset), CHUNKS)
    if shown:
        chunks = list_part(shown.chunks, 0, len(shown.chunks))
    boxes = place.boxes if place and shown else ()
    return DocumentPage(
        id,
        services.document(base, id, services.limits.results),
        pages,
        shown,
        chunks,
        list_part(documents.tables_of(base, id), 0, LISTED),
        list_part(documents.figures_of(base, id), 0, LISTED),
        list_part(documents.atoms_of(base, id), 0, LISTED),
        tuple(box for box in boxes if shown and box.page == shown.page.number),
        start,
        end,
    )


def _offset(chunks: list[ChunkView], start: int, end: int, offset: int) -> int:
    """Return the number of the first chunk to show: the one with the quote, if there is a quote."""
    if end <= start:
        return offset
    return next((place for place, chunk in enumerate(chunks) if chunk.start <= start < chunk.end), offset)


PAGE = 50
"""Lines of a list on one page."""
CharacterPlace = Annotated[int | None, Query(ge=0, le=1 << 40)]
PageNumber = Annotated[int | None, Query(ge=1, le=1_000_000)]
QueryText = Annotated[str, Query(max_length=4000)]


def explorer_router(services: Services) -> APIRouter:
    """Return all pages."""
    router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
    for routes in (_whole, _documents, _knowledge):
        router.include_router(routes(services))
    return router


def _whole(services: Services) -> APIRouter:
    router = APIRouter(default_response_class=HTMLResponse)
    reading = APIRouter(default_response_class=HTMLResponse, route_class=reading_route(services))

    @router.get("/")
    def start() -> Response:
        """Redirect to the only knowledge base, or list several."""
        bases = [overview.knowledge_base_line(base) for base in services.bases()]
        if len(bases) == 1:
            return RedirectResponse(at("kb", bases[0].name), 303)
        return HTMLResponse(render("start.html", bases=bases))

    @reading.get("/kb/{kb}")
    def show_overview(kb: Kb) -> str:
        base = services.base(kb)
        return render("overview.html", kb=kb, here="overview", told=overview.overview(base))

    @reading.get("/kb/{kb}/failures")
    def show_failures(kb: Kb, offset: Offset = 0) -> str:
        found = list_part(overview.failures(services.base(kb)), offset, PAGE)
        return render("failures.html", kb=kb, here="failures", found=found, step=PAGE)

    @reading.get("/kb/{kb}/ask")
    def show_ask(
        kb: Kb,
        q: QueryText = "",
        document: QueryText = "",
        folder: QueryText = "",
        type: QueryText = "",
        tag: QueryText = "",
        since: QueryText = "",
    ) -> str:
        base = services.base(kb)
        where = {"document": document, "folder": folder, "type": type, "tag": tag, "since": since}
        strategy, may_say = base.knowledge.default_strategy, services.may_change(kb)
        return render("ask.html", kb=kb, here="ask", question=q, where=where, strategy=strategy, may_say=may_say)

    @reading.get("/kb/{kb}/runs")
    def show_runs(kb: Kb, offset: Offset = 0) -> str:
        found = list_part(runs_of(services.base(kb)), offset, PAGE)
        changing, running = services.may_change(kb), services.is_ingesting(kb)
        return render("runs.html", kb=kb, here="runs", found=found, step=PAGE, changing=changing, running=running)

    @reading.get("/kb/{kb}/corrections")
    def show_corrections(kb: Kb, offset: Offset = 0) -> str:
        found = list_part(corrections.corrections(services.changing(kb).base), offset, PAGE)
        return render("corrections.html", kb=kb, here="runs", found=found, step=PAGE)

    router.include_router(reading)
    return router


def _documents(services: Services) -> APIRouter:
    router = APIRouter(
        prefix="/kb/{kb}/documents", default_response_class=HTMLResponse, route_class=reading_route(services)
    )

    @router.get("")
    def show_documents(kb: Kb, status: Words = "", language: Words = "", q: Words = "", offset: Offset = 0) -> str:
        base = services.base(kb)
        found = documents.list_documents(base, status=status, language=language, words=q, offset=offset, limit=PAGE)
        languages = sorted(overview.language_counts(base))
        chosen = {"status": status, "language": language, "q": q}
        statuses = [one.value for one in Status]
        return render(
            "documents.html",
            kb=kb,
            here="documents",
            found=found,
            step=PAGE,
            chosen=chosen,
            languages_here=languages,
            statuses=statuses,
        )

    @router.get("/{id}")
    def show_document(
        kb: Kb,
        id: Id,
        page: PageNumber = None,
        start: CharacterPlace = None,
        end: CharacterPlace = None,
        offset: Offset = 0,
    ) -> str:
        told = document_page(services, services.base(kb), id, page, (start, end), offset)
        return render("document.html", kb=kb, here="documents", told=told, may_say=services.may_change(kb))

    return router


def _knowledge(services: Services) -> APIRouter:
    router = APIRouter(prefix="/kb/{kb}", default_response_class=HTMLResponse, route_class=reading_route(services))

    @router.get("/tags")
    def show_tags(kb: Kb, q: Words = "", offset: Offset = 0) -> str:
        found = names.list_names(services.base(kb), NodeKind.TAG, q, offset, PAGE)
        return render("names.html", kb=kb, here="tags", found=found, step=PAGE, chosen={"q": q})

    @router.get("/entities")
    def show_entities(kb: Kb, q: Words = "", offset: Offset = 0) -> str:
        found = names.list_names(services.base(kb), NodeKind.ENTITY, q, offset, PAGE)
        return render("names.html", kb=kb, here="entities", found=found, step=PAGE, chosen={"q": q})

    @router.get("/tags/{id}")
    def show_tag(kb: Kb, id: Id) -> str:
        told = names.name_view(services.base(kb), NodeKind.TAG, id, PAGE)
        return render("name.html", kb=kb, here="tags", told=told, may_say=services.may_change(kb))

    @router.get("/entities/{id}")
    def show_entity(kb: Kb, id: Id) -> str:
        told = names.name_view(services.base(kb), NodeKind.ENTITY, id, PAGE)
        return render("name.html", kb=kb, here="entities", told=told, may_say=services.may_change(kb))

    @router.get("/graph")
    def show_graph(kb: Kb, node: Annotated[str, Query(max_length=100)] = "") -> str:
        base = services.base(kb)
        return render("graph.html", kb=kb, here="graph", node=node or overview.first_document(base))

    return router
