from __future__ import annotations

from pathlib import Path

import pytest

from pipelines.core.errors import NotFound
from pipelines.llm.chat import Reply, Usage
from pipelines.llm.fakes import ScriptedChat
from pipelines.llm.replay import RecordingChat, ReplayChat, read_recordings
from tests.contracts.chat import Word, say


async def recorded(path: Path, *words: str) -> None:
    for word in words:
        await RecordingChat(ScriptedChat([Reply(word, "m", Usage(7, 3, 1), "length")]), path).complete(say(word))


async def test_what_was_recorded_is_given_again(tmp_path: Path) -> None:
    await recorded(tmp_path / "r.jsonl", "pump", "a\u2028b")
    chat = ReplayChat(tmp_path / "r.jsonl")
    assert await chat.complete(say("pump")) == Reply("pump", "m", Usage(7, 3, 1), "length")


async def test_the_same_request_is_recorded_once(tmp_path: Path) -> None:
    await recorded(tmp_path / "r.jsonl", "pump", "pump", "seal")
    assert (tmp_path / "r.jsonl").read_bytes().count(b"\n") == 2


async def test_a_miss_names_the_nearest_recording_and_where_it_differs(tmp_path: Path) -> None:
    await recorded(tmp_path / "r.jsonl", "valve", "pump is worn", "seal")
    key = next(one.key for one in read_recordings(tmp_path / "r.jsonl").values() if "pump" in one.asked)
    with pytest.raises(NotFound) as missed:
        await ReplayChat(tmp_path / "r.jsonl").complete(say("pump is new"))
    assert key[:12] in missed.value.message
    assert "'worn' where this one has 'new'" in missed.value.message


async def test_a_miss_by_the_schema_alone_says_so(tmp_path: Path) -> None:
    await recorded(tmp_path / "r.jsonl", "pump")
    with pytest.raises(NotFound, match="the same words, and another model, schema"):
        await ReplayChat(tmp_path / "r.jsonl").complete(say("pump", schema=Word))


async def test_an_empty_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").touch()
    with pytest.raises(NotFound, match="it is empty"):
        await ReplayChat(tmp_path / "r.jsonl").complete(say("pump"))
