"""JSON and JSON Lines: key paths with their values; arrays of similar objects as tables."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipelines.core.document import Source
from pipelines.core.errors import TooLarge
from pipelines.core.table import Cell
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.decode import decode
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import FileFormat, FileSample
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.text import append_text

_JSON = "application/json"
_BEGINS = re.compile(r'(?:[\[{]\s*+)++(?:["\]}]|true\b|false\b|null\b|-?\d++(?:\.\d++)?[eE,\s])')
"""The beginning of JSON, up to the first value: brackets alone may be AsciiDoc anchors or wiki links."""
_LINES = "application/x-ndjson"
Scalar = str | bool | None


@dataclass(frozen=True, slots=True)
class Object:
    """An object's key-value pairs in order; keys may be repeated."""

    pairs: tuple[tuple[str, Value], ...]


Value = Scalar | Object | list["Value"]
_DATA = re.compile(r'"(?:data:[\w/;=+.-]{0,80},)?(?:[A-Za-z0-9+/_-]|\\[n/]){1000,}+={0,2}"')
"""A string of a thousand letters and digits without a space: a base64 (RFC 4648) picture or key, not text."""
_WIDEST_TABLE = 200
"""Maximum columns of a readable table; wider objects are written one by one."""


class JsonReader:
    """Reads one JSON value, or one per line. Invalid JSON is read as text, and the result is PARTIAL."""

    formats = (
        FileFormat(_JSON, (".json",), sniff=lambda sample: _json_type(sample) == _JSON, also=(".jsonl",)),
        FileFormat(_LINES, (".jsonl", ".ndjson"), sniff=lambda sample: _json_type(sample) == _LINES, also=(".json",)),
    )
    name = "json"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        builder = DocumentBuilder(source, settings, self.name)
        text = decode(path.read_bytes()).text
        text, data = _DATA.subn(lambda match: f'"({len(match.group()) - 2} characters of data)"', text)
        if data:
            builder.remark(f"strings that are data and no text, and are not read: {data}")
        try:
            value, broken = _load(text)
        except RecursionError as error:
            raise TooLarge("values nested too deep", ids=(source.uri,)) from error
        except ValueError as error:
            append_text(text, builder)
            builder.left_out(issue=f"not valid JSON: {error}")
            return builder.build()
        _append(value, builder)
        for line in broken:
            builder.paragraph(line)
        if broken:
            builder.left_out(issue=f"{len(broken)} lines are not valid JSON")
        return builder.build()


def _load(text: str) -> tuple[Value, list[str]]:
    """Return the value (for JSON Lines a list of all lines' values), and the invalid lines.

    Numbers are kept as text: 1.10 is not 1.1, and long numbers cost no conversion. Raises `ValueError` if the text is
    neither JSON nor, for the most part, JSON Lines.
    """
    decoder = json.JSONDecoder(
        object_pairs_hook=lambda pairs: Object(tuple(pairs)), parse_int=str, parse_float=str, parse_constant=str
    )
    try:
        return decoder.decode(text), []
    except ValueError:
        # `splitlines` would also split at U+2028, which is allowed in a string.
        lines = [line for line in text.split("\n") if line.strip()]
        values, broken = _by_line(lines, decoder)
        if len(values) < 2 or len(broken) > len(values):
            raise
        return values, broken


def _by_line(lines: Sequence[str], decoder: json.JSONDecoder) -> tuple[list[Value], list[str]]:
    values: list[Value] = []
    broken: list[str] = []
    for line in lines:
        try:
            values.append(decoder.decode(line))
        except ValueError:
            broken.append(line)
    return values, broken


