"""Where names of documents stand in texts: one automaton for all names, one pass over each text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import ahocorasick

from pipelines.core.ids import digest
from pipelines.graph.around import NOTHING, REACH, Around, around
from pipelines.graph.names import fold
from pipelines.lang.characters import CJK_CHARACTER

_WORD_CHARACTER = re.compile(r"\w")
# What stands directly before a name when the text points at a document.
_CUE = re.compile(
    r"(?:\b(?:see(?: also)?|refer(?:s|red)? to|according to|described in|specified in|defined in|set out in|listed in"
    r"|accordance with|cf\.?|as per|consult|supersed(?:es|ed by)|replac(?:es|ed by)|siehe|laut|gemäß|vgl\.|voir|selon)"
    r" (?:the |our |dem |der |das |die )?[\"'(\[]?"
    r"|(?:参见|参阅|参考|详见|请见|根据|依据|按照|取代|替代|引自)[ :：]?[《「“\"]?|[《「\"]|[(\[]see )$"
)
_CUE_REACH = 32


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document's text, with the chunk that it is and where it begins."""

    chunk: str
    start: int
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A name found: which, where in the document's text, as written, and whether the text points at a document.

    `around` is what stands around it.
    """

    name: str
    chunk: str
    start: int
    end: int
    surface: str
    cue: bool
    around: Around = NOTHING


class Names:
    """A set of folded names, ready to be looked for. `digest` stands for the set: what was found under it holds."""

    def __init__(self, folded: Iterable[str]) -> None:
        names = sorted(set(folded) - {""})
        self.digest = digest("\n".join(names).encode("utf-8", "surrogatepass"))
        self._automaton = ahocorasick.Automaton(ahocorasick.STORE_INTS)
        self._names = names
        for number, name in enumerate(names):
            self._automaton.add_word(name, number)
        if names:
            self._automaton.make_automaton()

    def find(self, passages: Sequence[Passage]) -> tuple[Hit, ...]:
        """Return the hits in order, each place once, of overlapping names the longest; whole words only."""
        found: dict[tuple[int, int], Hit] = {}
        for passage in passages:
            for hit in self._find(passage):
                found.setdefault((hit.start, hit.end), hit)
        return tuple(found[place] for place in sorted(found))

    def _find(self, passage: Passage) -> Iterator[Hit]:
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

    def _hit(self, passage: Passage, folded: str, start: int, end: int, name: str) -> Hit:
        before = folded[max(0, start - _CUE_REACH) : start]
        return Hit(
            name=name,
            chunk=passage.chunk,
            start=passage.start + start,
            end=passage.start + end,
            surface=passage.text[start:end],
            cue=_CUE.search(before) is not None,
            around=around(passage.text[max(0, start - REACH) : start], passage.text[end : end + REACH]),
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
    """A number goes on in "DS-2041-B" and "4.2.1", not before a full stop."""
    return text[end - 1].isdigit() and text[end : end + 1] in {"-", ".", "/"} and text[end + 1 : end + 2].isalnum()


def _longest(spans: list[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    reach = -1
    for start, end, name in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start >= reach:
            yield start, end, name
            reach = end
