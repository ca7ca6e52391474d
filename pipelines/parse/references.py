"""References that stand in the running text of any format: addresses, file names, numbers of documents, "see ...".

Every pattern is made of bounded or possessive runs, so that the time is linear in the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from pipelines.core.document import Block, BlockKind, Reference, ReferenceKind
from pipelines.core.provenance import Span
from pipelines.lang.organizations import REFERRED_BODIES

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
_PART = (
    r"(?:sections?|sec\.|chapters?|clauses?|paragraphs?|para\.|articles?|annex|appendix|part|table|figure|fig\."
    r"|abschnitt|kapitel|ziffer|absatz|anhang|anlage|tabelle|abbildung|abb\.|teil|punkt|§§?)"
)
_PART_NUMBER = r"(?:\d{1,3}(?:\.\d{1,3}){0,6}|(?<=\s)(?-i:[A-Z])(?:\.\d{1,3}){0,5})(?:\([a-z0-9]\))?(?![\w])"
_OF = r"(?:,|\s(?:of|in|from|to|der|des|von|aus|im|in der|von der))\s(?:the\s|document\s|standard\s|dokument\s|norm\s)?"
_DOCUMENT_NOUN = (
    r"(?:Manual|Guide|Handbook|Specification|Datasheet|Data Sheet|Report|Standard|Procedure|Policy|Instructions?|Plan"
    r"|Drawing|Workbook|Protocol|Notes|Bulletin|Checklist|Handbuch|Anleitung|Spezifikation|Datenblatt|Bericht|Norm|Richtlinie)"
)
_TITLED = rf"(?-i:(?:[A-Z][\w\-]{{1,30}}\s){{1,6}}{_DOCUMENT_NOUN}\b)"
_PART_REFERENCE = re.compile(
    rf"\b(?P<part>{_PART})\s?(?P<number>{_PART_NUMBER})(?:{_OF}(?P<target>{_DOCUMENT}|{_QUOTED}|{_TITLED}))?",
    re.IGNORECASE,
)
_TARGET_FIRST = re.compile(rf"\b(?P<target>{_DOCUMENT}),?\s(?i:{_PART})\s?(?P<number>{_PART_NUMBER})")
_CHINESE_PART = re.compile(
    r"(?:(?P<target>《[^《》\n]{1,120}》)的?)?第\s?(?P<number>[0-9一二三四五六七八九十百]{1,5}(?:\.\d{1,3}){0,5})\s?[章节節条條]"
)
_SEE = (
    r"(?:\b(?:see(?:\salso)?|refer(?:s|red)?\sto|consult|according\sto|as\s(?:described|specified|defined|given|shown)\sin"
    r"|in\saccordance\swith|siehe(?:\sauch)?|vgl\.|gem(?:äß|aess)|laut|nach)\s|(?:参见|参阅|参考|详见|请见|请参阅|依据|根据|按照|见)\s?)"
)
_SEE_TITLE = re.compile(rf"(?i:{_SEE})(?:the\s|our\s|dem\s|der\s|das\s|die\s)?(?P<target>{_QUOTED}|{_TITLED})")
_CHINESE_TITLE = re.compile(r"《(?P<target>[^《》\n]{1,120})》")
_MENTION = re.compile(rf"(?<![\w\-/.]){_DOCUMENT}")
_QUOTES = '“”„"«»《》‘’'
_TRAILING = ".,;:!?'’”*_"
_OPENING = {")": "(", "]": "[", "}": "{"}
_PROSE = 200_000
"""Characters of one block that are searched; a longer one is data, not prose."""


def find_references(block: Block) -> list[Reference]:
    """Return the references in a block's text in order, one for each target and section; `evidence` is what points.

    "Section 4.2" alone is a cross-reference within the document: `target` as written, `section` "4.2". With a
    document behind it ("clause 7.3 of STD-014") it is a mention of that document, `section` "7.3".
    """
    if block.kind is BlockKind.CODE or not block.text:
        return []
    taken: list[tuple[int, int]] = []
    found: dict[tuple[str, str], tuple[int, Reference]] = {}
    for kind, start, end, target, section in _candidates(block.text[:_PROSE]):
        if any(start < other_end and other_start < end for other_start, other_end in taken[-64:]):
            continue
        taken.append((start, end))
        found.setdefault((target, section), (start, _reference(block, kind, start, end, target, section)))
    return [reference for _, reference in sorted(found.values(), key=lambda item: item[0])]


def _reference(block: Block, kind: ReferenceKind, start: int, end: int, target: str, section: str) -> Reference:
    span = Span(start, end).shifted(block.provenance.span.start)
    return Reference(kind, target, block.text[start:end], replace(block.provenance, span=span), section)


_Candidate = tuple[ReferenceKind, int, int, str, str]


def _candidates(text: str) -> Iterator[_Candidate]:
    """Yield what may be a reference, the more telling patterns first: a later one inside an earlier one is dropped."""
    yield from _addresses(text)
    yield from _parts(text)
    for match in _SEE_TITLE.finditer(text):
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
        if len(target) > 8:
            yield ReferenceKind.HYPERLINK, match.start(), match.start() + len(target), target, ""
    for match in _DOI.finditer(text):
        target = _trim(match.group(1))
        yield ReferenceKind.CITATION, match.start(), match.start(1) + len(target), f"https://doi.org/{target}", ""


def _parts(text: str) -> Iterator[_Candidate]:
    for match in _TARGET_FIRST.finditer(text):
        yield ReferenceKind.MENTION, *match.span(), match["target"], match["number"]
    for pattern in (_PART_REFERENCE, _CHINESE_PART):
        for match in pattern.finditer(text):
            target = match["target"]
            if target:
                yield ReferenceKind.MENTION, *match.span(), target.strip(_QUOTES).strip(), match["number"]
            elif match.start() > 0:  # a block that begins so is a heading or a caption, not a pointer
                yield ReferenceKind.CROSS_REFERENCE, *match.span(), match.group(), match["number"]


def _trim(address: str) -> str:
    """Return an address without the sentence's punctuation, and without a bracket that it did not open."""
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
