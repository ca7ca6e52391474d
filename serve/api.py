"""The read-only routes below /api: content of a knowledge base, search, and questions."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import StreamingResponse

from pipelines.core.codec import encode
from pipelines.core.graph import NodeKind
from serve import asking, documents, names, overview
from serve.documents import page_content
from serve.names import bounded_neighbourhood
from serve.overview import runs_of
from serve.results import (
    AnswerView,
    FailureLine,
    GraphView,
    KnowledgeBaseLine,
    KnowledgeBaseOverview,
    RunLine,
    SearchView,
)
from serve.services import Services, reading_route
from serve.settings import RequestLimits
from serve.views import (
    AtomView,
    ChunkView,
    DocumentLine,
    DocumentView,
    FigureView,
    ListPart,
    Named,
    NamedView,
    PageContent,
    PrintedView,
    TableView,
    list_part,
)

MOST = RequestLimits().results
Kb = Annotated[str, Path(max_length=255, description="the knowledge base, by the name of its folder")]
Id = Annotated[str, Path(max_length=100)]
Words = Annotated[str, Query(max_length=200, description="filter by words in the name")]
Offset = Annotated[int, Query(ge=0, le=10_000_000)]
Count = Annotated[int, Query(ge=1, le=MOST)]
Number = Annotated[int, Path(ge=1, le=1_000_000)]
Hops = Annotated[int, Query(ge=0, le=3, description="edges from the node")]
Nodes = Annotated[int, Query(ge=1, le=RequestLimits().nodes)]
_PICTURE: dict[int | str, dict[str, object]] = {200: {"content": {"image/png": {}}}}
_EVENTS: dict[int | str, dict[str, object]] = {
    200: {"content": {"text/event-stream": {}}, "description": "events step, text, trace, answer or problem"}
}


def api_router(services: Services) -> APIRouter:
    """Return all routes of the API."""
    router = APIRouter(prefix="/api")
    for routes in (_bases, _documents, _parts, _knowledge, _questions):
        router.include_router(routes(services))
    return router


def _bases(services: Services) -> APIRouter:
    router = APIRouter(tags=["knowledge bases"])
    reading = APIRouter(route_class=reading_route(services))

    @router.get("/kb")
    def list_knowledge_bases() -> list[KnowledgeBaseLine]:
        """List the knowledge bases that are served."""
        return [overview.knowledge_base_line(base) for base in services.bases()]

    @reading.get("/kb/{kb}")
    def get_overview(kb: Kb) -> KnowledgeBaseOverview:
        """Get an overview of a knowledge base: files by status, languages, contents, cost, and what is missing."""
        return overview.overview(services.base(kb))

    @reading.get("/kb/{kb}/failures")
    def list_failures(kb: Kb, offset: Offset = 0, limit: Count = 50) -> ListPart[FailureLine]:
        """List the missing and incomplete files, each with its reason and a remedy."""
        return list_part(overview.failures(services.base(kb)), offset, limit)

    @reading.get("/kb/{kb}/runs")
    def list_runs(kb: Kb, offset: Offset = 0, limit: Count = 50) -> ListPart[RunLine]:
        """List the past ingests with their counts, the latest first."""
        return list_part(runs_of(services.base(kb)), offset, limit)

    router.include_router(reading)
    return router


def _documents(services: Services) -> APIRouter:
    router = APIRouter(prefix="/kb/{kb}/documents", tags=["documents"], route_class=reading_route(services))
    waiting = APIRouter()

    @router.get("")
    def list_documents(
        kb: Kb, status: Words = "", language: Words = "", q: Words = "", offset: Offset = 0, limit: Count = 50
    ) -> ListPart[DocumentLine]:
        """List all files of the folder by path, including those that are not indexed."""
        base = services.base(kb)
        return documents.list_documents(base, status=status, language=language, words=q, offset=offset, limit=limit)

    @router.get("/{id}")
    def get_document(kb: Kb, id: Id) -> DocumentView:
        """Get a document: pages, sections, tags, entities, incoming and outgoing references."""
        return services.document(services.base(kb), id, MOST)

    @router.get("/{id}/pages/{number}.png", response_class=Response, responses=_PICTURE)
    def get_picture(kb: Kb, id: Id, number: Number) -> Response:
        """Draw a page of a PDF file or image, if the source file exists and is unchanged."""
        picture = services.pictures.draw(services.base(kb), id, number)
        return Response(picture, media_type="image/png", headers={"cache-control": "private, max-age=3600"})

    @waiting.get("/{id}/printed")
    async def get_printed(kb: Kb, id: Id, start: Offset = 0, end: Offset = 0, page: Offset = 0) -> PrintedView:
        """Locate the passage from `start` to `end` on the pages of an office document as printed by LibreOffice."""
        return await services.printed.find(services.base(kb), id, start, end, page)

    @waiting.get("/{id}/printed/{number}.png", response_class=Response, responses=_PICTURE)
    async def get_printed_page(kb: Kb, id: Id, number: Number) -> Response:
        """Draw a printed page of an office document."""
        picture = await services.printed.draw(services.base(kb), id, number)
        return Response(picture, media_type="image/png", headers={"cache-control": "private, max-age=3600"})

    @router.get("/{id}/pages/{number}")
    def get_page(kb: Kb, id: Id, number: Number) -> PageContent:
        """Get the content of a page: its blocks with boxes, and the chunks on it."""
        return page_content(services.base(kb), services.pictures, id, number)

    router.include_router(waiting)
    return router


def _parts(services: Services) -> APIRouter:
    router = APIRouter(prefix="/kb/{kb}/documents/{id}", tags=["documents"], route_class=reading_route(services))

    @router.get("/chunks")
    def list_chunks(kb: Kb, id: Id, offset: Offset = 0, limit: Count = 50) -> ListPart[ChunkView]:
        """List the chunks of a document in order."""
        base = services.base(kb)
        base.entry(id)
        return list_part(documents.chunks_of(base, id), offset, limit)

    @router.get("/tables")
    def list_tables(kb: Kb, id: Id, offset: Offset = 0, limit: Count = 50) -> ListPart[TableView]:
        """List the tables of a document as rows of texts."""
        return list_part(documents.tables_of(services.base(kb), id), offset, limit)

    @router.get("/figures")
    def list_figures(kb: Kb, id: Id, offset: Offset = 0, limit: Count = 50) -> ListPart[FigureView]:
        """List the figures of a document with their descriptions."""
        base = services.base(kb)
        base.entry(id)
        return list_part(documents.figures_of(base, id), offset, limit)

    @router.get("/atoms")
    def list_atoms(kb: Kb, id: Id, offset: Offset = 0, limit: Count = 50) -> ListPart[AtomView]:
        """List the atomic statements and questions of a document."""
        base = services.base(kb)
        base.entry(id)
        return list_part(documents.atoms_of(base, id), offset, limit)

    return router


def _knowledge(services: Services) -> APIRouter:
    router = APIRouter(prefix="/kb/{kb}", tags=["knowledge"], route_class=reading_route(services))

    @router.get("/tags")
    def list_tags(kb: Kb, q: Words = "", offset: Offset = 0, limit: Count = 50) -> ListPart[Named]:
        """List the tags, the most frequent first."""
        return names.list_names(services.base(kb), NodeKind.TAG, q, offset, limit)

    @router.get("/tags/{id}")
    def get_tag(kb: Kb, id: Id, limit: Count = 50) -> NamedView:
        """Get a tag and its chunks."""
        return names.name_view(services.base(kb), NodeKind.TAG, id, limit)

    @router.get("/entities")
    def list_entities(kb: Kb, q: Words = "", offset: Offset = 0, limit: Count = 50) -> ListPart[Named]:
        """List the entities, the most frequently mentioned first."""
        return names.list_names(services.base(kb), NodeKind.ENTITY, q, offset, limit)

    @router.get("/entities/{id}")
    def get_entity(kb: Kb, id: Id, limit: Count = 50) -> NamedView:
        """Get an entity, the chunks that mention it, and its relations."""
        return names.name_view(services.base(kb), NodeKind.ENTITY, id, limit)

    @router.get("/graph/{id}")
    def get_neighbourhood(kb: Kb, id: Id, hops: Hops = 1, limit: Nodes = 100) -> GraphView:
        """Get the neighbourhood of a node of any layer: nodes, nearest first, and the edges between them."""
        return bounded_neighbourhood(services.base(kb).knowledge.stores.graph, id, hops, limit)

    return router


def _json(view: AnswerView | SearchView) -> Response:
    """Return a view as JSON, without the framework's validation, which takes longer than the serialization."""
    return Response(encode(view), media_type="application/json")


def _questions(services: Services) -> APIRouter:
    router = APIRouter(prefix="/kb/{kb}", tags=["questions"])

    @router.post("/search", response_model=SearchView)
    async def search(kb: Kb, query: asking.SearchRequest) -> Response:
        """Search without answering: the best chunks, and the components of their scores."""
        return _json(await services.asking.search(services.base(kb), query))

    @router.post("/ask", response_model=AnswerView)
    async def ask(kb: Kb, question: asking.QuestionRequest) -> Response:
        """Answer a question with citations, or state that the documents do not contain the answer."""
        return _json(await services.asking.answer(services.base(kb), question))

    @router.post("/ask/stream", response_class=StreamingResponse, responses=_EVENTS)
    async def ask_stream(kb: Kb, question: asking.QuestionRequest) -> StreamingResponse:
        """Answer a question as server-sent events: progress, then the trace, then the answer."""
        events = services.asking.events(services.base(kb), question)
        return StreamingResponse(events, media_type="text/event-stream", headers={"x-accel-buffering": "no"})

    return router
