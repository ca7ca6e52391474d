"""Analysis of questions: language, subject, what is asked for or compared, and reference to the previous question."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import dropwhile, islice, pairwise, takewhile

from pipelines.core.ids import normalize
from pipelines.lang.characters import HAN, HIRAGANA, KATAKANA, UNSPACED_CHARACTER, fold
from pipelines.lang.dates import is_date
from pipelines.lang.derivation import without_enclitics
from pipelines.lang.identify import IDENTIFIED, detect_language, script_languages
from pipelines.lang.profile import longest_first, of_language, profile, read_table
from pipelines.lang.quantities import Kind
from pipelines.lang.terms import is_paired, split_identifier, stop_words, terms, words
from pipelines.lang.word_lists import common_rank, common_words, cue

UNKNOWN = 0.02
"""Commonness of a pair that is in no text, lower than that of any pair in a text."""
_ACROSS_WORDS = re.compile(rf"[{HIRAGANA}][{HAN}{KATAKANA}]|[{KATAKANA}][{HIRAGANA}]|を|.を")
"""A pair across Japanese words: particles and endings are in Hiragana, no word goes on in another script behind them,
and を is only a particle."""
_ANY_HAN = "zh"
"""Language whose question words split Han text inside a question of another script."""
_PART = re.compile(r"[^\W_]+")
_LONGEST_NOUN = 3
"""Maximum words of a noun group: in languages without words between a noun and its verb, more include the verb."""
_CLAUSE = re.compile(r"[\w\s-]*")
_REST = re.compile(r"[^\W\d_]*")
_NO_QUANTITIES = frozenset({Kind.PERSON, Kind.DATE, Kind.PHONE, Kind.MAIL, Kind.REASON})
_OPENING = "\"'“”‘’„«»("
_ENDS = (".", "?", "!", ":")


def pair_words(
    pairs: Sequence[str], commonness: Callable[[str], float], alone: Collection[str] = frozenset()
) -> Iterator[str]:
    """Yield the most likely words among the overlapping `pairs` of a run without blanks, in order.

    Texts in Chinese, Japanese, Korean and Thai are matched by pairs of letters (`pipelines.lang.terms`). In a question,
    a pair across the boundary of two words need not occur in the answer, and would get the highest weight because it is
    rare. A run is therefore segmented into the disjoint pairs with the highest sum of `commonness` (maximum likelihood,
    as in Sproat et al. 1996, with the corpus as the word list).

    `commonness` is 0 for a pair that cannot be a word, `UNKNOWN` for one that is in no text, else larger, by the
    logarithm of the number of texts. A single remaining letter that is not a word `alone` is joined with the previous
    or the next one, if a text has the pair.

    >>> common = {"规定": 0.3, "定用": 0.1, "用户": 0.7}
    >>> list(pair_words(["规定", "定用", "用户"], common.__getitem__))
    ['规定', '用户']
    """
    values = [commonness(pair) for pair in pairs]
    chosen = _side_by_side(values)
    covered = {letter for place in chosen for letter in (place, place + 1)}
    for letter in set(range(len(pairs) + 1)) - covered:
        character = pairs[letter][0] if letter < len(pairs) else pairs[-1][-1]
        known = [place for place in (letter - 1, letter) if 0 <= place < len(pairs) and values[place] > UNKNOWN]
        if known and character not in alone:
            chosen.add(max(known, key=lambda place: values[place]))
    yield from (pairs[place] for place in sorted(chosen))


def _side_by_side(values: Sequence[float]) -> set[int]:
    """Return the positions of disjoint pairs with the highest sum of values."""
    best = [0.0, 0.0]  # indexed by the number of letters
    taken: list[tuple[int, ...]] = [(), ()]
    for place, value in enumerate(values):
        with_it = best[place] + value
        better = with_it > best[place + 1]
        best.append(with_it if better else best[place + 1])
        taken.append((*taken[place], place) if better else taken[place + 1])
    return set(taken[-1])


@cache
def question_stop_words(language: str) -> frozenset[str]:
    """Return the normalized words of questions that answers need not contain; without a language, those of English."""
    return stop_words(language or "en").union(map(normalize, profile(language or "en").question_words))


def question_language(
    text: str, languages: Sequence[str], text_share: Callable[[str, str], float] = lambda word, language: 0.0
) -> str:
    """Return the language of a question to a corpus in `languages`, which are sorted by frequency.

    Among the corpus languages in the question's script and the identified language, it is the one with most of its stop
    words in the question (Grefenstette 1995), the first if there are several. A question without stop words is too
    short to be identified ("Garantie?"): the result is then the only language of its script, or the corpus language
    whose texts contain most of its words. `text_share` returns the share of the texts in a language with a word.
    """
    possible = script_languages(text)
    corpus_languages = list(dict.fromkeys(filter(None, languages)))
    own = [one for one in corpus_languages if one in possible or one not in IDENTIFIED]
    found = [_stop_words_in(text, one) for one in own]
    most = max(found, default=0)
    if most and not any(_stop_words_in(text, other) > most for other in possible):
        return own[found.index(most)]  # no need to load the identifier, which takes half a second
    identified = detect_language(text, tuple(languages))
    if identified and _stop_words_in(text, identified) > most:
        return identified
    if most:
        return own[found.index(most)]
    if not profile(identified).spaced:  # identified by its script
        return identified
    candidates = own or corpus_languages
    shares = {one: [text_share(word, one) for word in words(text, one)] for one in candidates}
    return max(candidates, key=lambda one: (sum(map(bool, shares[one])), sum(shares[one])), default="")


@lru_cache(maxsize=256)  # called several times for each question
def _stop_words_in(text: str, language: str) -> int:
    return sum(word in stop_words(language) for word in words(text, language))


def subject_words(question: str, language: str, rarity: Callable[[str], float]) -> Iterator[str]:
    """Yield the words that name the subject of a question; in scripts without blanks, pairs of characters.

    `rarity` returns the rarity of a word in the corpus, 1 for a missing one.
    """
    question_words = question_stop_words(language)
    own = language if any(map(is_paired, question_words)) else _ANY_HAN
    for run in (without_enclitics(word, language) for word in words(question, language)):
        if is_paired(run):
            yield from _by_pairs(run, own, rarity)
        elif is_date(run):
            yield run
        elif run not in question_words:
            yield from _spaced(run, question_words, lambda word: rarity(word) < 1)


def _spaced(run: str, question_words: frozenset[str], known: Callable[[str], bool]) -> Iterator[str]:
    """Yield an identifier as it is if it is in the corpus or a code, else its parts; a decimal number has none.

    A figure counts even if it is short: a row with "3/4" is not that of "6/4".
    """
    whole = _PART.findall(run)
    parts = split_identifier(run)
    if len(whole) <= 1 or len(parts) == 1 or known(run) or _is_code(whole):
        yield run
        return
    for part in parts:
        if part not in question_words and (len(part) > 1 or part.isdigit()):
            yield from _spaced(part, question_words, known)


def _is_code(parts: Sequence[str]) -> bool:
    """Whether the parts of an identifier form a code, letters before digits: "mt-80", but not "3-phase"."""
    return parts[0][0].isalpha() and parts[-1][0].isdigit()


def _by_pairs(run: str, language: str, rarity: Callable[[str], float]) -> Iterator[str]:
    """Yield the pairs of a run that are its words.

    An interrogative character may be part of another word ("上海"): a pair with one is used if it is in the corpus.
    """
    parting, single = _splitters(language)
    common = common_words(language)

    def commonness(pair: str) -> float:
        if _ACROSS_WORDS.match(pair):
            return 0.0
        if (rare := rarity(pair)) < 1:
            return UNKNOWN + 1 - rare
        return 0.0 if single.intersection(pair) else UNKNOWN * (2 if pair in common else 1)

    for piece in filter(None, parting.split(run)):
        yield from pair_words(terms(piece, language, stop=False), commonness, common)


def pieces(word: str, language: str) -> Sequence[str]:
    """Return a word, or the parts of a run without blanks between its question words."""
    return _splitters(language)[0].split(word) if UNSPACED_CHARACTER.search(word) else (word,)


@lru_cache(maxsize=8)
def _splitters(language: str) -> tuple[re.Pattern[str], frozenset[str]]:
    """Return a pattern that splits runs, and the other interrogative characters.

    The pattern matches question words of two or more characters, and single ones that are stop words. In languages with
    blanks, single characters are only endings of words, and the second result is empty.
    """
    known, question_words = profile(language), question_stop_words(language)
    parting = [word for word in question_words if len(word) > 1 or word in known.own_stop_words]
    single = frozenset(word for word in question_words if len(word) == 1) - known.own_stop_words
    return re.compile("|".join(map(re.escape, longest_first(parting)))), frozenset() if known.spaced else single


@lru_cache(maxsize=1024)  # called for the column names of every row
def value_kinds(question: str, language: str = "") -> frozenset[Kind]:
    """Return the kinds of value that a question asks for, or nothing.

    "How long" may ask for a time or a length; `NUMBER` is returned only if there is no other kind. `language` is the
    question's (ISO 639-1); without it, the patterns of all languages are used.

    >>> sorted(value_kinds("Who calibrated the torque wrench?", "en"))
    [<Kind.PERSON: 'person'>]
    """
    found = {kind for kind, _ in _kinds_asked(question, language)}
    return frozenset(found - {Kind.NUMBER} or found)


def _kinds_asked(question: str, language: str) -> Iterator[tuple[Kind, list[re.Match[str]]]]:
    """Yield the kinds with what asks for them; a quantity behind "who" or "when" is a part of what is done.

    Without a language, "wie" may be a Dutch "who" or a German "how".
    """
    found = [(kind, list(pattern.finditer(question))) for kind, pattern in _patterns(language)]
    deeds = [match.start() for kind, matches in found if kind in (Kind.PERSON, Kind.DATE) for match in matches]
    deed = min(deeds, default=len(question)) if language else len(question)
    for kind, matches in found:
        if matches and (kind in _NO_QUANTITIES or matches[0].start() < deed):
            yield kind, matches


def asks_no_value(question: str, language: str) -> bool:
    """Whether a question asks where, how or whether: the answer to "Where is the fee paid?" need not have a price,
    although `value_kinds` returns `MONEY`."""
    return any(cue(name, language).search(question) for name in ("asks_where", "how", "whether"))


def value_words(question: str, language: str = "") -> str:
    """Return the words of a question that indicate the kind of value: "how many kilograms weigh"."""
    return " ".join(
        question[match.start() : _word_end(question, match.end())]
        for _, matches in _kinds_asked(question, language)
        for match in matches
    )


@cache
def _patterns(language: str) -> tuple[tuple[Kind, re.Pattern[str]], ...]:
    return tuple(
        (Kind(kind), re.compile("|".join(parts), re.IGNORECASE))
        for kind, by_language in read_table("value_kinds").items()
        if (parts := of_language(by_language, language))
    )


def _word_end(text: str, place: int) -> int:
    """Return the end of the word at a position; in scripts without blanks, the position itself."""
    rest = None if UNSPACED_CHARACTER.match(text, place) else _REST.match(text, place)
    return rest.end() if rest else place


def asks_for_documents(question: str, language: str) -> bool:
    """Whether a question asks which documents treat its subject."""
    return all(cue(name, language).search(question) for name in ("which_documents", "treats"))


def capitalized_words(question: str) -> Iterator[str]:
    """Yield the capitalized words inside the sentences of a question, and their parts, unless all is in capitals."""
    if not question.isupper():
        for before, part in pairwise(question.split()):
            if part.lstrip(_OPENING)[:1].isupper() and not before.endswith(_ENDS):
                yield from words(part)
                yield from split_identifier(fold(part))


def nouns_in_apposition(question: str) -> Iterator[str]:
    """Yield the words directly behind a capitalized one: where nouns have a capital, most of them are names.

    >>> list(nouns_in_apposition("Welche Telefonnummer hat die Niederlassung Bremen?"))
    ['bremen']
    """
    for noun, name in pairwise(question.split()[1:]):
        if noun[:1].isupper() and name[:1].isupper() and noun.isalpha():
            yield from words(name)


def focus_words(question: str, language: str) -> str:
    """Return the words for what is asked for: the noun that an interrogative determines; empty if there is none.

    >>> focus_words("How much filtered water does the washer use?", "en")
    'filtered water'
    """
    stop = question_stop_words(language)
    for determiner in cue("focus", language).finditer(question):
        clause = _CLAUSE.match(question, determiner.end())
        noun = dropwhile(lambda word: fold(word) in stop, clause[0].split() if clause else ())
        if found := " ".join(islice(takewhile(lambda word: fold(word) not in stop, noun), _LONGEST_NOUN)):
            return found
    return ""


def compared_words(question: str, language: str, word_of: Mapping[str, str]) -> tuple[str, ...]:
    """Return the nearest terms before and after a conjunction that are only on one side of it, if there are both.

    `word_of` has the words of the terms.

    For "the limits for start and for stop of the pump" these are "start" and "stop".
    """
    folded = fold(question)
    for joint in cue("joins", language).finditer(folded):
        before, after = (
            [(place, term) for term, word in word_of.items() if (place := part.rfind(word)) >= 0]
            for part in (folded[: joint.start()], folded[joint.end() :])
        )
        both = {term for _, term in before} & {term for _, term in after}
        left, right = ([one for one in side if one[1] not in both] for side in (before, after))
        if left and right:
            return max(left)[1], min(right)[1]
    return ()


def information(word: str, language: str, default: float) -> float:
    """Return the information content of a word in its language, independent of the corpus, in [0, 1].

    This is the logarithm of its rank among the most frequent words, relative to the maximum: 1 for rarer words and for
    words with a digit. If the most frequent words of the language are unknown, it is `default`, at most 1.
    """
    ranks = common_rank(language)
    if any(map(str.isdigit, word)):
        return 1.0
    if not ranks or is_paired(word):
        return min(1.0, default)
    rank = ranks.get(word)
    return 1.0 if rank is None else math.log(rank + 2) / math.log(len(ranks) + 2)
