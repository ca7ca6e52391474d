"""JSON and JSON Lines: key paths with their values; arrays of similar objects as tables."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pipelines.core.document import Source
from pipelines.core.errors import TooLarge
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.decode import decode
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import FileFormat, FileSample
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.json_values import (
    Object,
    Value,
    cells_of,
    columns_of,
    flattened,
    headings_of,
    is_flat,
    is_scalar,
    pairs_of,
    text_of_value,
    with_keys,
)
from pipelines.parse.web.text import append_text

_JSON = "application/json"
_BEGINS = re.compile(r'(?:[\[{]\s*+)++(?:["\]}]|true\b|false\b|null\b|-?\d++(?:\.\d++)?[eE,\s])')
"""The beginning of JSON, up to the first value: brackets alone may be AsciiDoc anchors or wiki links."""
_LINES = "application/x-ndjson"
_DATA = re.compile(r'"(?:data:[\w/;=+.-]{0,80},)?(?:[A-Za-z0-9+/_-]|\\[n/]){1000,}+={0,2}"')
"""A string of a thousand letters and digits without a space: a base64 (RFC 4648) picture or key, not text."""


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
        append_value(value, builder)
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


class _Part(NamedTuple):
    """A value that is still to be appended, with the heading above it and the path that those inside continue."""

    heading: str
    path: str
    value: Value
    level: int


def append_value(root: Value, builder: DocumentBuilder) -> None:
    """Append the value depth first, iteratively: scalars of an object together, nested objects under headings."""
    left = [_Part("", "", root, 1)]
    while left:
        part = left.pop()
        if part.level > builder.settings.limits.depth:
            raise TooLarge("values nested too deep", ids=(builder.source.uri,))
        if part.heading and isinstance(part.value, (Object, list)):
            # Six levels, as in HTML.
            builder.heading(part.heading, min(part.level - 1, 6))
        left += reversed(list(_append_one(part, builder)))


def _append_one(part: _Part, builder: DocumentBuilder) -> Iterator[_Part]:
    """Append the scalars of a value and yield the nested values that remain."""
    value, level = part.value, part.level + 1
    if isinstance(value, Object):
        if part.level == 1:
            _title(value, builder)
        builder.paragraph("\n".join(f"{key}: {text_of_value(item)}" for key, item in value.pairs if is_scalar(item)))
        for key, item in value.pairs:
            if not is_scalar(item):
                path = f"{part.path}.{key}" if part.path else key
                yield _Part(path, path, item, level)
    elif isinstance(value, list):
        yield from _append_list(part.path, value, level, builder)
    else:
        builder.paragraph(text_of_value(value))


def _append_list(path: str, items: list[Value], level: int, builder: DocumentBuilder) -> Iterator[_Part]:
    """Append objects as a table of what is flat in them; what is nested follows, below a heading for each object."""
    items = [flattened(item) for item in items]
    nested = {key for item in items for key, value in pairs_of(item) if not is_flat(value)}
    flat = [with_keys(item, lambda key: key not in nested) for item in items]
    columns = columns_of(flat)
    if columns and not nested:
        builder.table(cells_of(flat, columns))
    elif all(is_scalar(item) for item in items):
        for item in items:
            builder.list_item(text_of_value(item))
    else:
        if len(columns) > 1 and len(items) > 1:
            builder.table(cells_of(flat, columns))
            items = [with_keys(item, nested.__contains__) for item in items]
        yield from _parts_of_list(path, items, headings_of(flat), level)


def _parts_of_list(path: str, items: Sequence[Value], headings: Sequence[str], level: int) -> Iterator[_Part]:
    """Yield the items of a list below headings that name them, or their number."""
    for number, item in enumerate(items):
        numbered = f"{path}[{number}]"
        if not isinstance(item, Object) or item.pairs:
            yield _Part(headings[number], "", item, level) if headings else _Part(numbered, numbered, item, level)


def _title(value: Object, builder: DocumentBuilder) -> None:
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
