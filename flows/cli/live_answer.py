"""What the model is doing, shown on the terminal while it does it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.live import Live
from rich.text import Text

from flows.cli.console import console
from qa.model_calls import listening, readable

_DOING = {
    "propose": "Which questions would help?",
    "select": "Which of the facts found helps most?",
    "answer": "Reading the passages",
    "cot": "Thinking",
    "follow_up": "What to ask next?",
    "follow_up_answer": "Answering a simpler question",
    "conclude": "Concluding",
    "rewrite": "Understanding the question",
    "terms": "Finding the documents' words for it",
}


@contextmanager
def streamed(quiet: bool) -> Iterator[None]:
    """Show on the standard error what is asked of the model and its text as it comes; nothing stays behind."""
    err = console(stderr=True)
    if quiet or not err.is_terminal:
        yield
        return
    with Live(console=err, transient=True, refresh_per_second=8) as live, listening(_AnswerDisplay(live)):
        yield


class _AnswerDisplay:
    """The steps so far, and the text of the one in work."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._steps: list[str] = []
        self._reply = ""

    def __call__(self, role: str, piece: str) -> None:
        if not piece:
            self._steps.append(_DOING.get(role, role))
            self._reply = ""
        self._reply += piece
        shown = Text("\n".join(self._steps[-4:]) + " …\n", "dim") + Text(readable(self._reply))
        self._live.update(shown)
