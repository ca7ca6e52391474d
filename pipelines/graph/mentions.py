"""Mentions of documents by name, found in one pass over each text, and what the text around says of the citation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pipelines.core import codec
from pipelines.core.ids import digest
from pipelines.graph.document_profile import DocumentProfile
from pipelines.lang.characters import fold, is_joined
from pipelines.lang.find import StringFinder
from pipelines.lang.word_lists import FoundWord, any_of, words_in
from pipelines.store.artifact import ArtifactStore

STAGE = "mentions"
_VERSION = "4"
"""Raised when the same names and texts give other hits."""
REACH = 60
"""Characters before and after a name that are its citation context."""
_PARTS = ("section", "appendix", "table", "figure")
_POINTERS = ("see", "supersedes", "superseded")
"""Fields of `pipelines/lang/data/wording.toml`: what stands before the number of a part, what points at a document."""
_TO_NAME_SPACED = re.compile(rf" (?:{any_of('article')} )?[\"'(\[]?", re.IGNORECASE)
_TO_NAME_UNSPACED = re.compile(r"[ :：]?[《「\"]?")
_NAME_OPENS = ("《", "「", '"')
"""Marks before a name that alone show that it is one."""
_SAME_CLAUSE = re.compile(r"[^.。;；]{0,24}")
_PART_NUMBER = r"\s?(?P<number>\d{1,3}(?:\.\d{1,3}){0,5}|(?<=\s)[A-Z](?:\.\d{1,3}){0,4})"
_NUMBER_TO_NAME = re.compile(
    rf"{_PART_NUMBER}(?:\s?\([a-z0-9]\))?(?:,|\s{any_of('within')})?\s"
    rf"(?:(?:{any_of('article')}|{any_of('document')})\s)?[\"“'(]?",
    re.IGNORECASE,
)
_PART_BEHIND = re.compile(
    rf"[\"”'》」)]?,?\s?\(?(?:{any_of('within')}\s)?{any_of(*_PARTS)}"
    rf"{_PART_NUMBER}(?![\w])",
    re.IGNORECASE,
)
_CHINESE_PART = re.compile(r"[》」”\"]?\s?(?:的|中的?)?\s?第\s?(?P<number>\d{1,3}(?:\.\d{1,3}){0,5})\s?[章节節条條款]")
_REVISION_BEHIND = re.compile(
    rf",?\s?\(?{any_of('revision')}\.?\s?(?P<revision>[A-Z]\b|\d{{1,3}}(?:\.\d+)*)", re.IGNORECASE
)


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


def find_mentions(
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


def read_citation(before: str, after: str) -> tuple[bool, CitationContext]:
    """Return whether what stands directly before a name points at a document, and the citation context of the name.

    `before` and `after` are the `REACH` characters around it.

    >>> read_citation("as described in section 3 of the ", "")[1].part
    '3'
    """
    folded = fold(before)
    told = [word for word in words_in(folded, *_PARTS, *_POINTERS) if word.begins]
    part, cited_before, cited_behind = _part(before, after, told)
    revision = _REVISION_BEHIND.match(after)
    found = CitationContext(
        part, cited_before, cited_behind, revision["revision"].upper() if revision else "", _takes_place(before, told)
    )
    return _points(folded, told), NO_CONTEXT if found == NO_CONTEXT else found


def _points(folded: str, told: Sequence[FoundWord]) -> bool:
    """Whether a text ends with "see ", "according to the ", a quotation mark."""
    return folded.endswith(_NAME_OPENS) or any(
        (_TO_NAME_SPACED if word.spaced else _TO_NAME_UNSPACED).fullmatch(folded, word.end)
        for word in told
        if word.field in _POINTERS
    )


def _part(before: str, after: str, told: Sequence[FoundWord]) -> tuple[str, str, str]:
    for word in told:
        if word.field in _PARTS and (match := _NUMBER_TO_NAME.fullmatch(before, word.end)):
            return match["number"], before[word.start :], ""
    if match := _PART_BEHIND.match(after) or _CHINESE_PART.match(after):
        return match["number"], "", match.group()
    return "", "", ""


def _takes_place(before: str, told: Sequence[FoundWord]) -> int:
    near = {word.field for word in told if word.ends and _SAME_CLAUSE.fullmatch(before, word.end)}
    return -1 if "superseded" in near else 1 if "supersedes" in near else 0
