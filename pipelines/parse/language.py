"""The language of a text, from its script and its commonest words."""

from __future__ import annotations

import re
from collections import Counter

_SAMPLE = 20_000
_SCRIPTS = {
    "ja": re.compile("[\u3040-\u30ff]"),
    "ko": re.compile("[\uac00-\ud7af\u1100-\u11ff]"),
    "zh": re.compile("[\u3400-\u9fff]"),
    "ru": re.compile("[\u0400-\u04ff]"),
    "ar": re.compile("[\u0600-\u06ff]"),
    "he": re.compile("[\u0590-\u05ff]"),
    "el": re.compile("[\u0370-\u03ff]"),
    "th": re.compile("[\u0e00-\u0e7f]"),
    "hi": re.compile("[\u0900-\u097f]"),
}
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[^\W\d_]+")
_COMMON = {
    "en": "the of and to in is for that with on as are by this be from at or an it not which was can if",
    "de": "der die und das den von zu mit ist im für auf nicht ein eine dem des sich auch werden wird bei oder sind",
    "fr": "le la les et des du une est que dans pour qui sur pas au par avec sont ce cette ou aux être il plus",
    "es": "el los las y del una es que por con para se como más su al lo pero sus no este esta son en la",
    "it": "il di che è della per una con non sono del dei gli le nel anche da si alla più questo come ed al",
    "pt": "o os as do da dos das um uma é que para com não por mais se como em ao na no são pela ou",
    "nl": "de het een en van ik te dat die is op met voor niet aan er zijn als ook door bij naar wordt deze of",
    "sv": "och att det som en är på för med av till den har inte om ett från eller kan vid så ska var men sig",
    "pl": "i w na z do się nie jest to że od dla przez są oraz po jak lub być które ze który co za przy",
    "cs": "a je v na se že z do s pro by jsou nebo jako o ale jeho k po od při tak které který byl",
}
_LANGUAGES_OF: dict[str, tuple[str, ...]] = {}
for _language, _words in _COMMON.items():
    for _common in _words.split():
        _LANGUAGES_OF[_common] = (*_LANGUAGES_OF.get(_common, ()), _language)


def detect_language(text: str, expected: tuple[str, ...] = ()) -> str:
    """Return the ISO 639-1 code of the language of `text`, empty where nothing tells.

    A tie goes to the language that stands first in `expected`.
    """
    sample = _sample(text)
    letters = len(_LETTER.findall(sample))
    if not letters:
        return ""
    return _by_script(sample, letters) or _by_words(sample, expected)


def _sample(text: str) -> str:
    """The beginning alone may be a cover page, so the middle speaks too."""
    if len(text) <= _SAMPLE:
        return text
    middle = len(text) // 2
    return text[: _SAMPLE // 2] + " " + text[middle : middle + _SAMPLE // 2]


def _by_script(sample: str, letters: int) -> str:
    shares = {code: len(pattern.findall(sample)) / letters for code, pattern in _SCRIPTS.items()}
    # A Chinese character says as much as a word of several Latin letters; Japanese mixes both of its scripts.
    if shares["ja"] > 0.05:
        return "ja"
    if shares["zh"] > 0.15:
        return "zh"
    code, share = max(shares.items(), key=lambda item: item[1])
    return code if share > 0.4 else ""


def _by_words(sample: str, expected: tuple[str, ...]) -> str:
    votes: Counter[str] = Counter()
    for word in _WORD.findall(sample.lower()):
        languages = _LANGUAGES_OF.get(word, ())
        for language in languages:
            votes[language] += 6 // len(languages) if len(languages) < 6 else 1
    if not votes:
        return ""
    rank = {code: len(expected) - place for place, code in enumerate(expected)}
    return max(votes, key=lambda code: (votes[code], rank.get(code, 0), code))
