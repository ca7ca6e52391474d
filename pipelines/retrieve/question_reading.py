"""Reads a question: its terms with their rarity in the corpus, and what it asks for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pipelines.lang.characters import CAPITAL, fold
from pipelines.lang.comparisons import Comparison, comparison_asked
from pipelines.lang.dates import is_date, parts_of_date
from pipelines.lang.derivation import separated_verb
from pipelines.lang.numbers import calendar
from pipelines.lang.profile import profile
from pipelines.lang.quantities import Kind
from pipelines.lang.questions import (
    capitalized_words,
    compared_words,
    focus_words,
    information,
    nouns_in_apposition,
    question_language,
    subject_words,
    value_kinds,
    value_words,
)
from pipelines.lang.terms import stem, stop_words
from pipelines.lang.word_lists import common_words, cue, cue_words
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.question_terms import QuestionTerms, words_in
from pipelines.retrieve.searches import Lexicon

GENERAL = 0.45
"""Weight of the 3,000 most frequent words of a language, relative to others. With 1 the log loss of confidence
(`benchmarks/refusal.py`) is 0.560, with 0.45 0.539, although with 1 four more of 188 first quotes have the answer."""
_LEAST = 0.02
"""Minimum rarity of a term."""
_NAMES_A_THING = re.compile(r"\d|_|::")
_NUMBERED = re.compile(r"(?<![\w.-])([^\W\d_]{1,20})[ -](\d{1,6})(?![\w%°]|[.,/-]\d)")
"""A name with a number: "UCP 206", "PureBox 5", "hall 3"."""
_LETTER = re.compile(rf"(?<![\w-])(?![{CAPITAL}])[^\W\d_]++ ([{CAPITAL}])(?![\w.'’-])")
"""A capital letter behind a word in small letters ("dimension H"): not "230 V", nor "Solvanol K", which is one name."""
_NEXT_WORD = re.compile(r" ([^\W\d_]++)")
_QUOTED = re.compile(r"\"([^\"]{2,60})\"|[「『《]([^」』》]{2,60})[」』》]")
"""A quotation of up to 60 characters in a folded question; a longer one is a sentence."""


def read_question(question: str, lexicon: Lexicon, languages: Iterable[str] = ()) -> QuestionTerms:
    """Return the analysis of a question, with terms weighted by their rarity in the corpus.

    `languages` are those of the passages, the most frequent first: they are preferred for a question whose language is
    ambiguous, and the rarity of a word is that of its most frequent form in them.
    """
    return _QuestionReader(question, lexicon, tuple(dict.fromkeys(filter(None, languages)))).read()


def languages_of(hits: Sequence[Hit]) -> tuple[str, ...]:
    """Return the languages of the passages, the most frequent first."""
    return tuple(language for language, _ in Counter(hit.chunk.language for hit in hits).most_common())


class _QuestionReader:
    """Reads one question to a corpus in the languages `known`."""

    def __init__(self, question: str, lexicon: Lexicon, known: tuple[str, ...]) -> None:
        self._question = question
        self._lexicon = lexicon
        self._known = known
        self._language = question_language(question, known)

    def read(self) -> QuestionTerms:
        question, language = self._question, self._language
        words, separated = self._words()
        named = frozenset(self._letters())
        functional = {letter.lower() for letter in named}.difference(words)  # "a", French "c": function words
        words |= {letter: letter for letter in functional}
        letters = {term: word.upper() for term, word in words.items() if word.upper() in named}
        weights = {term: self._weight(word) for term, word in words.items()}
        # Most are those of units in the corpus; function words only decide between units that have all others.
        weights |= {term: _LEAST if term in functional else max(weights[term], GENERAL) for term in letters}
        content = {term: word for term, word in words.items() if term not in functional}
        codes = frozenset(letters.keys() - functional).union(
            term for term, word in words.items() if _NAMES_A_THING.search(word)
        )
        lists, how_many = self._has("lists"), cue("how_many", language).search(question)
        comparison = comparison_asked(question, language)
        return QuestionTerms(
            text=question,
            language=language,
            weights=weights,
            words=words,
            codes=codes,
            wants=self._wants(),
            asking=self._terms(value_words(question, language)) & weights.keys(),
            several=lists or self._has("several"),
            lists=lists,
            counts=how_many is not None,
            counted=_nearest_behind(question, words, *how_many.span()) if how_many else "",
            negative=self._has("denies") or self._has("whether"),
            sides=self._sides(words, comparison),
            comparison=comparison,
            separated=separated,
            unknown=frozenset(term for term, word in content.items() if self._rarity(word) >= 1),
            names=self._names(content, codes),
            focus=self._terms(focus_words(question, language)) & weights.keys(),
            meaning=self._has("meaning"),
            frequency=self._has("how_often"),
            numbered=tuple(self._numbered()),
            letters=letters,
            quoted=tuple(found.group(1) or found.group(2) for found in _QUOTED.finditer(fold(question))),
            information={term: information(word, language, weights[term]) for term, word in words.items()},
        )

    def _wants(self) -> frozenset[Kind]:
        """Return the kinds of value asked for.

        "Where is the number of copies set?" asks for no number, and "Which court is responsible?" for no person.
        """
        wants = value_kinds(self._question, self._language)
        asks_what = cue_words("asks_who", self._language) and not self._has("asks_who")
        if Kind.PERSON in wants and asks_what and focus_words(self._question, self._language):
            return wants - {Kind.PERSON}
        return frozenset() if wants == {Kind.NUMBER} and self._has("asks_where") else wants

    def _has(self, name: str) -> bool:
        return cue(name, self._language).search(self._question) is not None

    def _rarity(self, word: str) -> float:
        return min(self._lexicon.rarity(stem(word, one)) for one in {"", self._language, *self._known})

    def _weight(self, word: str) -> float:
        own = max(_LEAST, self._rarity(word)) * (GENERAL if word in common_words(self._language) else 1.0)
        return max(own, sum(map(self._weight, words_in(word, self._language))))

    def _subject(self, text: str) -> Iterator[str]:
        return subject_words(text, self._language or next(iter(self._known), ""), self._rarity)

    def _terms(self, text: str) -> frozenset[str]:
        return frozenset(stem(word, self._language) for word in self._subject(text))

    def _words(self) -> tuple[dict[str, str], dict[str, tuple[str, str]]]:
        """Return the words of the terms, and the parts of a verb that are apart in the question, by its term."""
        language, words = self._language, dict[str, str]()
        for word in self._subject(self._question):
            whole = self._rarity(word) < 1 or not is_date(word)
            for one in [word] if whole else parts_of_date(word, language):  # "10 November" may be without its year
                words.setdefault(stem(one, language), one)
        asked = [word for name in ("meaning", "purpose") for word in cue(name, language).findall(self._question)]
        for word in self._subject(" ".join(asked)):
            if len(words) > 1:  # "stand for" and "used for" are not a part of the thing
                words.pop(stem(word, language), None)
        verb, particle = separated_verb(self._question, language)
        if stem(verb, language) not in words:
            return words, {}
        joined = f"{particle}{verb}"
        words = {term: word for term, word in words.items() if word not in (verb, particle)}
        return words | {stem(joined, language): joined}, {stem(joined, language): (verb, particle)}

    def _sides(self, words: Mapping[str, str], comparison: Comparison | None) -> tuple[str, ...]:
        bounded = comparison is not None and comparison.bound  # "more than 60 m³/h" compares no two things
        if bounded or not self._has("compares"):
            return ()
        codes = {term: word for term, word in words.items() if _NAMES_A_THING.search(word)}
        return compared_words(self._question, self._language, codes) or compared_words(
            self._question, self._language, words
        )

    def _letters(self) -> Iterator[str]:
        """Yield the capital letters behind words that another word than a function word does not follow: "rating C".

        None follows one that is a function word itself: "May I have ...?".
        """
        for found in _LETTER.finditer(self._question):
            behind = _NEXT_WORD.match(self._question, found.end())
            functional = found[1].lower() in stop_words(self._language)
            if behind is None or (behind[1] in stop_words(self._language) and not functional):
                yield found[1]

    def _numbered(self) -> Iterator[tuple[str, str]]:
        """Yield the names and the numbers behind them, except months and function words."""
        others = calendar(self._language) | stop_words(self._language)
        for name, number in _NUMBERED.findall(self._question):
            if fold(name) not in others:
                yield fold(name), fold(number)

    def _names(self, words: Mapping[str, str], codes: frozenset[str]) -> frozenset[str]:
        if profile(self._language).noun_capitals:
            capitals = frozenset(word for word in nouns_in_apposition(self._question) if self._rarity(word) >= 1)
        else:
            capitals = frozenset(capitalized_words(self._question)) - calendar(self._language)
        return frozenset(
            term for term, word in words.items() if word in capitals or (term in codes and any(map(str.isalpha, word)))
        )


def _nearest_behind(question: str, word_of: Mapping[str, str], start: int, end: int) -> str:
    """Return the term whose word is the next one behind a part of a question, else the last one before it, or ""."""
    folded = fold(question)
    places = [(found, term) for term, word in word_of.items() if (found := folded.find(word)) >= 0]
    behind = [one for one in places if one[0] >= end]
    return min(behind)[1] if behind else max((one for one in places if one[0] < start), default=(0, ""))[1]
