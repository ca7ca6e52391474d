"""Options with check boxes in a form: "Result: ☒ passed ☐ failed"."""

from __future__ import annotations

import re

_OPTION = re.compile(r"([☐☑☒])[^\S\n]*([^☐☑☒|\n]*)")
_UNCHECKED = "☐"


def options_in(text: str) -> tuple[str, str]:
    """Return the options of a text that are checked, and the others.

    >>> options_in("Result: ☒ passed ☐ failed")
    ('passed', 'failed')
    """
    options = [(box, option.strip()) for box, option in _OPTION.findall(text)]
    chosen = (option for box, option in options if box != _UNCHECKED)
    return " ".join(chosen), " ".join(option for box, option in options if box == _UNCHECKED)
