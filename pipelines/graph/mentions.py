"""Finds mentions of documents by name, in one pass over each text, and reads the citation context around them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pipelines.core import codec
from pipelines.core.ids import digest
from pipelines.graph.document_names import number_at_start
from pipelines.graph.document_profile import DocumentProfile
from pipelines.lang.characters import fold, is_joined
from pipelines.lang.word_lists import FoundWord, StringFinder, any_of, words_in
from pipelines.store.artifact import ArtifactStore

STAGE = "mentions"
_VERSION = "6"
"""To be raised when a change in the code finds other mentions for the same names and texts."""
REACH = 60
"""Characters before and after a name that are read as its citation context."""
_PARTS = ("section", "appendix", "table", "figure")
_POINTERS = ("see", "supersedes", "superseded")
"""Fields of `pipelines/lang/data/wording.toml`: words before a part's number, and words that refer to a document."""
_TO_NAME_SPACED = re.compile(rf" (?:{any_of('article')} )?[\"'(\[]?", re.IGNORECASE)
_TO_NAME_UNSPACED = re.compile(r"[ :：]?[《「\"]?")
_NAME_OPENS = ("《", "「", '"')
"""Marks that by themselves show that a document's name follows."""
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
    """The citation context of a document's name.

    `part` is the number of the cited section; the words for it are in `before` or `behind`, before or after the name:
    "clause 7.3 of NAME", "NAME, section 4.2", "NAME第4.2节". `revision` is the revision given after the name, `number`
    the document number directly after it ("Service Bulletin SB-12").
    `takes_place` is 1 if the text says that its document supersedes the named one, -1 for the reverse, else 0.
    """

    part: str = ""
    before: str = ""
    behind: str = ""
    revision: str = ""
    takes_place: int = 0
    number: str = ""


NO_CONTEXT = CitationContext()


@dataclass(frozen=True, slots=True)
class ChunkText:
    """The id and text of a chunk, and its offset in the document's text."""

    chunk: str
    start: int
    text: str


TextOf = Callable[[str], Sequence[ChunkText]]
"""Returns the chunks of the document with this id, with their offsets in its text."""


@dataclass(frozen=True, slots=True)
class NameMention:
    """A name found in a text: the folded name, its span in the document's text, and its spelling there (`surface`).

    `cue` is true if the words before it refer to a document ("see ..."); `around` is the citation context.
    """

    name: str
    chunk: str
    start: int
    end: int
    surface: str
    cue: bool
    around: CitationContext = NO_CONTEXT


class NameMatcher:
    """Searches texts for a set of folded names.

    `digest` identifies the set and the version of the search, so that found mentions can be reused.
    """

    def __init__(self, folded: Iterable[str]) -> None:
        names = sorted(set(folded) - {""})
        self.digest = digest("\n".join((_VERSION, *names)).encode("utf-8", "surrogatepass"))
        self._finder = StringFinder(dict(zip(names, names, strict=True)))

    def find(self, passages: Sequence[ChunkText]) -> tuple[NameMention, ...]:
        """Return the mentions in reading order; whole words only, and of overlapping names the longest."""
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
    """Whether the span consists of whole words; Chinese has no gaps between words."""
    return not (is_joined(text, start) or is_joined(text, end) or _continues(text, end))


def _continues(text: str, end: int) -> bool:
    """Whether a number continues after `end`, as in "DS-2041-B" and "4.2.1"; a full stop does not continue it."""
    return text[end - 1].isdigit() and text[end : end + 1] in {"-", ".", "/"} and text[end + 1 : end + 2].isalnum()


def _longest(spans: list[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    reach = -1
    for start, end, name in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start >= reach:
            yield start, end, name
            reach = end


@dataclass(frozen=True, slots=True)
class _Scanned:
    """The mentions found in a document; `state` identifies its text and the names searched."""

    state: str
    hits: tuple[NameMention, ...]


def find_mentions(
    profile: DocumentProfile,
    names: NameMatcher,
    text_of: TextOf,
    cache: ArtifactStore | None,
) -> tuple[NameMention, ...]:
    """Return the mentions of `names` in a document, from `cache` if neither the text nor the names have changed."""
    if cache is None:
        return names.find(text_of(profile.document))
    key = cache_key(profile.document)
    state = f"{names.digest} {profile.chunks}"
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
    """Return whether the words directly before a name refer to a document, and the citation context of the name.

    `before` and `after` are the `REACH` characters around the name.

    >>> read_citation("as described in section 3 of the ", "")[1].part
    '3'
    """
    folded = fold(before)
    words = [word for word in words_in(folded, *_PARTS, *_POINTERS) if word.begins]
    part, cited_before, cited_behind = _part(before, after, words)
    revision = _REVISION_BEHIND.match(after)
    found = CitationContext(
        part,
        cited_before,
        cited_behind,
        revision["revision"].upper() if revision else "",
        _takes_place(before, words),
        number_at_start(after),
    )
    return _refers(folded, words), NO_CONTEXT if found == NO_CONTEXT else found


def _refers(folded: str, words: Sequence[FoundWord]) -> bool:
    """Whether a text ends with words that refer to a document ("see ", "according to the ") or a quotation mark."""
    return folded.endswith(_NAME_OPENS) or any(
        (_TO_NAME_SPACED if word.spaced else _TO_NAME_UNSPACED).fullmatch(folded, word.end)
        for word in words
        if word.field in _POINTERS
    )


def _part(before: str, after: str, words: Sequence[FoundWord]) -> tuple[str, str, str]:
    for word in words:
        if word.field in _PARTS and (match := _NUMBER_TO_NAME.fullmatch(before, word.end)):
            return match["number"], before[word.start :], ""
    if match := _PART_BEHIND.match(after) or _CHINESE_PART.match(after):
        return match["number"], "", match.group()
    return "", "", ""


def _takes_place(before: str, words: Sequence[FoundWord]) -> int:
    near = {word.field for word in words if word.ends and _SAME_CLAUSE.fullmatch(before, word.end)}
    return -1 if "superseded" in near else 1 if "supersedes" in near else 0
