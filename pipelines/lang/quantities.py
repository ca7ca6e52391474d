"""Values with units in a text, with the kind of each: "66 dB(A)", "EUR 286.00", "sechs Monate"."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from typing import NamedTuple

from pipelines.core.provenance import Span
from pipelines.lang.characters import CJK, CURRENCY, MARK
from pipelines.lang.names import names_organization, names_person
from pipelines.lang.numbers import DATE, GROUP_BLANKS, decimal, names_month_or_weekday, number_words
from pipelines.lang.profile import named_languages, profile, read_table
from pipelines.lang.scales import scale_at
from pipelines.lang.terms import stem
from pipelines.lang.word_lists import common_words, cue, verbs


class Kind(StrEnum):
    """The quantity that a value measures, or another kind of value."""

    PRESSURE = "pressure"
    TEMPERATURE = "temperature"
    LENGTH = "length"
    TIME = "time"
    MASS = "mass"
    MONEY = "money"
    SOUND = "sound"
    SHARE = "share"
    VOLUME = "volume"
    FLOW = "flow"
    SPEED = "speed"
    FREQUENCY = "frequency"
    VOLTAGE = "voltage"
    CURRENT = "current"
    POWER = "power"
    ENERGY = "energy"
    TORQUE = "torque"
    FORCE = "force"
    RESISTANCE = "resistance"
    AREA = "area"
    DATA = "data"
    DATE = "date"
    PHONE = "phone"
    MAIL = "mail"
    NUMBER = "number"
    PERSON = "person"
    REASON = "reason"


_RUN = rf"(?:\d{{1,3}}(?:[{GROUP_BLANKS}']\d{{3}}(?!\d))++(?:[.,]\d++)?+|\d++(?:[.,]\d++)*+)"
_GROUPED = re.compile(rf"[1-9]\d{{0,2}}(?:[{GROUP_BLANKS}.]\d{{3}})+")
"""A number in groups of three digits."""
_FEWEST_DIGITS = 6
"""Minimum digits of a phone number; extensions of fewer are told by their label."""
_FIGURE = re.compile(rf"[-+−]?(?<!\d)(?<!\d[.,]){_RUN}(?:\s?[-–~/x×]\s?{_RUN}){{0,2}}")
_FIGURE_BEFORE = re.compile(r"\d\s?$")
_TO_UNIT = re.compile(r"[^\S\n]?-?[^\S\n]?")
_WORD = re.compile(rf"[^\W\d_{CJK}]+(?:[{MARK}]+[^\W\d_{CJK}]*)*")
_LETTER_BEHIND = re.compile(rf"[^\W\d_{CJK}]|[°²³{MARK}]")
_QUALIFIER = re.compile(rf"(?P<word>[^\W\d_](?:[^\W\d_]|[{MARK}-]){{0,30}})[^\S\n]")
_WORD_BEHIND = re.compile(r"\s[^\W\d_]")
_CJK_END = re.compile(rf"[{CJK}]$")
_BLANKS = re.compile(r"\s+")
_YEAR, _YEAR_BEFORE = 5, re.compile(r"(?<![\d.,])(?:19|20)\d\d$")
_LONGEST = 32
"""Maximum characters of the name of a unit."""
_SHORTEST_NAME, _SHORTEST_PART = 2, 4
"""Minimum letters of a unit that may follow another word, which "h" may not, and of both parts of a compound with a
unit: "Betriebsstunden", but not "Montage"."""
_CELLS = re.compile(r"[|(),\[\]:（）：，\n]")
_TABLE = read_table("units")
_SIGNS = re.escape(CURRENCY)
CURRENCY_CODES = "|".join(sign for sign in _TABLE["money"]["symbols"] if sign.isalpha())
"""Alternatives of a pattern: the codes of currencies, such as EUR."""
_MONEY_BEFORE = re.compile(rf"(?:[{_SIGNS}]|\b(?:{CURRENCY_CODES}))\s?(?P<figure>{_RUN})")
_THOUSANDS = {"k": 3, "K": 3, "T": 3, "M": 6, "m": 6}
"""Letters for powers of ten beside the sign or code of a currency: "1.9 M€", "120 TEUR", "$4.5k"."""
_BEFORE_CURRENCY = re.compile(rf"([{''.join(_THOUSANDS)}])(?=[{_SIGNS}]|(?:{CURRENCY_CODES})\b)")
_BEHIND_AMOUNT = re.compile(rf"([{''.join(_THOUSANDS)}])(?![^\W{CJK}])")
_PHONE = re.compile(
    r"(?<![\w.,+-])\+\d{1,3}(?:[\s/.-]\(?\d{1,8}\)?){2,5}(?![\w-]|,\d)|(?<![\w.,-])0\d(?:[\s.-]\d\d){4}(?![\w-]|,\d)"
    r"|(?<![\w.,-])\(?0\d{2,4}\)?[\s/]\s?\d{2,8}(?:\s\d{2,4}){0,3}-\d{1,5}(?![\w-]|,\d)"
    r"|(?<![\w.,-])(?:0\d{2,4}[-/\s]\d{2,3}(?:\s\d\d){2,3}|[6-9]\d\d(?:\s\d\d){3})(?![\w-]|,\d)"
    r"|(?<![\w.,-])(?:\+\d{1,3}[\s/.-]?)?(?:\(?\d{2,5}\)?[\s/.-]){1,4}\d{3,8}(?![\w-]|,\d)|\b1\d{10}\b"
)
"""With the sign of a country code, groups of any length; without, five pairs as in French, an extension behind a hyphen
as in German (DIN 5008), and pairs behind an area code as in German, Dutch and Spanish; groups; a Chinese mobile."""
_CALLED_LENGTH = 12
_CALLED = re.compile(
    r"\b(?:t|tel|tfno|telf|tlf|t[eé]l[eé]f(?:ono|oon|one|on)|t[eé]l[eé]phone|phone|fon|fax|gsm|mobile?|m[oó]vil|тел)"
    r"\b[.:]{0,2}\s?$",
    re.IGNORECASE,
)
"""A word for a telephone before its number, and the maximum characters of it."""
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]+\.[\w.]+")
_NAMED = named_languages("unit_names")
_PLAIN = re.compile(rf"(?m)(?!^\d{{1,3}}[.)]\s)(?<![^\W{CJK}])(?<![.,-])\d[\d.,]*(?![^\W{CJK}])")
"""A number without a unit, but not the label of a list item ("3. Close the valve")."""
_CLOCK = re.compile(r"(?<![\d:.,])(?:[01]\d|2[0-3]|[2-9]):[0-5]\d(?![\d:])")
"""A time of day; "1:10" is a ratio."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value in a text. `figure` is its (last) number, `unit` its unit as written, in lower case."""

    kind: Kind
    text: str
    figure: float | None
    unit: str
    span: Span


