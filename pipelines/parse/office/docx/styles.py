"""Styles of Word: titles, headings and their levels, captions, code, lists, type size (ECMA-376 1, 17.7)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipelines.lang.word_lists import any_of
from pipelines.parse.lookalikes import Look, Lookalikes
from pipelines.parse.office.ooxml import NAMESPACES, Element, is_on, qualified, value

_MOST_BASE_STYLES = 20
"""Maximum styles based on one another; a longer chain is a cycle."""
BODY_LEVEL = 9
"""The outline level of body text (ECMA-376 1, 17.3.1.20)."""
_DEFAULT_SIZE = 20
"""10 points, in half points: the default of Word."""
# Word stores built-in style names in English; other programs may store localized ones.
_HEADING = re.compile(rf"\s*{any_of('heading')}\s*(\d)\b", re.IGNORECASE)
_TITLE = re.compile(r"\s*(?:title|titel|document title|doc title|titel des dokuments|文档标题)\s*", re.IGNORECASE)
_CAPTION = re.compile(rf"\s*{any_of('caption')}\b.*|(?:table|figure|image) (?:caption|title)", re.IGNORECASE)
_CODE = re.compile(
    r"\b(?:code|source ?code|html preformatted|preformatted text|macro text|listing|verbatim)\b", re.IGNORECASE
)
_CONTENTS_ENTRY = re.compile(
    r"\s*(?:toc|contents|verzeichnis|table of figures|index)\s*\d\b.*|table of figures", re.IGNORECASE
)
_RUN, _TEXT = qualified("w:r"), qualified("w:t")
_BOLD = f"{qualified('w:rPr')}/{qualified('w:b')}"
_BODY_PARENTS = frozenset({qualified("w:body"), qualified("w:sdtContent")})


@dataclass(frozen=True, slots=True)
class WordStyle:
    """The own properties of a paragraph or character style; `numbering` is (numId, ilvl), None if not set."""

    id: str
    name: str
    based_on: str = ""
    outline: int | None = None
    numbering: tuple[str | None, int | None] | None = None
    hidden: bool = False
    bold: bool | None = None
    size: int | None = None


class WordStyles:
    """The styles of a document by id; an unknown id is a style of that name without properties."""

    def __init__(self, root: Element | None) -> None:
        found = root.iter(qualified("w:style")) if root is not None else ()
        self._styles = {style.id: style for style in map(_style, found)}
        defaults = root.iter(qualified("w:style")) if root is not None else ()
        self.default_size = as_int(value(root, "w:docDefaults/w:rPrDefault/w:rPr/w:sz")) or _DEFAULT_SIZE
        """The type size in half points if no style sets one."""
        self.default_style = next((s.get(qualified("w:styleId"), "") for s in defaults if _is_default(s)), "")

    def chain(self, id: str) -> Iterator[WordStyle]:
        """Yield a style and the styles that it is based on, the nearest first."""
        seen: set[str] = set()
        while id and id not in seen and len(seen) < _MOST_BASE_STYLES:
            seen.add(id)
            style = self._styles.get(id, WordStyle(id, id))
            yield style
            id = style.based_on

    def heading_level(self, id: str) -> int | None:
        """Return the level, from 1, of a heading style, own or inherited; None for any other style."""
        for style in self.chain(id):
            if style.outline is not None:
                return style.outline + 1 if style.outline < BODY_LEVEL else None
            if match := _HEADING.match(style.name) or _HEADING.match(style.id):
                return max(1, int(match.group(1)))
        return None

    def is_title(self, id: str) -> bool:
        return any(_TITLE.fullmatch(style.name) for style in self.chain(id))

    def is_caption(self, id: str) -> bool:
        return any(_CAPTION.fullmatch(style.name) for style in self.chain(id))

    def is_code(self, id: str) -> bool:
        return any(_CODE.search(style.name) for style in self.chain(id))

    def is_contents(self, id: str) -> bool:
        """Whether a style is used for entries of a table of contents."""
        return any(_CONTENTS_ENTRY.fullmatch(style.name) for style in self.chain(id))

    def is_bold(self, id: str) -> bool:
        return next((style.bold for style in self.chain(id) if style.bold is not None), False)

    def size(self, id: str) -> int | None:
        """Return the type size in half points that a style sets, None if it sets none."""
        return next((style.size for style in self.chain(id) if style.size), None)

    def is_hidden(self, id: str) -> bool:
        return any(style.hidden for style in self.chain(id))

    def numbering(self, id: str) -> tuple[str | None, int | None]:
        """Return the list (numId) and level of paragraphs in a style, None if not set."""
        number, level = None, None
        for style in self.chain(id):
            own_number, own_level = style.numbering or (None, None)
            number = number if number is not None else own_number
            level = level if level is not None else own_level
        return number, level


def _is_default(style: Element) -> bool:
    return style.get(qualified("w:type")) == "paragraph" and style.get(qualified("w:default")) in ("1", "true", "on")


def _style(element: Element) -> WordStyle:
    id = element.get(qualified("w:styleId"), "")
    return WordStyle(
        id=id,
        name=value(element, "w:name") or id,
        based_on=value(element, "w:basedOn") or "",
        outline=as_int(value(element, "w:pPr/w:outlineLvl")),
        numbering=_numbering(element),
        hidden=is_on(element, "w:rPr/w:vanish"),
        bold=None if element.find("w:rPr/w:b", NAMESPACES) is None else is_on(element, "w:rPr/w:b"),
        size=as_int(value(element, "w:rPr/w:sz")),
    )


def _numbering(style: Element) -> tuple[str | None, int | None] | None:
    number, level = value(style, "w:pPr/w:numPr/w:numId"), as_int(value(style, "w:pPr/w:numPr/w:ilvl"))
    return None if number is None and level is None else (number, level)


def as_int(text: str | None) -> int | None:
    """Return the number, None if the text is not one: an invalid property is ignored."""
    try:
        return None if text is None else int(text)
    except ValueError:
        return None


class WordLooks(Lookalikes):
    """Collects the paragraphs of the body text until one of them has a heading style."""

    def __init__(self, styles: WordStyles) -> None:
        super().__init__()
        self._styles = styles

    def see(self, paragraph: Element, style: str, text: str, position: int) -> None:
        """Record a paragraph of the body, which is the piece at `position`."""
        parent = paragraph.getparent()
        if not self.told and parent is not None and parent.tag in _BODY_PARENTS:
            self.add(position, text, self._look(paragraph, style))

    def _look(self, paragraph: Element, style: str) -> Look:
        runs = [run for run in paragraph.iter(_RUN) if any((text.text or "").strip() for text in run.iter(_TEXT))]
        size = max((self._size(run, style) for run in runs), default=0)
        return Look(size / 2, bool(runs) and all(self._is_bold(run, style) for run in runs))

    def _is_bold(self, run: Element, style: str) -> bool:
        if run.find(_BOLD) is not None:
            return is_on(run, "w:rPr/w:b")
        own = value(run, "w:rPr/w:rStyle")
        return bool(own and self._styles.is_bold(own)) or self._styles.is_bold(style)

    def _size(self, run: Element, style: str) -> int:
        """Return the type size of a run in half points."""
        own = as_int(value(run, "w:rPr/w:sz")) or self._styles.size(value(run, "w:rPr/w:rStyle") or "")
        return own or self._styles.size(style) or self._styles.default_size
