"""The names of a document: title, file name and number; its revision; and which names are too common to match alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, islice

from pipelines.lang.characters import CAPITAL, CJK_CHARACTER, fold
from pipelines.lang.names import NOT_NUMBERS
from pipelines.lang.word_lists import STOP_WORDS, any_of, wording, words_in

_WORD = re.compile(r"[^\W_]+")
_GENERIC = frozenset(fold(title).replace("-", " ") for titles in wording("generic").values() for title in titles)
"""Titles shared by many documents: they count as a document's name only in an explicit reference."""
_LETTER = f"[{CAPITAL}]"
_NUMBER = (
    rf"{_LETTER}{{1,8}}(?:[-/]{_LETTER}{{1,6}}){{0,2}}[-/ ]?\d{{2,6}}(?:[-./]\d{{1,6}}){{0,3}}(?:-{_LETTER}{{1,2}})?"
)
_AT_START = re.compile(rf"\s*(?P<number>{_NUMBER})(?![\w])")
_IN_BRACKETS = re.compile(rf"[(\[（【](?P<number>{_NUMBER})[)\]）】]")
_AT_END = re.compile(rf"(?:^|[\s,:;/–—-])(?P<number>{_NUMBER})\s*$")
_NUMBER_BEHIND = re.compile(
    rf"(?P<of>[\s'](?:\w{{1,4}}\s)?{any_of('document')}\w{{0,2}})?"
    rf"\s?[|:：]?\s?(?P<number>{_NUMBER}|[{CAPITAL}0-9]{{2,16}}(?:[-/.][{CAPITAL}0-9]{{1,16}}){{1,6}})(?![\w])",
    re.IGNORECASE,
)
"""Text after the word for "number", in the order of Romance languages: "N° de document : PR-100"."""
_DOCUMENT_BEFORE = re.compile(rf"{any_of('document')}\w{{0,2}}[\s-]?$", re.IGNORECASE)
"""Text before it, in the order of Germanic languages: "Document No. ", "Dokumentennummer"."""
_LABEL_REACH = 32
"""Characters before the word for "number" that are searched for the word for "document"."""
_IN_METADATA = ("number", "document_number", "identifier", "document_id", "report_number")
_CODE = re.compile(
    rf"(?![0-9A-F]{{8}}-[0-9A-F]{{4}}-){_LETTER}[{CAPITAL}0-9]{{0,15}}(?:[-/.][{CAPITAL}0-9]{{1,16}}){{1,9}}"
)
"""A code such as "PUMP-A-29-10-00-00A-520A-A" (S1000D), unlike an ISBN, a date or a UUID (RFC 9562)."""
_IN_STEM = re.compile(
    r"(?P<letters>[A-Za-z]{1,6}(?:[-_][A-Za-z]{1,4}){0,1})[-_ ]?(?P<digits>\d{2,6}(?:-\d{1,4}){0,2})(?![\d])"
)
_DATED_WORD = re.compile(r"[A-Za-z]{3,}[-_ ]?(?:19|20)\d\d")
_LEAST_NUMBER = 4
"""Minimum characters of a document number: shorter ones ("A 12") are too often something else."""
_LEAST_CHINESE, _LEAST_LETTERS = 5, 9
"""Minimum characters of a Chinese title, and letters in the content words of other titles, to be matched alone."""

_REVISION_NUMBER = r"\d{1,3}(?:\.\d{1,3}){0,3}(?!\.?\d)"
"""Not a year or a date, as in "Ausgabe 2024" or "Stand 12.03.2024"."""
_REVISION_BEHIND = re.compile(rf"(?![^\W\d])\.?\s?[|:：]?\s?(?P<revision>[A-Z]\b|{_REVISION_NUMBER})", re.IGNORECASE)
_ORDINAL_BEFORE = re.compile(r"\b(?P<revision>\d{1,2})(?:st|nd|rd|th|er|re|e|ème|[.ªº])\s?$", re.IGNORECASE)
_ORDINAL_REACH = 8
"""Maximum characters of an ordinal before a word: "12ème "."""
_WITHOUT_WORD = re.compile(rf"\bv\.?\s?(?P<v>{_REVISION_NUMBER})\b|第\s?(?P<ordinal>\d{{1,2}})\s?版", re.IGNORECASE)
_LONGEST_REVISION = 200
"""Maximum compared characters of a revision; metadata values may be of any length."""
_STARTS = "\n|;·•,("
"""Characters that must precede the document's own revision in its text, which may also cite other documents'."""
_BEFORE_REVISION = ",;([–—-"
_BEHIND_BRACKETS = re.compile(r"\s*[)\]]*")


