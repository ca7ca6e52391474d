"""The account of what a question's language work took."""

from __future__ import annotations

from pathlib import Path

from pipelines.core.errors import CallFailed
from pipelines.llm.ask import Ending
from pipelines.llm.cache import CacheChat, ReplyStore
from pipelines.llm.chat import Usage
from pipelines.llm.testing.fakes import ScriptedChat
from qa.language import Language
from qa.prompts.replies import RecallReply

ANSWER = '{"thinking": "", "answer": "Leeds"}'


async def test_a_reply_from_the_cache_counts_as_what_it_took_and_costs_nothing(tmp_path: Path) -> None:
    chat = CacheChat(ScriptedChat([ANSWER]), ReplyStore(tmp_path / "replies.db"))
    first, again = Language(chat), Language(chat)
    for language in (first, again):
        asked = await language.ask("cot", RecallReply, question="Where?")
        assert asked.value is not None
        assert asked.value.answer == "Leeds"
    await chat.close()
    assert first.usage == again.usage == first.spent
    assert first.usage.calls == 1
    assert again.spent == Usage()


async def test_each_try_is_a_call_and_a_failed_one_is_none() -> None:
    language = Language(ScriptedChat(["?", ANSWER, CallFailed("refused")]))
    await language.ask("cot", RecallReply, question="Where?")
    assert language.usage.calls == 2
    asked = await language.ask("cot", RecallReply, question="When?")
    assert asked.ending is Ending.FAILED
    assert language.usage.calls == 2


async def test_a_folder_of_prompts_replaces_ours(tmp_path: Path) -> None:
    (tmp_path / "cot.md").write_text("# system\nBe brief.\n# user\nQ: $question\n", encoding="utf-8")
    chat = ScriptedChat([ANSWER])
    await Language(chat, tmp_path).ask("cot", RecallReply, question="Where?")
    assert [message.content for message in chat.requests[0].messages] == ["Be brief.", "Q: Where?"]
