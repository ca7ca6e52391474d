"""Safe display of untrusted text, in a terminal and on an HTML page.

Stored text is never changed: names, titles, reasons, quotes and model output are made safe when they are printed.
`shown` is for terminals; pages use `content_security_policy` in addition to HTML escaping.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256

LINE_BREAK = "⏎"
"""Replaces a line break in a text that must stay on one line."""

# Controls, separators, soft hyphens, direction marks, invisible operators, fillers, tags and lone surrogates. Joiners
# are needed between letters of some scripts and in emoji; elsewhere they are invisible.
HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]|(?<![^\x00-\x7f\u200c\u200d])[\u200c\u200d]"
)
"""Every character that is interpreted or invisible, except tabs and line ends."""
_LINE_END = re.compile("\r\n?")


def shown(text: str) -> str:
    """Return `text` as one line with every character visible: ESC becomes `<U+001B>`, a line break `LINE_BREAK`."""
    if text.isascii() and text.isprintable():
        return text
    return shown_lines(text).replace("\n", LINE_BREAK).replace("\t", " ")


def shown_lines(text: str) -> str:
    """Like `shown`, but keep line breaks and tabs."""
    if text.isascii() and text.isprintable():
        return text
    return HIDDEN.sub(lambda found: f"<U+{ord(found[0]):04X}>", _LINE_END.sub("\n", text))


def content_security_policy(style: str, scripts: Iterable[str] = (), placed: bool = False) -> str:
    """Return the `<meta>` element with the policy of a page with this style sheet and these scripts.

    The page loads nothing, and the browser runs only scripts with these digests, so document text that becomes markup
    has no effect. `placed` allows `style` attributes, which position boxes.
    """
    rules = [
        "default-src 'none'",
        f"style-src {_known([style])}",
        *(["style-src-attr 'unsafe-inline'"] if placed else []),
        f"script-src {_known(scripts)}",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    return f'<meta http-equiv="Content-Security-Policy" content="{"; ".join(rules)}">'


def _known(texts: Iterable[str]) -> str:
    digests = [f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in texts]
    return " ".join(digests) or "'none'"
