"""What a PDF says of itself, under the names that all formats share."""

from __future__ import annotations

import re
from collections.abc import Mapping

_NAMES = {
    "title": "title",
    "author": "author",
    "subject": "subject",
    "keywords": "keywords",
    "creator": "application",
    "producer": "producer",
}
_DATES = {"creationDate": "created", "modDate": "modified"}
_DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+\-Z])(?:(\d\d)'?(\d\d)?)?)?")


def pdf_metadata(told: Mapping[str, str]) -> dict[str, str]:
    """Return the metadata with dates in ISO 8601; what is no date is left out."""
    found = {name: told[key].strip() for key, name in _NAMES.items() if told.get(key, "").strip()}
    for key, name in _DATES.items():
        if date := iso_date(told.get(key, "")):
            found[name] = date
    return found


def iso_date(text: str) -> str:
    """Return a PDF date ("D:20220117170102-05'00'") in ISO 8601, empty for anything else."""
    match = _DATE.match(text.strip())
    if match is None:
        return ""
    year, month, day, hour, minute, second, sign, zone, part = match.groups()
    date = "-".join(value for value in (year, month, day) if value)
    if not hour or not day:
        return date
    time = f"{hour}:{minute or '00'}:{second or '00'}"
    offset = "Z" if sign == "Z" else f"{sign}{zone or '00'}:{part or '00'}" if sign else ""
    return f"{date}T{time}{offset}"
