"""Mentions of documents by name: one Aho-Corasick automaton for all names, one pass over each text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pipelines.core import codec
from pipelines.core.ids import digest
from pipelines.graph.citation_context import NO_CONTEXT, REACH, CitationContext, read_citation
from pipelines.graph.document_profile import DocumentProfile
from pipelines.lang.characters import fold, is_joined
from pipelines.lang.find import StringFinder
from pipelines.store.artifact import ArtifactStore

STAGE = "mentions"
_VERSION = "4"
"""Raised when the same names and texts give other hits."""


@dataclass(frozen=True, slots=True)
class ChunkText:
    """The text of a chunk, its id, and where it begins in the document's text."""

    chunk: str
    start: int
    text: str


@dataclass(frozen=True, slots=True)
class NameMention:
    """A name found in a text: which one, where in the document's text, and as written (`surface`).

    `cue` says that words before it point at a document ("see ..."), `around` is its citation context.
    """

    name: str
    chunk: str
    start: int
    end: int
    surface: str
    cue: bool
    around: CitationContext = NO_CONTEXT


class NameMatcher:
    """A set of folded names to search texts for. `digest` is that of the set: mentions found with it stay valid."""

    def __init__(self, folded: Iterable[str]) -> None:
        names = sorted(set(folded) - {""})
        self.digest = digest("\n".join(names).encode("utf-8", "surrogatepass"))
        self._finder = StringFinder(dict(zip(names, names, strict=True)))

    def find(self, passages: Sequence[ChunkText]) -> tuple[NameMention, ...]:
        """Return the mentions in order of place, of overlapping names the longest; whole words only."""
        found: dict[tuple[int, int], NameMention] = {}
        for passage in passages:
            for hit in self._find(passage):
                found.setdefault((hit.start, hit.end), hit)
        return tuple(found[place] for place in sorted(found))

    def _find(self, passage: ChunkText) -> Iterator[NameMention]:
        folded = fold(passage.text)
        whole = [span for span in self._finder.find(folded) if _is_whole(folded, *span[:2])]
        for start, end, name in _longest(whole):
            yield self._hit(passage, folded, start, end, name)

    def _hit(self, passage: ChunkText, folded: str, start: int, end: int, name: str) -> NameMention:
        before = passage.text[max(0, start - REACH) : start]
        cue, around = read_citation(before, passage.text[end : end + REACH])
        return NameMention(
            name=name,
            chunk=passage.chunk,
            start=passage.start + start,
            end=passage.start + end,
            surface=passage.text[start:end],
            cue=cue,
            around=around,
        )


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether a word begins at `start` and one ends at `end`; Chinese has no gaps between words."""
    return not (is_joined(text, start) or is_joined(text, end) or _goes_on(text, end))


def _goes_on(text: str, end: int) -> bool:
    """Whether a number continues after `end`, as in "DS-2041-B" and "4.2.1", but not before a full stop."""
    return text[end - 1].isdigit() and text[end : end + 1] in {"-", ".", "/"} and text[end + 1 : end + 2].isalnum()


def _longest(spans: list[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    reach = -1
    for start, end, name in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start >= reach:
            yield start, end, name
            reach = end


@dataclass(frozen=True, slots=True)
class _Scanned:
    """The mentions found in a document; `state` stands for its text and the names."""

    state: str
    hits: tuple[NameMention, ...]


def find_names(
    profile: DocumentProfile,
    names: NameMatcher,
    text_of: Callable[[str], Sequence[ChunkText]],
    cache: ArtifactStore | None,
) -> tuple[NameMention, ...]:
    """Return the mentions of `names` in a document, from `cache` where its text and the names are the same."""
    if cache is None:
        return names.find(text_of(profile.document))
    key = cache_key(profile.document)
    state = f"{_VERSION} {names.digest} {profile.chunks}"
    kept = cache.get(STAGE, key)
    if kept is not None and (scanned := codec.decode(kept, _Scanned)).state == state:
        return scanned.hits
    hits = names.find(text_of(profile.document))
    cache.remove(STAGE, key)
    cache.put(STAGE, key, codec.encode(_Scanned(state, hits)))
    return hits


def cache_key(document: str) -> str:
    """Return the key of a document's artifact of the stage "mentions"."""
    return document.rpartition(":")[2]
