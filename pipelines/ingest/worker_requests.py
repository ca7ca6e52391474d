"""Requests of a worker process to its parent: for replies of a model, and for vectors of an embedder at an endpoint.

The parent has the clients, API keys, budget, cache and rate limits. Messages are encoded values; nothing is unpickled.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import BaseModel

from pipelines.atomize.model_distiller import ROLE as DISTIL
from pipelines.atomize.reply import ChunkReply, Shape, chunk_reply
from pipelines.chunk.model_splitter import SPLIT_ROLE, SUMMARY_ROLE
from pipelines.chunk.passages import Division, Overview, Summaries, summaries_of
from pipelines.chunk.summaries import OVERVIEW_ROLE
from pipelines.core import codec
from pipelines.core.errors import (
    BudgetExceeded,
    CallFailed,
    CallTimedOut,
    LanguageError,
    RateLimited,
    SettingsError,
    StoreError,
    StoreUnavailable,
    StrataError,
)
from pipelines.core.vectors import Vectors
from pipelines.core.work.job import JobContext
from pipelines.llm.chat import Chat, Message, Reply, Request
from pipelines.llm.embedder import Embedder, EmbedderInfo, Side
from pipelines.parse.describe import ROLE as DESCRIBE
from pipelines.parse.describe import FigureReply

_NO_SHAPE: Shape = ((), 0, 0)
_ERRORS: Mapping[str, type[StrataError]] = {
    kind.__name__: kind
    for kind in (BudgetExceeded, CallFailed, CallTimedOut, RateLimited, LanguageError, SettingsError, StoreError)
} | {StoreUnavailable.__name__: StoreUnavailable}


@dataclass(frozen=True, slots=True)
class PackedRequest:
    """An encodable `Request`: `shape` selects the type of the reply for roles that have several."""

    messages: tuple[Message, ...]
    role: str
    typed: bool
    shape: Shape
    temperature: float
    max_tokens: int
    model: str
    attempt: int
    subject: str
    document: str

    @staticmethod
    def of(request: Request) -> PackedRequest:
        typed = request.schema is not None
        return PackedRequest(
            request.messages,
            request.role,
            typed,
            _shape(request.schema),
            request.temperature,
            request.max_tokens,
            request.model,
            request.attempt,
            request.subject,
            request.document,
        )

    def request(self) -> Request:
        """Return the original request."""
        return Request(
            self.messages,
            self.role,
            _reply_type(self.role, self.shape) if self.typed else None,
            self.temperature,
            self.max_tokens,
            self.model,
            self.attempt,
            self.subject,
            self.document,
        )


@dataclass(frozen=True, slots=True)
class Embedding:
    """Texts to be embedded."""

    texts: tuple[str, ...]
    side: Side


@dataclass(frozen=True, slots=True)
class WorkerQuestion:
    """A question of a worker: exactly one of the fields is set."""

    asking: PackedRequest | None = None
    embedding: Embedding | None = None


@dataclass(frozen=True, slots=True)
class WorkerAnswer:
    """A reply, or vectors as bytes, or the class and message of an error."""

    reply: Reply | None = None
    vectors: bytes = b""
    error: str = ""
    message: str = ""


def _shape(reply: type[BaseModel] | None) -> Shape:
    """Return what distinguishes a type of reply from others of its role; for summaries, their number."""
    if reply is not None and issubclass(reply, ChunkReply):
        return reply.shape
    return ((), reply.count, 0) if reply is not None and issubclass(reply, Summaries) else _NO_SHAPE


def _reply_type(role: str, shape: Shape) -> type[BaseModel]:
    if role == DISTIL:
        return chunk_reply(*shape)
    if role == SUMMARY_ROLE:
        return summaries_of(shape[1])
    types: dict[str, type[BaseModel]] = {SPLIT_ROLE: Division, OVERVIEW_ROLE: Overview, DESCRIBE: FigureReply}
    return types[role]


class ParentChat:
    """The chat of a worker, which asks its parent."""

    def __init__(self, job: JobContext) -> None:
        self._job = job

    async def complete(self, request: Request) -> Reply:
        asked = self._job.ask(codec.pack(WorkerQuestion(asking=PackedRequest.of(request))))
        answered = _read(await asyncio.wrap_future(asked))
        if answered.reply is None:
            raise CallFailed("there was no reply")
        return answered.reply

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""


class ParentEmbedder:
    """The embedder of a worker, which asks its parent."""

    def __init__(self, job: JobContext, dimension: int) -> None:
        self._job = job
        self._dimension = dimension

    @property
    def info(self) -> EmbedderInfo:
        return EmbedderInfo("parent", "", self._dimension)

    def embed(self, texts: Sequence[str], side: Side = Side.PASSAGE) -> Vectors:
        asked = self._job.ask(codec.pack(WorkerQuestion(embedding=Embedding(tuple(texts), side))))
        raw = _read(asked.result()).vectors
        return np.frombuffer(raw, np.float32).reshape(len(texts), self._dimension)

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


def _read(data: bytes) -> WorkerAnswer:
    answered = codec.unpack(data, WorkerAnswer)
    if answered.error:
        raise _ERRORS.get(answered.error, CallFailed)(answered.message)
    return answered


async def answer(question: bytes, chat: Chat | None, embedder: Embedder) -> bytes:
    """Return the packed `WorkerAnswer` to a packed `WorkerQuestion`; errors are returned as answers."""
    try:
        return codec.pack(await _answer(codec.unpack(question, WorkerQuestion), chat, embedder))
    except StrataError as error:
        return codec.pack(WorkerAnswer(error=type(error).__name__, message=error.message))
    except Exception as error:
        return codec.pack(WorkerAnswer(error=type(error).__name__, message=f"{type(error).__name__}: {error}"))


async def _answer(question: WorkerQuestion, chat: Chat | None, embedder: Embedder) -> WorkerAnswer:
    if question.embedding is not None:
        asked = question.embedding
        vectors = await asyncio.to_thread(embedder.embed, asked.texts, asked.side)
        return WorkerAnswer(vectors=np.ascontiguousarray(vectors, np.float32).tobytes())
    if question.asking is None or chat is None:
        raise SettingsError("no language model is configured")
    return WorkerAnswer(reply=await chat.complete(question.asking.request()))