@dataclass(frozen=True, slots=True)
class _Units:
    """Units by their exact and their folded spelling without blanks, and by the stem of a name; `names` are folded."""

    exact: Mapping[str, Kind]
    folded: Mapping[str, Kind]
    stems: Mapping[str, Kind]
    names: Collection[str]


def quantities(text: str, language: str = "") -> list[Value]:
    """Return the values in `text` with a unit or currency, dates, phone numbers and mail addresses, in order.

    Names of units in English and `language` (ISO 639-1), and number words in `language`, are recognized; without a
    language, those of all languages.
    """
    return sorted(_quantities(text, language), key=lambda value: value.span)


def in_row(fields: Iterable[tuple[str, str]], language: str = "") -> list[Value]:
    """Return the values in a table row, given as (column name, cell); their spans are positions in the cells.

    A plain number has the unit in the name of its column: 2000 below "Water (m³)" is no year.
    """
    found: list[Value] = []
    for name, cell in fields:
        own = quantities(cell, language)
        dated = all(value.kind is Kind.DATE for value in own)  # also without any value
        found += (_by_column(name, cell, language) if dated else []) or own
    return found


@lru_cache(maxsize=1 << 14)  # called for each sentence found; consecutive questions often find the same ones
def gives(kinds: frozenset[Kind], text: str, language: str = "") -> bool:
    """Whether `text` has a value of one of the kinds; a plain number counts only for `NUMBER`, a time of day as `DATE`.

    In a table row with its header, the unit may be separate from the figure ("Torque, N·m | 110").
    """
    if Kind.NUMBER in kinds and (_PLAIN.search(text) or plain_numbers(text, language)):
        return True
    if Kind.PERSON in kinds and (names_person(text, language) or names_organization(text)):
        return True
    if Kind.DATE in kinds and (
        _CLOCK.search(text) or cue("clock", language).search(text) or names_month_or_weekday(text, language)
    ):
        return True
    if Kind.REASON in kinds and (named := cue("reason", language).search(text)):
        return text.strip(" |\n") != named[0]  # "Cause" alone is a label
    if any(value.kind in kinds for value in _quantities(text, language)):
        return True
    return "|" in text and _PLAIN.search(text) is not None and any(kind in kinds for kind, _ in _apart(text, language))


