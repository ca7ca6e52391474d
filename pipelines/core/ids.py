"""Content identities: the same thing has the same id on every machine."""

from __future__ import annotations

import hashlib
import unicodedata

ID_HEX_DIGITS = 32


def digest(data: bytes) -> str:
    """Return the SHA-256 of `data` as 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def content_id(kind: str, *parts: str | int) -> str:
    """Return `kind:` followed by the first 128 bits of the SHA-256 over `parts`.

    Parts are length-prefixed, so ("ab", "c") and ("a", "bc") differ; their order matters.
    """
    hasher = hashlib.sha256()
    for part in parts:
        encoded = str(part).encode("utf-8", "surrogatepass")
        hasher.update(f"{len(encoded)}:".encode())
        hasher.update(encoded)
    return f"{kind}:{hasher.hexdigest()[:ID_HEX_DIGITS]}"


def normalize(text: str) -> str:
    """Return `text` in NFKC, case-folded, with white space collapsed: the form in which names are compared."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
