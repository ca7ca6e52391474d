"""Traps for a pattern, made from the pattern: texts that its repeats can take and that then fail.

For every repeat of its tree: what its body matches (the pump), what leads to it (the prefix, and its last part alone),
and what neither goes on nor ends it (the suffix). Pumps are chosen among characters that the body takes and that also
begin the pattern or go on behind the repeat, because there lie the choices that backtracking tries again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from tests.patterns.backtracking import _REPEATS, SINGLE, as_pattern, first_nodes, first_pattern, tree_of

_CHARACTERS = (
    "a1 .-\n,A:/_()[]{}<>\"'|\t@#*=+&;!?%$~^`\\bexyzBIVXZ0259éßÄ中的年一第年。，、；：？！（）《》「」“”‘’–—…·•°²½€"
    "\u00a0\u3000\u200b\u00ad\r\x0c\x85\u2028あ한жΩא\ufffd\uf0b7\u0301①"
)
RUNS = (
    ". ", ".", "..", " ", "\n", "\n ", " \n", "\n\n", "\r\n", "\t", "a", "A", "1", "a ", "A ", "1 ", "a.",
    "A.", "1.", "1,", "1-", "a-", "A-", "A1", "A1-", "a1", "- ", "-", "--", "_", "a_", "(", ")", "()", "(a",
    "[", "]", "[[", "{", "}", "<", ">", "<a", "<!--", '"', "'", "\\", "|", "| ", "|\n", "a|", ":", "a:",
    "::", "/", "a/", "//", "http://", "@", "a@", "#", "*", "=", "&", ";", "!", "?", "…", "中", "中 ", "的",
    "第", "一", "。", "、", "《", "「", "（", "é", "A.B.C.", "see ", "table ", "rev ", "Ab ", "Ab-", "\u0301",
    "\u200b", "\u00ad", "\u200f", "\u00a0", "\u3000", "\U0001f600",
)  # fmt: skip
DATA = ("QmFzZTY0K3", "d41d8cd98f", "3F2504E0-4F89-", "Ab1", "1.a")
"""Base64, hashes, serial numbers: letters and figures as they alternate in data."""
_ENDS = ("!", "", "\n", " z")
_DATA_ENDS = ("ab", "_")
"""Ends of data: what looks ahead for the end of a word is disappointed by letters."""
_VARIANTS = 3


@dataclass(frozen=True, slots=True)
class Trap:
    """A text of any length: `before`, then `unit` as often as it fits, then `after`."""

    before: str
    unit: str
    after: str

    def text(self, length: int) -> str:
        return self.before + (self.unit * (length // len(self.unit) + 1))[:length] + self.after


@dataclass(frozen=True, slots=True)
class _Repeat:
    """A repeat of the tree, what leads to it, and what follows it."""

    prefix: str
    body: Any
    flags: int
    behind: tuple[tuple[Any, int], ...]


def traps(pattern: re.Pattern[Any]) -> list[Trap]:
    """Return traps for `pattern`, each once, the general runs among them."""
    tree = tree_of(pattern)
    flags = tree.state.flags
    starts = first_nodes(tree, flags)
    found: dict[Trap, None] = {}
    for repeat in _repeats(list(tree), flags, "", ()):
        pumps = _pumps(repeat, starts)
        for pump in pumps:
            units = [
                (repeat.prefix + pumps[0], pump),
                (repeat.prefix, pump),
                ("", pump),
                ("", repeat.prefix + pump),
                ("", repeat.prefix + pump * 7),
            ]
            units += [("", pump + other) for other in pumps if other != pump]
            found.update((Trap(before, unit, after), None) for before, unit in units for after in _ENDS[:2])
        if repeat.prefix:
            found.update((Trap("", repeat.prefix, after), None) for after in _ENDS)
    found.update((Trap("", unit, _ENDS[0]), None) for unit in RUNS)
    found.update((Trap("", unit, after), None) for unit in DATA for after in _DATA_ENDS)
    return [trap for trap in found if trap.unit]


def _pumps(repeat: _Repeat, starts: list[tuple[Any, int]] | None) -> list[str]:
    if len(repeat.body) == 1 and str(repeat.body[0][0]) in SINGLE:
        taken = _taken([(repeat.body[0], repeat.flags)])
        chosen = taken[:_VARIANTS]
        for others in (starts, list(repeat.behind)):
            also = set(_taken(others or []))
            chosen += [one for one in taken if one in also][:2]
        return list(dict.fromkeys(chosen))
    return list(dict.fromkeys(filter(None, islice(samples(repeat.body, repeat.flags), 2 * _VARIANTS))))


def _taken(nodes: list[tuple[Any, int]]) -> list[str]:
    patterns = first_pattern(nodes)
    return [one for one in _CHARACTERS if any(_matches(pattern, one) for pattern in patterns)]


def _matches(pattern: re.Pattern[Any], character: str) -> bool:
    try:
        return pattern.match(character) is not None
    except TypeError:  # a pattern of bytes
        return pattern.match(character.encode("latin-1", "replace")) is not None


def _repeats(items: Any, flags: int, prefix: str, behind: tuple[tuple[Any, int], ...]) -> Iterator[_Repeat]:
    """Yield the repeats below `items`, outer ones first; `behind` is what may follow the last of them."""
    for number, node in enumerate(items):
        rest = list(items)[number + 1 :]
        follows = tuple(first_nodes(rest, flags) or ()) + tuple(_optional(rest, flags)) + behind
        yield from _repeats_of(node, flags, prefix, follows)
        prefix += next(samples([node], flags), "")


def _optional(items: Any, flags: int) -> Iterator[tuple[Any, int]]:
    """Yield what can come first of parts that may be empty."""
    for node in items:
        if str(node[0]) in _REPEATS and node[1][0] == 0:
            yield from first_nodes(node[1][2], flags) or ()
        elif str(node[0]) not in {"AT", "ASSERT", "ASSERT_NOT"}:
            return


def _repeats_of(node: Any, flags: int, prefix: str, behind: tuple[tuple[Any, int], ...]) -> Iterator[_Repeat]:
    operation, value = str(node[0]), node[1]
    if operation in _REPEATS:
        body = list(value[2])
        if value[1] > 1:
            yield _Repeat(prefix, body, flags, behind)
        yield from _repeats(body, flags, prefix, behind + tuple(first_nodes(body, flags) or ()))
    elif operation == "SUBPATTERN":
        yield from _repeats(value[3], (flags | value[1]) & ~value[2], prefix, behind)
    elif operation == "BRANCH":
        for branch in value[1]:
            yield from _repeats(branch, flags, prefix, behind)
    elif operation == "ATOMIC_GROUP":
        yield from _repeats(value, flags, prefix, behind)
    elif operation in {"ASSERT", "ASSERT_NOT"}:
        yield from _repeats(value[1], flags, prefix, ())


def samples(items: Any, flags: int) -> Iterator[str]:
    """Yield a few strings that `items` match where nothing around them forbids it, the shortest first."""
    made = [""]
    for node in items:
        each = list(islice(dict.fromkeys(_samples_of(node, flags)), _VARIANTS)) or [""]
        made = [one + more for more in each for one in made][: 2 * _VARIANTS]
    yield from dict.fromkeys(made)


def _samples_of(node: Any, flags: int) -> Iterator[str]:
    operation, value = str(node[0]), node[1]
    if operation == "LITERAL":
        yield chr(value)
    elif operation in SINGLE:
        pattern = as_pattern(node, flags)
        taken = [one for one in _CHARACTERS if _matches(pattern, one)]
        yield from taken[:2] or [_any_of(node)]
    elif operation in _REPEATS:
        least, most, body = value
        for count in dict.fromkeys((least, min(most, least + 1))):
            for one in samples(body, flags):
                yield one * count
    elif operation == "SUBPATTERN":
        yield from samples(value[3], (flags | value[1]) & ~value[2])
    elif operation == "BRANCH":
        for branch in value[1]:
            yield from islice(samples(branch, flags), 1)
    elif operation == "ATOMIC_GROUP":
        yield from samples(value, flags)


def _any_of(node: Any) -> str:
    """Return a character of a set that no common one is in."""
    for operation, value in node[1] if str(node[0]) == "IN" else ():
        if str(operation) == "LITERAL":
            return chr(value)
        if str(operation) == "RANGE":
            return chr(value[0])
    return ""
