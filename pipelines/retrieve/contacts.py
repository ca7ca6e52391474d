"""Contacts read as the rows of a table: signatures of mails, letterheads, cards with a name and how to reach it.

A contact is a run of short lines with a phone number or mail address that begins with the name of a person, or else
with the first line of its paragraph. What stands before a number is the name of its column: "Mobile +44 7700 900145".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from pipelines.core.document import Chunk
from pipelines.core.provenance import Span
from pipelines.lang.names import names_person, without_accents
from pipelines.lang.quantities import Kind, phones_and_mails
from pipelines.lang.questions import value_kinds
from pipelines.retrieve.entries import ENDINGS, HEADING_LENGTH
from pipelines.retrieve.labels import begins_within, is_name
from pipelines.retrieve.mail_headers import sender_in
from pipelines.retrieve.record_runs import RecordLine, lines_of, paragraph_starts
from pipelines.retrieve.records import heading_above
from pipelines.retrieve.table_rows import RULE, EvidenceLine, Fields

_MOST_ABOVE = 6
"""Maximum lines from the name to the first number: function, department, firm, street, town, country."""
ABBREVIATED = re.compile(r"\b\w{1,3}\.$")
"""The end of a line that is no sentence: "Hartwell Pumps Ltd."."""
_EXTENSION = re.compile(r"(?P<before>.{0,60}?)(?P<label>[^\W\d_]{1,20})[.:]{0,2} (?P<number>\d{3,6})")
_BEFORE_AT = re.compile(r"[._+\d-]")
_PARTS = re.compile(r"[,:;] ")
_HEAD = re.compile(r"[,(（:：|·]")
"""What follows a name on its line: a function, a firm, a number."""
_BEHIND_LABEL = " .:,;|/·•–-"


def with_contacts(pieces: Sequence[EvidenceLine], chunk: Chunk, places: Iterable[int]) -> list[EvidenceLine]:
    """Return the units of a chunk, with those of each contact joined to a table row.

    Args:
        pieces: the units in order.
        chunk: the chunk.
        places: where sections begin in the document.
    """
    lines = chunk.text.splitlines()
    if not any(piece.said for piece in pieces) and not any(_reaches(line.strip(), chunk.language) for line in lines):
        return list(pieces)
    found: list[EvidenceLine] = []
    done = 0
    for contact in _contacts(pieces, chunk, list(places)):
        first, last = contact[0].first, contact[-1].last
        cells = [cell for line in contact for cell in line.text.split(RULE)]
        fields = tuple(field for cell in cells for field in _fields(cell, chunk.language))
        found += pieces[done:first]
        found.append(
            EvidenceLine(
                Span(pieces[first].span.start, pieces[last].span.end),
                RULE.join(cell for _, cell in fields),
                RULE.join(name for name, _ in fields) if any(name for name, _ in fields) else "",
                heading_above(pieces, first),
                fields=fields,
                table=f"{chunk.id} {first}",
                said=pieces[first].said,
            )
        )
        done = last + 1
    return [*found, *pieces[done:]]


class _Line(NamedTuple):
    """A line of a chunk, and what it may be in a contact.

    - `is_part`: it may be a line of one; if not, it is nothing of what follows.
    - `names`: it has the name of a person.
    - `signs`: it is the name of the sender of its mail, below which a function may be.
    - `reaches`: it has a phone number or mail address.
    - `opens`: it begins a paragraph.
    """

    own: RecordLine
    is_part: bool
    names: bool
    signs: bool
    reaches: bool
    opens: bool


def _contacts(pieces: Sequence[EvidenceLine], chunk: Chunk, places: Sequence[int]) -> Iterator[Sequence[RecordLine]]:
    """Yield the lines of each contact, which have two units at least."""
    lines = list(_lines(pieces, chunk, places))
    done = 0
    for place, line in enumerate(lines):
        if place < done or not (line.reaches or _is_signed(lines, place)):
            continue
        first = _first(lines, place, done)
        end = place + 1
        while end < len(lines) and lines[end].is_part and not lines[end].names and _belongs(lines[end]):
            end += 1
        contact = [one.own for one in lines[first:end]]
        listed = any(pieces[one.first].depth for one in contact)
        titled = is_name(_head(contact[0])) and not (lines[first].reaches or listed)
        if not (lines[first].names or titled) and (headed := _below_heading(lines, pieces, chunk, place, done, places)):
            contact, titled = [one.own for one in lines[headed:end]], True
        if (lines[first].names or titled) and contact[-1].last > contact[0].first:
            done = end
            yield contact


def _lines(pieces: Sequence[EvidenceLine], chunk: Chunk, places: Sequence[int]) -> Iterator[_Line]:
    known = _parts_of_addresses(chunk.text)
    lines = list(lines_of(pieces, chunk.text))
    for line, opens in zip(lines, paragraph_starts(pieces, lines, chunk.text), strict=True):
        own = _with_bars(line, pieces[line.first])
        if not _is_part(own, pieces, chunk, places):
            yield _Line(own, False, False, False, False, opens)
            continue
        said = pieces[line.first].said
        signs = bool(said) and sender_in(said) == own.text
        names = _names(own, known, chunk.language)
        yield _Line(own, True, names, signs, _reaches(own.text, chunk.language), opens)


def _with_bars(line: RecordLine, piece: EvidenceLine) -> RecordLine:
    """Return a line with bars between its parts, which is no row of a table, with its text."""
    bars = piece.is_row and line.first == line.last and not (piece.table or piece.fields or piece.label)
    return line._replace(text=" ".join(piece.text.split())) if bars else line


def _belongs(line: _Line) -> bool:
    """Whether a line behind a number is one of the contact: it has a number too, or is in the same paragraph."""
    return line.reaches or not line.opens


def _is_signed(lines: Sequence[_Line], place: int) -> bool:
    """Whether a line is in the paragraph of the sender's name, directly below it, and no number is near."""
    below = list(takewhile(lambda line: line.is_part, lines[place : place + _MOST_ABOVE]))
    signed = place > 0 and lines[place - 1].signs and bool(below) and not lines[place].opens
    return signed and not any(line.reaches for line in below)


