"""The sections of an HTML manual (DocBook or Sphinx), each as a page without its heading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import cast

from lxml import html
from lxml.html import HtmlElement

from pipelines.lang.sentences import sentences

_SECTIONS = "self::section or self::div[contains(' section sect1 sect2 sect3 ', concat(' ', @class, ' '))]"
_HEADING = "(.//h1|.//h2|.//h3|.//h4|.//h5)[1]"
_DROPPED = (
    ".//script|.//style|.//img|.//*[@class='toc']|.//*[@class='titlepage']|.//*[contains(@class, 'nav')]"
    "|.//a[contains(@class, 'xref') or contains(@class, 'headerlink') or contains(@class, 'reference internal')]"
)
"""Navigation, and internal references, whose text is the heading of another section."""
_NUMBER = re.compile(r"^\s*(?:[A-Z]\.|[A-Z]?\d+(?:\.\d+)*\.?|[A-Z](?:\.\d+)+\.?)\s+")
_LEAST = 200
"""Minimum characters of a page; shorter ones are hardly distinguishable."""


@dataclass(slots=True)
class SectionPage:
    """A section without its subsections, which are separate pages.

    `definitions` are pairs of the first sentence of a definition and its paragraph.
    """

    heading: str
    chapter: str
    body: HtmlElement
    definitions: list[tuple[str, HtmlElement]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join(self.body.text_content().split())

    def without_first_sentence(self, sentence: str, paragraph: HtmlElement) -> None:
        """Remove a sentence that has become a question from the page."""
        rest = _text(paragraph)[len(sentence) :].strip()
        for child in list(paragraph):
            paragraph.remove(child)
        paragraph.text = rest

    def page(self) -> str:
        body = html.tostring(self.body, encoding="unicode")
        return f'<!doctype html>\n<meta charset="utf-8">\n<title>{escape(self.chapter)}</title>\n{body}\n'


def pages_of(files: Sequence[Path]) -> Iterator[SectionPage]:
    """Yield the sections of HTML files with a heading and text, in order."""
    for file in files:
        root = html.document_fromstring(file.read_bytes(), parser=html.HTMLParser(encoding="utf-8"))
        chapter = _plain(root.findtext(".//title") or "")
        for section in cast("list[HtmlElement]", root.xpath(f".//*[{_SECTIONS}]")):
            page = _page(section, chapter)
            if page is not None and len(page.text) >= _LEAST / _density(page.text):
                yield page


def _page(section: HtmlElement, chapter: str) -> SectionPage | None:
    headings = section.xpath(_HEADING)
    heading = _plain(headings[0].text_content()) if headings else ""
    body = deepcopy(section)
    for inner in body.xpath(f"./descendant::*[{_SECTIONS}]"):
        inner.drop_tree()
    for one in body.xpath(_DROPPED) + body.xpath(_HEADING):
        if one.getparent() is not None:
            one.drop_tree()
    if not heading:
        return None
    return SectionPage(heading, "" if chapter == heading else chapter, body, list(_definitions(body)))


def _definitions(body: HtmlElement) -> Iterator[tuple[str, HtmlElement]]:
    for paragraph in body.xpath(".//dl/dd/p[1]"):
        text = _text(paragraph)
        spans = sentences(text)
        first = text[spans[0].start : spans[0].end].strip() if spans else ""
        if len(spans) > 1 and text.startswith(first) and 40 <= len(first) * _density(first) <= 240:
            yield first, paragraph


def _density(text: str) -> float:
    """Return the number of alphabetic letters that correspond to a character: three if most are Han or kana."""
    wide = sum("\u3040" <= char <= "\u9fff" for char in text)
    return 3.0 if 2 * wide > len(text) else 1.0


def _text(element: HtmlElement) -> str:
    return " ".join(element.text_content().split())


def _plain(heading: str) -> str:
    return _NUMBER.sub("", " ".join(heading.replace("¶", " ").split())).strip()
