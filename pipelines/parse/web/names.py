"""Names for documents inside documents that can become part of an address and never lead out of their container."""

from __future__ import annotations

import re

_FORBIDDEN = re.compile('[\x00-\x1f\x7f<>:"|?*]')
_LONGEST = 120


def safe_path(name: str, otherwise: str) -> str:
    """Return a member's path without "..", drive or leading slash; `otherwise` where nothing remains."""
    parts = [_safe(part) for part in name.replace("\\", "/").split("/")]
    return "/".join(part for part in parts if part) or otherwise


def safe_name(name: str, otherwise: str) -> str:
    """Return the last part of a file name likewise."""
    return safe_path(name, otherwise).rsplit("/", 1)[-1]


def _safe(part: str) -> str:
    """ "!" ends the container in an address ("a.zip!/b"), so no name may end with it."""
    cleaned = _FORBIDDEN.sub("", part).strip(" ").rstrip("!")
    if not cleaned.strip("."):
        return ""
    if len(cleaned) <= _LONGEST:
        return cleaned
    stem, dot, suffix = cleaned.rpartition(".")
    return stem[: _LONGEST - len(suffix) - 1] + dot + suffix if dot and len(suffix) < 12 else cleaned[:_LONGEST]
