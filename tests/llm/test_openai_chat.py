from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import openai
import pytest
from pydantic import BaseModel, Field, SecretStr

from pipelines.core.errors import CallFailed, CallTimedOut, RateLimited, SettingsError, StrataError
from pipelines.llm.ask import CORRECTION
from pipelines.llm.chat import AttachedImage, Message, Request
from pipelines.llm.openai_chat import OpenAIChat
from pipelines.llm.openai_errors import TABLE, retry_after, translate
from pipelines.llm.settings import LlmSettings
from pipelines.llm.testing.loopback import Behaviour, LoopbackServer
from pipelines.llm.testing.loopback_wire import Call, CallTurn, Fault, FaultScript


class Answer(BaseModel):
    text: str = Field("", max_length=40)


HELLO = Request((Message("user", "hello"),), role="test", model="m", temperature=0.3, max_tokens=7)


@contextmanager
def serving(behaviour: Behaviour = Behaviour(), text: str = '{"text": "hi"}') -> Iterator[LoopbackServer]:
    with LoopbackServer(lambda _: text, behaviour) as server:
        yield server


async def complete(server: LoopbackServer, *requests: Request) -> list[str]:
    chat = OpenAIChat(LlmSettings(base_url=server.url, api_key=SecretStr("key")))
    try:
        return [(await chat.complete(request)).text for request in requests]
    finally:
        await chat.close()


async def test_model_messages_sampling_key_and_images_are_sent() -> None:
    picture = Message("user", "what is it?", (AttachedImage("image/png", b"\x89PNG"),))
    with serving() as server:
        await complete(server, HELLO, Request((picture,), role="test", model="m"))
        first, second = server.calls
    assert (first.model, first.temperature, first.max_tokens, first.key) == ("m", 0.3, 7, "key")
    assert (second.turns[0].content, second.turns[0].images) == ("what is it?", 1)


async def test_the_schema_is_sent_in_strict_form_with_its_limits() -> None:
    with serving() as server:
        await complete(server, Request(HELLO.messages, "test", Answer, model="m"))
        schema = server.calls[0].schema
    assert schema is not None
    assert schema["required"] == ["text"]
    assert schema["additionalProperties"] is False
    assert schema["properties"] == {"text": {"type": "string", "maxLength": 40}}


async def test_an_endpoint_without_schema_support_is_detected_once_and_gets_the_form_in_the_prompt() -> None:
    request = Request(HELLO.messages, "test", Answer, model="m")
    with serving(Behaviour(schemas=False)) as server:
        texts = await complete(server, request, request, request)
        calls, asked = server.calls, server.faults.total()
    assert texts == ['{"text": "hi"}'] * 3
    assert all('of this form:\n{"text": text}' in call.turns[-1].content for call in calls)
    assert asked == 3 + len(("strict", "lean", "object"))


async def test_an_endpoint_that_ignores_schemas_gets_the_form_in_the_prompt_after_three_replies() -> None:
    request = Request(HELLO.messages, "test", Answer, model="m")
    with serving(text="Hello!") as server:
        await complete(server, *[request] * 4)
        calls = server.calls
    assert [call.schema is not None for call in calls] == [True, True, True, False]
    assert "of this form:" in calls[3].turns[-1].content


@pytest.mark.parametrize(
    ("refusal", "left"),
    [
        ("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", "max_tokens"),
        ("Unsupported value: 'temperature' does not support 0.3 with this model.", "temperature"),
    ],
)
async def test_a_refused_parameter_is_no_longer_sent(refusal: str, left: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[dict[str, object]] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        sent.append(body)
        if left in body:
            return httpx2.Response(400, json={"error": {"message": refusal, "param": left}})
        return httpx2.Response(200, json=DONE)

    chat = OpenAIChat(LlmSettings(base_url="http://127.0.0.1:1/v1"))
    monkeypatch.setattr(chat, "_client", client_for(answer))
    for _ in range(2):
        assert (await chat.complete(HELLO)).text == "hi"
    assert [left in body for body in sent] == [True, False, False]
    await chat.close()


DONE = {
    "id": "1",
    "object": "chat.completion",
    "created": 0,
    "model": "m",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "hi"}}],
}


def client_for(answer: object) -> openai.AsyncOpenAI:
    transport = httpx2.MockTransport(answer)  # type: ignore[arg-type]
    return openai.AsyncOpenAI(
        api_key="k",
        base_url="http://127.0.0.1:1/v1",
        max_retries=0,
        http_client=httpx2.AsyncClient(transport=transport),
    )


