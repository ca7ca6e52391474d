from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from pipelines.core.errors import CallTimedOut
from pipelines.llm.cache import CacheChat, CacheLine, ReplyStore
from pipelines.llm.chat import AttachedImage, Message, Reply, Request, Usage
from pipelines.llm.testing.contracts import WordReply, say
from pipelines.llm.testing.fakes import DelayedChat, FunctionChat, ScriptedChat

DAY = 86_400.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "replies.db"


async def test_the_same_request_is_called_once_across_runs(path: Path) -> None:
    model = ScriptedChat([Reply("pump", "m", Usage(10, 2, 1), "length")])
    for run in range(2):
        chat = CacheChat(model, ReplyStore(path))
        for _ in range(2):
            reply = await chat.complete(say("pump"))
        await chat.close()
        assert reply == Reply("pump", "m", Usage(10, 2, 0), "length", cached=True), run
    assert len(model.requests) == 1


async def test_failures_are_not_cached(path: Path) -> None:
    model = ScriptedChat([CallTimedOut("cut"), "pump"])
    with closing(ReplyStore(path)) as store:
        chat = CacheChat(model, store)
        with pytest.raises(CallTimedOut):
            await chat.complete(say("pump"))
        assert store.stats() == ()
        assert (await chat.complete(say("pump"))).text == "pump"


async def test_a_reply_that_does_not_match_its_schema_is_not_cached(path: Path) -> None:
    model = ScriptedChat(["no word", '{"word": "pump"}'])
    with closing(ReplyStore(path)) as store:
        chat = CacheChat(model, store)
        texts = [(await chat.complete(say("pump", schema=WordReply))).text for _ in range(3)]
    assert texts == ["no word", '{"word": "pump"}', '{"word": "pump"}']
    assert len(model.requests) == 2


async def test_another_attempt_has_another_cache_entry(path: Path) -> None:
    model = ScriptedChat(["one", "two"])
    with closing(ReplyStore(path)) as store:
        chat = CacheChat(model, store)
        assert [(await chat.complete(say("pump", attempt=number))).text for number in (0, 1)] == ["one", "two"]


async def test_equal_concurrent_requests_make_one_call(path: Path) -> None:
    model = FunctionChat(lambda _: Reply("pump", usage=Usage(10, 2, 1)))
    with closing(ReplyStore(path)) as store:
        chat = CacheChat(DelayedChat(model, lambda _: asyncio.sleep(0.01)), store)
        replies = await asyncio.gather(*(chat.complete(say("pump")) for _ in range(20)))
    assert len(model.requests) == 1
    assert sum(reply.usage.calls for reply in replies) == 1
    assert sum(reply.cached for reply in replies) == 19


async def test_cancelling_the_first_request_does_not_cancel_equal_ones(path: Path) -> None:
    model = FunctionChat(lambda _: "pump")
    with closing(ReplyStore(path)) as store:
        chat = CacheChat(DelayedChat(model, lambda _: asyncio.sleep(0.01)), store)
        first = asyncio.create_task(chat.complete(say("pump")))
        second = asyncio.create_task(chat.complete(say("pump")))
        await asyncio.sleep(0)
        first.cancel()
        assert (await second).text == "pump"
        with pytest.raises(asyncio.CancelledError):
            await first
    assert len(model.requests) == 1


async def test_all_requests_waiting_for_a_call_see_its_failure_and_the_next_calls_again(path: Path) -> None:
    model = ScriptedChat([CallTimedOut("cut"), "pump"])
    with closing(ReplyStore(path)) as store:
        chat = CacheChat(DelayedChat(model, lambda _: asyncio.sleep(0.01)), store)
        waiting = [chat.complete(say("pump")) for _ in range(3)]
        assert {type(result) for result in await asyncio.gather(*waiting, return_exceptions=True)} == {CallTimedOut}
        assert (await chat.complete(say("pump"))).text == "pump"


WRITER = """
import sys
from pathlib import Path
from pipelines.llm.chat import Reply, Usage
from pipelines.llm.cache import ReplyStore

store = ReplyStore(Path(sys.argv[1]))
for number in range(int(sys.argv[2]), int(sys.argv[3])):
    store.put(f"key {number}", "role", Reply(f"reply {number} " + "x" * 2000, "m", Usage(1, 1, 1)))
    print(number, flush=True)
"""


