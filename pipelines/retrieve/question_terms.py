"""What a question asks: its terms with their weights, the kinds of value it wants, and the thing it names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import pairwise

from pipelines.lang.characters import fold
from pipelines.lang.comparisons import Comparison
from pipelines.lang.dates import dates, is_year, parts_of_date
from pipelines.lang.names import names_person
from pipelines.lang.numbers import GROUP_BLANKS
from pipelines.lang.quantities import Kind
from pipelines.lang.questions import value_kinds
from pipelines.lang.terms import split_identifier, stem, stop_words, terms
from pipelines.lang.word_lists import common_words, cue

_HAS_DIGIT = re.compile(r"\d")
_GROUP = rf"[.,'’{GROUP_BLANKS}]"
"""What separates groups of three digits."""
_A_TERM = re.compile(r"\w++(?:[ '’-]\w++){0,3}")
"""Up to four words without other punctuation; more are a description ("the final d in names such as sshd")."""


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """The analysis of a question.

    - `language`: its language (ISO 639-1), or "" if unknown.
    - `weights`: its terms with their rarity in the corpus, in (0, 1]; for a compound, that of all its words.
    - `words`: the word of each term.
    - `codes`: terms that identify a thing ("k80-250", "dn-58213", "shared_buffers", a number).
    - `wants`: the kinds of value asked for; `asking`: the terms that indicate them ("how many kilograms").
    - `lists`: whether all of a kind are asked for ("all alarms"); `several`: also for an account ("summarise").
    - `counts`: whether the number of things is asked for ("how many"); `counted`: the term for these things.
    - `negative`: whether it is negated, or asks whether something is so: both can be answered by what is not so.
    - `sides`: the terms that distinguish two things compared in the question.
    - `comparison`: the extreme or the bound of values that it asks for.
    - `separated`: the parts of a verb that are apart in the question ("schaltet", "ab"), by its term ("abschaltet").
    - `unknown`: terms that are in no passage of the corpus.
    - `names`: terms with a capital inside the question (where nouns have one, those behind a noun that no passage has),
      and codes with letters.
    - `focus`: the terms of the noun that an interrogative determines ("which batch", "how much water").
    - `meaning`: whether the meaning of a word is asked for ("What does NPSH stand for?").
    - `frequency`: whether it asks how often something is done.
    - `numbered`: the names in it with the number behind them, folded: ("ucp", "206").
    - `letters`: the capital letters in it that are names, by their terms: "dimension H".
    - `quoted`: the folded texts that it has in quotation marks, such as the label of a button.
    - `information`: the information content of each term, see `pipelines.lang.questions.information`.
    """

    text: str
    language: str
    weights: Mapping[str, float]
    words: Mapping[str, str]
    codes: frozenset[str]
    wants: frozenset[Kind]
    asking: frozenset[str]
    several: bool
    lists: bool = False
    counts: bool = False
    counted: str = ""
    negative: bool = False
    sides: tuple[str, ...] = ()
    comparison: Comparison | None = None
    separated: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    unknown: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    focus: frozenset[str] = frozenset()
    meaning: bool = False
    frequency: bool = False
    numbered: tuple[tuple[str, str], ...] = ()
    letters: Mapping[str, str] = field(default_factory=dict)
    quoted: tuple[str, ...] = ()
    information: Mapping[str, float] = field(default_factory=dict)

    @property
    def total(self) -> float:
        """The sum of the weights."""
        return sum(self.weights.values())

    def share(self, covers: Mapping[str, float]) -> float:
        """Return the share of the question's weight in its terms with this cover, each in [0, 1]."""
        return sum(self.weights[term] * cover for term, cover in covers.items()) / (self.total or 1.0)

    def focused(self, found: Collection[str]) -> float:
        """Return the share of the terms for what is asked for that are among those found, 0 if there are none."""
        return len(self.focus.intersection(found)) / (len(self.focus) or 1)

    def unknown_share(self, covers: Mapping[str, float]) -> float:
        """Return the share of what is asked that is in no passage of the corpus, in [0, 1].

        It is by the information of the words, without names, codes, and words for the kind of value. Words to which
        passages have related ones, which `covers` tells, count in part.
        """
        others = self.names | self.codes | self.asking
        asked = {term: one for term, one in self.information.items() if term not in others}
        unknown = sum(asked[term] * (1 - covers.get(term, 0.0)) for term in asked.keys() & self.unknown)
        return unknown / (sum(asked.values()) or 1.0)

    def form(self, term: str, language: str) -> str:
        """Return the form of a term of the question in texts in `language`."""
        return stem(self.words.get(term, term), language)

    def term_of(self, word: str) -> str:
        """Return the term of a word of the question, the word itself if it has none."""
        return next((term for term, one in self.words.items() if one == word), word)

    def parts(self, term: str, language: str) -> frozenset[str]:
        """Return the forms of the words of a compound term ("max-age") or a date; nothing for codes and other words."""
        word = self.words.get(term, term)
        single = () if term in self.codes else words_in(word, language)
        parts = self.separated.get(term) or parts_of_date(word, language) or single
        return frozenset(stem(word, language) for word in parts)

    def forms(self, language: str) -> frozenset[str]:
        """Return the forms of all terms."""
        return frozenset(self.form(term, language) for term in self.weights)

    def apposed(self, language: str) -> frozenset[str]:
        """Return the forms of the words beside a code that only say what it is: "fault" of "fault F20"."""
        text = self.text.lower()
        around = [text.partition(self.words[code]) for code in self.codes if self.words[code] in text]
        return frozenset(
            self.form(term, language)
            for term, word in self.words.items()
            if term not in self.codes
            and text.count(word) == 1
            and any(before.rstrip().endswith(word) or after.lstrip().startswith(word) for before, _, after in around)
        )

    @property
    def introduced(self) -> Mapping[str, str]:
        """The codes behind words that are in no passage and only say what a code is: "version" of "version 2.1".

        A year is none: "spring 2019".
        """
        code_of = {self.words[code]: code for code in self.codes if not is_year(self.words[code])}
        written = [word.strip(",.?!") for word in self.text.lower().split()]
        behind = {word: code_of[after] for word, after in pairwise(written) if after in code_of}
        return {term: behind[word] for term, word in self.words.items() if term in self.unknown and word in behind}

    @property
    def versions(self) -> frozenset[str]:
        """The words for what is asked for that name a version: "version" of "Which version added it?"."""
        cues = cue("revisions", self.language)
        return frozenset(term for term in self.focus if cues.fullmatch(self.words.get(term, "")))

    def has_all(self, own: frozenset[str], language: str) -> bool:
        """Whether a text in `language` with these terms has no word that is not in the question, but stop words."""
        asked, content = _all_terms(self.text, language), own - _stop_terms(language)
        return own <= asked or (bool(content) and content <= asked)

    def wants_of(self, column: str, cell: str, language: str) -> bool:
        """Whether the name of a cell's column, in `language`, names a kind of value that is asked for.

        The cell has a digit, unless it is a reason.
        """
        if not column or not any(map(str.isalnum, cell)):
            return False
        kinds = self.wants & value_kinds(column, language)
        return bool(kinds) and (Kind.REASON in kinds or _HAS_DIGIT.search(cell) is not None)


