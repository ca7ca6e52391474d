"""The names of a document: its title, file name, number and revision, and which are too common to match alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pipelines.lang.characters import CJK_CHARACTER
from pipelines.lang.words import STOP_WORDS

# One character for one, so that places in the folded text are places in the text.
_ALIKE = str.maketrans(
    {
        **{chr(0xFF01 + i): chr(0x21 + i) for i in range(94)},  # full-width forms
        **dict.fromkeys("\t\n\r\v\f\u00a0\u2002\u2003\u2009\u202f\u3000", " "),
        **dict.fromkeys("‐‑‒–—−", "-"),
        **dict.fromkeys("‘’ʼ`´", "'"),
        **dict.fromkeys("“”„«»", '"'),
    }
)
_WORD = re.compile(r"[^\W_]+")
# Titles that many a document has: they name a document only where the text points at one.
_GENERIC = frozenset(
    "introduction overview summary contents table-of-contents index readme read-me document untitled report manual"
    " data-sheet datasheet user-manual user-guide guide specification specifications notes note minutes agenda policy"
    " invoice letter memo presentation slides form checklist appendix annex references bibliography changelog licence"
    " license sheet1 book1 presentation1 document1 scan image photo figure drawing bill-of-materials parts-list"
    " price-list getting-started quick-start installation maintenance-manual operating-instructions safety-instructions"
    " meeting-minutes project-plan test-report"
    " 目录 概述 简介 前言 说明 说明书 手册 报告 附录 会议纪要 使用说明 用户手册 数据表 规格书".split()
)

_NUMBER = r"[A-Z]{1,8}(?:[-/][A-Z]{1,6}){0,2}[-/ ]?\d{2,6}(?:[-./]\d{1,6}){0,3}(?:-[A-Z]{1,2})?"
_AT_START = re.compile(rf"\s*(?P<number>{_NUMBER})(?![\w])")
_IN_BRACKETS = re.compile(rf"[(\[（【](?P<number>{_NUMBER})[)\]）】]")
_AT_END = re.compile(rf"(?:^|[\s,:;/–—-])(?P<number>{_NUMBER})\s*$")
_LABELLED = re.compile(
    r"(?:\b(?:document|doc\.?|drawing|report|standard|procedure|policy|spec(?:ification)?|reference|ref\.?|file)"
    r"\s?(?:no\.?|number|nr\.?|id|code|#)|\b(?:dokument(?:en)?|zeichnungs)-?(?:nr\.?|nummer)|(?:文件|文档|报告|标准|图纸)?编号)"
    rf"\s?[|:：]?\s?(?P<number>{_NUMBER}|[A-Z0-9]{{2,}}(?:[-/.][A-Z0-9]+)+)(?![\w])",
    re.IGNORECASE,
)
_IN_METADATA = ("number", "document_number", "identifier", "document_id", "report_number")
_IN_STEM = re.compile(
    r"(?P<letters>[A-Za-z]{1,6}(?:[-_][A-Za-z]{1,4}){0,1})[-_ ]?(?P<digits>\d{2,6}(?:-\d{1,4}){0,2})(?![\d])"
)
_DATED_WORD = re.compile(r"[A-Za-z]{3,}[-_ ]?(?:19|20)\d\d")
_LEAST_NUMBER = 4
"""Letters and digits of a document's number: fewer ("A 12") are anything."""
_LEAST_CHINESE, _LEAST_LETTERS = 5, 9
"""Characters of a Chinese title, and letters of another's content words, below which it is too common to be matched."""
_NO_NUMBER = frozenset("REV VER VERSION ISSUE PAGE SHEET PART COPY SCAN IMG DSC FIG TABLE NO V R Q".split())

_REVISION = (
    r"(?:\b(?:rev(?:ision)?|version|ver|issue|edition|ausgabe|stand)\b\.?\s?[|:：]?\s?(?P<a>[A-Z]\b|\d{1,3}(?:\.\d{1,3}){0,2})"
    r"|\bv\.?\s?(?P<b>\d{1,3}(?:\.\d{1,3}){0,2})\b|(?:版本|修订)(?:号)?\s?[|:：]?\s?(?P<c>[A-Z]\b|\d{1,3}(?:\.\d{1,3}){0,2})"
    r"|第\s?(?P<d>\d{1,2})\s?版|\b(?P<e>\d{1,2})(?:st|nd|rd|th)\sedition)"
)
_LONGEST_REVISION = 200
"""Characters of a revision that are compared; metadata may hold texts of any length."""
_REVISION_ANYWHERE = re.compile(_REVISION, re.IGNORECASE)
_REVISION_TOLD = re.compile(rf"(?:^|[|;·•,(])[ \t]*{_REVISION}", re.IGNORECASE | re.MULTILINE)
_BEFORE_REVISION = ",;([–—-"
_BEHIND_REVISION = re.compile(r"\s*[)\]]*")