def plain_numbers(text: str, language: str = "") -> list[tuple[int, int]]:
    """Return the start and end of the numbers in a text, in digits and words, that count things.

    They have no unit, and are not part of a date, a time of day, a code or the mark of a list item.
    """
    taken = [value.span for value in _quantities(text, language)] + [Span(*one.span()) for one in _CLOCK.finditer(text)]
    articles = profile(language or "en").stop_words
    found = [match.span() for match in _PLAIN.finditer(text)]
    found += [(start, end) for start, end, _ in number_words(text, language) if text[start:end].lower() not in articles]
    return [one for one in found if not any(span.start < one[1] and one[0] < span.end for span in taken)]


def unit_kind(written: str, language: str = "") -> Kind | None:
    """Return what a unit or a currency measures, as it is written behind a number, or None for other text."""
    unit = _unit_at(f"1 {written}", 1, language)
    return unit.kind if unit is not None and unit.end == len(written) + 2 else None


def is_unit(written: str, language: str = "") -> bool:
    """Whether a word or sign denotes a unit or a currency: "mm", "EUR", "hours"."""
    return _kind(written, language) is not None or _by_stem(written.casefold(), language) is not None


def _quantities(text: str, language: str) -> Iterator[Value]:
    for start, end, figure in _figures(text, language):
        unit = _unit_at(text, end, language)
        if unit is not None:
            written = text[start : unit.end]
            scaled = figure and figure * 10**unit.exponent
            yield Value(unit.kind, written, scaled, text[unit.start : unit.end].lower(), Span(start, unit.end))
    for match in _MONEY_BEFORE.finditer(text):
        yield _money_at(text, match, language)
    for match in DATE.finditer(text):
        yield Value(Kind.DATE, match.group(), None, "", Span(*match.span()))
    yield from phones_and_mails(text)


def phones_and_mails(text: str) -> list[Value]:
    """Return the phone numbers and mail addresses in a text, in order."""
    found = [
        Value(kind, match.group(), None, "", Span(*match.span()))
        for kind, pattern in ((Kind.PHONE, _PHONE), (Kind.MAIL, _MAIL))
        for match in pattern.finditer(text)
        if kind is Kind.MAIL
        or not _is_no_phone(match.group(), text[max(0, match.start() - _CALLED_LENGTH) : match.start()])
    ]
    return sorted(found, key=lambda value: value.span)


def _is_no_phone(digits: str, before: str) -> bool:
    """Whether a match is a number in groups of three digits ("12 500") that is not called a phone number before it, a
    date, or a postal code such as "40-098"."""
    grouped = _GROUPED.fullmatch(digits) and not _CALLED.search(before)
    return bool(grouped or DATE.fullmatch(digits)) or sum(map(str.isdigit, digits)) < _FEWEST_DIGITS


