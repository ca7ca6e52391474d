"""Looks up the words of a question in the corpus, stemmed in each of its languages and in other spellings.

A word matches a chunk by its stem in the chunk's language. Similar words count less: parts of a compound and compounds
that contain the word (Koehn and Knight 2003, section 3: compounds are split into words of the corpus), words written
together or apart ("time zone", "timezone"), and, for a word in no chunk, the nearest spellings (Damerau 1964) and what
may be other forms of it (`pipelines.lang.terms.is_akin`).
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
from pipelines.lang.terms import SHORTEST_ROOT, forms, is_akin, max_edits, spelled_like, stop_words, words
from pipelines.retrieve.index import Index
from pipelines.retrieve.sparse_rows import Numbers

NEAR = 0.5
"""Weight of a similar word; the word itself has 1."""
SHORTEST_PART = 3
"""Minimum letters of a part of a compound (Koehn and Knight 2003)."""
SHORTEST_INSIDE = 5
"""Minimum letters of a word that is searched inside longer ones."""
_MAX_NEAR = 12
"""Maximum similar words for a question word, the most frequent ones."""


@dataclass(frozen=True, slots=True)
class QuestionWord:
    """A term of the question with its matches in the corpus.

    `exact` are pairs of a term number and the index of a language in `Index.languages`: the term matches only in chunks
    of this language. `near` maps the numbers of similar terms to weights below 1.
    """

    term: str
    exact: tuple[tuple[int, int], ...] = ()
    near: dict[int, float] = field(default_factory=dict)


class CorpusWords:
    """Looks up words of questions in the vocabulary of an index."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._compounding = any(profile(language).compounds for language in index.languages)

    def of(self, text: str, language: str) -> list[QuestionWord]:
        """Return the terms of a question in `language`, each once, in order, without stop words."""
        kept = [word for word in words(text, language) if word not in stop_words(language)]
        found: dict[str, QuestionWord] = {}
        for place, word in enumerate(kept):
            neighbours = [kept[place - 1] + word] * (place > 0) + [
                word + after for after in kept[place + 1 : place + 2]
            ]
            for position, term in enumerate(forms(word, language)):
                if term not in found and (term == word or term not in stop_words(language)):
                    found[term] = self._word(term, word, position, neighbours)
        return list(found.values())

    def chunk_share(self, word: str, language: str) -> float:
        """Return the share of the chunks in `language`, one of the corpus's, that contain a word, in [0, 1]."""
        place = self._index.languages.index(language)
        number = self._index.vocabulary.get(forms(word, language)[0], -1)
        if number < 0 or number >= self._index.postings.size:
            return 0.0
        return len(chunks_of(self._index, number, place)) / max(1, int(self._sizes[place]))

    def _word(self, term: str, word: str, position: int, neighbours: Iterable[str]) -> QuestionWord:
        exact = self._exact(word, position)
        if position == 0 and not word.isalnum():
            exact = (*exact, *self._exact("".join(filter(str.isalnum, word)), 0))
        near: dict[int, float] = {}
        if word.isalpha() and len(forms(word, "")) == 1:
            near = self._near(word, bool(exact), neighbours)
        for number, _ in exact:
            near.pop(number, None)
        return QuestionWord(term, exact, near)

    def _exact(self, word: str, position: int) -> tuple[tuple[int, int], ...]:
        found = []
        for place, language in enumerate(self._index.languages):
            number = self._index.vocabulary.get(forms(word, language)[position], -1)
            if number >= 0 and word not in stop_words(language) and self._occurs(number, place):
                found.append((number, place))
        return tuple(found)

    def _occurs(self, number: int, language: int) -> bool:
        """Whether a term occurs in a chunk of a language, or in the name of a document."""
        named = len(self._index.term_documents.columns_of(number))
        return bool(named) or bool(len(chunks_of(self._index, number, language)))

    def _near(self, word: str, known: bool, neighbours: Iterable[str]) -> dict[int, float]:
        found = {number: NEAR for one in neighbours for number in self._numbers(one)}
        if self._compounding or not known:
            parts = self._parts(word)
            found |= dict.fromkeys(parts, NEAR / max(1, len(parts)) if known else NEAR)
        if self._compounding:
            found |= dict.fromkeys(self._containing(word), NEAR)
        if not known and not found:
            found = dict.fromkeys([*self._spelled_like(word), *self._akin(word)][:_MAX_NEAR], NEAR)
        return found

    def _numbers(self, word: str) -> list[int]:
        """Return the terms of a word in all languages of the corpus, if a chunk contains them."""
        numbers = {self._index.vocabulary.get(forms(word, language)[0], -1) for language in self._index.languages}
        return [number for number in sorted(numbers) if number >= 0 and self._frequency[number]]

    def _parts(self, word: str) -> list[int]:
        """Return the terms of the two parts of a compound, split where the mean frequency is highest, if any."""
        best, chosen = 0.0, list[int]()
        own = max((int(self._frequency[number]) for number in self._numbers(word)), default=0)
        for split in range(SHORTEST_PART, len(word) - SHORTEST_PART + 1):
            left = self._known(unlinked(word[:split], self._index.languages))
            right = self._known([word[split:]])
            mean = math.sqrt(left[0] * right[0])
            if mean > max(best, own):
                best, chosen = mean, [*left[1], *right[1]]
        return chosen

    def _known(self, spelled: Iterable[str]) -> tuple[int, list[int]]:
        """Return the most frequent of these words: the number of its chunks and its terms."""
        found = [self._numbers(one) for one in spelled if len(one) >= SHORTEST_PART and not self._is_stop(one)]
        return max(((int(self._frequency[numbers].max()), numbers) for numbers in found if numbers), default=(0, []))

    def _is_stop(self, word: str) -> bool:
        return any(word in stop_words(language) for language in self._index.languages)

    def _containing(self, word: str) -> list[int]:
        """Return the compounds that begin or end with a word."""
        found: set[int] = set()
        for stem in {forms(word, language)[0] for language in self._index.languages}:
            if len(stem) >= SHORTEST_INSIDE:
                longer = (*self._beginning(stem), *self._ending(stem))
                found.update(one for one in longer if len(self._index.terms[one]) >= len(stem) + SHORTEST_PART)
        return sorted(found, key=lambda number: (-self._frequency[number], number))[:_MAX_NEAR]

    def _beginning(self, start: str) -> Iterator[int]:
        terms = self._index.terms
        for number in range(bisect_left(terms, start), len(terms)):
            if not (term := terms[number]).startswith(start):
                return
            if self._is_word(term, number):
                yield number

    def _ending(self, end: str) -> Iterator[int]:
        terms, order = self._index.terms, self._index.backwards
        for place in range(bisect_left(order, end[::-1], key=lambda number: terms[number][::-1]), len(order)):
            number = int(order[place])
            if not (term := terms[number]).endswith(end):
                return
            if self._is_word(term, number):
                yield number

    def _akin(self, word: str) -> list[int]:
        """Return the terms that may be another form of a word."""
        found: set[int] = set()
        for stem in {forms(word, language)[0] for language in self._index.languages}:
            beginning = self._beginning(stem[:SHORTEST_ROOT])
            found.update(number for number in beginning if is_akin(stem, self._index.terms[number]))
        return sorted(found, key=lambda number: (-self._frequency[number], number))

    def _spelled_like(self, word: str) -> list[int]:
        """Return the terms with the fewest edits from a word."""
        edits = max_edits(word)
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
        return sorted(found, key=lambda number: (-self._frequency[number], number))[:_MAX_NEAR]

    @cached_property
    def _sizes(self) -> NDArray[np.int64]:
        """The number of chunks in each language."""
        return np.bincount(self._index.language_of, minlength=len(self._index.languages))

    @cached_property
    def _frequency(self) -> Numbers:
        return self._index.postings.counts()

    def _is_word(self, term: str, number: int) -> bool:
        return term.isalpha() and len(term) >= SHORTEST_PART and bool(self._frequency[number])


def chunks_of(index: Index, number: int, language: int) -> NDArray[np.int64]:
    """Return the positions in `postings` of a term's chunks in a language (an index in `Index.languages`)."""
    start, end = index.postings.starts[number], index.postings.starts[number + 1]
    places = np.arange(start, end, dtype=np.int64)
    return places if len(index.languages) < 2 else places[index.language_of[index.postings.columns[places]] == language]


def unlinked(part: str, languages: Iterable[str]) -> Iterator[str]:
    """Yield the first part of a compound, with and without the linking letters of these languages.

    >>> list(unlinked("betriebs", ["de"]))
    ['betriebs', 'betrieb']
    """
    yield part
    for link in {link for language in languages for link in profile(language).links}:
        if part.endswith(link):
            yield part[: -len(link)]
