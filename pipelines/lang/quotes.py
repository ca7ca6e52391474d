"""Quotes found again in their source, whatever white space, ligatures and dashes did to them."""

from __future__ import annotations

import re
import unicodedata

from pipelines.core.provenance import Span
from pipelines.lang.characters import DASHES

_SHORTEST = 2
"""Folded characters below which a quote proves nothing."""
_SHORT = 40
"""Characters as which a shorter quote counts where its omissions are measured."""
_LOOSE = 3
"""How many times its own length a quote with omissions may reach over."""
_OMISSION = re.compile(r"\.{3,}|…|\[\s*(?:\.{3}|…)\s*\]")
_EDGES = " \t\n\"'“”‘’„«»`*_…"
_SAME = str.maketrans(dict.fromkeys(DASHES, "-") | dict.fromkeys("“”„«»″", '"') | dict.fromkeys("‘’‚′`", "'"))
_DROPPED = frozenset("|*_\u00ad\u200b\u200c\u200d\u2060\ufeff")


def locate(quote: str, text: str) -> Span | None:
    """Return the span of `text` that `quote` is, None where it is not in it.

    Case, white space, table rules, ligatures, soft hyphens, words divided at a line's end and the kinds of dashes
    and quotation marks make no difference. Parts of a quote with omissions ("a ... b") must follow in order.
    """
    parts = [part for part in (_fold(piece.strip().strip(_EDGES))[0] for piece in _OMISSION.split(quote)) if part]
    if not parts or len("".join(parts)) < _SHORTEST:
        return None
    folded, places = _fold(text)
    span = _in_order(parts, folded)
    if span is None and parts[-1].endswith((".", "。")):
        span = _in_order([*parts[:-1], parts[-1][:-1]], folded)
    return Span(places[span.start], places[span.end - 1] + 1) if span else None


def _in_order(parts: list[str], folded: str) -> Span | None:
    if not all(parts):
        return None
    start = at = _find(parts[0], folded, 0)
    for part in parts:
        at = folded.find(part, at) if at >= 0 else at
        if at < 0:
            return None
        at += len(part)
    return Span(start, at) if at - start <= _LOOSE * max(_SHORT, sum(map(len, parts))) else None


def _find(part: str, folded: str, start: int) -> int:
    """Return where `part` begins, but not amid a number: "20 psi" is not in "120 psi"."""
    at = folded.find(part, start)
    while at > 0 and part[0].isdigit() and (folded[at - 1].isdigit() or _decimal(folded, at)):
        at = folded.find(part, at + 1)
    return at


def _decimal(folded: str, at: int) -> bool:
    return at > 1 and folded[at - 1] in ".," and folded[at - 2].isdigit()


def _fold(text: str) -> tuple[str, list[int]]:
    """Return `text` in the form that is compared, and for each of its characters the place it comes from."""
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if character.isspace() or character in _DROPPED or _divides(text, place):
            continue
        for folded in unicodedata.normalize("NFKC", character).casefold().translate(_SAME):
            if not folded.isspace():
                characters.append(folded)
                places.append(place)
    return "".join(characters), places


def _divides(text: str, place: int) -> bool:
    """Whether this is the hyphen of a word that goes on in the next line."""
    return (
        text[place] in "-‐"
        and text[place + 1 : place + 2] == "\n"
        and text[place - 1 : place].islower()
        and text[place + 2 : place + 3].islower()
    )