async def test_usage_is_estimated_if_the_endpoint_does_not_report_it() -> None:
    with serving(Behaviour(usage=False)) as server:
        chat = OpenAIChat(LlmSettings(base_url=server.url))
        reply = await chat.complete(HELLO)
        await chat.close()
    assert reply.usage.input_tokens > 0
    assert reply.usage.output_tokens > 0


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault.TOO_MANY, RateLimited),
        (Fault.SERVER_ERROR, CallTimedOut),
        (Fault.CUT, CallTimedOut),
        (Fault.MALFORMED, CallTimedOut),
    ],
)
async def test_transport_faults_are_retryable_errors(fault: Fault, error: type[StrataError]) -> None:
    with serving(Behaviour(FaultScript([fault]), retry_after="7")) as server:
        with pytest.raises(error) as raised:
            await complete(server, HELLO)
        assert raised.value.retryable
        assert await complete(server, HELLO) == ['{"text": "hi"}']
    if isinstance(raised.value, RateLimited):
        assert raised.value.retry_after == 7.0


async def test_a_timeout_and_an_unreachable_server_are_retryable_errors() -> None:
    with serving(Behaviour(latency=0.5)) as server:
        chat = OpenAIChat(LlmSettings(base_url=server.url, timeout=0.05))
        with pytest.raises(CallTimedOut):
            await chat.complete(HELLO)
        await chat.close()
        url = server.url
    chat = OpenAIChat(LlmSettings(base_url=url))
    with pytest.raises(CallTimedOut) as raised:
        await chat.complete(HELLO)
    assert "base_url" in raised.value.hint
    await chat.close()


def test_a_client_without_key_and_endpoint_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ADMIN_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SettingsError, match="needs a key"):
        OpenAIChat(LlmSettings(model="m"))


async def test_azure_urls_have_deployment_and_api_version() -> None:
    paths: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        paths.append(str(request.url))
        return httpx2.Response(200, json=DONE)

    settings = LlmSettings(base_url="http://127.0.0.1:1", api_key=SecretStr("k"), api_version="2024-10-21", model="m")
    chat = OpenAIChat(settings)
    chat._client._client = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
    assert (await chat.complete(HELLO)).text == "hi"
    assert paths == ["http://127.0.0.1:1/openai/deployments/m/chat/completions?api-version=2024-10-21"]
    await chat.close()


def test_every_exception_of_the_library_is_translated() -> None:
    names = [name for name in openai.__all__ if not name.startswith("_")]
    things = [getattr(openai, name) for name in names]
    exported = {thing for thing in things if isinstance(thing, type) and issubclass(thing, Exception)}
    assert len(exported) > 15
    assert exported - set(TABLE) == set()


def status_error(status: int, headers: dict[str, str] | None = None, code: str | None = None) -> openai.APIStatusError:
    request = httpx2.Request("POST", "http://127.0.0.1/v1")
    response = httpx2.Response(status, headers=headers or {}, request=request)
    kinds = {400: openai.BadRequestError, 401: openai.AuthenticationError, 404: openai.NotFoundError}
    kinds |= {429: openai.RateLimitError, 503: openai.InternalServerError}
    kind = kinds.get(status, openai.APIStatusError)
    return kind(f"Error {status}", response=response, body={"code": code})


@pytest.mark.parametrize(
    ("error", "ours", "retryable"),
    [
        (status_error(400), CallFailed, False),
        (status_error(401), CallFailed, False),
        (status_error(404), CallFailed, False),
        (status_error(408), CallTimedOut, True),
        (status_error(429), RateLimited, True),
        (status_error(429, code="insufficient_quota"), CallFailed, False),
        (status_error(503), CallTimedOut, True),
        (status_error(503, {"retry-after": "3"}), RateLimited, True),
        (openai.OpenAIError("something new"), CallFailed, False),
    ],
)
def test_terminal_and_transient_errors_are_distinguished(
    error: Exception, ours: type[StrataError], retryable: bool
) -> None:
    translated = translate(error)
    assert type(translated) is ours
    assert translated.retryable is retryable
    assert translated.message


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "20"}, 20.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "20"}, 1.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_in_seconds(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(status_error(429, headers)) == seconds


def test_retry_after_may_be_a_date() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    assert retry_after(status_error(429, {"retry-after": later})) == pytest.approx(3600, abs=30)


def test_first_turns_of_a_call_exclude_corrections() -> None:
    first = (CallTurn("system", "s"), CallTurn("user", "u"))
    assert Call("m", (*first, CallTurn("assistant", "x"), CallTurn("user", f"{CORRECTION} y"))).first_turns == first
    assert Call("m", first).first_turns == first
