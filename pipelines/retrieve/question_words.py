"""The words of a question as the corpus has them: stemmed in each of its languages, and in other spellings.

A word stands in a chunk by the stem that it has in the chunk's language. What comes near it counts less: the parts of a
compound and the compounds that a word is part of (Koehn and Knight 2003, section 3: a compound is split into words of
the corpus), one word for two and two for one ("time zone", "timezone"), and for a word that no chunk has the nearest
spellings (Damerau 1964).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pipelines.lang.profile import profile
from pipelines.lang.spelling import edits_taken, spelled_like
from pipelines.lang.terms import forms, stop_words, words
from pipelines.retrieve.index import Index
from pipelines.retrieve.sparse_rows import Numbers

NEAR = 0.5
"""What a word counts that is near to one of the question, against 1 for the word itself."""
_SHORTEST_PART = 3
"""Letters of a part of a compound at least (Koehn and Knight 2003)."""
_SHORTEST_INSIDE = 5
"""Letters of a word that is looked for inside longer ones."""
_MOST_NEAR = 12
"""Words near to one of the question at most, those of the most chunks."""


@dataclass(frozen=True, slots=True)
class QuestionWord:
    """A term of the question. `exact` and `near` are what stands for it in the corpus: numbers of terms.

    A term of `exact` counts in the chunks of one language only: pairs of a term and a place in `Index.languages`.
    `near` has weights under 1.
    """

    term: str
    exact: tuple[tuple[int, int], ...] = ()
    near: dict[int, float] = field(default_factory=dict)


class CorpusWords:
    """Looks the words of questions up in the vocabulary of an index."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._compounding = any(profile(language).compounds for language in index.languages)

    def of(self, text: str, language: str) -> list[QuestionWord]:
        """Return the terms of a question in `language`, each once, in order; stop words left out."""
        said = [word for word in words(text, language) if word not in stop_words(language)]
        found: dict[str, QuestionWord] = {}
        for place, word in enumerate(said):
            beside = [said[place - 1] + word] * (place > 0) + [word + after for after in said[place + 1 : place + 2]]
            for position, term in enumerate(forms(word, language)):
                if term not in found and (term == word or term not in stop_words(language)):
                    found[term] = self._word(term, word, position, beside)
        return list(found.values())

    def stands(self, word: str, language: str) -> float:
        """Return the share of the chunks in one of the corpus's languages that have a word, in [0, 1]."""
        place = self._index.languages.index(language)
        number = self._index.vocabulary.get(forms(word, language)[0], -1)
        if number < 0 or number >= self._index.postings.size:
            return 0.0
        return len(chunks_of(self._index, number, place)) / max(1, int(self._sizes[place]))

    def _word(self, term: str, word: str, position: int, beside: Iterable[str]) -> QuestionWord:
        exact = self._exact(word, position)
        if position == 0 and not word.isalnum():
            exact = (*exact, *self._exact("".join(filter(str.isalnum, word)), 0))
        near: dict[int, float] = {}
        if word.isalpha() and len(forms(word, "")) == 1:
            near = self._near(word, bool(exact), beside)
        for number, _ in exact:
            near.pop(number, None)
        return QuestionWord(term, exact, near)

    def _exact(self, word: str, position: int) -> tuple[tuple[int, int], ...]:
        found = []
        for place, language in enumerate(self._index.languages):
            number = self._index.vocabulary.get(forms(word, language)[position], -1)
            if number >= 0 and word not in stop_words(language) and self._stands(number, place):
                found.append((number, place))
        return tuple(found)

    def _stands(self, number: int, language: int) -> bool:
        """Whether a term stands in a chunk of a language, or is a word of a document's name."""
        named = len(self._index.term_documents.columns_of(number))
        return bool(named) or bool(len(chunks_of(self._index, number, language)))

    def _near(self, word: str, known: bool, beside: Iterable[str]) -> dict[int, float]:
        found = {number: NEAR for one in beside for number in self._numbers(one)}
        if self._compounding or not known:
            parts = self._parts(word)
            found |= dict.fromkeys(parts, NEAR / max(1, len(parts)) if known else NEAR)
        if self._compounding:
            found |= dict.fromkeys(self._containing(word), NEAR)
        if not known and not found:
            found = dict.fromkeys(self._spelled_like(word), NEAR)
        return found

    def _numbers(self, word: str) -> list[int]:
        """The terms that stand for a word in any language of the corpus, those that some chunk has."""
        numbers = {self._index.vocabulary.get(forms(word, language)[0], -1) for language in self._index.languages}
        return [number for number in sorted(numbers) if number >= 0 and self._frequency[number]]

    def _parts(self, word: str) -> list[int]:
        """The two parts of a compound: of all splits that of the highest mean frequency, if any."""
        best, chosen = 0.0, list[int]()
        own = max((int(self._frequency[number]) for number in self._numbers(word)), default=0)
        for split in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
            left, right = self._known(self._unlinked(word[:split])), self._known([word[split:]])
            mean = math.sqrt(left[0] * right[0])
            if mean > max(best, own):
                best, chosen = mean, [*left[1], *right[1]]
        return chosen

    def _known(self, spelled: Iterable[str]) -> tuple[int, list[int]]:
        """The commonest of these words: in how many chunks it stands, and its terms."""
        found = [self._numbers(one) for one in spelled if len(one) >= _SHORTEST_PART and not self._is_stop(one)]
        return max(((int(self._frequency[numbers].max()), numbers) for numbers in found if numbers), default=(0, []))

    def _is_stop(self, word: str) -> bool:
        return any(word in stop_words(language) for language in self._index.languages)

    def _unlinked(self, part: str) -> Iterator[str]:
        """The first part of a compound without the letters that link it to the next."""
        yield part
        for link in {link for language in self._index.languages for link in profile(language).links}:
            if part.endswith(link):
                yield part[: -len(link)]

    def _containing(self, word: str) -> list[int]:
        """Compounds that a word begins or ends."""
        found: set[int] = set()
        for stem in {forms(word, language)[0] for language in self._index.languages}:
            if len(stem) >= _SHORTEST_INSIDE:
                found.update(self._beginning(stem))
                found.update(self._ending(stem))
        return sorted(found, key=lambda number: (-self._frequency[number], number))[:_MOST_NEAR]

    def _beginning(self, start: str) -> Iterator[int]:
        terms = self._index.terms
        for number in range(bisect_left(terms, start), len(terms)):
            if not (term := terms[number]).startswith(start):
                return
            if len(term) >= len(start) + _SHORTEST_PART and self._is_word(term, number):
                yield number

    def _ending(self, end: str) -> Iterator[int]:
        terms, order = self._index.terms, self._index.backwards
        for place in range(bisect_left(order, end[::-1], key=lambda number: terms[number][::-1]), len(order)):
            number = int(order[place])
            if not (term := terms[number]).endswith(end):
                return
            if len(term) >= len(end) + _SHORTEST_PART and self._is_word(term, number):
                yield number

    def _spelled_like(self, word: str) -> list[int]:
        """The terms that differ from a word by the fewest edits."""
        edits = edits_taken(word)
        if not edits:
            return []
        terms = self._index.terms
        first, last = bisect_left(terms, word[0]), bisect_left(terms, chr(ord(word[0]) + 1))
        known = [(term, number) for number, term in enumerate(terms[first:last], first) if self._is_word(term, number)]
        near: dict[int, int] = {}
        for stem in {forms(word, language)[0] for language in self._index.languages}:
            for place, distance in spelled_like(stem, [term for term, _ in known], edits):
                number = known[place][1]
                near[number] = min(distance, near.get(number, edits))
        least = min(near.values(), default=0)
        found = [number for number, distance in near.items() if distance == least]
        return sorted(found, key=lambda number: (-self._frequency[number], number))[:_MOST_NEAR]

    @cached_property
    def _sizes(self) -> NDArray[np.int64]:
        """How many chunks there are in each language."""
        return np.bincount(self._index.language_of, minlength=len(self._index.languages))

    @cached_property
    def _frequency(self) -> Numbers:
        return self._index.postings.counts()

    def _is_word(self, term: str, number: int) -> bool:
        return term.isalpha() and len(term) >= _SHORTEST_PART and bool(self._frequency[number])


def chunks_of(index: Index, number: int, language: int) -> NDArray[np.int64]:
    """Return the places in `postings` of the chunks in a language (its place in `Index.languages`) that have a term."""
    start, end = index.postings.starts[number], index.postings.starts[number + 1]
    places = np.arange(start, end, dtype=np.int64)
    return places if len(index.languages) < 2 else places[index.language_of[index.postings.columns[places]] == language]
