"""The translation of filters to SQL conditions; every value is quoted."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pipelines.store.vector import Filter


def condition(where: Filter) -> str:
    """Return a filter as an SQL condition, empty if it is not restricted; every value is quoted."""
    parts = []
    if where.documents:
        parts.append(f"({among('uri', where.documents)} OR {among('owner', where.documents)})")
    if where.folders:
        parts.append(_any(f"starts_with(uri, {_quoted(_prefix(name))})" for name in where.folders))
    if where.media_types:
        parts.append(among("media_type", where.media_types))
    if where.tags:
        parts.append(_any(f"array_has(tags, {_quoted(tag)})" for tag in where.tags))
    if where.pages:
        parts.append("page IN (" + ", ".join(str(int(page)) for page in where.pages) + ")")
    if where.since:
        parts.append(f"date >= {_quoted(where.since)}")
    if where.until:
        # A day includes its hours: "2026-03-01T10:00" is not after "2026-03-01".
        parts.append(f"date <> '' AND date <= {_quoted(where.until + '~')}")
    return " AND ".join(parts)


def among(column: str, values: Collection[str]) -> str:
    """Return the SQL condition that a column has one of these values."""
    return f"{column} IN (" + ", ".join(_quoted(value) for value in sorted(values)) + ")"


def _any(conditions: Iterable[str]) -> str:
    return "(" + " OR ".join(conditions) + ")"


def _prefix(folder: str) -> str:
    plain = folder.strip("/").removeprefix("./")
    return "" if plain in {"", "."} else plain + "/"


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
