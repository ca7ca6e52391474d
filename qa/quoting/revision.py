"""What the revision of a document counts for: the one that the question names, or else the one that holds now."""

from __future__ import annotations

import re

from pipelines.retrieve.hit import Hit

SUPERSEDED = 0.04
"""What a unit of a document loses that a newer one takes the place of, unless the question is about revisions."""
NAMED = 0.08
"""What a unit of a document gains whose revision the question names."""
_HEAD = 300
"""Characters of a chunk in which it may tell its document's revision."""
_REVISION = re.compile(r"(?<![^\W_])(?i:rev(?:ision)?)\.?[\s_-]*([A-Z]|\d+(?:\.\d+)*)(?![^\W_])")
_OF_REVISIONS = re.compile(
    r"\b(?:rev(?:isions?)?|versions?|editions?|old|former(?:ly)?|earlier|previous(?:ly)?|original(?:ly)?|archived?"
    r"|superseded|replaced|changed?|differ(?:s|ence)?)\b|版|修订|旧|以前|原来|变更",
    re.IGNORECASE,
)


def revision_gain(hit: Hit, question: str) -> float:
    """Return what a unit of `hit` gains, or loses, by its document's revision."""
    if asked := set(_REVISION.findall(question)):
        told = _REVISION.findall(f"{hit.uri} {hit.title} {hit.chunk.text[:_HEAD]}")
        return NAMED if asked.intersection(told) else 0.0
    return -SUPERSEDED if hit.superseded_by and not _OF_REVISIONS.search(question) else 0.0