class NameKind(StrEnum):
    TITLE = "title"
    NUMBER = "number"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class DocumentName:
    """A name of a document. `folded` is what is matched; a `weak` one counts only after a cue ("see ...")."""

    folded: str
    text: str
    kind: NameKind
    weak: bool


def fold(text: str) -> str:
    """Return `text` in the form in which names are matched; every character keeps its place."""
    plain = text.translate(_ALIKE)
    folded = plain.casefold()
    if len(folded) == len(plain):
        return folded
    return "".join(low if len(low := character.casefold()) == 1 else character for character in plain)


def fold_name(text: str) -> str:
    """Return a name folded, on one line, without punctuation around it."""
    return " ".join(fold(text).split()).strip(" \"'.,;:")


def number_key(text: str) -> str:
    """Return a number without the marks that vary in writing: "DS 2041" and "ds-2041" have the same key."""
    return re.sub(r"[-_/ .:]", "", fold(text))


def names_of(title: str, numbers: Iterable[str], file_name: str) -> tuple[DocumentName, ...]:
    """Return the names by which the text of other documents may call a document."""
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
    """The title as it is, without its revision, and without its numbers too."""
    if not title:
        return
    plain = without_revision(title)
    yield title
    yield plain
    for number in numbers:
        bare = re.sub(re.escape(number), " ", plain, flags=re.IGNORECASE)
        yield " ".join(bare.split()).strip(" ,;:–—-_()[]（）【】")


def is_weak(folded: str) -> bool:
    """Whether a title is too short or too common to be matched blindly."""
    if folded.replace(" ", "-") in _GENERIC:
        return True
    if CJK_CHARACTER.search(folded):
        return len(CJK_CHARACTER.findall(folded)) < _LEAST_CHINESE
    words = [word for word in _WORD.findall(folded) if word not in STOP_WORDS]
    return len(words) < 2 or sum(map(len, words)) < _LEAST_LETTERS


def numbers_of(title: str, file_name: str, head: str, metadata: Mapping[str, str]) -> tuple[str, ...]:
    """Return the document's numbers, upper case, the most certain first; a mail has none.

    One in the text counts after a label such as "Document No."; one in a title, where it begins or ends it or stands
    in brackets and no other is labelled: what a title begins with may be a product.
    """
    if metadata.get("message_id"):
        return ()
    told = [match["number"] for name in _IN_METADATA if (match := _AT_END.search(metadata.get(name, "").upper()))]
    told += [match["number"] for match in _LABELLED.finditer(head)][:1]
    plain = without_revision(title)
    in_title = (_AT_START.match(plain), _IN_BRACKETS.search(title), _AT_END.search(plain))
    found = _numbers(told) or _numbers(match["number"] for match in in_title if match)
    return tuple(dict.fromkeys([*found, *_numbers(_in_stem(file_name.rsplit(".", 1)[0]))]))


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
        len(number) >= _LEAST_NUMBER and letters not in _NO_NUMBER and any(character.isdigit() for character in number)
    )


def revision_of(title: str, file_name: str, head: str, metadata: Mapping[str, str]) -> str:
    """Return the document's revision ("C", "2.1"), empty where it states none."""
    if stated := metadata.get("revision") or metadata.get("version"):
        return stated.strip()
    stem = re.sub(r"[_-]+", " ", file_name.rsplit(".", 1)[0])
    found = (_REVISION_ANYWHERE.search(title), _REVISION_ANYWHERE.search(stem), _REVISION_TOLD.search(head))
    match = next((one for one in found if one), None)
    return next(group for group in match.groups() if group).upper() if match else ""


def without_revision(title: str) -> str:
    """Return a title or a stem without the words that tell its revision."""
    kept: list[str] = []
    start = 0
    for match in _REVISION_ANYWHERE.finditer(title):
        end = match.start()
        while end > start and (title[end - 1].isspace() or title[end - 1] in _BEFORE_REVISION):
            end -= 1
        kept.append(title[start:end])
        behind = _BEHIND_REVISION.match(title, match.end())
        start = behind.end() if behind else match.end()
    return " ".join((*kept, title[start:])).strip(" ,;:–—-_()[]")


def revision_order(revision: str) -> tuple[int, ...]:
    """Return a key by which revisions of one document sort: A before B, 1.9 before 1.10."""
    if revision.isalpha():
        return tuple(ord(letter) for letter in revision.upper())
    return tuple(int(part) for part in re.findall(r"\d+", revision[:_LONGEST_REVISION]))
