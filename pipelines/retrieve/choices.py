"""Options with check boxes in a form: "Result: ☒ passed ☐ failed"."""

from __future__ import annotations

import re

_OPTION = re.compile(r"([☐☑☒])[^\S\n]*([^☐☑☒|\n]*)")
_UNCHECKED = "☐"
_LONGEST = 5
"""Maximum words of an option; more are a task that is still to be done."""


def options_in(text: str) -> tuple[str, str]:
    """Return the options of a text that are checked, and the others; no tasks.

    >>> options_in("Result: ☒ passed ☐ failed")
    ('passed', 'failed')
    """
    found = ((box, option.strip()) for box, option in _OPTION.findall(text))
    options = [(box, option) for box, option in found if len(option.split()) <= _LONGEST]
    chosen = (option for box, option in options if box != _UNCHECKED)
    return " ".join(chosen), " ".join(option for box, option in options if box == _UNCHECKED)
