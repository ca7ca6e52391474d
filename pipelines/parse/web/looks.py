"""How the paragraphs of a page without heading elements look: all bold, or in a size of their own."""

from __future__ import annotations

import re

from pipelines.parse.lookalikes import Look, Lookalikes
from pipelines.parse.web.dom import HEADINGS, Element, is_silent, text_of

PARAGRAPHS = frozenset({"p", "div", "center"})
_WITHIN = ("li", "dd", "blockquote", "figure", "td", "th")
_BOLD = frozenset({"b", "strong"})
_BOLD_STYLE = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)", re.IGNORECASE)
_SIZE = re.compile(r"font-size\s*:\s*([\d.]{1,6})\s*(pt|px)", re.IGNORECASE)
_FONT_SIZES = {"1": 7.5, "2": 10.0, "3": 12.0, "4": 13.5, "5": 18.0, "6": 24.0, "7": 36.0, "+1": 13.5, "+2": 18.0}
_USUAL = 12.0
_POINTS = {"pt": 1.0, "px": 0.75}


class HtmlLooks(Lookalikes):
    """Collects the paragraphs of a page as they look; of a page that has headings there is nothing to tell."""

    def __init__(self, root: Element) -> None:
        super().__init__(told=any(not is_silent(heading) for heading in root.iter(*HEADINGS)))

    def see(self, element: Element, text: str, position: int) -> None:
        """Take in a paragraph that became the piece at `position`."""
        if self.told or next(element.iterancestors(*_WITHIN), None) is not None:
            return
        whole = text_of(element) == " ".join(text.split())
        self.add(position, text, _look(element) if whole else Look(_USUAL))


def _look(element: Element) -> Look:
    """Return the look of the text of an element; text in several sizes has the largest."""
    runs = [run for run in element.iter() if isinstance(run.tag, str)]
    texts = [run for run in runs if (run.text or "").strip()]
    parents = [run.getparent() for run in runs if run is not element and (run.tail or "").strip()]
    texts += [parent for parent in parents if parent is not None]
    looks = [_look_at(one, element) for one in texts]
    return Look(max((look.size for look in looks), default=_USUAL), bool(looks) and all(look.bold for look in looks))


def _look_at(run: Element, top: Element) -> Look:
    """Return the look of the text directly in `run`, which is `top` or lies in it."""
    bold, size = False, 0.0
    one: Element | None = run
    while one is not None:
        style = one.get("style", "")
        bold = bold or one.tag in _BOLD or _BOLD_STYLE.search(style) is not None
        size = size or _size(one, style)
        one = None if one is top else one.getparent()
    return Look(size or _USUAL, bold)


def _size(element: Element, style: str) -> float:
    if found := _SIZE.search(style):
        number = found.group(1)
        return float(number) * _POINTS[found.group(2).lower()] if number.count(".") < 2 and number != "." else 0.0
    return _FONT_SIZES.get(element.get("size", "").strip(), 0.0) if element.tag == "font" else 0.0
