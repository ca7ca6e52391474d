"""Translations of the explorer: one catalogue per language in `languages/`, all with the same entries.

The guard sets the language of a request: the user's choice, else the browser's preference. Messages of the library
itself (reasons of failures, hints) are in English.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields
from functools import cache
from pathlib import Path

from starlette.datastructures import Headers
from starlette.requests import cookie_parser

from pipelines.core.provenance import PlaceWords, Provenance

LANGUAGE_COOKIE = "strata_language"
FOLDER = Path(__file__).parent / "languages"
FALLBACK = "en"
_CURRENT: ContextVar[str] = ContextVar("language", default=FALLBACK)
_SCRIPTS = ("script", "kind", "edge", "doing", "step", "stage", "end")
"""The tables with the texts of scripts."""


@cache
def catalogue(language: str) -> dict[str, str]:
    """Return all entries of a language, named "table.entry"."""
    tables = tomllib.loads((FOLDER / f"{language}.toml").read_text("utf-8"))
    name = {"name": tables.pop("name")}
    return name | {f"{table}.{entry}": text for table, entries in tables.items() for entry, text in entries.items()}


@cache
def languages() -> tuple[str, ...]:
    """Return the languages that have a catalogue, as their ISO 639-1 codes."""
    return tuple(sorted(file.stem for file in FOLDER.glob("*.toml")))


def preferred(headers: Headers) -> str:
    """Return the language of a request: that of its cookie, else the first match of `Accept-Language`, else English.

    Tags match by their first part, as in the lookup of RFC 4647, 3.4: "de-AT" matches "de".
    """
    wanted = [
        cookie_parser(headers.get("cookie", "")).get(LANGUAGE_COOKIE, ""),
        *_accepted(headers.get("accept-language", "")),
    ]
    return next((one for one in wanted if one in languages()), FALLBACK)


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Set the language of the request in the block."""
    token = _CURRENT.set(language)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def spoken() -> str:
    """Return the language of the request."""
    return _CURRENT.get()


def say(entry: str, **values: object) -> str:
    """Return an entry of the catalogue with its values. Raises `KeyError` for an unknown entry."""
    return catalogue(spoken())[entry].format(**values)


def name_in_table(table: str, name: str) -> str:
    """Return the translation of a name in a table, or the name itself if there is none."""
    return catalogue(spoken()).get(f"{table}.{name}", name)


def script_words() -> dict[str, str]:
    """Return the entries for scripts."""
    return {entry: text for entry, text in catalogue(spoken()).items() if entry.split(".")[0] in _SCRIPTS}


def written_number(value: float, digits: int = 0) -> str:
    """Return a number formatted in the language of the request."""
    signs = {",": say("number.group"), ".": say("number.decimal")}
    return "".join(signs.get(sign, sign) for sign in f"{value:,.{digits}f}")


def _accepted(header: str) -> list[str]:
    """Return the languages of `Accept-Language`, those with the highest weight first (RFC 9110, 12.5.4)."""
    ranges = [part.strip().partition(";") for part in header.split(",")]
    weighed = [(_weight(rest), tag.strip().lower().split("-")[0]) for tag, _, rest in ranges]
    return [tag for weight, tag in sorted(weighed, key=lambda one: -one[0]) if weight > 0]


def _weight(parameter: str) -> float:
    name, _, value = parameter.strip().partition("=")
    try:
        return float(value) if name.strip() == "q" else 1.0
    except ValueError:
        return 0.0


def place_of(uri: str, place: Provenance) -> str:
    """Return "page 3", "slide 2", "sheet Prices, B2:D4", in the language of the request."""
    texts = catalogue(spoken())
    return place.place(uri, PlaceWords(*(texts[f"place.{field.name}"] for field in fields(PlaceWords))))