def _money_at(text: str, match: re.Match[str], language: str) -> Value:
    """Return the amount behind a currency, with the word or letter for a power of ten behind it."""
    scale, letter = (
        scale_at(text, _skip_blanks(text, match.end()), language),
        _BEHIND_AMOUNT.match(text, match.end(), match.end() + 2),
    )
    exponent, end = (_THOUSANDS[letter[1]], letter.end()) if letter else (0, match.end())
    span = Span(match.start(), scale.end if scale else end)
    figure = decimal(match["figure"], language)
    return Value(
        Kind.MONEY, span.slice(text), figure and figure * 10 ** (scale.exponent if scale else exponent), "", span
    )


def _skip_blanks(text: str, place: int) -> int:
    gap = _TO_UNIT.match(text, place)
    return gap.end() if gap else place


def _figures(text: str, language: str) -> Iterator[tuple[int, int, float | None]]:
    """Yield the numbers in digits and in words as (start, end, last value)."""
    for match in _FIGURE.finditer(text):
        before = text[max(0, match.start() - 1) : match.start()]
        if not before.isalpha() or _CJK_END.search(before):
            yield match.start(), match.end(), decimal(match.group(), language)
    for start, end, value in number_words(text, language):
        if not _FIGURE_BEFORE.search(text, max(0, start - 2), start):
            yield start, end, value


class _Unit(NamedTuple):
    """A unit in a text, from `start` to `end`."""

    kind: Kind
    start: int
    end: int
    exponent: int = 0
    """That of the power of ten between number and unit: 6 for "million"."""


def _unit_at(text: str, place: int, language: str) -> _Unit | None:
    """Return the longest unit after a figure that ends at `place`, or None.

    The name of a unit of time may follow another word: "3,000 operating hours".
    """
    start = _skip_blanks(text, place)
    scale = scale_at(text, start, language)
    if scale and (scaled := _unit_from(text, scale.unit, language)):
        return scaled._replace(exponent=scale.exponent)
    letter = _BEFORE_CURRENCY.match(text, start, start + _LONGEST)
    if letter and (amount := _unit_from(text, letter.end(), language)):
        return amount._replace(exponent=_THOUSANDS[letter[1]])
    unit = _unit_from(text, start, language)
    qualifier = _QUALIFIER.match(text, start) if unit is None and start > place else None
    if (
        qualifier is None
        or not _qualifies(qualifier["word"], language)
        or _YEAR_BEFORE.search(text[max(0, place - _YEAR) : place])
    ):
        return unit
    unit = _unit_from(text, qualifier.end(), language)
    is_name = unit is not None and unit.kind is Kind.TIME and unit.end - unit.start >= _SHORTEST_NAME
    return unit if is_name else None


def _qualifies(word: str, language: str) -> bool:
    """Whether a word may stand between a number and its unit: it is no function word and no verb."""
    low = word.lower()
    return low not in profile(language or "en").stop_words and low not in verbs(language)


def _unit_from(text: str, start: int, language: str) -> _Unit | None:
    """Return the longest unit that starts here, or None; an inflected name ("Monaten"); the last part of a compound."""
    for end in range(min(len(text), start + _LONGEST), start, -1):
        kind = _kind(text[start:end], language)
        if kind is not None and _ends_here(text, start, end, language):
            return _Unit(kind, start, end)
    word = _WORD.match(text, start, start + _LONGEST)
    if word is None:
        return None
    kind = _by_stem(word.group(), language)
    return _Unit(kind, start, word.end()) if kind else _in_compound(text, word, language)


def _in_compound(text: str, word: re.Match[str], language: str) -> _Unit | None:
    """Return the unit of time at the end of a compound: "Betriebsstunden"."""
    if profile(language or "en").compounds:
        for at in range(word.start() + _SHORTEST_PART, word.end() - _SHORTEST_PART + 1):
            if _kind(text[at : word.end()], language) is Kind.TIME:
                return _Unit(Kind.TIME, at, word.end())
    return None