def writer(path: Path, first: int, last: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), str(first), str(last)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_replies_written_before_a_kill_are_kept(path: Path) -> None:
    process = writer(path, 0, 1_000_000)
    assert process.stdout is not None
    written = [int(process.stdout.readline()) for _ in range(300)]
    process.send_signal(signal.SIGKILL)
    written += [int(line) for line in process.stdout.read().split()[:-1]]
    process.wait()
    process.stdout.close()
    with closing(ReplyStore(path)) as store:
        assert all(store.get(f"key {number}") is not None for number in written)
        store.put("after", "role", Reply("still writable"))
        assert store.get("after") is not None
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_several_processes_can_create_and_write_one_file(path: Path) -> None:
    processes = [writer(path, 50 * number, 50 * number + 150) for number in range(4)]
    for process in processes:
        assert process.communicate()[0].count("\n") == 150
        assert process.returncode == 0
    with closing(ReplyStore(path)) as store:
        (line,) = store.stats()
        assert line.replies == 300
        for number in range(300):
            reply = store.get(f"key {number}")
            assert reply is not None
            assert reply.text.startswith(f"reply {number} ")


def test_stats_count_replies_tokens_and_bytes_by_role_and_model(path: Path) -> None:
    with closing(ReplyStore(path)) as store:
        store.put("1", "atomize", Reply("泵", "m", Usage(10, 2, 1)))
        store.put("2", "atomize", Reply("ab", "m", Usage(20, 3, 1)))
        store.put("3", "answer", Reply("", "n"))
        assert store.stats() == (CacheLine("answer", "n", 1, 0, 0, 0), CacheLine("atomize", "m", 2, 30, 5, 5))


def test_pruning_removes_replies_unused_for_some_days(path: Path) -> None:
    now = [100 * DAY]
    with closing(ReplyStore(path, lambda: now[0])) as store:
        for key in ("old", "used"):
            store.put(key, "atomize", Reply(key))
        now[0] += 10 * DAY
        assert store.get("used") is not None
        assert store.prune(unused_days=11) == 0
        assert store.prune(unused_days=10) == 1
        assert store.get("old") is None
        assert store.get("used") is not None


def test_pruning_can_be_restricted_to_role_and_model(path: Path) -> None:
    with closing(ReplyStore(path)) as store:
        for number, (role, model) in enumerate([("a", "m"), ("a", "n"), ("b", "m")]):
            store.put(str(number), role, Reply("", model))
        assert store.prune(role="a", model="m") == 1
        assert store.prune(role="a") == 1
        assert store.prune() == 1


def test_a_file_that_is_not_a_database_is_replaced(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"this is no database, and long enough to be sure of it" * 40)
    with closing(ReplyStore(path)) as store:
        store.put("1", "distil", Reply("pump"))
        assert store.get("1") is not None


def test_a_corrupted_database_is_replaced(path: Path) -> None:
    with closing(ReplyStore(path)) as store:
        for number in range(500):
            store.put(str(number), "distil", Reply("pump " * 50))
    data = bytearray(path.read_bytes())
    data[4096:] = os.urandom(len(data) - 4096)
    path.write_bytes(data)
    with closing(ReplyStore(path)) as store:
        assert store.get("7") is None
        store.put("7", "distil", Reply("valve"))
        assert store.get("7") is not None


def test_a_changed_reply_counts_as_absent(path: Path) -> None:
    with closing(ReplyStore(path)) as store:
        store.put("1", "distil", Reply("a pump of 40 bar"))
    data = path.read_bytes()
    assert data.count(b"40 bar") == 1
    path.write_bytes(data.replace(b"40 bar", b"90 bar"))
    with closing(ReplyStore(path)) as store:
        assert store.damaged() == ("1",)
        assert store.get("1") is None
        assert store.damaged() == ()


async def test_images_are_part_of_the_cache_key(path: Path) -> None:
    model = ScriptedChat(["one", "two"])
    with closing(ReplyStore(path)) as store:
        chat = CacheChat(model, store)
        for data, text in ((b"1", "one"), (b"2", "two"), (b"1", "one")):
            message = Message("user", "what is it?", (AttachedImage("image/png", data),))
            assert (await chat.complete(Request((message,), "r"))).text == text


def test_replies_about_a_removed_document_are_erased(path: Path) -> None:
    with closing(ReplyStore(path)) as store:
        store.put("1", "distil", Reply("pump qzforgotten"), "document:1")
        store.put("2", "distil", Reply("valve"), "document:2")
        store.put("3", "answer", Reply("pump qzforgotten and valve"))
        assert store.keep_only({"document:2"}) == 2
        assert [store.has(key) for key in ("1", "2", "3")] == [False, True, False]
        assert not any(b"qzforgotten" in file.read_bytes() for file in path.parent.iterdir())


async def test_a_reply_about_two_documents_is_kept_until_both_are_removed(path: Path) -> None:
    with closing(ReplyStore(path)) as store:
        chat = CacheChat(ScriptedChat(["pump"]), store)
        words = (Message("user", "what is it?"),)
        for document in ("document:1", "document:2"):
            await chat.complete(Request(words, "distil", document=document))
        assert store.keep_only({"document:2"}) == 0
        assert store.keep_only({"document:3"}) == 1