class NameKind(StrEnum):
    TITLE = "title"
    NUMBER = "number"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class DocumentName:
    """A name of a document. `folded` is matched with the text; a `weak` name counts only after a cue ("see ...")."""

    folded: str
    text: str
    kind: NameKind
    weak: bool


def fold_name(text: str) -> str:
    """Return a name folded, on one line, without surrounding punctuation."""
    return " ".join(fold(text).split()).strip(" \"'.,;:")


def number_key(text: str) -> str:
    """Return a number folded and without separators: "DS 2041" and "ds-2041" have the same key."""
    return re.sub(r"[-_/ .:]", "", fold(text))


def number_at_start(text: str) -> str:
    """Return the document number that a text begins with, also in brackets, or "".

    >>> number_at_start(" SB-2022-03 is void.")
    'SB-2022-03'
    """
    found = _AT_START.match(text) or _IN_BRACKETS.match(text.lstrip())
    return found["number"] if found and _is_number(found["number"].upper()) else ""


def names_of(title: str, numbers: Iterable[str], file_name: str) -> tuple[DocumentName, ...]:
    """Return the names that other documents may use for a document, without duplicates."""
    found: dict[str, DocumentName] = {}
    for name in _all_names(title, tuple(numbers), file_name):
        if len(name.folded) >= 2 and name.folded not in found:
            found[name.folded] = name
    return tuple(found.values())


def _all_names(title: str, numbers: Sequence[str], file_name: str) -> Iterator[DocumentName]:
    for number in numbers:
        for written in _spellings(number):
            yield DocumentName(
                fold_name(written), number, NameKind.NUMBER, weak=len(number_key(number)) < _LEAST_NUMBER
            )
    yield DocumentName(fold_name(file_name), file_name, NameKind.FILE, weak="." not in file_name)
    for written in _titles(title, numbers):
        folded = fold_name(written)
        yield DocumentName(folded, written, NameKind.TITLE, is_weak(folded))


def _spellings(number: str) -> Iterable[str]:
    yield number
    for mark in ("-", " ", "_", ""):
        yield re.sub(r"[-_ ](?=\d)", mark, number, count=1)


def _titles(title: str, numbers: Sequence[str]) -> Iterator[str]:
    """Yield the title as it is, without its revision, and without each of its numbers."""
    if not title:
        return
    plain = without_revision(title)
    yield title
    yield plain
    for number in numbers:
        bare = re.sub(re.escape(number), " ", plain, flags=re.IGNORECASE)
        yield " ".join(bare.split()).strip(" ,;:–—-_()[]（）【】")


def is_weak(folded: str) -> bool:
    """Whether a title is too short or too common to be matched without a cue."""
    if folded.replace("-", " ") in _GENERIC:
        return True
    if CJK_CHARACTER.search(folded):
        return len(CJK_CHARACTER.findall(folded)) < _LEAST_CHINESE
    words = [word for word in _WORD.findall(folded) if word not in STOP_WORDS]
    return len(words) < 2 or sum(map(len, words)) < _LEAST_LETTERS


def numbers_of(title: str, file_name: str, head: str, metadata: Mapping[str, str]) -> tuple[str, ...]:
    """Return the document's numbers in upper case, the most certain first; a mail has none.

    A number in the text must follow a label such as "Document No.". A number in the title must be at its beginning, at
    its end or in brackets, and counts only if none is labelled, since titles may begin with the name of a product.
    """
    if metadata.get("message_id"):
        return ()
    labelled = [*_declared(metadata), *islice(_labelled(head), 1)]
    plain = without_revision(title)
    in_title = (_AT_START.match(plain), _IN_BRACKETS.search(title), _AT_END.search(plain))
    found = _numbers(labelled) or _numbers(match["number"] for match in in_title if match)
    return tuple(dict.fromkeys([*found, *_numbers(_in_stem(file_name.rsplit(".", 1)[0]))]))


