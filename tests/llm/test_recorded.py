from __future__ import annotations

from pathlib import Path

import pytest

from pipelines.core.errors import NotFound
from pipelines.llm.ask import ask
from pipelines.llm.chat import Message, Reply, Usage
from pipelines.llm.ledger import RecordingChat, read_recordings
from pipelines.llm.settings import LlmSettings
from pipelines.llm.stack import open_chat
from pipelines.llm.testing.contracts import WordReply, say
from pipelines.llm.testing.fakes import RecordedAnswers, ReplayChat, ScriptedChat
from pipelines.llm.testing.loopback import Behaviour, LoopbackServer
from pipelines.llm.testing.loopback_wire import Fault, FaultScript


async def recorded(path: Path, *words: str) -> None:
    for word in words:
        await RecordingChat(ScriptedChat([Reply(word, "m", Usage(7, 3, 1), "length")]), path).complete(say(word))


async def test_a_recorded_reply_is_replayed(tmp_path: Path) -> None:
    await recorded(tmp_path / "r.jsonl", "pump", "a\u2028b")
    chat = ReplayChat(tmp_path / "r.jsonl")
    assert await chat.complete(say("pump")) == Reply("pump", "m", Usage(7, 3, 1), "length")


async def test_the_same_request_is_recorded_once(tmp_path: Path) -> None:
    await recorded(tmp_path / "r.jsonl", "pump", "pump", "seal")
    assert (tmp_path / "r.jsonl").read_bytes().count(b"\n") == 2


async def test_a_miss_reports_the_nearest_recording_and_the_difference(tmp_path: Path) -> None:
    await recorded(tmp_path / "r.jsonl", "valve", "pump is worn", "seal")
    key = next(one.key for one in read_recordings(tmp_path / "r.jsonl").values() if "pump" in one.asked)
    with pytest.raises(NotFound) as missed:
        await ReplayChat(tmp_path / "r.jsonl").complete(say("pump is new"))
    assert key[:12] in missed.value.message
    assert "'worn' where this one has 'new'" in missed.value.message


async def test_a_miss_with_only_another_schema_is_reported_as_such(tmp_path: Path) -> None:
    await recorded(tmp_path / "r.jsonl", "pump")
    with pytest.raises(NotFound, match="the same text, but another model, schema"):
        await ReplayChat(tmp_path / "r.jsonl").complete(say("pump", schema=WordReply))


async def test_an_empty_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").touch()
    with pytest.raises(NotFound, match="it is empty"):
        await ReplayChat(tmp_path / "r.jsonl").complete(say("pump"))


ASKED = (Message("user", "Which word?"),)


async def test_replies_are_recorded_as_the_settings_say_even_from_the_cache(tmp_path: Path) -> None:
    with LoopbackServer(lambda call: '{"word": "pump"}') as server:
        settings = LlmSettings(base_url=server.url, model="m", record=str(tmp_path / "r.jsonl"))
        chat = open_chat(settings, tmp_path / "replies.db")
        first = await ask(chat, ASKED, WordReply, role="word")
        (tmp_path / "r.jsonl").unlink()
        await chat.close()
        chat = open_chat(settings, tmp_path / "replies.db")
        await ask(chat, ASKED, WordReply, role="word")
        await chat.close()
    assert first.value == WordReply(word="pump")
    assert [one.text for one in read_recordings(tmp_path / "r.jsonl").values()] == ['{"word": "pump"}']


async def test_a_server_replays_recordings_despite_faults(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    recording = RecordingChat(ScriptedChat(["no JSON", '{"word": "pump"}']), path)
    assert (await ask(recording, ASKED, WordReply, role="word")).tries == 2
    for faults in ([], [Fault.GARBLED], [Fault.NONE, Fault.GARBLED]):
        with LoopbackServer(RecordedAnswers(path), Behaviour(FaultScript(faults))) as server:
            chat = open_chat(LlmSettings(base_url=server.url, model="another", max_wait=0.01))
            assert (await ask(chat, ASKED, WordReply, role="word")).value == WordReply(word="pump")
            await chat.close()


async def test_a_server_reports_requests_without_a_recording(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    await recorded(path, "pump is worn")
    answers = RecordedAnswers(path)
    with LoopbackServer(answers) as server:
        chat = open_chat(LlmSettings(base_url=server.url, model="m"))
        assert (await chat.complete(say("pump is new"))).text == "not recorded"
        await chat.close()
    assert "'worn' where this one has 'new'" in answers.misses[0]
