"""Chats without a model: scripted, computed by a function, matching any schema, or replayed from recordings."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Awaitable, Callable, Iterable
from difflib import SequenceMatcher
from pathlib import Path

from pydantic import BaseModel

from pipelines.core.errors import NotFound, StrataError
from pipelines.lang.sentences import sentences
from pipelines.llm.chat import Chat, Reply, Request, Usage, request_key
from pipelines.llm.ledger import Recording, read_recordings, words_of
from pipelines.llm.testing.loopback_wire import Call, Json
from pipelines.llm.tokens import estimate_input, estimate_tokens

FakeAnswer = str | BaseModel | StrataError | Reply
"""The answer of a fake: a text, a value to be sent as JSON, an error to be raised, or a complete reply."""
_FENCE = re.compile(r"<(document[-\w]*)>\n")
_ITEMS = 2


def as_reply(answer: FakeAnswer, request: Request) -> Reply:
    """Return `answer` as a reply with estimated tokens; raise it if it is an error."""
    if isinstance(answer, StrataError):
        raise answer
    if isinstance(answer, Reply):
        return answer
    text = answer.model_dump_json() if isinstance(answer, BaseModel) else answer
    usage = Usage(estimate_input(request.messages), estimate_tokens(text), 1)
    return Reply(text, request.model or "fake", usage)


class ScriptedChat:
    """A chat that returns its answers in order and records its requests; the last answer is repeated.

    Raises `AssertionError` if it has no answers at all.
    """

    def __init__(self, answers: Iterable[FakeAnswer]) -> None:
        self._answers = list(answers)
        self.requests: list[Request] = []

    async def complete(self, request: Request) -> Reply:
        if not self._answers:
            raise AssertionError(f"asked without a script: {request.messages[-1].content[:80]}")
        answer = self._answers[min(len(self.requests), len(self._answers) - 1)]
        self.requests.append(request)
        return as_reply(answer, request)

    async def close(self) -> None:
        """Nothing is held."""


class FunctionChat:
    """A chat whose answer is a function of the request; `requests` has all requests in order."""

    def __init__(self, answer: Callable[[Request], FakeAnswer]) -> None:
        self._answer = answer
        self.requests: list[Request] = []

    async def complete(self, request: Request) -> Reply:
        self.requests.append(request)
        return as_reply(self._answer(request), request)

    async def close(self) -> None:
        """Nothing is held."""


class DelayedChat:
    """A chat that awaits `wait` before each reply of the inner chat, and counts the concurrent requests."""

    def __init__(self, inner: Chat, wait: Callable[[Request], Awaitable[object]]) -> None:
        self._inner, self._wait = inner, wait
        self._now = 0
        self.most_at_once = 0

    async def complete(self, request: Request) -> Reply:
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        try:
            await self._wait(request)
            return await self._inner.complete(request)
        finally:
            self._now -= 1

    async def close(self) -> None:
        await self._inner.close()


def answer_by_schema(call: Call) -> str:
    """Return JSON that matches the call's schema, or the first sentence of the message if there is no schema.

    The answer is deterministic and meaningless, but made from the message: strings are sentences of the fenced
    document, numbers the smallest that the schema allows.
    """
    asked = call.first_turns[-1].content if call.first_turns else ""
    text = _fenced(asked)
    phrases = [span.slice(text) for span in sentences(text)] or ["nothing"]
    if call.schema is None:
        return phrases[0]
    maker = _Maker(call.schema, phrases)
    return json.dumps(maker.make(call.schema, "reply"), ensure_ascii=False)


def _fenced(asked: str) -> str:
    """Return the text in the first fence, all of `asked` if there is none."""
    begin = _FENCE.search(asked)
    end = asked.find(f"\n</{begin.group(1)}>", begin.end()) if begin else -1
    return asked[begin.end() : end] if begin and end >= 0 else asked


class _Maker:
    def __init__(self, schema: Json, phrases: list[str]) -> None:
        definitions = schema.get("$defs")
        self._definitions: Json = definitions if isinstance(definitions, dict) else {}
        self._phrases = phrases

    def make(self, schema: Json, path: str) -> object:
        """Return a value that matches; it depends on `path`, so that neighbouring values differ."""
        if isinstance(reference := schema.get("$ref"), str):
            return self.make(_schema(self._definitions[reference.rsplit("/", 1)[-1]]), path)
        for key in ("anyOf", "oneOf", "allOf"):
            if isinstance(choices := schema.get(key), list):
                return self.make(_schema(choices[0]), path)
        if isinstance(values := schema.get("enum"), list):
            return values[_hash(path) % len(values)]
        return schema["const"] if "const" in schema else self._plain(schema, path)

    def _plain(self, schema: Json, path: str) -> object:
        match schema.get("type"):
            case "object":
                fields = _schema(schema.get("properties"))
                return {name: self.make(_schema(field), f"{path}.{name}") for name, field in fields.items()}
            case "array":
                most = max(_number(schema, "minItems", 0), min(_ITEMS, _number(schema, "maxItems", _ITEMS)))
                return [self.make(_schema(schema.get("items")), f"{path}.{number}") for number in range(most)]
            case "integer" | "number":
                return _number(schema, "minimum", 1)
            case "boolean":
                return True
            case "null":
                return None
        return self._phrases[_hash(path) % len(self._phrases)][: _number(schema, "maxLength", 200)]


def _schema(value: object) -> Json:
    return value if isinstance(value, dict) else {}


def _number(schema: Json, key: str, otherwise: int) -> int:
    value = schema.get(key)
    return int(value) if isinstance(value, int | float) else otherwise


def _hash(path: str) -> int:
    return int.from_bytes(hashlib.blake2b(path.encode(), digest_size=4).digest())


_REPLIED = "\nassistant: "


class ReplayChat:
    """A chat that answers recorded requests only.

    It raises `NotFound` for any other request, with the nearest recording and the first difference.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._recordings = read_recordings(path)

    @property
    def recordings(self) -> tuple[Recording, ...]:
        return tuple(self._recordings.values())

    async def complete(self, request: Request) -> Reply:
        found = self._recordings.get(request_key(request))
        if found is None:
            raise NotFound(
                f"no recording of this request in {self._path.name}; {self.nearest(words_of(request.messages))}"
            )
        return Reply(found.text, found.model, Usage(found.input_tokens, found.output_tokens, 1), found.finish)

    async def close(self) -> None:
        """Nothing is held."""

    def nearest(self, asked: str) -> str:
        """Return a description of the recording nearest to the text of a request, and of their first difference."""
        if not self._recordings:
            return "it is empty"
        nearest = max(self._recordings.values(), key=lambda one: _similarity(one.asked, asked))
        at = next((i for i, (a, b) in enumerate(zip(nearest.asked, asked, strict=False)) if a != b), None)
        if at is None and len(nearest.asked) == len(asked):
            return f"{nearest.key[:12]} has the same text, but another model, schema, temperature or limit"
        at = min(len(nearest.asked), len(asked)) if at is None else at
        return (
            f"the nearest, {nearest.key[:12]}, has {nearest.asked[at : at + 60]!r}"
            f" where this one has {asked[at : at + 60]!r}"
        )


class RecordedAnswers:
    """Answers for a loopback server from recordings, by the text of a request, whatever the name of its model.

    A request that is repeated after an injected fault gets the final usable reply. `misses` describes the requests that
    were not recorded, whose answer is unusable.
    """

    def __init__(self, path: Path) -> None:
        self._replay = ReplayChat(path)
        ordered = sorted(self._replay.recordings, key=lambda one: len(one.asked))
        self._texts = {one.asked: one.text for one in ordered}
        self._last = {one.asked.partition(_REPLIED)[0]: one.text for one in ordered}
        self.misses: list[str] = []

    @property
    def recordings(self) -> tuple[Recording, ...]:
        return self._replay.recordings

    def __call__(self, call: Call) -> str:
        text = self._texts.get(words_of(call.turns), self._last.get(words_of(call.first_turns)))
        if text is None:
            self.misses.append(self._replay.nearest(words_of(call.turns)))
        return text or "not recorded"


def _similarity(one: str, other: str) -> float:
    return SequenceMatcher(None, one[-2000:], other[-2000:]).quick_ratio()