def _declared(metadata: Mapping[str, str]) -> Iterator[str]:
    """Yield the numbers in the metadata: a whole value that is a code, or the number at the end of a value."""
    for value in (metadata.get(name, "").strip().upper() for name in _IN_METADATA):
        if _CODE.fullmatch(value):
            yield value
        elif match := _AT_END.search(value):
            yield match["number"]


def _labelled(text: str) -> Iterator[str]:
    for word in words_in(fold(text), "number"):
        match = _NUMBER_BEHIND.match(text, word.end)
        before = text[max(0, word.start - _LABEL_REACH) : word.start]
        if match and (match["of"] or not word.spaced or _DOCUMENT_BEFORE.search(before)):
            yield match["number"]


def _numbers(found: Iterable[str]) -> list[str]:
    clean = (" ".join(number.replace("_", "-").upper().split()).rstrip(".-/") for number in found)
    return [number for number in clean if _is_number(number)]


def _in_stem(stem: str) -> list[str]:
    match = _IN_STEM.match(stem)
    if match is None or _DATED_WORD.match(match.group()):
        return []
    return [f"{match['letters']}-{match['digits']}"]


def _is_number(number: str) -> bool:
    letters = re.split(r"[-/ .\d]", number, maxsplit=1)[0]
    return (
        len(number) >= _LEAST_NUMBER and letters not in NOT_NUMBERS and any(character.isdigit() for character in number)
    )


def revision_of(title: str, file_name: str, head: str, metadata: Mapping[str, str]) -> str:
    """Return the document's revision ("C", "2.1"), or "" if none is stated."""
    if stated := metadata.get("revision") or metadata.get("version"):
        return stated.strip()
    stem = re.sub(r"[_-]+", " ", file_name.rsplit(".", 1)[0])
    in_head = (one for one in _revisions(head) if (head[: one.start].rstrip(" \t") or _STARTS)[-1] in _STARTS)
    found = chain(_revisions(title), _revisions(stem), in_head)
    return next((one.number.upper() for one in found), "")


def revisions_in(text: str) -> frozenset[str]:
    """Return the revisions named in a text ("C", "2.1"), including those in file names.

    >>> sorted(revisions_in("DS-2041_rev_D.pdf, before revision 2.1"))
    ['2.1', 'D']
    """
    return frozenset(one.number.upper() for one in _revisions(re.sub(r"[_-]+", " ", text)))


@dataclass(frozen=True, slots=True)
class _Revision:
    """A revision in a text: its number and the span of its words."""

    number: str
    start: int
    end: int


def _revisions(text: str) -> list[_Revision]:
    found = [
        _Revision(match["v"] or match["ordinal"], match.start(), match.end()) for match in _WITHOUT_WORD.finditer(text)
    ]
    for word in words_in(fold(text), "revision"):
        if not word.begins:
            continue
        if match := _REVISION_BEHIND.match(text, word.end):
            found.append(_Revision(match["revision"], word.start, match.end()))
        elif match := _ORDINAL_BEFORE.search(text[max(0, word.start - _ORDINAL_REACH) : word.start]):
            found.append(_Revision(match["revision"], word.start - len(match.group()), word.end))
    return sorted(found, key=lambda one: (one.start, -one.end))


def without_revision(title: str) -> str:
    """Return a title or a file name's stem without the words for its revision."""
    kept: list[str] = []
    start = 0
    for one in _revisions(title):
        end = one.start
        while end > start and (title[end - 1].isspace() or title[end - 1] in _BEFORE_REVISION):
            end -= 1
        kept.append(title[start:end])
        behind = _BEHIND_BRACKETS.match(title, one.end)
        start = max(start, behind.end() if behind else one.end)
    return " ".join((*kept, title[start:])).strip(" ,;:–—-_()[]")


def revision_order(revision: str) -> tuple[int, ...]:
    """Return a sort key for the revisions of a document: A before B, 1.9 before 1.10."""
    if revision.isalpha():
        return tuple(ord(letter) for letter in revision.upper())
    return tuple(int(part) for part in re.findall(r"\d+", revision[:_LONGEST_REVISION]))
