"""Asking a model for a typed reply, with the four ways in which that can end kept apart (design, section 5).

And fields of replies that take what small models write.
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
"""How the message begins that asks again."""

Listener = Callable[[str, str], None]
"""Is called with the role of a call ("propose", "answer") and a piece of its reply, empty when the call begins."""

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)
_SHOWN = 1500
"""Characters of an unusable reply that are shown to the model again."""


class CallEnding(StrEnum):
    DONE = "done"
    NOTHING = "nothing"
    """The model answered as asked, and the answer is that there is nothing to say."""
    UNUSABLE = "unusable"
    """No try gave what was asked for."""
    FAILED = "failed"
    """The endpoint gave no reply."""


@runtime_checkable
class MaySayNothing(Protocol):
    """A reply type that has a way of saying nothing: an empty list of questions, "not in the text"."""

    def says_nothing(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Asked(Generic[T]):
    """How asking ended, and what it took.

    `value` is there when DONE or NOTHING, `failure` when UNUSABLE or FAILED. `text` is the last reply, `problem` what
    is wrong with it, `hint` what can be done about a failed call. `tries` counts replies asked for, cached ones too.
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

    An unusable reply is asked for again, with what is wrong with it, up to `tries` times in all; one that was cut off
    with twice the room. `role` names the work and `subject` what it is about (a chunk's id): both go into the
    failure. `document` is the one whose text is shown, empty where it is that of several. Replies can be followed as
    they come: see `listening`. Raises `BudgetExceeded` and no other error of a model or endpoint.
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
    """The next asking: the first messages, the reply last given, and what is wrong with it."""
    correction = (
        f"{CORRECTION}\n{problem}\n\n"
        f"Reply once more, with nothing but one JSON object of this form:\n{reply_form(reply)}"
    )
    turns = (Message("assistant", answer.text[:_SHOWN] or "(empty)"), Message("user", correction))
    room = request.max_tokens * 2 if answer.finish == "length" else request.max_tokens
    return replace(request, messages=messages + turns, max_tokens=room, attempt=request.attempt + 1)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Call `listener` for every call that is made within the `with` block, in this thread or task."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


# Fields in which the forms that small models get wrong are put right, not refused; the schema shown stays as it is.

NONE = frozenset({"", "none", "null", "n/a", "nothing", "无"})
"""What stands for nothing where a text or number was asked for."""


def number_of(value: Any) -> Any:
    """Return a number given as "[2]", "2." or a list of one; nothing as 0."""
    if isinstance(value, list):
        value = value[0] if value else 0
    if value is None or (isinstance(value, str) and value.strip().lower() in NONE):
        return 0
    if isinstance(value, str):
        digits = "".join(character for character in value if character.isdigit() or character == "-")
        return digits[:9] or value
    return value


def _text(value: Any) -> Any:
    """A text given as a number, a truth value, or a list of texts; nothing as the empty text."""
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
    """The text of {"question": "..."}, where a text was asked for."""
    if isinstance(item, dict):
        return next((value for value in item.values() if isinstance(value, str)), "")
    return _text(item)


Text = Annotated[str, BeforeValidator(_text)]
Texts = Annotated[list[str], BeforeValidator(_texts)]
Place = Annotated[int, BeforeValidator(number_of)]