def _append(root: Value, builder: DocumentBuilder) -> None:
    """Append the value depth first, iteratively: scalars of an object together, nested objects under headings."""
    left: list[tuple[str, Value, int]] = [("", root, 1)]
    while left:
        path, value, level = left.pop()
        if level > builder.settings.limits.depth:
            raise TooLarge("values nested too deep", ids=(builder.source.uri,))
        if path and isinstance(value, (Object, list)):
            # Six levels, as in HTML.
            builder.heading(path, min(level - 1, 6))
        left += reversed(list(_append_one(path, value, level, builder)))


def _append_one(path: str, value: Value, level: int, builder: DocumentBuilder) -> Iterator[tuple[str, Value, int]]:
    """Append the scalars of a value and yield the nested values that remain."""
    if isinstance(value, Object):
        _title(value, path, builder)
        builder.paragraph("\n".join(f"{key}: {_text(item)}" for key, item in value.pairs if _is_scalar(item)))
        yield from (
            (f"{path}.{key}" if path else key, item, level + 1) for key, item in value.pairs if not _is_scalar(item)
        )
    elif isinstance(value, list):
        yield from _append_list(path, value, level, builder)
    else:
        builder.paragraph(_text(value))


def _append_list(
    path: str, items: list[Value], level: int, builder: DocumentBuilder
) -> Iterator[tuple[str, Value, int]]:
    columns = _columns(items)
    if columns:
        builder.table(_cells(items, columns))
    elif all(_is_scalar(item) for item in items):
        for item in items:
            builder.list_item(_text(item))
    else:
        yield from ((f"{path}[{number}]", item, level + 1) for number, item in enumerate(items))


def _columns(items: Sequence[Value]) -> list[str]:
    """Return the keys of all items if they are flat objects that share most of their keys, else nothing."""
    objects = [item for item in items if isinstance(item, Object)]
    if not objects or len(objects) < len(items):
        return []
    if not all(_is_scalar(value) or _is_short_list(value) for item in objects for _, value in item.pairs):
        return []
    keys = list(dict.fromkeys(key for item in objects for key, _ in item.pairs))
    filled = sum(len(item.pairs) for item in objects)
    return keys if len(keys) <= _WIDEST_TABLE and 2 * filled >= len(keys) * len(objects) else []


def _cells(items: Sequence[Value], columns: list[str]) -> list[Cell]:
    places = {key: place for place, key in enumerate(columns)}
    cells = [Cell(0, place, key, header=True) for key, place in places.items()]
    for row, item in enumerate(items, 1):
        if isinstance(item, Object):
            cells += [Cell(row, places[key], _text(value)) for key, value in item.pairs]
    return cells


def _is_scalar(value: Value) -> bool:
    return not isinstance(value, (Object, list))


def _is_short_list(value: Value) -> bool:
    # Twenty values are one or two lines in a cell.
    return isinstance(value, list) and len(value) <= 20 and all(_is_scalar(item) for item in value)


def _text(value: Value) -> str:
    if isinstance(value, list):
        return ", ".join(_text(item) for item in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else str(value)


def _title(value: Object, path: str, builder: DocumentBuilder) -> None:
    if path:
        return
    for key, item in value.pairs:
        if key.lower() in ("title", "name") and isinstance(item, str):
            builder.meta("title", item)
            return


def _json_type(sample: FileSample) -> str:
    """Return the media type, JSON or JSON Lines, by the first lines; empty for neither."""
    suffix, whole = sample.suffix, sample.whole
    start = sample.text.strip("\ufeff \t\r\n")
    if start[:1] not in ("{", "["):
        return ""
    lines = [line for line in start.split("\n") if line.strip()]
    complete = lines if whole else lines[:-1]
    # Five lines that are each a valid value are not a coincidence.
    good = [line[0] in "{[" and _is_json(line) for line in complete[:5]]
    if len(good) > 1 and (all(good) or (suffix in (".jsonl", ".ndjson") and 2 * sum(good) > len(good))):
        return _LINES
    if whole:
        return _JSON if suffix == ".json" or _is_json(start) else ""
    return _JSON if suffix == ".json" or _BEGINS.match(start) else ""


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
