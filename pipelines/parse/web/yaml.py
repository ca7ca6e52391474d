"""YAML: key paths with their values, as in JSON; comments behind values, or before the part that they stand in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from pipelines.core.document import Source
from pipelines.core.errors import TooLarge
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.decode import decode
from pipelines.parse.limits import check_text
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import FileFormat
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.json import append_value
from pipelines.parse.web.json_values import Object, Value, is_scalar
from pipelines.parse.web.text import append_code

_COMMENT = re.compile(r"(?:^|\s)#+\s?(?P<text>[^\n]*\S)")
_BEHIND = re.compile(r"[\s\]}]*+(?<=\s)#+\s?(?P<text>[^\n]*\S)")
"""A comment behind a value, and behind what ends around it."""
_LONGEST_ERROR = 200
"""Maximum characters of what is told of an error: two lines."""
_NULLS = ("", "~", "null", "Null", "NULL")
"""How a missing value is written without quotation marks (YAML 1.2.2, 10.2.1)."""
_MERGED = "<<"
"""The key of a mapping whose pairs become those of the one around it (YAML 1.1, merge key)."""


class YamlReader:
    """Reads the documents of a file; templates and other files that are not valid YAML are read as code."""

    formats = (FileFormat("application/yaml", (".yaml", ".yml")),)
    name = "yaml"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        text = decode(path.read_bytes()).text
        check_text(len(text), source.uri, settings.limits)
        builder = DocumentBuilder(source, settings, self.name)
        composer = _Composer(text, settings, source.uri)
        try:
            entries = list(composer.entries())
        except yaml.YAMLError as error:
            builder.remark(f"not valid YAML, read as code: {' '.join(str(error).split())[:_LONGEST_ERROR]}")
            append_code(text, builder)
            return builder.build()
        _append(entries, composer.comments(), builder)
        return builder.build()


class _Entry(NamedTuple):
    """A pair of the outermost mapping, or without a key a document that is none, with its first line, from 0."""

    line: int
    key: str
    value: Value


def _append(entries: list[_Entry], comments: list[tuple[int, str]], builder: DocumentBuilder) -> None:
    """Append the entries, scalars in succession together, and before each the comments since the one before."""
    scalars: list[tuple[str, Value]] = []
    for entry in entries:
        told = [text for line, text in comments if line < entry.line]
        if scalars and (told or not (entry.key and is_scalar(entry.value))):
            append_value(Object(tuple(scalars)), builder)
            scalars.clear()
        builder.paragraph("\n".join(told))
        comments = comments[len(told) :]
        if entry.key and is_scalar(entry.value):
            scalars.append((entry.key, entry.value))
        else:
            append_value(Object(((entry.key, entry.value),)) if entry.key else entry.value, builder)
    if scalars:
        append_value(Object(tuple(scalars)), builder)
    builder.paragraph("\n".join(text for _, text in comments))


@dataclass(slots=True)
class _Open:
    """A collection that is being read: its keys and values in turn, or its values, and how many are in it.

    `line` is its first line, `lines` are those of its keys.
    """

    is_mapping: bool
    anchor: str | None
    line: int
    items: list[Value] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    size: int = 1

    def value(self) -> Value:
        if not self.is_mapping:
            return self.items
        keys = [str(key) for key in self.items[::2]]
        pairs: list[tuple[str, Value]] = []
        for key, value in zip(keys, self.items[1::2], strict=False):
            merged = value.pairs if key == _MERGED and isinstance(value, Object) else ()
            pairs += [pair for pair in merged if pair[0] not in keys] if merged else [(key, value)]
        return Object(tuple(pairs))


class _Composer:
    """Builds the values of a file from its events: PyYAML's own composer ends the process for deep nesting."""

    def __init__(self, text: str, settings: ParseSettings, uri: str) -> None:
        self._text = text
        self._lines = text.splitlines()
        self._limits = settings.limits
        self._uri = uri
        self._anchors: dict[str, tuple[Value, int]] = {}
        self._open: list[_Open] = []
        self._ends: dict[int, int] = {}
        """The column behind the last scalar of each line."""
        self._without_comment: set[int] = set()
        """Lines inside scalars of several lines, and those whose comment is part of a value."""

    def entries(self) -> Iterator[_Entry]:
        """Yield the entries of all documents. Raises `TooLarge` for deep nesting, and for aliases that multiply."""
        for event in yaml.parse(self._text, Loader=yaml.CSafeLoader):
            if isinstance(event, yaml.CollectionStartEvent):
                is_mapping = isinstance(event, yaml.MappingStartEvent)
                self._open.append(_Open(is_mapping, event.anchor, _place(event.start_mark)[0]))
                if len(self._open) > self._limits.depth:
                    raise TooLarge("values nested too deep", ids=(self._uri,))
            elif isinstance(event, yaml.CollectionEndEvent):
                ended = self._open.pop()
                value = self._add(ended.value(), ended.size, ended.anchor)
                yield from () if self._open else _entries_of(ended, value)
            elif isinstance(event, yaml.AliasEvent):
                self._add(*self._anchors.get(event.anchor or "", (f"*{event.anchor}", 1)), None)
            elif isinstance(event, yaml.ScalarEvent):
                value = self._add(self._scalar(event), 1, event.anchor)
                yield from () if self._open or value is None else (_Entry(_place(event.start_mark)[0], "", value),)

    def _add(self, value: Value, size: int, anchor: str | None) -> Value:
        if anchor:
            self._anchors[anchor] = value, size
        if self._open:
            self._open[-1].items.append(value)
            self._open[-1].size += size
            if self._open[-1].size > self._limits.cells:
                raise TooLarge(f"more than {self._limits.cells} values", ids=(self._uri,))
        return value

    def _scalar(self, event: yaml.ScalarEvent) -> Value:
        """Return a scalar as written, with the comment behind it if it is a value; None for a missing value."""
        (first, _), (last, column) = _place(event.start_mark), _place(event.end_mark)
        self._without_comment.update(range(first + 1, last + (column > 0)))
        self._ends[last] = column
        around = self._open[-1] if self._open else None
        if around is not None and around.is_mapping and len(around.items) % 2 == 0:
            around.lines.append(first)
            return str(event.value)
        comment = _BEHIND.match(self._lines[last], column) if first == last < len(self._lines) else None
        missing = not event.style and event.value in _NULLS
        if comment is None:
            return None if missing else str(event.value)
        self._without_comment.add(last)
        return f"{'null' if missing else event.value} ({comment['text']})"

    def comments(self) -> list[tuple[int, str]]:
        """Return the comments that are part of no value, with their lines."""
        found: list[tuple[int, str]] = []
        for number, line in enumerate(self._lines):
            known = number in self._ends or line.lstrip().startswith("#")
            comment = _COMMENT.search(line[self._ends.get(number, 0) :])
            if comment and known and number not in self._without_comment:
                found.append((number, comment["text"]))
        return found


def _place(mark: Any) -> tuple[int, int]:
    """Return the line and column of a mark of PyYAML, from 0."""
    return mark.line, mark.column


def _entries_of(ended: _Open, value: Value) -> Iterator[_Entry]:
    if isinstance(value, Object) and len(ended.lines) == len(value.pairs):
        for line, (key, one) in zip(ended.lines, value.pairs, strict=True):
            yield _Entry(line, key, one)
    else:
        yield _Entry(ended.line, "", value)
