"""Mentions of documents by name: one Aho-Corasick automaton for all names, one pass over each text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import ahocorasick

from pipelines.core import codec
from pipelines.core.ids import digest
from pipelines.graph.document_names import fold
from pipelines.graph.document_profile import DocumentProfile
from pipelines.lang.characters import CJK_CHARACTER
from pipelines.lang.wording import any_of, told_languages
from pipelines.store.artifact import ArtifactStore

_WORD_CHARACTER = re.compile(r"\w")
_SPACED, _UNSPACED = told_languages(spaced=True), told_languages(spaced=False)
_POINTERS = ("see", "supersedes", "superseded")
_CUE = re.compile(
    rf"(?:{any_of(*_POINTERS, languages=_SPACED)} (?:{any_of('article')} )?[\"'(\[]?"
    rf"|{any_of(*_POINTERS, languages=_UNSPACED)}[ :：]?[《「“\"]?|[《「\"])$",
    re.IGNORECASE,
)
"""What stands directly before a name when the text points at a document."""
_CUE_REACH = 32
"""Characters before a name in which a cue ends: the longest cue, an article and a bracket."""
REACH = 60
"""Characters before and after a name that are its citation context."""
_PART = rf"(?:{any_of('section', 'appendix', 'table', 'figure', languages=_SPACED)}|§)"
_PART_NUMBER = r"(?P<number>\d{1,3}(?:\.\d{1,3}){0,5}|(?<=\s)[A-Z](?:\.\d{1,3}){0,4})"
_PART_BEFORE = re.compile(
    rf"{_PART}\s?{_PART_NUMBER}(?:\s?\([a-z0-9]\))?(?:,|\s{any_of('within')})?\s"
    rf"(?:(?:{any_of('article')}|{any_of('document')})\s)?[\"“'(]?$",
    re.IGNORECASE,
)
_PART_BEHIND = re.compile(
    rf"[\"”'》」)]?,?\s?\(?(?:{any_of('within')}\s)?{_PART}\s?{_PART_NUMBER}(?![\w])", re.IGNORECASE
)
_CHINESE_PART = re.compile(r"[》」”\"]?\s?(?:的|中的?)?\s?第\s?(?P<number>\d{1,3}(?:\.\d{1,3}){0,5})\s?[章节節条條款]")
_REVISION_BEHIND = re.compile(
    r",?\s?\(?(?:rev(?:ision)?\.?|version|issue)\s?(?P<revision>[A-Z]\b|\d{1,3}(?:\.\d+)*)", re.IGNORECASE
)
_TAKES_PLACE = re.compile(
    rf"(?:{any_of('supersedes', languages=_SPACED)}\b|{any_of('supersedes', languages=_UNSPACED)})[^.。;；]{{0,24}}$",
    re.IGNORECASE,
)
_GIVES_PLACE = re.compile(rf"{any_of('superseded')}[^.。;；]{{0,24}}$", re.IGNORECASE)
STAGE = "mentions"
_VERSION = "3"
"""Raised when the same names and texts give other hits."""


@dataclass(frozen=True, slots=True)
class CitationContext:
    """What the text around the name of a document says of the citation.

    `part` is the number of the section that stands with it, `before` and `behind` the words for that before and
    behind the name: "clause 7.3 of NAME", "NAME, section 4.2", "NAME第4.2节". `revision` is what stands behind the
    name as such. `takes_place` is 1 where the text says that its document supersedes the named one, -1 for the
    reverse.
    """

    part: str = ""
    before: str = ""
    behind: str = ""
    revision: str = ""
    takes_place: int = 0


NO_CONTEXT = CitationContext()


def citation_context(before: str, after: str) -> CitationContext:
    """Return the citation context in these `REACH` characters before and after a name."""
    part, cited_before, cited_behind = _part(before, after)
    revision = _REVISION_BEHIND.match(after)
    ahead = fold(before)
    takes_place = -1 if _GIVES_PLACE.search(ahead) else 1 if _TAKES_PLACE.search(ahead) else 0
    found = CitationContext(
        part, cited_before, cited_behind, revision["revision"].upper() if revision else "", takes_place
    )
    return NO_CONTEXT if found == NO_CONTEXT else found


def _part(before: str, after: str) -> tuple[str, str, str]:
    if match := _PART_BEFORE.search(before):
        return match["number"], match.group(), ""
    if match := _PART_BEHIND.match(after) or _CHINESE_PART.match(after):
        return match["number"], "", match.group()
    return "", "", ""


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
        self._automaton = ahocorasick.Automaton(ahocorasick.STORE_INTS)
        self._names = names
        for number, name in enumerate(names):
            self._automaton.add_word(name, number)
        if names:
            self._automaton.make_automaton()

    def find(self, passages: Sequence[ChunkText]) -> tuple[NameMention, ...]:
        """Return the mentions in order of place, of overlapping names the longest; whole words only."""
        found: dict[tuple[int, int], NameMention] = {}
        for passage in passages:
            for hit in self._find(passage):
                found.setdefault((hit.start, hit.end), hit)
        return tuple(found[place] for place in sorted(found))

    def _find(self, passage: ChunkText) -> Iterator[NameMention]:
        if not self._names:
            return
        folded = fold(passage.text)
        spans: list[tuple[int, int, str]] = []
        for last, number in self._automaton.iter(folded):
            name = self._names[number]
            start = last + 1 - len(name)
            if _is_whole(folded, start, last + 1):
                spans.append((start, last + 1, name))
        for start, end, name in _longest(spans):
            yield self._hit(passage, folded, start, end, name)

    def _hit(self, passage: ChunkText, folded: str, start: int, end: int, name: str) -> NameMention:
        before = folded[max(0, start - _CUE_REACH) : start]
        return NameMention(
            name=name,
            chunk=passage.chunk,
            start=passage.start + start,
            end=passage.start + end,
            surface=passage.text[start:end],
            cue=_CUE.search(before) is not None,
            around=citation_context(passage.text[max(0, start - REACH) : start], passage.text[end : end + REACH]),
        )


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether a word begins at `start` and one ends at `end`; Chinese has no gaps between words."""
    return not (_joined(text, start) or _joined(text, end) or _goes_on(text, end))


def _joined(text: str, at: int) -> bool:
    if not 0 < at < len(text):
        return False
    one, two = text[at - 1], text[at]
    if CJK_CHARACTER.match(one) or CJK_CHARACTER.match(two):
        return False
    return bool(_WORD_CHARACTER.match(one) and _WORD_CHARACTER.match(two))


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
