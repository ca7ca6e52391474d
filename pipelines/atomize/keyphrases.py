"""Key phrase extraction: the tags of a chunk without a model.

After RAKE (Rose et al. 2010): a candidate is a run of words between stop words, weighted by the number and form of its
occurrences. Verbs end a run too, in the languages with a list of them. YAKE finds similar phrases at a tenth of the
speed, and does not support Chinese.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pipelines.core.ids import normalize
from pipelines.core.provenance import Span
from pipelines.lang.characters import CJK, CJK_CHARACTER, HIRAGANA, KATAKANA
from pipelines.lang.numbers import calendar
from pipelines.lang.profile import profile
from pipelines.lang.quantities import is_unit
from pipelines.lang.word_lists import PHRASE_ENDS, verbs, without_elisions, wording

_TOKEN = re.compile(rf"[{CJK}]+|[^\W_{CJK}]+(?:[-./'’&][^\W_{CJK}]+)*|[^\w\s]")
_LETTER = re.compile(r"[^\W\d_]")
_HAN_RUN = re.compile(rf"[{CJK}]{{2,}}")
_HAN_SPLIT = re.compile(f"[{''.join(sorted(profile('zh').phrase_ends))}{HIRAGANA}]")
"""Chinese characters at which a phrase ends, and the Japanese script of particles and endings."""
_KATAKANA_WORD = re.compile(f"[{KATAKANA}ー]{{2,}}")
_PARTICIPLE = re.compile(r"[a-z]{2}[^e]ed$")
_LONGEST, _HAN_LONGEST = 3, 6
"""Maximum words of a phrase, and characters of a Chinese one."""
_NAME_WEIGHT = 1.5
"""Weight of a name relative to a phrase of as many words."""


@dataclass(frozen=True, slots=True)
class KeyPhrase:
    """A phrase as written, and its weight in (0, 1]; the heaviest phrase of a text weighs 1."""

    text: str
    weight: float


@dataclass(frozen=True, slots=True)
class NamedSentence:
    """A sentence and the spans of the names in it, in order and relative to `text`."""

    text: str
    names: Sequence[Span] = ()


def key_phrases(
    sentences: Iterable[NamedSentence],
    headings: Iterable[str],
    limit: int,
    known: Collection[str] = (),
    language: str = "",
) -> list[KeyPhrase]:
    """Return the `limit` heaviest key phrases, heaviest first, ties in order of first occurrence.

    The weight of a phrase is the sum over its occurrences. Names, longer phrases and early occurrences weigh more; a
    phrase in `headings` has double weight. Omitted are quantities, dates and references ("6 bar", "May 2025", "Table
    3"), phrases inside a heavier one, and single lower-case words that occur once. Chinese text is segmented by the
    `known` terms (`repeated_han`). `language` is that of the sentences.
    """
    weights, surfaces, counts = _weigh(sentences, known, language)
    heading = _key(" ".join(headings))
    for key in weights:
        if key in heading:
            weights[key] *= 2
    kept: list[str] = []
    for key in sorted(weights, key=lambda key: -weights[key]):
        if len(kept) == limit:
            break
        surface = surfaces[key]
        passing = counts[key] == 1 and key not in heading and surface.isalpha() and surface.islower()
        if passing or any(key in other or other in key for other in kept) or _has_no_term(surface, language):
            continue
        kept.append(key)
    top = weights[kept[0]] if kept else 1.0
    return [KeyPhrase(surfaces[key], round(weights[key] / top, 4)) for key in kept]


@dataclass(frozen=True, slots=True)
class _PhraseSyntax:
    """Where phrases end in a language.

    `ends` are words outside phrases. If nouns have capitals (`noun_capitals`), a phrase ends with a capitalized word,
    and only words without a capital are `verbs`. `past_participle` finds one that ends a phrase but is not part of it.
    """

    ends: frozenset[str]
    verbs: frozenset[str]
    noun_capitals: bool
    past_participle: re.Pattern[str] | None

    def is_outside(self, word: str) -> bool:
        lower = word.lower()
        return lower in self.ends or (word if self.noun_capitals else lower) in self.verbs

    def is_head(self, word: str) -> bool:
        """Whether a word can be the last one of a phrase."""
        if self.noun_capitals:
            return not word.islower()
        return self.past_participle is None or self.past_participle.search(word) is None


@lru_cache(maxsize=64)
def _phrase_syntax(language: str, without_capitals: bool) -> _PhraseSyntax:
    known = profile(language)
    ends = PHRASE_ENDS | known.function_words | known.question_words | known.phrase_ends | known.elided
    past_participle = _PARTICIPLE if language in ("", "en") else None
    return _PhraseSyntax(ends, verbs(language), known.noun_capitals and not without_capitals, past_participle)


def _has_no_term(phrase: str, language: str) -> bool:
    """Whether a phrase consists only of numbers, units, names of months and days, and words that precede a number."""
    return all(_is_no_term(word, language) for word in phrase.split())


@lru_cache(maxsize=1 << 14)
def _is_no_term(word: str, language: str) -> bool:
    folded = word.casefold()
    mark = len(word) == 1 or not _LETTER.search(word)
    return mark or folded in calendar(language) or folded in _part_words(language) or is_unit(word, language)


@lru_cache(maxsize=64)
def _part_words(language: str) -> frozenset[str]:
    """Return words before the number of a part of a document or revision ("Table 3"), in a language and in English."""
    fields = (wording(field) for field in ("table", "figure", "picture", "section", "appendix", "page", "revision"))
    return frozenset(word for field in fields for code in ("en", language) for word in field.get(code, ()))


def _weigh(
    sentences: Iterable[NamedSentence], known: Collection[str], language: str
) -> tuple[dict[str, float], dict[str, str], Counter[str]]:
    """Return by the key of each candidate its weight, its first surface form and its occurrences."""
    weights: dict[str, float] = {}
    counts: Counter[str] = Counter()
    surfaces: dict[str, str] = {}
    for number, sentence in enumerate(sentences):
        early = 1.0 + 1.0 / (2 + number)
        syntax = _phrase_syntax(language, sentence.text.islower())
        plain = NamedSentence(without_elisions(sentence.text, language), sentence.names)
        for phrase, form in _candidates(plain, known, syntax):
            key = _key(phrase)
            surfaces.setdefault(key, " ".join(phrase.split()))
            weights[key] = weights.get(key, 0.0) + early * form
            counts[key] += 1
    return weights, surfaces, counts


def _key(phrase: str) -> str:
    return " ".join(phrase.lower().split()) if phrase.isascii() else normalize(phrase)


def _candidates(sentence: NamedSentence, known: Collection[str], syntax: _PhraseSyntax) -> Iterator[tuple[str, float]]:
    """Yield the names and the phrases between them, each with the weight of its form."""
    start = 0
    for name in sentence.names:
        yield from _phrases(sentence.text[start : name.start], known, syntax)
        surface = name.slice(sentence.text)
        yield surface, _NAME_WEIGHT * _form(surface.count(" ") + 1)
        start = name.end
    yield from _phrases(sentence.text[start:], known, syntax)


def _form(words: int) -> float:
    """Return the weight of a phrase's form: 0.8 for one word, 1.6 for `_LONGEST` words and more."""
    return 0.4 + 0.4 * min(words, _LONGEST)


def _phrases(text: str, known: Collection[str], syntax: _PhraseSyntax) -> Iterator[tuple[str, float]]:
    run: list[re.Match[str]] = []
    plain = text.isascii()
    for match in _TOKEN.finditer(text):
        token = match.group()
        if not plain and CJK_CHARACTER.match(token):
            yield from _run(text, run, syntax)
            run = []
            yield from _han(token, known)
        elif not (token.isalpha() or _LETTER.search(token)) or syntax.is_outside(token):
            if run:
                yield from _run(text, run, syntax)
                run = []
        else:
            run.append(match)
    yield from _run(text, run, syntax)


def _run(text: str, run: list[re.Match[str]], syntax: _PhraseSyntax) -> Iterator[tuple[str, float]]:
    heads = [place for place, word in enumerate(run) if syntax.is_head(word.group())]
    run = run[: heads[-1] + 1][-_LONGEST:] if heads else []
    if run and len(phrase := text[run[0].start() : run[-1].end()]) > 2:
        yield phrase, _form(len(run))


def _han(token: str, known: Collection[str]) -> Iterator[tuple[str, float]]:
    for part in _HAN_SPLIT.split(token):
        is_word = _KATAKANA_WORD.fullmatch(part) is not None
        terms = [] if is_word else list(_longest_known(part, known))
        terms = terms or ([part] if is_word or 2 <= len(part) <= _HAN_LONGEST else [])
        yield from ((term, _form(len(term) // 2)) for term in terms)


def _longest_known(run: str, known: Collection[str]) -> Iterator[str]:
    """Yield the known terms in a run of characters by longest match from the left."""
    start = 0
    while start < len(run) - 1:
        sizes = range(min(_HAN_LONGEST, len(run) - start), 1, -1)
        size = next((size for size in sizes if run[start : start + size] in known), 0)
        if size:
            yield run[start : start + size]
        start += size or 1


def repeated_han(text: str) -> frozenset[str]:
    """Return the Chinese strings of 2 to 6 characters that occur at least twice, and not only inside a longer one.

    A run of katakana is a word by itself.
    """
    counts: Counter[str] = Counter()
    for run in _HAN_RUN.findall(text):
        for part in _HAN_SPLIT.split(run):
            if _KATAKANA_WORD.fullmatch(part):
                continue
            for size in range(2, min(_HAN_LONGEST, len(part)) + 1):
                counts.update(part[i : i + size] for i in range(len(part) - size + 1))
    often = {term: count for term, count in counts.items() if count > 1}
    inside = {part for term, count in often.items() for part in (term[1:], term[:-1]) if often.get(part) == count}
    return frozenset(often.keys() - inside)
