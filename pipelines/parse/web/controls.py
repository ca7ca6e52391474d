"""What is told by form controls, by buttons, and by icons in place of text."""

from __future__ import annotations

import re
from typing import Final

from pipelines.parse.web.dom import BLOCKS, HEADINGS, Element, text_of
from pipelines.parse.web.inline import alternative_text

CONTROLS: Final = frozenset({"input", "select", "textarea"})
_CHECKABLE: Final = frozenset({"checkbox", "radio"})
_WITHOUT_TEXT: Final = frozenset({"hidden", "submit", "button", "image", "reset", "password", "file", "range", "color"})
_OPENING: Final = ("aria-expanded", "aria-controls", "data-target", "data-bs-target")
"""Attributes of buttons that unfold a part of the page, and are its heading."""
_NAMES: Final = ("dt", "summary", "legend", "caption", *HEADINGS)
"""Elements that name others. A table that can be sorted has a button around the name of each column too."""
_ICONS: Final = ("i", "span", "svg", "use", "img")
_MARKS: Final = re.compile(
    r"(?:^|[\s_#-])(?:(check|checkmark|tick|ok|yes)|times|xmark|x-mark|cross|remove|close)(?=$|[\s_-])"
)
"""Icons for yes and no in Font Awesome (check, times, xmark), Bootstrap (ok, check, remove), Material (check, close),
and Heroicons (check, x-mark)."""


def control_text(control: Element) -> str:
    """Return the user's input in a form control; empty for one without input, and for buttons."""
    kind = (control.get("type") or "text").lower()
    if control.tag == "textarea":
        return (control.text or "").strip()
    if control.tag == "select":
        return ", ".join(text_of(option) for option in control.iter("option") if option.get("selected") is not None)
    if kind in _CHECKABLE:
        return "☒" if control.get("checked") is not None else "☐"
    return "" if kind in _WITHOUT_TEXT else (control.get("value") or "").strip()


def is_labelled(control: Element) -> bool:
    """Whether the text before a text field is its label: in a `label` around it, or directly before it."""
    if (control.get("type") or "").lower() in _CHECKABLE:
        return False
    before = control.getprevious()
    label = control.getparent() if before is None else before
    return label is not None and label.tag == "label" and not (label is before and (label.tail or "").strip())


def is_operated(button: Element) -> bool:
    """Whether a button only operates the page, such as "Add to basket".

    Not one that is a heading or the name of a column, that unfolds a part of the page, that is around more than a line,
    or that is named in a sentence: "Press <button>Start</button>, then ...".
    """
    unfolds = any(button.get(name) is not None for name in _OPENING)
    if unfolds or next(button.iterdescendants(*BLOCKS), None) is not None:
        return False
    if any(character.isalnum() or character in ".,;。，" for character in button.tail or ""):
        return False
    named = next(button.iterancestors("th", *_NAMES), None)
    return named is None or (named.tag == "th" and text_of(named) != text_of(button))


def task_mark(item: Element) -> str:
    """Return the check box of an item in a list of tasks that a style sheet draws (Confluence), "" for other items."""
    parent = item.getparent()
    if parent is None or "inline-task-list" not in parent.get("class", ""):
        return ""
    return "☒ " if "checked" in item.get("class", "").split() else "☐ "


def text_of_icons(element: Element) -> str:
    """Return what the pictures and icons of an element without text say: "Yes", "✓"."""
    said = (_said(icon) for icon in element.iter(*_ICONS))
    return " ".join(dict.fromkeys(filter(None, said)))


def _said(icon: Element) -> str:
    """Return the alternative text of a picture, the label of an icon, or the mark that its name tells."""
    label = alternative_text(icon) if icon.tag == "img" else icon.get("aria-label") or icon.get("title") or ""
    if label:
        return " ".join(label.split())
    title = icon.find("title") if icon.tag == "svg" else None
    if title is not None:
        return text_of(title)
    mark = _MARKS.search(f"{icon.get('class', '')} {icon.get('href', '')} {icon.get('xlink:href', '')}".lower())
    return "" if mark is None else "✓" if mark[1] else "✗"