def _ends_here(text: str, start: int, end: int, language: str) -> bool:
    """Whether a unit ends here: not before a letter ("5 men" is not "5 m"), and, if its symbol is a word, not before
    another word ("5 in stock")."""
    if not text[end - 1].isspace() and (
        _CJK_END.search(text[start:end]) or not _LETTER_BEHIND.match(text, end, end + 1)
    ):
        written = text[start:end].lower()
        is_word = written in profile(language or "en").stop_words and written not in _units(language).names
        return not (is_word and _WORD_BEHIND.match(text, end, end + 2))
    return False


def _kind(written: str, language: str) -> Kind | None:
    units, plain = _units(language), _BLANKS.sub("", written)
    return units.exact.get(plain) or units.folded.get(plain.casefold())


def _by_stem(word: str, language: str) -> Kind | None:
    """Return the kind of an inflected name of a unit ("Monaten"), or None."""
    return _units(language).stems.get(stem(word, language)) if language and len(word) > 2 else None


@cache
def _units(language: str) -> _Units:
    symbols = {
        _BLANKS.sub("", unit): Kind(kind) for kind, written in _TABLE.items() for unit in written.get("symbols", ())
    }
    folded: dict[str, set[Kind]] = {}
    for symbol, kind in symbols.items():
        folded.setdefault(symbol.casefold(), set()).add(kind)
    clear = {symbol: kinds.copy().pop() for symbol, kinds in folded.items() if len(kinds) == 1 and len(symbol) > 1}
    names = dict(_names(language))
    stems = {stem(name, language): kind for name, kind in names.items() if _WORD.fullmatch(name)}
    return _Units(symbols, clear | {_BLANKS.sub("", name): kind for name, kind in names.items()}, stems, names.keys())


def _names(language: str) -> Iterator[tuple[str, Kind]]:
    """Yield the names of units in `language` and in English, which is used in tables and drawings of all languages."""
    for code in {"en", language} & set(_NAMED):
        for kind, names in read_table(f"unit_names/{code}").items():
            yield from ((name.casefold(), Kind(kind)) for name in names)
    for kind, written in _TABLE.items():
        for code in ("en", language) if language else written.keys() - {"symbols"}:
            yield from ((name.casefold(), Kind(kind)) for name in written.get(code, ()))


def _apart(text: str, language: str) -> Iterator[tuple[Kind, str]]:
    """Yield (kind, unit) for units without a figure: alone in a cell, after a comma, in brackets, or as the last word.

    The last word is a symbol of several letters, or the sign of a currency ("Net kg", "Total €"). "Pressure min" and
    "Checked in" have none, "Flow m³/h" has one, and "t/h" is no mass.
    """
    for cell in _CELLS.split(text):
        whole = _kind(cell.strip().rpartition(" ")[2], language) is not None
        rate = _kind(cell.rpartition("/")[2].strip(), language) is Kind.TIME
        for written in (cell, *cell.split("/")) if "/" in cell and not whole and not rate else (cell,):
            kind = _kind(written.strip(), language)
            if kind is not None:
                yield kind, written.strip().lower()
        _, blank, last = cell.strip().rpartition(" ")
        known = blank and (last in CURRENCY or (len(last) > 1 and last not in common_words("en")))
        kind = _units(language).exact.get(last) if known else None
        if kind not in (None, Kind.TIME):
            yield kind, last.lower()


def _by_column(name: str, cell: str, language: str) -> Iterator[Value]:
    match = _PLAIN.fullmatch(cell.strip()) or _GROUPED.fullmatch(cell.strip())
    kind, unit = next(_apart(name, language), (None, ""))
    if match is not None and kind is not None:
        yield Value(kind, match.group(), decimal(match.group(), language), unit, Span(*match.span()))
