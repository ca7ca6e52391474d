"""Tag classes induced from a sample of the corpus: its key factors, generalized to kinds (PIKE-RAG figure 7).

What names are of (persons, organizations, ...) is the same in every corpus; what is induced are the kinds of its
other terms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

from pipelines.atomize.names import find_names
from pipelines.core.ids import normalize
from pipelines.core.knowledge import ChunkTag, TagClass
from pipelines.core.outcome import Outcome

UNNAMED_KIND = "term"
"""The kind of tags that are words for things rather than things."""
NAMED_KINDS = ("person", "organization", "place", "product")
KINDS = (*NAMED_KINDS, UNNAMED_KIND)
"""Kinds of tags where no others are configured or induced."""
_LONGEST_NAME = 3
"""Words of a class's name at most."""


@runtime_checkable
class ClassInducer(Protocol):
    """Anything that can name the kinds of terms that a corpus has."""

    async def induce(self, sample: Sequence[ChunkTag], language: str = "en") -> Outcome[TagClass]:
        """Return the classes of a sample of tags, or why they could not be had. Raises `BudgetExceeded`."""
        ...


def sample_of(tags: Iterable[ChunkTag], size: int = 400) -> list[ChunkTag]:
    """Return the tags of a spread of chunks, `size` of them at most: the same for the same corpus, on any machine."""
    # Ids are digests of content, so their order has nothing to do with the corpus's.
    ordered = sorted(tags, key=lambda tag: (tag.chunk, -tag.weight, tag.tag))
    return ordered[:size]


def kind_of_name(term: str) -> str:
    """Return "identifier", "standard", "organization" and the like, "name" for other names, empty for plain terms."""
    (name, *_) = find_names(term, ()) or (None,)
    return (name.type or "name") if name is not None and name.surface == term else ""


def commonest(sample: Sequence[ChunkTag], limit: int) -> list[str]:
    """Return the texts that most tags of the sample have, the commonest first."""
    counts = Counter(tag.text for tag in sample)
    return sorted(counts, key=lambda text: (-counts[text], text))[:limit]


def distinct_classes(named: Iterable[tuple[str, str]]) -> tuple[TagClass, ...]:
    """Return the classes of these names and descriptions, each once and none with a name that is a sentence."""
    found: dict[str, TagClass] = {}
    for name, description in named:
        if name and len(name.split()) <= _LONGEST_NAME:
            found.setdefault(normalize(name), TagClass(TagClass.make_id(name), normalize(name), description))
    return tuple(found.values())
