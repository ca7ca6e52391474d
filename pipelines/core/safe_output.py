"""Text from outside made safe to show, in a terminal and on an HTML page.

What is stored stays as it is: names, titles, reasons, quotes and the words of a model are made safe where they are
printed beside our own. `shown` is for terminals; pages have `content_security_policy` beside the escaping of HTML.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256

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


def content_security_policy(style: str, scripts: Iterable[str] = (), placed: bool = False) -> str:
    """Return the policy of a page with this style sheet and these scripts, as a `<meta>` element: it fetches nothing.

    The browser runs what has the digest of one of them and nothing else, so text of a document that came to be markup
    has no effect. `placed` allows `style` attributes, which put boxes where they belong.
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
