"""Questions over HTTP: searches, answers, and answers as a stream of server-sent events."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable

import anyio
from pydantic import BaseModel, ConfigDict, Field

from pipelines.core.codec import encode
from pipelines.core.errors import StrataError
from pipelines.llm.ask import listening
from pipelines.llm.reply_schema import readable
from pipelines.retrieve.filters import media_type_of
from pipelines.retrieve.hit import Hit
from pipelines.store.vector import Filter
from qa.answer import Answer, Citation
from serve.language import place_of
from serve.library import OpenBase
from serve.problems import RequestQueue, problem_of
from serve.results import AnswerView, CitationView, HitView, SearchView
from serve.settings import RequestLimits

LOG = logging.getLogger("strata.serve")
QUIET_S = 15.0
"""Seconds without an event after which a comment is sent, so that no proxy closes the stream."""
_MOST_NAMES = 50
"""Maximum names of one kind in a filter."""
Names = tuple[str, ...]


class SearchRequest(BaseModel):
    """A query and a filter of documents; an empty field does not restrict."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str = Field(min_length=1, max_length=RequestLimits().question, description="in any language")
    documents: Names = Field((), max_length=_MOST_NAMES, description="paths in their folder, or ids")
    folders: Names = Field((), max_length=_MOST_NAMES)
    types: Names = Field((), max_length=_MOST_NAMES, description="media types, or endings such as pdf")
    tags: Names = Field((), max_length=_MOST_NAMES)
    pages: tuple[int, ...] = Field((), max_length=_MOST_NAMES)
    since: str = Field("", max_length=40, description="documents from this date on (2024-05-31)")
    until: str = Field("", max_length=40)
    limit: int | None = Field(None, ge=1, le=RequestLimits().results, description="number of retrieved passages")

    @property
    def where(self) -> Filter:
        """The filter."""
        types = tuple(map(media_type_of, self.types))
        return Filter(self.documents, self.folders, types, self.tags, self.pages, self.since, self.until)


class QuestionRequest(SearchRequest):
    """A question; `strategy` is the name of a built-in strategy, empty for the knowledge base's default."""

    # Custom code (`module:function`) cannot be selected over HTTP.
    strategy: str = Field("", max_length=40, pattern="^[a-z-]*$")


class Asking:
    """Answers questions, with limited concurrency; searches, which are short, have a queue of their own."""

    def __init__(self, limits: RequestLimits) -> None:
        self._turns = RequestQueue(limits.asks, limits.waiting)
        self._searches = RequestQueue(limits.asks, limits.waiting)
        self._running: set[asyncio.Task[None]] = set()

    async def search(self, base: OpenBase, query: SearchRequest) -> SearchView:
        """Return the best chunks. Raises the errors of `KnowledgeBase.retrieve`, and `Busy`."""
        async with self._searches.turn():
            hits = await anyio.to_thread.run_sync(
                lambda: base.knowledge.retrieve(query.question, query.limit or 10, query.where)
            )
        return SearchView(query.question, tuple(map(hit_view, hits)))

    async def answer(self, base: OpenBase, question: QuestionRequest) -> AnswerView:
        """Return the answer. Raises the errors of `KnowledgeBase.ask`, and `Busy`."""
        async with self._turns.turn():
            return answer_view(await anyio.to_thread.run_sync(_asked(base, question)))

    async def events(self, base: OpenBase, question: QuestionRequest) -> AsyncIterator[bytes]:
        """Yield server-sent events: `step` and `text` while a model works, then `trace`, then `answer`.

        An error is an event `problem` with the content of a problem reply. If the client disconnects, the question is
        still processed to the end, and keeps its place in the queue.
        """
        queue: asyncio.Queue[bytes] = asyncio.Queue()
        task = asyncio.create_task(self._work(base, question, queue))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        while True:
            try:
                event = await asyncio.wait_for(queue.get(), QUIET_S)
            except TimeoutError:
                event = b": still at work\n\n"
            if not event:
                return
            yield event

    async def _work(self, base: OpenBase, question: QuestionRequest, queue: asyncio.Queue[bytes]) -> None:
        loop = asyncio.get_running_loop()

        def tell(event: bytes) -> None:
            loop.call_soon_threadsafe(queue.put_nowait, event)

        try:
            async with self._turns.turn():
                with listening(_Listener(tell)):
                    answer = await anyio.to_thread.run_sync(_asked(base, question))
            for step in answer.trace:
                queue.put_nowait(event("trace", step))
            queue.put_nowait(event("answer", answer_view(answer)))
        except StrataError as error:
            queue.put_nowait(event("problem", problem_of(error)))
        except Exception:
            LOG.exception("a question failed")
            queue.put_nowait(event("problem", problem_of(None)))
        finally:
            queue.put_nowait(b"")


class _Listener:
    """Sends the tasks of the model and the text of its reply as it arrives."""

    def __init__(self, tell: Callable[[bytes], None]) -> None:
        self._tell, self._reply, self._sent = tell, "", ""

    def __call__(self, role: str, piece: str) -> None:
        if not piece:
            self._reply = self._sent = ""
            self._tell(event("step", {"role": role}))
            return
        self._reply += piece
        if (text := readable(self._reply)) != self._sent:
            self._sent = text
            self._tell(event("text", {"role": role, "text": text}))


def event(name: str, value: object) -> bytes:
    """Return a server-sent event; JSON has no line breaks, so the data is one line."""
    return b"event: " + name.encode() + b"\ndata: " + encode(value) + b"\n\n"


def answer_view(answer: Answer) -> AnswerView:
    """Return an answer as a value of the API."""
    return AnswerView(
        answer.question,
        answer.text,
        answer.ending.value,
        answer.abstained,
        answer.hint,
        answer.strategy,
        answer.extractive,
        answer.short,
        answer.missing,
        answer.claims,
        tuple(map(_citation, answer.citations)),
        answer.warnings,
        answer.conflicts,
        answer.dropped,
        answer.confidence,
        answer.trace,
        answer.usage.calls,
        answer.usage.input_tokens + answer.usage.output_tokens,
        answer.dollars,
        answer.seconds,
    )


def hit_view(hit: Hit) -> HitView:
    """Return a retrieved chunk as a value of the API."""
    place = hit.chunk.provenance
    shares: dict[str, float] = {}
    for share in hit.shares:
        shares[share.layer] = round(shares.get(share.layer, 0.0) + share.score, 6)
    return HitView(
        hit.chunk.id,
        hit.document,
        hit.uri,
        hit.title,
        hit.chunk.text,
        place.page,
        place_of(hit.uri, place),
        place.span.start,
        place.span.end,
        hit.chunk.heading_path,
        place.boxes,
        round(hit.score, 6),
        shares,
        hit.superseded_by,
    )


def _asked(base: OpenBase, question: QuestionRequest) -> Callable[[], Answer]:
    return lambda: base.knowledge.ask(
        question.question, strategy=question.strategy, where=question.where, limit=question.limit
    )


def _citation(citation: Citation) -> CitationView:
    return CitationView(
        citation.number,
        citation.document,
        citation.uri,
        citation.title,
        citation.quote,
        citation.context,
        place_of(citation.uri, citation.provenance),
        citation.page,
        citation.pages,
        citation.span.start,
        citation.span.end,
        citation.heading_path,
        citation.boxes,
        citation.score,
        citation.superseded_by,
        citation.before,
        citation.after,
    )
