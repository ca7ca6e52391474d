"""Text from outside, made fit to be shown: nothing in it moves a cursor, turns a line around or hides.

What is stored stays as it is; this is for terminals and pages, where names, titles, reasons, quotes and the words of a
model stand beside our own.
"""

from __future__ import annotations

import re

LINE_BREAK = "⏎"
"""What a line break becomes in a text that is to stay on one line."""

# Controls, separators, soft hyphens, direction marks, invisible operators, fillers, tags and lone surrogates. Joiners
# are needed between letters of some scripts and in emoji; anywhere else they hide.
HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]|(?<![^\x00-\x7f\u200c\u200d])[\u200c\u200d]"
)
"""Every character that is obeyed or hides, but for tabs and line ends."""
_LINE_END = re.compile("\r\n?")


def shown(text: str) -> str:
    """Return `text` as one line, every character of it visible: ESC is `<U+001B>`, a line break `LINE_BREAK`."""
    if text.isascii() and text.isprintable():
        return text
    return shown_lines(text).replace("\n", LINE_BREAK).replace("\t", " ")


def shown_lines(text: str) -> str:
    """Return `text` likewise with its lines and tabs kept."""
    if text.isascii() and text.isprintable():
        return text
    return HIDDEN.sub(lambda found: f"<U+{ord(found[0]):04X}>", _LINE_END.sub("\n", text))