def _first(lines: Sequence[_Line], place: int, done: int) -> int:
    """Return the first name in the paragraph of a number, the nearest one above, or the first line of the paragraph.

    Of names in succession it is the first: a function below may look like one.
    """
    above = [place]
    while above[-1] > done and lines[above[-1] - 1].is_part and len(above) <= _MOST_ABOVE:
        above.append(above[-1] - 1)
    top = next((number for number, one in enumerate(above) if lines[one].opens), len(above) - 1)
    named = [one for one in above[: top + 1] if lines[one].names][-1:] or [one for one in above if lines[one].names]
    if not named:
        return above[top]
    return min([named[0], *takewhile(lambda one: lines[one].names, (one for one in above if one < named[0]))])


def _below_heading(
    lines: Sequence[_Line], pieces: Sequence[EvidenceLine], chunk: Chunk, place: int, done: int, places: Sequence[int]
) -> int:
    """Return the first line below the heading of a section if all lines up to a number are parts of an address, or 0.

    "Leeds" above "14 Kirkstall Road", "LS3 1LW Leeds", "+44 113 496 0200".
    """
    first = place
    while first > done and lines[first - 1].is_part and place - first < _MOST_ABOVE:
        first -= 1
    above = pieces[lines[first - 1].own.first] if first > done else None
    headed = above is not None and begins_within(above.span, places, chunk.provenance.span.start)
    return first if headed and first < place else 0


def _is_part(line: RecordLine, pieces: Sequence[EvidenceLine], chunk: Chunk, places: Sequence[int]) -> bool:
    """Whether a line is short, or has a number, and is no sentence or header of a mail.

    A heading of a section must have a name, and a list item a number.
    """
    piece, text, language = pieces[line.first], line.text, chunk.language
    ended = text.endswith(ENDINGS) and not ABBREVIATED.search(text)
    addressed = "@" in text and "<" in text
    if not text or ended or addressed or (len(text) > HEADING_LENGTH and not _reaches(text, language)):
        return False
    if begins_within(piece.span, places, chunk.provenance.span.start):
        return names_person(text, language)
    return not piece.depth or _reaches(text, language)


def _names(line: RecordLine, known: frozenset[str], language: str) -> bool:
    """Whether a line has the name of a person, or a word of a mail address: "Ewa Lis" above "e.lis@portowa.example"."""
    name = _head(line)
    if not is_name(name):
        return False
    return names_person(name, language) or not known.isdisjoint(without_accents(name).casefold().split())


def _head(line: RecordLine) -> str:
    """Return what may be a name at the beginning of a line: "Ortega S.A. · Calle Mayor 2"."""
    return _HEAD.split(line.text, maxsplit=1)[0]


def _parts_of_addresses(text: str) -> frozenset[str]:
    """Return the words of at least three letters before the @ of the mail addresses in a text."""
    mails = (value.text.casefold() for value in phones_and_mails(text) if value.kind is Kind.MAIL)
    found = (_BEFORE_AT.split(mail.partition("@")[0]) for mail in mails)
    return frozenset(part for parts in found for part in parts if len(part) > 2)


def _reaches(text: str, language: str) -> bool:
    return bool(phones_and_mails(text)) or _extension(text, language) is not None


def _extension(text: str, language: str) -> re.Match[str] | None:
    """Return the match of a number of a few digits behind a word for a telephone: "Purchasing, Tel. 2217"."""
    match = _EXTENSION.fullmatch(text)
    return match if match and Kind.PHONE in value_kinds(match["label"], language) else None


def _fields(text: str, language: str) -> Iterator[tuple[str, str]]:
    """Yield the cells of a line, each number or address with the word before it as the name of its column."""
    if match := _extension(text, language):
        yield from _labelled(match["before"] + match["label"], match["number"])
        return
    done = 0
    for value in phones_and_mails(text):
        if value.span.start >= done:
            yield from _labelled(text[done : value.span.start], value.text)
            done = value.span.end
    if rest := text[done:].lstrip(_BEHIND_LABEL).rstrip(" ,;|"):
        yield "", rest


def _labelled(before: str, value: str) -> Fields:
    """Return the cells of a value and what is before it: "Purchasing, Tel." is a cell and the name of a column."""
    *head, label = _PARTS.split(before.strip(_BEHIND_LABEL))
    return ((("", ", ".join(head)),) if head else ()) + ((label.strip(), value),)
