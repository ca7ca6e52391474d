"""What the controls of a form say: ticks, what is chosen, what is filled in."""

from __future__ import annotations

from typing import Final

from pipelines.parse.web.dom import Element, text_of

CONTROLS: Final = frozenset({"input", "select", "textarea"})
_TICKED: Final = frozenset({"checkbox", "radio"})
_UNTYPED: Final = frozenset({"hidden", "submit", "button", "image", "reset", "password", "file", "range", "color"})


def control_text(control: Element) -> str:
    """Return what a control shows that somebody has set, empty for one left as it was, and for buttons."""
    kind = (control.get("type") or "text").lower()
    if control.tag == "textarea":
        return (control.text or "").strip()
    if control.tag == "select":
        return ", ".join(text_of(option) for option in control.iter("option") if option.get("selected") is not None)
    if kind in _TICKED:
        return "☒" if control.get("checked") is not None else "☐"
    return "" if kind in _UNTYPED else (control.get("value") or "").strip()
