"""What only the looks of a page tell: labels and their values in elements side by side, headings in bold."""

from __future__ import annotations

from itertools import groupby, islice
from typing import Final

from pipelines.parse.web.dom import DEEPEST, HEADINGS, Element, text_of

_CONTAINERS: Final = ("div", "li", "p")
_BLOCKS: Final = frozenset({"div", "label", "p"})
_PARTS: Final = _BLOCKS | {"a", "b", "em", "small", "span", "strong", "time"}
_PAIR: Final = 2
_FEWEST: Final = 3
"""Minimum pairs in succession; two may be a name and what it does, twice."""
_FEWEST_HEADINGS: Final = 2
"""Minimum paragraphs in bold that are headings; one may be emphasized."""
_TEXTS: Final = ("dl", "div", "ol", "p", "pre", "table", "ul")
_LARGEST: Final = 8
"""Maximum elements in a label or value; more are a part of the page."""
_LABEL, _VALUE, _LINE = 40, 200, 60
"""Maximum characters of a label, of a value in an element, and of one that follows without an element."""
_ENDINGS: Final = (".", "!", "?", ",", ";", "。", "？", "！")
_COLONS: Final = (":", "：")


def join_labels(root: Element) -> None:
    """Write each pair of a run of at least three as a line with a colon: "Status: Closed".

    Such as lists of properties, tiles, and the fields of a ticket, whose style sheet sets the values apart.
    """
    for parent in dict.fromkeys(container.getparent() for container in root.iter(*_CONTAINERS)):
        if parent is None or len(parent) < _FEWEST:
            continue
        children = [child for child in parent if isinstance(child.tag, str)]
        for (paired, _), run in groupby(children, key=lambda child: (_is_pair(child), child.tag)):
            pairs = list(run)
            if paired and len(pairs) >= _FEWEST:
                for pair in pairs:
                    _join(_parts(pair))


def mark_headings(root: Element) -> None:
    """Make headings of the paragraphs that are bold as a whole and stand above others, if there are two at least.

    "Applies to", "Symptom", "Cause": articles of help desks are written so. They are below the heading before them.
    """
    level, found = 0, list[tuple[Element, int]]()
    for element in root.iter("p", "div", *HEADINGS):
        level = HEADINGS.get(element.tag, level)
        if element.tag not in HEADINGS and _is_bold(element) and _is_above_text(element):
            found.append((element, min(level + 1, DEEPEST)))
    for element, below in found if len(found) >= _FEWEST_HEADINGS else ():
        element.tag = f"h{below}"


def _is_bold(block: Element) -> bool:
    """Whether all text of a block is in one bold element, short, and no sentence or label."""
    bold = block[0] if len(block) == 1 and not (block.text or "").strip() else None
    if bold is None or bold.tag not in ("b", "strong") or (bold.tail or "").strip() or len(bold):
        return False
    text = text_of(bold)
    return 0 < len(text) <= _LABEL and text[0].isalpha() and not text.endswith((*_ENDINGS, *_COLONS))


def _is_above_text(block: Element) -> bool:
    below = block.getnext()
    apart = next(block.iterancestors("table", "li", "blockquote", "figure", "aside", "footer"), None)
    return apart is None and below is not None and below.tag in _TEXTS and not _is_bold(below)


def _is_pair(container: Element) -> bool:
    """Whether an element has a short text in an element, then another one, and nothing else."""
    if container.tag not in _CONTAINERS or not len(container) or (container.text or "").strip():
        return False
    parts = _parts(container)
    if not parts or len(parts) > _PAIR or any(_is_large(part) for part in parts):
        return False
    label, behind = text_of(parts[0]), (parts[0].tail or "").strip()
    named = 0 < len(label) <= _LABEL and label[0].isalpha() and not label.endswith(_ENDINGS)
    if len(parts) == 1:
        return named and parts[0].tag == "span" and 0 < len(behind) <= _LINE and not behind.endswith(_ENDINGS)
    return named and not (behind or (parts[1].tail or "").strip()) and 0 < len(text_of(parts[1])) <= _VALUE


def _parts(container: Element) -> list[Element]:
    """Return the elements in a container without buttons and icons; not all, if there are more than two."""
    elements = (one for one in container if isinstance(one.tag, str) and one.tag not in ("button", "img", "svg"))
    return list(islice((one for one in elements if one.tag != "i" or text_of(one)), _PAIR + 1))


def _is_large(part: Element) -> bool:
    inside = list(islice(part.iter(), _LARGEST + 1))
    return len(inside) > _LARGEST or any(one.tag not in _PARTS for one in inside if isinstance(one.tag, str))


def _join(parts: list[Element]) -> None:
    colon = "" if text_of(parts[0]).endswith(_COLONS) else ":"
    parts[0].tail = f"{colon} {(parts[0].tail or '').strip()}"
    for one in (one for part in parts for one in part.iter() if one.tag in _BLOCKS):
        one.tag = "span"
