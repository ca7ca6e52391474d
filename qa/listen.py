"""Following an answer as it comes about: what is asked of the model, and its text as it comes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, str], None]
"""Is given the role of the work ("propose", "answer") and a piece of the reply, empty when the asking begins."""

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)
_TEXTS = re.compile(r'"(?:text|answer|question)"\s*:\s*"((?:[^"\\]|\\.)*)("?)')


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Have `listener` told of all that is asked within, in this thread or task."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def listening_now() -> Listener | None:
    """Return who listens here, None where nobody does."""
    return _listener.get()


def readable(reply: str) -> str:
    """Return the texts that the beginning of a JSON reply holds, one a line, the last one as far as it has come."""
    return "\n".join(_text(match.group(1)) for match in _TEXTS.finditer(reply) if match.group(1))


def _text(escaped: str) -> str:
    try:
        return str(json.loads(f'"{escaped}"'))
    except json.JSONDecodeError:
        return escaped
