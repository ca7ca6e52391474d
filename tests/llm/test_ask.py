from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from pipelines.core.errors import BudgetExceeded, CallFailed, CallTimedOut, RateLimited, StrataError
from pipelines.llm.ask import CallEnding, ask
from pipelines.llm.chat import Message, Reply, Usage
from pipelines.llm.testing.fakes import FakeAnswer, ScriptedChat

ASKED = (Message("system", "You list questions."), Message("user", "The pump has two seals."))


class Questions(BaseModel):
    questions: list[str] = Field(description="what it answers")

    def says_nothing(self) -> bool:
        return not self.questions


GOOD = Questions(questions=["How many seals has the pump?"])


async def test_a_usable_reply_is_done() -> None:
    chat = ScriptedChat([GOOD])
    result = await ask(chat, ASKED, Questions, role="atomize", temperature=0.7, max_tokens=99)
    assert (result.ending, result.value, result.failure, result.tries) == (CallEnding.DONE, GOOD, None, 1)
    (request,) = chat.requests
    assert (request.messages, request.role, request.schema) == (ASKED, "atomize", Questions)
    assert (request.temperature, request.max_tokens, request.attempt) == (0.7, 99, 0)


async def test_an_empty_list_is_a_reply_without_content_and_not_a_failure() -> None:
    result = await ask(ScriptedChat([Questions(questions=[])]), ASKED, Questions, role="atomize")
    assert (result.ending, result.failure) == (CallEnding.NOTHING, None)
    assert result.value == Questions(questions=[])


async def test_an_unusable_reply_is_retried_with_a_correction() -> None:
    chat = ScriptedChat(['{"questions": "one"}', GOOD])
    result = await ask(chat, ASKED, Questions, role="atomize")
    assert (result.ending, result.value, result.tries) == (CallEnding.DONE, GOOD, 2)
    first, second = chat.requests
    assert (first.attempt, second.attempt) == (0, 1)
    assert second.messages[:2] == ASKED
    assert second.messages[2] == Message("assistant", '{"questions": "one"}')
    assert "questions: Input should be a valid list" in second.messages[3].content
    assert "(what it answers)" in second.messages[3].content


async def test_after_all_tries_the_result_is_unusable_with_the_last_text_and_problem() -> None:
    chat = ScriptedChat(["no", "still no", "never"])
    result = await ask(chat, ASKED, Questions, role="atomize", subject="chunk:1", tries=3)
    assert (result.ending, result.value, result.text, result.tries) == (CallEnding.UNUSABLE, None, "never", 3)
    assert result.failure is not None
    assert (result.failure.subject, result.failure.stage) == ("chunk:1", "atomize")
    assert (result.failure.error, result.failure.retryable) == ("ReplyUnusable", True)
    assert "no JSON object" in result.failure.reason
    assert len(chat.requests) == 3
    assert all(len(request.messages) <= 4 for request in chat.requests)


async def test_a_truncated_reply_is_repaired_if_possible() -> None:
    cut = Reply('{"questions": ["How many seals?", "What', finish="length")
    result = await ask(ScriptedChat([cut]), ASKED, Questions, role="atomize")
    assert result.ending is CallEnding.DONE
    assert result.value is not None
    assert result.value.questions[0] == "How many seals?"


async def test_a_truncated_reply_that_cannot_be_repaired_is_retried_with_more_tokens() -> None:
    chat = ScriptedChat([Reply("The questions are", finish="length"), GOOD])
    result = await ask(chat, ASKED, Questions, role="atomize", max_tokens=100)
    assert result.ending is CallEnding.DONE
    assert [request.max_tokens for request in chat.requests] == [100, 200]
    assert "cut off" in chat.requests[1].messages[-1].content


@pytest.mark.parametrize("error", [CallFailed("refused"), CallTimedOut("silence"), RateLimited("wait", retry_after=1)])
async def test_a_failed_call_is_returned_as_a_failure(error: StrataError) -> None:
    result = await ask(ScriptedChat([error]), ASKED, Questions, role="atomize", subject="chunk:1")
    assert (result.ending, result.value) == (CallEnding.FAILED, None)
    assert result.failure is not None
    assert (result.failure.reason, result.failure.error) == (error.message, type(error).__name__)
    assert result.failure.retryable is error.retryable


async def test_a_failed_call_after_an_unusable_reply_keeps_the_text_and_the_problem() -> None:
    result = await ask(ScriptedChat(["no", CallFailed("gone")]), ASKED, Questions, role="atomize")
    assert (result.ending, result.text, result.tries) == (CallEnding.FAILED, "no", 2)
    assert "no JSON" in result.problem


async def test_an_exceeded_budget_is_raised() -> None:
    with pytest.raises(BudgetExceeded):
        await ask(ScriptedChat([BudgetExceeded("spent")]), ASKED, Questions, role="atomize")


async def test_usage_is_the_sum_of_all_tries() -> None:
    replies = [Reply("no", usage=Usage(10, 1, 1)), Reply(GOOD.model_dump_json(), usage=Usage(20, 9, 1))]
    result = await ask(ScriptedChat(replies), ASKED, Questions, role="atomize")
    assert result.usage == Usage(30, 10, 2)


answers = st.one_of(st.text(max_size=40), st.just(GOOD), st.just(CallFailed("down")))


@given(st.lists(answers, min_size=1, max_size=4), st.integers(1, 4))
async def test_any_script_ends_in_exactly_one_way(script: list[FakeAnswer], tries: int) -> None:
    chat = ScriptedChat(script)
    result = await ask(chat, ASKED, Questions, role="atomize", tries=tries)
    assert len(chat.requests) <= tries
    assert (result.value is None) == (result.ending in (CallEnding.UNUSABLE, CallEnding.FAILED))
    assert (result.failure is None) == result.usable
