"""By which names a document is called, and how much each of them proves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from pipelines.graph.card import DocumentCard
from pipelines.graph.numbers import without_revision
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


class NameKind(StrEnum):
    TITLE = "title"
    NUMBER = "number"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Name:
    """A name of a document. `folded` is what is looked for; a `weak` one counts only where a cue stands before it."""

    folded: str
    text: str
    kind: NameKind
    weak: bool


def fold(text: str) -> str:
    """Return `text` in the form in which names are looked for, each character in its place."""
    plain = text.translate(_ALIKE)
    folded = plain.casefold()
    if len(folded) == len(plain):
        return folded
    return "".join(low if len(low := character.casefold()) == 1 else character for character in plain)


def fold_name(text: str) -> str:
    """Return a name so folded, on one line, without the marks around it."""
    return " ".join(fold(text).split()).strip(" \"'.,;:")


def number_key(text: str) -> str:
    """Return a number without what people write differently in it: "DS 2041" and "ds-2041" are one."""
    return re.sub(r"[-_/ .:]", "", fold(text))


def names_of(card: DocumentCard) -> tuple[Name, ...]:
    """Return the names by which the text of other documents may call this one."""
    found: dict[str, Name] = {}
    for name in _all_names(card):
        if len(name.folded) >= 2 and name.folded not in found:
            found[name.folded] = name
    return tuple(found.values())


def _all_names(card: DocumentCard) -> Iterator[Name]:
    for number in card.numbers:
        for written in _spellings(number):
            yield Name(fold_name(written), number, NameKind.NUMBER, weak=len(number_key(number)) < 4)
    yield Name(fold_name(card.file_name), card.file_name, NameKind.FILE, weak="." not in card.file_name)
    for title in _titles(card):
        folded = fold_name(title)
        yield Name(folded, title, NameKind.TITLE, is_weak(folded))


def _spellings(number: str) -> Iterable[str]:
    yield number
    for mark in ("-", " ", "_", ""):
        yield re.sub(r"[-_ ](?=\d)", mark, number, count=1)


def _titles(card: DocumentCard) -> Iterator[str]:
    if not card.title:
        return
    plain = without_revision(card.title)
    yield card.title
    yield plain
    for number in card.numbers:
        bare = re.sub(re.escape(number), " ", plain, flags=re.IGNORECASE)
        yield " ".join(bare.split()).strip(" ,;:–—-_()[]（）【】")


def is_weak(folded: str) -> bool:
    """Whether a title is too short or too common to be matched blindly."""
    if folded.replace(" ", "-") in _GENERIC:
        return True
    if CJK_CHARACTER.search(folded):
        return len(CJK_CHARACTER.findall(folded)) < 5
    words = [word for word in _WORD.findall(folded) if word not in STOP_WORDS]
    return len(words) < 2 or sum(map(len, words)) < 9