@lru_cache(maxsize=64)  # called for each unit of each passage found
def _all_terms(text: str, language: str) -> frozenset[str]:
    return frozenset(terms(text, language, stop=False))


@cache
def _stop_terms(language: str) -> frozenset[str]:
    return frozenset(stem(word, language) for word in stop_words(language))


def term_places(question: QuestionTerms) -> Iterator[tuple[str, int, int]]:
    """Yield the terms of a question with the start and end of their words in it."""
    folded = fold(question.text)
    written = {
        word: one.span
        for one in dates(question.text, question.language)
        for word in (one.iso, *parts_of_date(one.iso, question.language))
    }
    for term, word in question.words.items():
        if word in written:
            yield term, written[word].start, written[word].end
        elif (place := folded.find(word)) >= 0:
            yield term, place, place + len(word)
        elif word.isdecimal() and (grouped := re.search(f"{int(word):,}".replace(",", _GROUP), folded)):
            yield term, *grouped.span()  # "2.000"


def terms_at(question: QuestionTerms, start: int, end: int) -> frozenset[str]:
    """Return the terms whose words overlap a part of the question."""
    return frozenset(term for term, first, last in term_places(question) if first < end and start < last)


def words_in(word: str, language: str) -> list[str]:
    """Return the words of a compound without digits, except stop words."""
    if word.isalnum() or _HAS_DIGIT.search(word) or len(parts := split_identifier(word)) == 1:
        return []
    return [part for part in parts if part not in stop_words(language)]


def wants_definition(question: QuestionTerms) -> bool:
    """Whether a question can only be answered by a definition: it asks for a meaning, or what an abbreviation is.

    An abbreviation has two capitals at least and no digit: "NPSHr". Ordinary words ("a yellow light") need no
    definition: what they mean may be said in any way.
    """
    thing = defined_thing(question)
    ordinary = all(word in common_words(question.language) for word in question.words.values())
    place = fold(question.text).find(thing) if thing else -1
    written = question.text[place : place + len(thing)] if place >= 0 else ""
    short = sum(map(str.isupper, written)) > 1 and written.isalpha() and not question.text.isupper()
    return _A_TERM.fullmatch(thing) is not None and ((question.meaning and not ordinary) or short)


def defined_thing(question: QuestionTerms) -> str:
    """Return the only thing or person that a question names, folded; "" if it asks for a value or names several."""
    folded = fold(question.text)
    places = [(folded.find(word), len(word)) for word in question.words.values()]
    if question.wants - {Kind.PERSON} or question.several or not places or min(places)[0] < 0:
        return ""
    start, end = min(places)[0], max(place + length for place, length in places)
    if question.wants and not names_person(question.text[start:end], question.language):
        return ""  # "Who is the manager?" asks for a name, "Who is Li Na?" does not
    thing = folded[start:end]
    rest = thing
    for word in sorted(question.words.values(), key=len, reverse=True):
        rest = rest.replace(word, "")
    return "" if any(map(str.isalnum, rest)) else thing
