"""What a question asks for: its terms with their weights, and the kinds of value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from pipelines.lang.asked import asked_for, asking
from pipelines.lang.characters import CJK_RUN
from pipelines.lang.profile import longest_first, profile
from pipelines.lang.quantities import Kind
from pipelines.lang.terms import terms, words
from pipelines.lang.words import DOCUMENT_WORDS, GENERAL_WORDS, QUESTION_WORDS, STOP_WORDS
from qa.ports import Lexicon

GENERAL = 0.45
"""What a general word weighs against one of the subject."""
_LEAST = 0.02
_ASKING_CHINESE = re.compile("|".join(longest_first(profile("zh").question_words)))
_SEVERAL = re.compile(
    r"\b(?:summari[sz]e|summary|describe|list|outline|explain|enumerate)\b|\bwhat (?:went wrong|happened|are the)\b"
    r"|\b(?:which|what) (?:checks|steps|decisions|measures|actions|causes|reasons|parts|items|points|requirements)\b"
    r"|总结|概述|列出|哪些(?:步骤|措施|原因|检查|要求)",
    re.IGNORECASE,
)
_HAS_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """What a question asks for.

    `weights` are its terms with their rarity in the corpus, in (0, 1]. `codes` are the terms that name a thing
    ("k80-250", "dn-58213", a number), `unknown` those that no chunk has. `wants` are the kinds of value asked for, and
    `asking` the terms that say so ("how many kilograms"): a value of the kind covers them. `several` is true where
    more than one thing is asked for ("which steps", "summarise").
    """

    text: str
    weights: Mapping[str, float]
    codes: frozenset[str]
    wants: frozenset[Kind]
    asking: frozenset[str]
    unknown: frozenset[str]
    several: bool

    @property
    def total(self) -> float:
        """The sum of the weights."""
        return sum(self.weights.values())


def read_question(question: str, lexicon: Lexicon) -> QuestionTerms:
    """Return what a question asks for, its terms weighted by their rarity in the corpus."""
    rarity = {term: lexicon.rarity(term) for term in _terms(question, lexicon)}
    weights = {term: max(_LEAST, rare) * (GENERAL if term in _general() else 1.0) for term, rare in rarity.items()}
    codes = frozenset(term for term in weights if _HAS_DIGIT.search(term))
    told = frozenset(terms(asking(question))) & weights.keys()
    unknown = frozenset(term for term, rare in rarity.items() if rare >= 1 and term not in _general())
    return QuestionTerms(
        question, weights, codes, asked_for(question), told, unknown, _SEVERAL.search(question) is not None
    )


@cache
def _general() -> frozenset[str]:
    return frozenset(terms(" ".join(GENERAL_WORDS | DOCUMENT_WORDS)))


def _terms(question: str, lexicon: Lexicon) -> Iterator[str]:
    for run in words(question):
        if CJK_RUN.fullmatch(run):
            for piece in _ASKING_CHINESE.split(run):
                yield from _chinese(terms(piece), lexicon)
        elif run not in QUESTION_WORDS and run not in STOP_WORDS:
            yield from _latin(run, lexicon)


def _chinese(pairs: list[str], lexicon: Lexicon) -> Iterator[str]:
    """The pairs of a run, but for those that only the joint of two words makes: unknown, between two known ones."""
    known = [lexicon.rarity(pair) < 1 for pair in pairs]
    for index, pair in enumerate(pairs):
        joint = 0 < index < len(pairs) - 1 and known[index - 1] and known[index + 1]
        if known[index] or not joint:
            yield pair


def _latin(run: str, lexicon: Lexicon) -> Iterator[str]:
    """A compound counts once: a code as it stands where the corpus has it so, else by its parts."""
    whole, *parts = terms(run) or [run]
    if not parts or (_HAS_DIGIT.search(run) and lexicon.rarity(whole) < 1):
        yield whole
    else:
        yield from (part for part in parts if part not in QUESTION_WORDS and len(part) > 1)
