"""A counter of steps: the parse tree of a pattern, run by backtracking as `re` runs it, each step counted.

The tree is that of `re._parser`, so what is counted is the pattern that Python compiles. Order of the attempts, atomic
groups, possessive repeats and the rules about empty matches are those of `re`, which a property test compares. One
step is: one character tested, one character taken by a repeat of single characters, one way out tried again, one turn
of a repeat, one branch whose first character fits, and one position that no match can begin at. What `re` has beyond
that (the search for a literal prefix) only saves steps by a constant factor and is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from typing import Any

SINGLE = frozenset(("LITERAL", "NOT_LITERAL", "ANY", "IN", "CATEGORY"))
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_SCOPED = re.IGNORECASE | re.MULTILINE | re.DOTALL | re.ASCII | re.UNICODE | re.LOCALE

Text = str | bytes
Instruction = tuple[Any, ...]
State = tuple[int, int, tuple[int, ...], tuple[int, ...]]
"""Instruction, position, the counters of the repeats, the ends of the groups."""
Way = tuple[int, list[re.Pattern[Any]] | None]
"""The first instruction of a branch, and patterns of which one takes its first character; None if it may be empty."""


class TooManySteps(Exception):
    """A match took more steps than it was allowed."""


@dataclass(slots=True)
class Steps:
    """Steps counted so far; `TooManySteps` is raised where they exceed `most`."""

    most: int
    count: int = 0

    def add(self, count: int) -> None:
        self.count += count
        if self.count > self.most:
            raise TooManySteps


def tree_of(pattern: re.Pattern[Any]) -> Any:
    """Return the parse tree of a compiled pattern."""
    return _parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)


def as_pattern(node: Any, flags: int, repeated: bool = False) -> re.Pattern[Any]:
    """Return the pattern, compiled by `re` itself, of one node that takes one character or none."""
    return _as_pattern(repr(node), _Node(node), flags, repeated)


@dataclass(frozen=True, slots=True)
class _Node:
    node: Any = field(hash=False, compare=False)


@cache
def _as_pattern(key: str, held: _Node, flags: int, repeated: bool) -> re.Pattern[Any]:
    state = _parser.State()
    state.flags = flags
    node = held.node
    if node[0] is _constants.BRANCH:
        node = (node[0], (None, [_parser.SubPattern(state, branch) for branch in node[1][1]]))
    if repeated:
        inner = _parser.SubPattern(state, [node])
        node = (_constants.MAX_REPEAT, (0, _constants.MAXREPEAT, inner))
    return _compiler.compile(_parser.SubPattern(state, [node]), flags)  # type: ignore[no-any-return]


@dataclass(slots=True)
class Branches:
    """The ways of an alternative."""

    ways: list[Way]
    _known: dict[Text, list[int]] = field(default_factory=dict)

    def open_to(self, character: Text) -> list[int]:
        """Return where the branches begin that this character can be the first of."""
        if character not in self._known:
            self._known[character] = [
                start
                for start, firsts in self.ways
                if firsts is None or any(first.match(character) for first in firsts)
            ]
        return self._known[character]


@dataclass(slots=True)
class Program:
    """A tree as instructions; `run` follows them."""

    flags: int
    code: list[Instruction] = field(default_factory=list)
    repeats: int = 0

    def add(self, *instruction: Any) -> int:
        self.code.append(instruction)
        return len(self.code) - 1


def _emit(program: Program, items: Any, flags: int) -> None:
    for node in items:
        operation, value = str(node[0]), node[1]
        if operation in SINGLE:
            program.add("one", as_pattern(node, flags))
        elif operation == "AT":
            program.add("at", as_pattern(node, flags))
        elif operation == "SUBPATTERN":
            _emit_group(program, value, flags)
        elif operation == "BRANCH":
            _emit_branch(program, value[1], flags)
        elif operation in _REPEATS:
            _emit_repeat(program, operation, value, flags)
        elif operation == "ATOMIC_GROUP":
            program.add("atomic", _inner(program, value, flags))
        elif operation in {"ASSERT", "ASSERT_NOT"}:
            width = value[1].getwidth()[0] if value[0] < 0 else 0
            program.add("look", _inner(program, value[1], flags), operation == "ASSERT", width)
        elif operation == "GROUPREF":
            program.add("same", value, bool(flags & re.IGNORECASE))
        elif operation == "FAILURE":
            program.add("fail")
        else:
            raise NotImplementedError(operation)


def _inner(program: Program, items: Any, flags: int) -> int:
    """Put a part that is run on its own behind a jump over it; return where it begins."""
    jump = program.add("jump", 0)
    start = len(program.code)
    _emit(program, items, flags)
    program.add("done")
    program.code[jump] = ("jump", len(program.code))
    return start


def _emit_group(program: Program, value: Any, flags: int) -> None:
    group, added, removed, items = value
    if group:
        program.add("mark", 2 * group - 2)
    _emit(program, items, (flags | added) & ~removed)
    if group:
        program.add("mark", 2 * group - 1)


def _emit_branch(program: Program, branches: Any, flags: int) -> None:
    """Emit the branches, and before them what says where those begin that a character can lead into."""
    choice = program.add("branch", 0)
    ways: list[Way] = []
    ends: list[int] = []
    for branch in branches:
        firsts = first_nodes(branch, flags)
        ways.append((len(program.code), None if firsts is None else first_pattern(firsts)))
        _emit(program, branch, flags)
        ends.append(program.add("jump", 0))
    program.code[choice] = ("branch", Branches(ways))
    for end in ends:
        program.code[end] = ("jump", len(program.code))


def _emit_repeat(program: Program, operation: str, value: Any, flags: int) -> None:
    least, most, items = value
    if operation == "POSSESSIVE_REPEAT":
        jump = program.add("jump", 0)
        start = len(program.code)
        _emit_repeat(program, "MAX_REPEAT", value, flags)
        program.add("done")
        program.code[jump] = ("jump", len(program.code))
        program.add("atomic", start)
    elif len(items) == 1 and str(items[0][0]) in SINGLE:
        one, run = as_pattern(items[0], flags), as_pattern(items[0], flags, repeated=True)
        program.add("run" if operation == "MAX_REPEAT" else "lazy", one, run, int(least), int(most))
    else:
        number = program.repeats
        program.repeats += 1
        program.add("enter", number)
        loop = program.add("loop")
        _emit(program, items, flags)
        program.add("jump", loop)
        behind = len(program.code)
        program.code[loop] = ("loop", number, int(least), int(most), operation == "MAX_REPEAT", loop + 1, behind)


class Counter:
    """A pattern that counts its steps."""

    def __init__(self, pattern: re.Pattern[Any]) -> None:
        tree = tree_of(pattern)
        self.flags = tree.state.flags & _SCOPED
        self._program = Program(self.flags)
        _emit(self._program, tree, self.flags)
        self._program.add("done")
        self._marks = (-1,) * (2 * pattern.groups)
        firsts = first_nodes(tree, self.flags)
        self._firsts = None if firsts is None else first_pattern(firsts)

    def match(self, text: Text, steps: Steps) -> int | None:
        """Return the end of the match at the start of `text`, None where there is none."""
        return self._at(text, 0, steps, advance=False)

    def spans(self, text: Text, steps: Steps) -> Iterator[tuple[int, int]]:
        """Yield start and end of each match, as `re.finditer` does."""
        position, advance = 0, False
        while position <= len(text):
            found = self._search(text, position, steps, advance)
            if found is None:
                return
            yield found
            position, advance = found[1], found[0] == found[1]

    def _search(self, text: Text, start: int, steps: Steps, advance: bool) -> tuple[int, int] | None:
        at = start
        while at <= len(text):
            at = self._next(text, at, steps)
            if at < 0:
                return None
            end = self._at(text, at, steps, advance and at == start)
            if end is not None:
                return at, end
            at += 1
        return None

    def _next(self, text: Text, at: int, steps: Steps) -> int:
        """Return the next position whose character can begin a match, -1 where there is none."""
        if self._firsts is None:
            return at
        starts = [match.start() for first in self._firsts if (match := first.search(text, at))]
        steps.add((min(starts) if starts else len(text)) - at + 1)
        return min(starts) if starts else -1

    def _at(self, text: Text, position: int, steps: Steps, advance: bool) -> int | None:
        state = (0, position, (0, -1) * self._program.repeats, self._marks)
        found = _run(self._program.code, text, state, steps, position if advance else -1)
        return None if found is None else found[1]


def _run(code: list[Instruction], text: Text, begin: State, steps: Steps, barred: int = -1) -> State | None:
    """Follow the instructions from `begin` to the end of their part; a match that ends at `barred` does not count."""
    stack: list[State | tuple[State, int, int]] = [begin]
    length = len(text)
    while stack:
        steps.add(1)
        top = stack.pop()
        if isinstance(top[0], tuple):
            (pc, _, counts, marks), position, last = top  # type: ignore[misc]
            if position != last:
                stack.append(((pc, 0, counts, marks), position + (1 if last > position else -1), last))
        else:
            pc, position, counts, marks = top  # type: ignore[misc, assignment]
        while True:
            instruction = code[pc]
            kind = instruction[0]
            pc += 1
            if kind == "one":
                steps.add(1)
                if position >= length or not instruction[1].match(text, position):
                    break
                position += 1
            elif kind == "at":
                if not instruction[1].match(text, position):
                    break
            elif kind == "jump":
                pc = instruction[1]
            elif kind == "branch":
                starts = instruction[1].open_to(text[position : position + 1])
                steps.add(len(starts))
                if not starts:
                    break
                stack.extend((start, position, counts, marks) for start in reversed(starts[1:]))
                pc = starts[0]
            elif kind == "mark":
                marks = (*marks[: instruction[1]], position, *marks[instruction[1] + 1 :])
            elif kind == "enter":
                counts = _with(counts, instruction[1], 0, -1)
            elif kind == "loop":
                steps.add(1)
                _, number, least, most, greedy, body, behind = instruction
                done, before = counts[2 * number], counts[2 * number + 1]
                again = (body, position, _with(counts, number, done + 1, position), marks)
                if done < least:
                    pc, counts = body, _with(counts, number, done + 1, before)
                elif done >= most or position == before:
                    pc = behind
                elif greedy:
                    stack.append((behind, position, counts, marks))
                    pc, counts = body, again[2]
                else:
                    stack.append(again)
                    pc = behind
            elif kind in {"run", "lazy"}:
                _, _one, several, least, most = instruction
                end = min(several.match(text, position).end(), position + most)
                if end < position + least:
                    steps.add(end - position + 1)
                    break
                if kind == "run":
                    steps.add(end - position + 1)
                    if end > position + least:
                        stack.append(((pc, 0, counts, marks), end - 1, position + least))
                    position = end
                else:
                    position += least
                    steps.add(least)
                    if end > position:
                        stack.append(((pc, 0, counts, marks), position + 1, end))
            elif kind == "atomic":
                found = _run(code, text, (instruction[1], position, counts, marks), steps)
                if found is None:
                    break
                position, marks = found[1], found[3]
            elif kind == "look":
                _, inner, wanted, width = instruction
                found = None
                if position >= width:
                    found = _run(code, text, (inner, position - width, counts, marks), steps)
                if (found is None) == wanted:
                    break
                if found is not None:
                    marks = found[3]
            elif kind == "same":
                start, end = marks[2 * instruction[1] - 2 : 2 * instruction[1]]
                if start < 0 or end < 0:
                    break
                seen, here = text[start:end], text[position : position + end - start]
                steps.add(end - start + 1)
                if seen != here and not (instruction[2] and seen.lower() == here.lower()):
                    break
                position += end - start
            elif kind == "fail":
                break
            else:
                if position == barred:
                    break
                return pc, position, counts, marks
    return None


def _with(counts: tuple[int, ...], number: int, count: int, position: int) -> tuple[int, ...]:
    return (*counts[: 2 * number], count, position, *counts[2 * number + 2 :])


def first_nodes(items: Any, flags: int) -> list[tuple[Any, int]] | None:
    """Return what the first character of a match must be one of, with the flags; None where a match may be empty."""
    found: list[tuple[Any, int]] = []
    for node in items:
        operation, value = str(node[0]), node[1]
        if operation in SINGLE:
            return [*found, (node, flags)]
        inner: list[tuple[Any, int]] | None = None
        if operation == "SUBPATTERN":
            inner = first_nodes(value[3], (flags | value[1]) & ~value[2])
        elif operation == "ATOMIC_GROUP":
            inner = first_nodes(value, flags)
        elif operation == "BRANCH":
            each = [first_nodes(branch, flags) for branch in value[1]]
            if all(one is not None for one in each):
                return found + [node for one in each for node in one or ()]
            return None
        elif operation in _REPEATS:
            inner = first_nodes(value[2], flags)
            if inner is not None and value[0] == 0:
                found += inner
                continue
        elif operation in {"AT", "ASSERT", "ASSERT_NOT"}:
            continue
        if inner is None:
            return None
        return found + inner
    return None


def first_pattern(firsts: list[tuple[Any, int]]) -> list[re.Pattern[Any]]:
    """Return patterns, one for each set of flags, of which one matches the first character of any match."""
    by_flags: dict[int, dict[str, Any]] = {}
    for node, flags in firsts:
        by_flags.setdefault(flags, {})[repr(node)] = [node]
    return [as_pattern((_constants.BRANCH, (None, list(each.values()))), flags) for flags, each in by_flags.items()]
