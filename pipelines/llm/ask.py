"""Asking a model for a typed reply, with four distinct outcomes: done, nothing to say, unusable reply, failed call.

Also field types for replies that tolerate the typical errors of small models.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import Annotated, Any, Generic, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel, BeforeValidator

from pipelines.core.errors import BudgetExceeded, LanguageError, ReplyUnusable
from pipelines.core.outcome import Failure
from pipelines.llm.chat import Chat, Message, Reply, Request, Usage
from pipelines.llm.reply_schema import read_reply, reply_form

T = TypeVar("T", bound=BaseModel)

CORRECTION = "This reply cannot be used:"
"""Beginning of the message that asks again after an unusable reply."""

Listener = Callable[[str, str], None]
"""Called with the role of a call ("propose", "answer") and a piece of its reply, empty when the call begins."""

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)
_SHOWN = 1500
"""Maximum characters of an unusable reply that are shown to the model again."""


class CallEnding(StrEnum):
    DONE = "done"
    NOTHING = "nothing"
    """The reply has the requested form and states that there is nothing to say."""
    UNUSABLE = "unusable"
    """No reply had the requested form."""
    FAILED = "failed"
    """The endpoint returned no reply."""


@runtime_checkable
class MaySayNothing(Protocol):
    """A reply type that can state that there is nothing to say: an empty list of questions, "not in the text"."""

    def says_nothing(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Asked(Generic[T]):
    """The outcome of `ask`, and its usage.

    `value` is set for DONE and NOTHING, `failure` for UNUSABLE and FAILED. `text` is the last reply, `problem` what is
    wrong with it, `hint` what can be done about a failed call. `tries` is the number of requests, including cached
    ones.
    """

    ending: CallEnding
    value: T | None = None
    failure: Failure | None = None
    text: str = ""
    problem: str = ""
    tries: int = 1
    usage: Usage = field(default_factory=Usage)
    hint: str = ""

    @property
    def usable(self) -> bool:
        return self.value is not None


async def ask(
    chat: Chat,
    messages: tuple[Message, ...],
    reply: type[T],
    *,
    role: str,
    subject: str = "",
    document: str = "",
    temperature: float = 0.0,
    max_tokens: int = 1024,
    tries: int = 5,
) -> Asked[T]:
    """Return the model's answer to `messages` as a value of type `reply`.

    After an unusable reply the model is asked again, with the reason, up to `tries` times in all; after a truncated one
    with twice the token limit. `role` names the task and `subject` what it is about (the id of a chunk), for the
    failure. `document` is the id of the document shown, empty for several. `listening` streams replies. Raises
    `BudgetExceeded` and no other error of a model or endpoint.
    """
    listener = _listener.get()
    if listener:
        listener(role, "")
    on_text = partial(listener, role) if listener else None
    request = Request(
        messages, role, reply, temperature, max_tokens, subject=subject, document=document, on_text=on_text
    )
    usage, answer, problem = Usage(), Reply(""), ""
    for number in range(1, tries + 1):
        try:
            answer = await chat.complete(request)
        except BudgetExceeded:
            raise
        except LanguageError as error:
            failure = Failure(subject, role, error.message, type(error).__name__, retryable=error.retryable)
            return Asked(CallEnding.FAILED, None, failure, answer.text, problem, number, usage, error.hint)
        usage += answer.usage
        read = read_reply(answer.text, reply)
        if read.value is not None:
            return Asked(_ending(read.value), read.value, None, answer.text, "", number, usage)
        problem = _problem(answer, read.problem)
        request = _again(request, messages, reply, answer, problem)
    reason = f"no usable reply after {tries} tries: {problem.splitlines()[0]}"
    failure = Failure(subject, role, reason, ReplyUnusable.__name__, retryable=True)
    return Asked(CallEnding.UNUSABLE, None, failure, answer.text, problem, tries, usage)


def _ending(value: BaseModel) -> CallEnding:
    silent = isinstance(value, MaySayNothing) and value.says_nothing()
    return CallEnding.NOTHING if silent else CallEnding.DONE


def _problem(answer: Reply, problem: str) -> str:
    return f"the reply was cut off before its end\n{problem}" if answer.finish == "length" else problem


def _again(
    request: Request, messages: tuple[Message, ...], reply: type[BaseModel], answer: Reply, problem: str
) -> Request:
    """Return the next request: the first messages, the last reply, and what is wrong with it."""
    correction = (
        f"{CORRECTION}\n{problem}\n\n"
        f"Reply once more, with nothing but one JSON object of this form:\n{reply_form(reply)}"
    )
    turns = (Message("assistant", answer.text[:_SHOWN] or "(empty)"), Message("user", correction))
    room = request.max_tokens * 2 if answer.finish == "length" else request.max_tokens
    return replace(request, messages=messages + turns, max_tokens=room, attempt=request.attempt + 1)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Pass the replies of all calls made in the block, in this thread or task, to `listener` as they arrive."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


# Field types that correct typical errors of small models instead of rejecting them; the schema sent is unchanged.

NONE = frozenset({"", "none", "null", "n/a", "nothing", "无"})
"""Words that models write in place of an empty text or number."""


def number_of(value: Any) -> Any:
    """Return the number in "[2]", "2." or a list of one; 0 for `NONE`."""
    if isinstance(value, list):
        value = value[0] if value else 0
    if value is None or (isinstance(value, str) and value.strip().lower() in NONE):
        return 0
    if isinstance(value, str):
        digits = "".join(character for character in value if character.isdigit() or character == "-")
        return digits[:9] or value
    return value


def _text(value: Any) -> Any:
    """Return a number, boolean or list of texts as text; an empty text for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list) and all(isinstance(item, str | int | float) for item in value):
        return ", ".join(str(item) for item in value)
    return value


def _texts(value: Any) -> Any:
    if value is None:
        return []
    if isinstance(value, str):
        return [line for line in value.splitlines() if line.strip()]
    if isinstance(value, list):
        return [_of_object(item) for item in value]
    return value


def _of_object(item: Any) -> Any:
    """Return the text of {"question": "..."} if a text was requested."""
    if isinstance(item, dict):
        return next((value for value in item.values() if isinstance(value, str)), "")
    return _text(item)


Text = Annotated[str, BeforeValidator(_text)]
Texts = Annotated[list[str], BeforeValidator(_texts)]
Place = Annotated[int, BeforeValidator(number_of)]
