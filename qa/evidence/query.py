"""A question as evidence is weighed against it: its terms with their weights, and the kind of value it asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from pipelines.core.terms import CJK, STOP_WORDS, terms, words
from qa.kinds import Kind, asked_for, asking
from qa.knowledge import Lexicon

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
# Verbs, adjectives and adverbs of every subject: that a text lacks one of them says little.
GENERAL_WORDS = (
    "able accept achieve add agree allow alone along already always apart appear apply approve arrange arrive attempt avoid"
    " away back bad begin begun behave believe belong best better big break bring broken build built buy cause certain"
    " change check choose chosen clear close come complete conduct connect consider continue control correct count cover"
    " create crude current cut daily day deal decide deliver depend design detail determine develop done drive drop early"
    " earlier easily easy effect enable end enough ensure enter entire especially establish even exact exceed except"
    " expect experience extra face fail fall fast faster feel few final finally finish fit fix fixed force form former"
    " forward free front full further general grow half handle hard help high higher highest hit hold however immediately"
    " important improve inaccurate include increase indicate inform initial instead intend introduce involve issue itself"
    " join keep kept large larger largest last late later latter lead least leave led left less lie limit little local"
    " longer look lose lost lot low lower lowest main maintain manage match matter meet middle minor modern move near"
    " nearly never new next normal notice obtain occur offer open operate order originally otherwise overall own particular"
    " pass pay paid perform permit pick place plan point position possible prefer prepare present prevent previous produce"
    " proper protect prove provide publish pull purpose push put quick quickly quite raise reach ready real really reason"
    " receive recent reduce regard regular release remain remove replace report result return right rise role run safe"
    " same save second select send separate serve settle several short shorter sign significant similar simple simply"
    " single size slow small smaller special specific specify stamp start stay still stop store strong succeed successful"
    " sudden suffer suggest suitable supply support suppose switch task teach term third throw thrown tie time together"
    " tolerate too top toward trick try turn typical unable usual usually valid value various violate visit wait want wide"
    " wish young"
    # What documents are called, and the languages they are in
    " book brochure chart diagram drawing english figure file flyer form french german guide handbook leaflet manual memo"
    " note notes paper photo picture poster presentation record sheet slide spanish chinese spreadsheet table web website"
    " workbook"
)
GENERAL = 0.45
"""What a general word weighs against one of the subject."""
_LEAST = 0.02
_ASKING_CHINESE = re.compile(
    "什么时候|为什么|什么样|多长时间|多少|什么|怎么样|怎么|如何|哪些|哪个|哪种|哪里|哪一|几个|几次|多久|一次|应该|应当|需要|可以|必须|请问"
    "|是否|有没有|是不是|以及|或者|根据|按照|关于|就必须|位置|使用|进行|建议|[的了是在和与及或吗呢吧么谁何几为从到对被把将就都也很上下中里内于并该由向给让做写又还再这那它他她们有请问个时第某每]"
)
_SEVERAL = re.compile(
    r"\b(?:summari[sz]e|summary|describe|list|outline|explain|enumerate)\b|\bwhat (?:went wrong|happened|are the)\b"
    r"|\b(?:which|what) (?:checks|steps|decisions|measures|actions|causes|reasons|parts|items|points|requirements)\b"
    r"|总结|概述|列出|哪些(?:步骤|措施|原因|检查|要求)",
    re.IGNORECASE,
)
_CJK_ONLY = re.compile(rf"[{CJK}]+")
_HAS_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Query:
    """A question's terms by weight in (0, 1], as rare as the corpus has them; `codes` are those that name a thing
    ("k80-250", "dn-58213", a number), `wants` the kinds of value asked for, `asking` the terms that say so: a value of
    the kind covers them.
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
        return sum(self.weights.values())


def read_query(question: str, lexicon: Lexicon) -> Query:
    """Return a question as evidence is weighed against it."""
    rarity = {term: lexicon.rarity(term) for term in _terms(question, lexicon)}
    weights = {term: max(_LEAST, rare) * (GENERAL if term in _general() else 1.0) for term, rare in rarity.items()}
    codes = frozenset(term for term in weights if _HAS_DIGIT.search(term))
    told = frozenset(terms(asking(question))) & weights.keys()
    unknown = frozenset(term for term, rare in rarity.items() if rare >= 1 and term not in _general())
    return Query(question, weights, codes, asked_for(question), told, unknown, _SEVERAL.search(question) is not None)


@cache
def _general() -> frozenset[str]:
    return frozenset(terms(GENERAL_WORDS))


def _terms(question: str, lexicon: Lexicon) -> Iterator[str]:
    for run in words(question):
        if _CJK_ONLY.fullmatch(run):
            for piece in _ASKING_CHINESE.split(run):
                yield from _chinese(terms(piece), lexicon)
        elif run not in ASKING_WORDS and run not in STOP_WORDS:
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
        yield from (part for part in parts if part not in ASKING_WORDS and len(part) > 1)
