"""A question as evidence is weighed against it: its terms with their weights, and the kind of value it asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pipelines.core.terms import CJK, STOP_WORDS, terms, words
from qa.knowledge import Lexicon
from qa.quantities import Kind, asked_for

# Words by which a question asks and refers, and which its answer need not repeat.
ASKING_WORDS = frozenset(
    "about according actually after all allowed also among answer any anyone ask asked based before between both bring"
    " brought call called carry carried come compare compared consist contain demand demanded describe described"
    " differ difference different do document documents does during each either every exactly explain far find first"
    " following found get give given gives go goes going got happen happened happens have hold holds identify just"
    " kind know known last let like list long made main make makes many may mean means mention mentioned more most"
    " much must name named need needed needs often old one ones only order other others own page part per please"
    " possible quote read recommend recommended refer refers require required same say says see set show shown shows"
    " since some something stand stands state stated states still summarise summarize such take taken takes tell tells"
    " thing things through told total type under until up upon use used uses using very want way ways we well went"
    " whether while whole within without work works write written wrong yes you".split()
)
_ASKING_CHINESE = re.compile(
    "什么时候|为什么|什么样|多长时间|多少|什么|怎么样|怎么|如何|哪些|哪个|哪种|哪里|哪一|几个|几次|多久|一次|应该|应当|需要|可以|必须|请问"
    "|是否|有没有|是不是|以及|或者|根据|按照|关于|就必须|位置|使用|进行|建议|[的了是在和与及或吗呢吧么谁何几为从到对被把将就都也很上下中里内于并该由向给让做写又还再这那它他她们有请问个时第某每]"
)
_CJK_ONLY = re.compile(rf"[{CJK}]+")
_HAS_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Query:
    """A question's terms by weight in (0, 1], as rare as the corpus has them; `codes` are those that name a thing
    ("k80-250", "dn-58213", a number), `wants` the kinds of value asked for.
    """

    text: str
    weights: Mapping[str, float]
    codes: frozenset[str]
    wants: frozenset[Kind]
    chinese: bool

    @property
    def total(self) -> float:
        return sum(self.weights.values())


def read_query(question: str, lexicon: Lexicon) -> Query:
    """Return a question as evidence is weighed against it."""
    found = dict.fromkeys(_terms(question, lexicon))
    weights = {term: max(0.02, lexicon.rarity(term)) for term in found}
    codes = frozenset(term for term in found if _HAS_DIGIT.search(term))
    return Query(question, weights, codes, asked_for(question), bool(_CJK_ONLY.search(question)))


def _terms(question: str, lexicon: Lexicon) -> Iterator[str]:
    for run in words(question):
        if _CJK_ONLY.fullmatch(run):
            for piece in _ASKING_CHINESE.split(run):
                yield from terms(piece)
        elif run not in ASKING_WORDS and run not in STOP_WORDS:
            yield from _latin(run, lexicon)


def _latin(run: str, lexicon: Lexicon) -> Iterator[str]:
    """A compound counts once: a code as it stands where the corpus has it so, else by its parts."""
    whole, *parts = terms(run) or [run]
    if not parts or (_HAS_DIGIT.search(run) and lexicon.rarity(whole) < 1):
        yield whole
    else:
        yield from (part for part in parts if part not in ASKING_WORDS and len(part) > 1)
