"""Running text as it is gathered from inline elements: white space as a browser shows it, and the links in it."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SPACE = re.compile(r"[ \t\r\n\f]+")


@dataclass(frozen=True, slots=True)
class Link:
    """Where a link points, as written, and its text."""

    target: str
    text: str


class Inline:
    """Gathers text until it is taken; what was taken is gone from it."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._open: list[tuple[str, int]] = []
        self._links: list[Link] = []

    def text(self, text: str | None, *, verbatim: bool = False) -> None:
        """Add text; its white space collapses but where it is `verbatim`."""
        if text:
            self._parts.append(text if verbatim else _SPACE.sub(" ", text))

    def line_break(self) -> None:
        self._parts.append("\n")

    def open_link(self, target: str) -> None:
        self._open.append((target, len(self._parts)))

    def close_link(self) -> None:
        """End the link opened last; one without text keeps its target as its text's place."""
        if self._open:
            target, start = self._open.pop()
            self._links.append(Link(target, _tidy("".join(self._parts[start:]))))

    def link(self, target: str, text: str) -> None:
        """Add a link whose text does not stand in the running text (a picture, a frame)."""
        self._links.append(Link(target, text))

    def take(self, *, verbatim: bool = False) -> str:
        """Return the text gathered so far; links that are open go on in what follows."""
        text = "".join(self._parts)
        self._parts.clear()
        self._open = [(target, 0) for target, _ in self._open]
        return text if verbatim else _tidy(text)

    def take_links(self) -> list[Link]:
        """Return the links closed so far."""
        links, self._links = self._links, []
        return links


def _tidy(text: str) -> str:
    return "\n".join(_SPACE.sub(" ", line).strip(" ") for line in text.split("\n")).strip()
