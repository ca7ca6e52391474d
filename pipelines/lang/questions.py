"""What a question asks: its language, the words that say what it is about, and the kind of value that it asks for.

A question of a conversation may lean on the one before it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, lru_cache

from pipelines.lang.characters import UNSPACED_CHARACTER
from pipelines.lang.identify import IDENTIFIED, detect_language, script_languages
from pipelines.lang.profile import longest_first, of_language, profile, read_table
from pipelines.lang.quantities import Kind
from pipelines.lang.terms import is_paired, split_identifier, stop_words, terms, words
from pipelines.lang.word_lists import common_rank, common_words, cue

UNKNOWN = 0.02
"""How common a pair counts as that no text has: less than any that one has."""
_ANY_HAN = "zh"
"""The language whose question words part a run of characters in a question of another script."""
_PART = re.compile(r"[^\W_]+")
_REST = re.compile(r"[^\W\d_]*")
_EXPECTED = ("en",)
"""Languages that a question too short to tell is taken for."""
_SHORT = 3
"""Words of its own below which a question without a name leans on what was said before."""


def words_of(
    pairs: Sequence[str], commonness: Callable[[str], float], alone: Collection[str] = frozenset()
) -> Iterator[str]:
    """Yield those of the overlapping `pairs` of a run without blanks, in order, that are read as its words.

    Texts in Chinese, Japanese, Korean and Thai are matched by pairs of letters (`pipelines.lang.terms`). In a text that
    is no loss; in a question a pair over the joint of two words is one that no passage has to have, and as a rare one
    it would weigh most. So a run is read as the pairs side by side that are commonest in the corpus together (maximum
    likelihood, as in Sproat and others 1996, with the corpus itself as the word list).

    `commonness` is 0 for what cannot be a word, `UNKNOWN` for what is in no text, and more for what is, by the
    logarithm of the number of texts. A letter between two words that is no word `alone` goes with the one beside it,
    where some text has the two together.

    >>> common = {"规定": 0.3, "定用": 0.1, "用户": 0.7}
    >>> list(words_of(["规定", "定用", "用户"], common.__getitem__))
    ['规定', '用户']
    """
    values = [commonness(pair) for pair in pairs]
    chosen = _side_by_side(values)
    covered = {letter for place in chosen for letter in (place, place + 1)}
    for letter in set(range(len(pairs) + 1)) - covered:
        said = pairs[letter][0] if letter < len(pairs) else pairs[-1][-1]
        known = [place for place in (letter - 1, letter) if 0 <= place < len(pairs) and values[place] > UNKNOWN]
        if known and said not in alone:
            chosen.add(max(known, key=lambda place: values[place]))
    yield from (pairs[place] for place in sorted(chosen))


def _side_by_side(values: Sequence[float]) -> set[int]:
    """The places of pairs that share no letter and have the highest sum of values."""
    best = [0.0, 0.0]  # by number of letters
    taken: list[tuple[int, ...]] = [(), ()]
    for place, value in enumerate(values):
        with_it = best[place] + value
        better = with_it > best[place + 1]
        best.append(with_it if better else best[place + 1])
        taken.append((*taken[place], place) if better else taken[place + 1])
    return set(taken[-1])


def question_stop_words(language: str) -> frozenset[str]:
    """Return the words of a question that its answer need not repeat, those of English where no language is known."""
    told = profile(language or "en")
    return told.stop_words | told.question_words


def question_language(
    text: str, languages: Sequence[str], stands: Callable[[str, str], float] = lambda word, language: 0.0
) -> str:
    """Return the language of a question to a corpus in `languages`, the commonest first.

    It is the one with most stop words in it (Grefenstette 1995), of the languages of its script in the corpus and the
    one that it is identified as; of several the first. Without stop words it is too short to be identified
    ("Garantie?"): it is then the language of its script, or the one of the corpus in whose texts its words stand most,
    of several the first. `stands` tells the share of the texts in a language that have a word.
    """
    possible = script_languages(text)
    all_own = list(dict.fromkeys(filter(None, languages)))
    own = [one for one in all_own if one in possible or one not in IDENTIFIED]
    found = [_stop_words_in(text, one) for one in own]
    most = max(found, default=0)
    if most and not any(_stop_words_in(text, other) > most for other in possible):
        return own[found.index(most)]  # whatever it is identified as; to load what identifies takes half a second
    identified = detect_language(text, tuple(languages))
    if identified and _stop_words_in(text, identified) > most:
        return identified
    if most:
        return own[found.index(most)]
    if not profile(identified).spaced:  # a script of its own tells
        return identified
    said = {one: [stands(word, one) for word in words(text, one)] for one in all_own}
    return max(all_own, key=lambda one: (sum(map(bool, said[one])), sum(said[one])), default="")


@lru_cache(maxsize=256)  # asked several times for each question
def _stop_words_in(text: str, language: str) -> int:
    return sum(word in stop_words(language) for word in words(text, language))


def subject_words(question: str, language: str, rarity: Callable[[str], float]) -> Iterator[str]:
    """Yield the words of a question that say what it is about; of scripts without blanks, pairs of characters.

    `rarity` tells how rare a word is in the corpus, 1 for one that it has not.
    """
    question_words = question_stop_words(language)
    own = language if any(map(is_paired, question_words)) else _ANY_HAN
    for run in words(question):
        if is_paired(run):
            yield from _by_pairs(run, own, rarity)
        elif run not in question_words:
            yield from _spaced(run, question_words, lambda word: rarity(word) < 1)


def _spaced(run: str, question_words: frozenset[str], known: Callable[[str], bool]) -> Iterator[str]:
    """An identifier counts once: as it stands, if the corpus has it so or it is a code, else by what it is made of."""
    whole = _PART.findall(run)
    if len(whole) <= 1 or known(run) or _is_code(whole):
        yield run
        return
    parts = split_identifier(run)
    for part in whole if len(parts) == 1 else parts:
        if part not in question_words and len(part) > 1:
            yield from _spaced(part, question_words, known)


def _is_code(parts: Sequence[str]) -> bool:
    """Whether parts name a thing together, letters before figures: "mt-80", and not "3-phase"."""
    return parts[0][0].isalpha() and parts[-1][0].isdigit()


def _by_pairs(run: str, language: str, rarity: Callable[[str], float]) -> Iterator[str]:
    """The pairs of a run that are read as its words.

    A character that asks may be part of another word too ("上海"): a pair with one counts where the corpus has it.
    """
    parting, single = _splitters(language)
    common = common_words(language)

    def commonness(pair: str) -> float:
        if (rare := rarity(pair)) < 1:
            return UNKNOWN + 1 - rare
        return 0.0 if single.intersection(pair) else UNKNOWN * (2 if pair in common else 1)

    for piece in filter(None, parting.split(run)):
        yield from words_of(terms(piece, language, stop=False), commonness, common)


@lru_cache(maxsize=8)
def _splitters(language: str) -> tuple[re.Pattern[str], frozenset[str]]:
    """What parts a run wherever it stands: question words, of single characters the stop words alone; and the others.

    Where blanks are set single characters ask as the endings of words alone, and there are no others.
    """
    known, question_words = profile(language), question_stop_words(language)
    parting = [word for word in question_words if len(word) > 1 or word in known.own_stop_words]
    single = frozenset(word for word in question_words if len(word) == 1) - known.own_stop_words
    return re.compile("|".join(map(re.escape, longest_first(parting)))), frozenset() if known.spaced else single


@lru_cache(maxsize=1024)  # headings of columns are asked about for every row
def value_kinds(question: str, language: str = "") -> frozenset[Kind]:
    """Return the kinds of value that a question asks for, none where it asks for no value.

    "How long" may mean a time or a length; a plain number is asked for only where no kind is. `language` is the
    question's (ISO 639-1); without it the patterns of all languages count.
    """
    found = {kind for kind, pattern in _patterns(language) if pattern.search(question)}
    return frozenset(found - {Kind.NUMBER} or found)


def only_names_values(question: str, language: str) -> bool:
    """Return whether a question asks where, how something is done, or whether something is so: "Where is the fee paid?"
    is answered without a price, though `value_kinds` finds that it names one."""
    return any(cue(name, language).search(question) for name in ("asks_where", "how", "whether"))


def value_words(question: str, language: str = "") -> str:
    """Return the words of a question that say which kind of value it asks for: "how many kilograms weigh"."""
    return " ".join(
        question[match.start() : _word_end(question, match.end())]
        for _, pattern in _patterns(language)
        for match in pattern.finditer(question)
    )


@cache
def _patterns(language: str) -> tuple[tuple[Kind, re.Pattern[str]], ...]:
    return tuple(
        (Kind(kind), re.compile("|".join(parts), re.IGNORECASE))
        for kind, by_language in read_table("value_kinds").items()
        if (parts := of_language(by_language, language))
    )


def _word_end(text: str, place: int) -> int:
    """Where the word around a place ends; in scripts without blanks nothing tells, and it is the place itself."""
    rest = None if UNSPACED_CHARACTER.match(text, place) else _REST.match(text, place)
    return rest.end() if rest else place


def joined(question: str, before: str) -> str:
    """Return a question that leans on the one before it together with that one's subject, another as it is.

    Without a model nothing is rewritten: what the question before named is set behind the new one.
    """
    if not leans(question):
        return question
    here = set(words(question))
    lacking = [word for word in _subject(before, question) if word.casefold() not in here]
    return f"{question.rstrip()} ({' '.join(lacking)})" if lacking else question


def leans(question: str) -> bool:
    """Whether a question points back: by a pronoun, an opening such as "what about", or by saying too little."""
    language = detect_language(question, _EXPECTED)
    if any(cue(name, language).search(question) for name in ("goes_on", "points_back")):
        return True
    own = [word for word in words(question) if word not in question_stop_words(language)]
    unspaced = UNSPACED_CHARACTER.search(question) is not None
    return len(own) < _SHORT and not unspaced and not any(any(c.isdigit() for c in word) for word in own)


def _subject(question: str, following: str) -> Iterator[str]:
    """Yield the words of a question that name what it is about, and that the following one does not replace.

    One with words of its own ("And its mass?") replaces the kind of value, one with codes or years replaces those.
    """
    language = detect_language(question, _EXPECTED)
    known, figures = {*words(question), *question_stop_words(language)}, _has_digit(following)
    asks = any(word not in known and not _has_digit(word) for word in words(following))
    for word in re.split(r"[\s?？]+", question):
        for plain in _pieces(word.strip(".,;:!()\"'¿¡"), language):
            replaced = (asks and value_kinds(plain, language)) or (figures and _has_digit(plain))
            if words(plain) and plain.casefold() not in question_stop_words(language) and not replaced:
                yield plain


def _pieces(word: str, language: str) -> Sequence[str]:
    """A word; of a run without blanks, what stands between its question words."""
    return _splitters(language)[0].split(word) if UNSPACED_CHARACTER.search(word) else (word,)


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def tells_of(word: str, language: str, otherwise: float) -> float:
    """Return how much a word tells in its language, whatever the corpus, in [0, 1].

    It is the logarithm of its rank among the commonest words, as a share of the highest: 1 for a rarer word and for one
    with a digit. Where the commonest words are not known it is `otherwise`, or 1 if that is more.
    """
    ranks = common_rank(language)
    if any(map(str.isdigit, word)):
        return 1.0
    if not ranks or is_paired(word):
        return min(1.0, otherwise)
    rank = ranks.get(word)
    return 1.0 if rank is None else math.log(rank + 2) / math.log(len(ranks) + 2)
