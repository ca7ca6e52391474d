"""References in the running text of any format: URLs, file names, document numbers, "see ...".

Patterns use bounded or possessive repetition only, so that the time is linear in the length of the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from pipelines.core.document import Block, BlockKind, Reference, ReferenceKind
from pipelines.core.provenance import Span
from pipelines.lang.names import REFERRED_BODIES
from pipelines.lang.word_lists import any_of, languages_with_words

_URL = re.compile(r"\b(?:https?|ftp)://[^\s<>\"“”„「」《》，。；、]++|\bwww\.[^\s<>\"“”„，。；、]++", re.IGNORECASE)
_DOI = re.compile(r"\b(?:doi:\s?)(10\.\d{4,9}/[^\s<>\"“”,;]++)", re.IGNORECASE)
_FILE = re.compile(
    r"(?<![\w/\\.@:])[\w\-+]{1,80}+(?:\.[\w\-+]{1,40}+){0,4}?"
    r"\.(?:pdf|docx?|xlsx?|xlsm|pptx?|odt|ods|odp|csv|tsv|html?|md|txt|json|xml|epub|eml|msg|rtf|zip|stp|step|dwg|dxf)\b",
    re.IGNORECASE,
)
_STANDARD = (
    rf"(?:(?:GB/?T?|MIL-STD|{REFERRED_BODIES})"
    r"[ /\-]?){1,4}(?:TS |TR |PAS )?[A-Z]{0,2}-?\d{1,6}(?:[.\-]\d{1,4}){0,4}(?::(?:19|20)\d\d)?"
)
_NUMBERED = r"[A-Z]{2,6}-\d{2,6}(?:-\d{1,6}){0,3}(?:-[A-Z]{1,2})?(?![\w])"
_DOCUMENT = rf"(?:{_STANDARD}|{_NUMBERED})"
_QUOTED = (
    r"(?:“[^“”\n]{2,160}”|„[^„“”\n]{2,160}[“”]|\"[^\"\n]{2,160}\"|«[^«»\n]{2,160}»|《[^《》\n]{1,120}》"
    r"|‘[^‘’\n]{2,160}’)"
)
_PART_NUMBER = r"(?:\d{1,3}(?:\.\d{1,3}){0,6}|(?<=\s)(?-i:[A-Z])(?:\.\d{1,3}){0,5})(?:\([a-z0-9]\))?(?![\w])"
# English and German titles that end in a word for a kind of document; other titles are recognised by quotation marks.
_DOCUMENT_NOUN = (
    r"(?:Manual|Guide|Handbook|Specification|Datasheet|Data Sheet|Report|Standard|Procedure|Policy|Instructions?|Plan"
    r"|Drawing|Workbook|Protocol|Notes|Bulletin|Checklist|Handbuch|Anleitung|Spezifikation|Datenblatt|Bericht|Norm|Richtlinie)"
)
_TITLED = rf"(?-i:(?:[A-Z][\w\-]{{1,30}}\s){{1,6}}{_DOCUMENT_NOUN}\b)"
_CHINESE_PART = re.compile(
    r"(?:(?P<target>《[^《》\n]{1,120}》)的?)?第\s?(?P<number>[0-9一二三四五六七八九十百]{1,5}(?:\.\d{1,3}){0,5})\s?[章节節条條]"
)
_CHINESE_TITLE = re.compile(r"《(?P<target>[^《》\n]{1,120})》")
_MENTION = re.compile(rf"(?<![\w\-/.]){_DOCUMENT}")
_NONE = ("-",)
"""Stands for no language, because `any_of` takes an empty tuple for all languages."""
DEFAULT_LANGUAGES = ("en", "de", "zh")
"""The default of `parse.languages`."""
_QUOTES = '“”„"«»《》‘’'
_TRAILING = ".,;:!?'’”*_"
_OPENING = {")": "(", "]": "[", "}": "{"}
_PROSE = 200_000
"""Maximum characters of a block that are searched; a longer block (80 pages) is data, not prose."""


@dataclass(frozen=True, slots=True)
class _Patterns:
    """Patterns for references to documents and to their parts, in some languages."""

    part: re.Pattern[str]
    target_first: re.Pattern[str]
    see: re.Pattern[str]


@cache
def _patterns(languages: tuple[str, ...]) -> _Patterns:
    spaced, others = (
        tuple(code for code in languages if code in languages_with_words(spaced=kind)) or _NONE
        for kind in (True, False)
    )
    part = rf"(?:{any_of('section', 'appendix', 'table', 'figure', languages=spaced)}|§§?)"
    article = any_of("article", languages=languages)
    noun = any_of("document", languages=languages)
    within = rf"(?:,|\s{any_of('within', languages=languages)})\s(?:(?:{article}|{noun})\s)?"
    see = rf"(?:{any_of('see', languages=spaced)}\s|{any_of('see', languages=others)}\s?)"
    return _Patterns(
        re.compile(
            rf"(?P<part>{part})\s?(?P<number>{_PART_NUMBER})(?:{within}(?P<target>{_DOCUMENT}|{_QUOTED}|{_TITLED}))?",
            re.IGNORECASE,
        ),
        re.compile(rf"\b(?P<target>{_DOCUMENT}),?\s(?i:{part})\s?(?P<number>{_PART_NUMBER})"),
        re.compile(rf"(?i:{see})(?i:{article}\s)?(?P<target>{_QUOTED}|{_TITLED})"),
    )


def find_references(block: Block, languages: tuple[str, ...] = DEFAULT_LANGUAGES) -> list[Reference]:
    """Return the references in a block's text in order, one for each target and section.

    `evidence` is the referring text, worded in one of `languages`. "Section 4.2" alone is a cross-reference within the
    document: `target` as written, `section` "4.2". Together with a document ("clause 7.3 of STD-014") it is a mention
    of that document, `section` "7.3".
    """
    if block.kind is BlockKind.CODE or not block.text:
        return []
    text = block.text[:_PROSE]
    taken = bytearray(len(text))
    found: dict[tuple[str, str], tuple[int, Reference]] = {}
    for kind, start, end, target, section in _candidates(text, _patterns(languages)):
        if any(taken[start:end]):
            continue
        taken[start:end] = b"\1" * (end - start)
        found.setdefault((target, section), (start, _reference(block, kind, start, end, target, section)))
    return [reference for _, reference in sorted(found.values(), key=lambda item: item[0])]


def _reference(block: Block, kind: ReferenceKind, start: int, end: int, target: str, section: str) -> Reference:
    span = Span(start, end).shifted(block.provenance.span.start)
    return Reference(kind, target, block.text[start:end], replace(block.provenance, span=span), section)


_Candidate = tuple[ReferenceKind, int, int, str, str]


def _candidates(text: str, patterns: _Patterns) -> Iterator[_Candidate]:
    """Yield possible references, more specific patterns first: one that overlaps an earlier one is dropped."""
    yield from _addresses(text)
    yield from _parts(text, patterns)
    for match in patterns.see.finditer(text):
        yield ReferenceKind.MENTION, *match.span(), match["target"].strip(_QUOTES).strip(), ""
    for match in _CHINESE_TITLE.finditer(text):
        yield ReferenceKind.MENTION, *match.span(), match["target"].strip(), ""
    for match in _FILE.finditer(text):
        yield ReferenceKind.MENTION, *match.span(), match.group(), ""
    for match in _MENTION.finditer(text):
        yield ReferenceKind.MENTION, *match.span(), match.group(), ""


def _addresses(text: str) -> Iterator[_Candidate]:
    for match in _URL.finditer(text):
        target = _trim(match.group())
        # "https://" alone, or "www." and four letters, is not an address.
        if len(target) > 8:
            yield ReferenceKind.HYPERLINK, match.start(), match.start() + len(target), target, ""
    for match in _DOI.finditer(text):
        target = _trim(match.group(1))
        yield ReferenceKind.CITATION, match.start(), match.start(1) + len(target), f"https://doi.org/{target}", ""


def _parts(text: str, patterns: _Patterns) -> Iterator[_Candidate]:
    for match in patterns.target_first.finditer(text):
        yield ReferenceKind.MENTION, *match.span(), match["target"], match["number"]
    for pattern in (patterns.part, _CHINESE_PART):
        for match in pattern.finditer(text):
            target = match["target"]
            if target:
                yield ReferenceKind.MENTION, *match.span(), target.strip(_QUOTES).strip(), match["number"]
            elif match.start() > 0:  # a block that begins with it is a heading or a caption, not a reference
                yield ReferenceKind.CROSS_REFERENCE, *match.span(), match.group(), match["number"]


def _trim(address: str) -> str:
    """Return an address without trailing punctuation of the sentence and without unbalanced closing brackets."""
    counts = Counter(character for character in address if character in "([{)]}")
    end = len(address)
    while end:
        last = address[end - 1]
        opening = _OPENING.get(last)
        if last not in _TRAILING and (opening is None or counts[opening] >= counts[last]):
            break
        counts[last] -= 1
        end -= 1
    return address[:end]
