"""What an HTML page of ours may do, told to the browser: run its own scripts, show its own pictures, fetch nothing."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256


def policy(style: str, scripts: Iterable[str] = (), placed: bool = False) -> str:
    """Return the content security policy of a page with this style sheet and these scripts, as a `<meta>` element.

    Each is known by its digest, so text of a document that came to be markup would run nothing and look like nothing.
    `placed` allows `style` attributes, which put boxes where they belong.
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
