"""Rendering of templates. All values are escaped, and control and invisible characters are made visible."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from pipelines.core.provenance import Box
from pipelines.core.safe_output import shown_lines
from serve.language import catalogue, languages, name_in_table, say, script_words, spoken, written_number

_TEMPLATES = Path(__file__).parent / "templates"
STATIC = Path(__file__).parent / "static"


def _visible(value: object) -> object:
    return shown_lines(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def at(*parts: object, **query: object) -> str:
    """Return the URL path of these parts, each one escaped, with the non-empty parts of a query."""
    path = "".join(f"/{quote(str(part), safe='')}" for part in parts)
    pairs = "&".join(f"{name}={quote(str(value), safe='')}" for name, value in query.items() if value not in ("", None))
    return f"{path}?{pairs}" if pairs else path or "/"


def marked(text: str, start: int, end: int) -> Markup:
    """Return a text with the characters from `start` to `end` highlighted."""
    parts = (text[: max(0, start)], text[max(0, start) : max(0, end)], text[max(0, end) :])
    before, inside, after = (shown_lines(one) for one in parts)
    return (
        Markup("{}<mark>{}</mark>{}").format(before, inside, after) if inside else Markup("{}").format(before + after)
    )


def sides(box: Box) -> dict[str, str]:
    """Return a box as the attributes of an SVG rectangle on a page of 1000 by 1000."""
    left, top = box.left * 1000, box.top * 1000
    width, height = max(2.0, (box.right - box.left) * 1000), max(2.0, (box.bottom - box.top) * 1000)
    return {"x": f"{left:.1f}", "y": f"{top:.1f}", "width": f"{width:.1f}", "height": f"{height:.1f}"}


def size(count: int) -> str:
    """Return a number of bytes in a readable unit."""
    amount, units = float(count), ["B", "KiB", "MiB", "GiB"]
    while amount >= 1024 and len(units) > 1:
        amount, units = amount / 1024, units[1:]
    return f"{written_number(amount, 0 if units[0] == 'B' else 1)} {units[0]}"


def own_name(language: str) -> str:
    """Return the native name of a language."""
    return catalogue(language)["name"]


_ENVIRONMENT = Environment(
    loader=FileSystemLoader(_TEMPLATES),
    autoescape=True,
    undefined=StrictUndefined,
    finalize=_visible,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.globals.update(
    at=at, say=say, called=name_in_table, languages=languages, spoken=spoken, own_name=own_name, words=script_words
)
_ENVIRONMENT.filters.update(marked=marked, sides=sides, size=size, number=written_number)


def render(template: str, **values: object) -> str:
    """Return the page rendered from a template and values."""
    return _ENVIRONMENT.get_template(template).render(**values)
