"""Tests of requests from a worker to its parent process and the replies and errors it gets back."""

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from pydantic import BaseModel

from pipelines import build
from pipelines.atomize.reply import chunk_reply
from pipelines.chunk.passages import Division, Overview, summaries_of
from pipelines.core import codec
from pipelines.core.errors import BudgetExceeded, CallFailed, RateLimited, StrataError
from pipelines.core.vectors import Vectors
from pipelines.ingest.worker_requests import PackedRequest, ParentChat, ParentEmbedder, answer
from pipelines.llm.chat import AttachedImage, Message, Reply, Request, Usage, request_key
from pipelines.llm.embedder import HashingEmbedder
from pipelines.llm.testing.fakes import ScriptedChat, answer_by_schema
from pipelines.llm.testing.loopback import LoopbackServer
from pipelines.parse.describe import FigureReply
from pipelines.resources import open_stores
from pipelines.settings import Settings
from tests.ingest.knowledge import write_folder

MESSAGES = (
    Message("system", "Answer."),
    Message("user", "What is shown?", (AttachedImage("image/png", b"\x89\x00\xff"),)),
)


class LocalJob:
    """A job whose requests are answered in this process."""

    scratch = Path()

    def __init__(self, chat: ScriptedChat) -> None:
        self._chat = chat

    def begin(self, stage: str) -> None: ...

    def tell(self, note: bytes) -> None: ...

    def keep(self, data: bytes) -> None: ...

    def ask(self, question: bytes) -> Future[bytes]:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(asyncio.run, answer(question, self._chat, HashingEmbedder(64)))


@pytest.mark.parametrize(
    ("role", "schema"),
    [
        ("split", Division),
        ("summarize", summaries_of(1)),
        ("summarize", summaries_of(4)),
        ("overview", Overview),
        ("describe", FigureReply),
        ("distil", chunk_reply(("part", "fault"), 3, 5)),
        ("distil", chunk_reply(("fault",), 1, 2)),
        ("any", None),
    ],
)
def test_a_request_is_unchanged_after_packing_and_unpacking(role: str, schema: type[BaseModel] | None) -> None:
    request = Request(MESSAGES, role, schema, 0.5, 77, "m", 2, "chunk:1")
    passed = codec.unpack(codec.pack(PackedRequest.of(request)), PackedRequest).request()
    assert passed == request
    assert request_key(passed) == request_key(request)


async def test_a_reply_is_returned_unchanged() -> None:
    reply = Reply("yes", "m", Usage(3, 1, 1), "length", cached=True)
    assert await ParentChat(LocalJob(ScriptedChat([reply]))).complete(Request(MESSAGES, "any")) == reply


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (BudgetExceeded("over 10 tokens"), BudgetExceeded),
        (CallFailed("refused"), CallFailed),
        (RateLimited("slower"), RateLimited),
    ],
)
async def test_an_error_is_raised_with_its_class_and_message(error: StrataError, kind: type[StrataError]) -> None:
    with pytest.raises(kind, match=error.message):
        await ParentChat(LocalJob(ScriptedChat([error]))).complete(Request(MESSAGES, "any"))


async def test_an_unexpected_error_of_the_parent_is_a_failed_call() -> None:
    with pytest.raises(CallFailed, match="asked without a script"):
        await ParentChat(LocalJob(ScriptedChat([]))).complete(Request(MESSAGES, "any"))


def test_vectors_are_returned_unchanged() -> None:
    texts = ("The pump runs.", "", "Das Ventil ist zu.")
    made: Vectors = ParentEmbedder(LocalJob(ScriptedChat([])), 64).embed(texts)
    assert np.array_equal(made, HashingEmbedder(64).embed(texts))
    assert ParentEmbedder(LocalJob(ScriptedChat([])), 64).embed(()).shape == (0, 64)


def vectors_in(kb: Path, settings: Settings) -> dict[str, bytes]:
    with open_stores(kb, settings) as stores:
        return {
            record.id: np.round(vector, 5).tobytes()
            for batch in stores.vectors.records()
            for record, vector in zip(batch.records, batch.vectors, strict=True)
        }


def test_an_embedding_endpoint_is_called_by_the_parent_with_its_key(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "folder")
    local = Settings.model_validate({"embed": {"name": "hashing"}})
    with LoopbackServer(answer_by_schema) as server:
        embed = {"name": "openai", "base_url": server.url, "api_key": "k", "model": "m", "dimension": 256}
        asked = Settings.model_validate({"embed": embed})
        assert build(folder, tmp_path / "asked", asked).documents == {"indexed": 3}
        there = vectors_in(tmp_path / "asked", asked)
    build(folder, tmp_path / "local", local)
    assert there == vectors_in(tmp_path / "local", local)
