"""Values in a text: figures with a unit or a currency, dates, numbers of telephones, names, reasons."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipelines.core.provenance import Span
from qa.quoting.kinds import Kind

_RUN = r"\d++(?:[.,]\d++)*+"
_FIGURE = rf"(?P<figure>[-+−]?(?<!\d)(?<!\d[.,]){_RUN}(?:\s?[-–~/x×]\s?{_RUN}){{0,2}})"
_MONTH = (
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec|january|february|march|april|june|july|august"
    r"|september|october|november|december|januar|februar|märz|mai|juni|juli|oktober|dezember)"
)
# Behind a figure; what stands before one ("$ 5", "EUR 5") is in _BEFORE. The longest unit first.
_UNITS: dict[Kind, str] = {
    Kind.PRESSURE: r"cm\s?h2o|cm\s?h₂o|mm\s?hg|mmhg|m?bar(?:g|a)?|[kmh]?pa|psi[ag]?|atm|巴|千帕|兆帕",
    Kind.TEMPERATURE: r"°\s?[cfk]|º\s?[cf]|℃|℉|degrees? (?:celsius|fahrenheit|c\b|f\b)|grad|kelvin|摄氏度|度",
    Kind.TORQUE: r"n\s?[·.*]?\s?m|ft[- ]?lbf?|kgf[·.]?cm|牛米|牛·米",
    Kind.FLOW: (r"l\s?/\s?min|lpm|slpm|l\s?/\s?h|l\s?/\s?s|ml\s?/\s?(?:min|s)|m[3³]\s?/\s?(?:h|min|s)|gpm|cfm|scfm"),
    Kind.SPEED: r"m\s?/\s?s|km\s?/\s?h|ft\s?/\s?s|mph|mm\s?/\s?s|rpm|r\s?/\s?min|min-1|min⁻¹|1/min|转",
    Kind.FREQUENCY: r"[kmg]?hz|bpm|breaths?(?: per |/)min(?:ute)?|breaths? a minute|赫兹",
    Kind.SOUND: r"db(?:\s?\(?[ac]\)?)?|decibels?|dezibel|分贝",
    Kind.SHARE: r"%|percent|per cent|prozent|％|ppm",
    Kind.MASS: r"kg|kilograms?|kilos?|mg|g|grams?|lbs?|pounds?|oz|ounces?|tonnes?|tons?|t|公斤|千克|吨|克",
    Kind.VOLTAGE: r"[mk]?v(?:\s?(?:ac|dc))?|v(?:ac|dc)|volts?|伏特?|千伏",
    Kind.CURRENT: r"[mµu]?a|amps?|amperes?|a?h?mah|ah|安培?|毫安",
    Kind.POWER: r"[mk]?w|watts?|kilowatts?|hp|kva|va|千瓦|瓦",
    Kind.FORCE: r"k?n|newtons?|kgf|lbf|牛顿?",
    Kind.VOLUME: r"m?l|litres?|liters?|cl|cc|cm[3³]|m[3³]|gallons?|升|毫升|立方米",
    Kind.AREA: (r"[mc]?m[2²]|mm²|km²|sq\.?\s?(?:m|ft|in)|square (?:met(?:er|re)s?|feet|inches)|hectares?|平方米"),
    Kind.RESISTANCE: r"[km]?(?:Ω|ohms?)|欧姆",
    Kind.LENGTH: (
        r"[mcdkµun]?m|millimet(?:er|re)s?|centimet(?:er|re)s?|met(?:er|re)s?|in\b|inch(?:es)?|ft|feet|foot|″"
        r"|\"|''|毫米|厘米|公里|米"
    ),
    Kind.TIME: (
        r"ms|s|secs?|seconds?|min|mins?|minutes?|h|hrs?|hours?|days?|weeks?|months?|years?|shifts?|sekunden"
        r"|minuten|stunden|tage|wochen|monate|jahre|秒钟?|分钟|小时|天|日内|周|星期|个月|年"
    ),
    Kind.MONEY: r"€|\$|£|¥|eur|usd|gbp|cny|rmb|chf|dollars?|euros?|cents?|pounds sterling|元|欧元|美元|人民币",
}
_BEFORE = r"(?:€|\$|£|¥|\beur|\busd|\bgbp|\bcny|\brmb|\bchf)\s?"
_WORD_END = r"(?![A-Za-zµ°²³])"
_BEHIND = re.compile(
    _FIGURE
    + r"\s?[-]?\s?(?:"
    + "|".join(f"(?P<{kind.name}>{units})" for kind, units in _UNITS.items())
    + ")"
    + _WORD_END,
    re.IGNORECASE,
)
_APART = {
    kind: re.compile(rf"(?:^|[|(,\[/:])[^\S\n]*(?:{units})[^\S\n]*(?=$|[|)\],/])", re.IGNORECASE | re.MULTILINE)
    for kind, units in _UNITS.items()
}
"""A unit alone in a cell, behind a comma or in brackets."""
_MONEY_BEFORE = re.compile(_BEFORE + r"(?P<figure>\d(?:[\d.,]*\d)?)", re.IGNORECASE)
_DATE = re.compile(
    rf"\b\d{{4}}-\d\d?-\d\d?\b|\b\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}\b|\b\d{{1,2}}(?:st|nd|rd|th|\.)?\s(?:of\s)?{_MONTH}\b\.?"
    rf"|\b{_MONTH}\.?\s\d{{1,4}}\b|\b(?:19|20)\d\d\b|\d{{4}}\s?年|\d{{1,2}}\s?月\s?\d{{1,2}}\s?日",
    re.IGNORECASE,
)
_PHONE = re.compile(r"(?<![\w.,-])(?:\+\d{1,3}[\s/.-]?)?(?:\(?\d{2,5}\)?[\s/.-]){1,4}\d{3,8}(?![\w,-])|\b1\d{10}\b")
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]+\.[\w.]+")
_PLAIN = re.compile(
    r"(?<![\w.,-])\d[\d.,]*(?![\w])|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|once|twice)\b"
    r"|(?<![一两二三四五六七八九十])[一两二三四五六七八九十]++[个次种台件名]",
    re.IGNORECASE,
)

_PERSON = re.compile(
    r"\b(?!(?:The|This|That|A|An|In|On|At|For|No|All|If|When)\b)[A-Z][a-z]+(?:-[A-Z][a-z]+)?"
    r" (?:[A-Z]\. )?(?:van (?:der |de )?|de |von )?[A-Z][a-z]+\b"
    r"|\b(?:Mr|Mrs|Ms|Dr|Prof)\.? [A-Z]\w+|[\u4e00-\u9fff](?:先生|女士|工程师|经理)"
)
_REASON = re.compile(
    r"\b(?:because|due to|owing to|caus(?:e|es|ed|ing)|reasons?|therefore|thus|as a result|led to|so that|in order to"
    r"|weil|wegen)\b|因为|由于|导致|造成|因此|以免|原因",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Value:
    """A value in a text: its kind, its figures and where it stands."""

    kind: Kind
    text: str
    figure: float | None
    unit: str
    span: Span


def quantities(text: str) -> list[Value]:
    """Return the values in `text` that have a unit, a currency or the form of a date, in order."""
    return sorted(_quantities(text), key=lambda value: value.span)


def in_row(header: str, row: str) -> list[Value]:
    """Return the values in a row of a table; a plain figure has the unit that its column's name ends with.

    Their spans count in their cells.
    """
    names = header.split("|")
    cells = row.split("|")
    found: list[Value] = []
    for name, cell in zip(names, cells, strict=False):
        found += quantities(cell) or _by_column(name, cell)
    return found


def gives(kinds: frozenset[Kind], text: str) -> bool:
    """Whether `text` has a value of one of the kinds; a plain number counts only for `NUMBER`.

    In a table row with its header the unit may stand apart from the figure ("Torque, N·m | 110").
    """
    for kind, pattern in ((Kind.NUMBER, _PLAIN), (Kind.PERSON, _PERSON), (Kind.REASON, _REASON)):
        if kind in kinds and pattern.search(text):
            return True
    if any(value.kind in kinds for value in _quantities(text)):
        return True
    return (
        "|" in text
        and _PLAIN.search(text) is not None
        and any(_APART[kind].search(text) for kind in kinds & _APART.keys())
    )


def _quantities(text: str) -> Iterator[Value]:
    for match in _BEHIND.finditer(text):
        if not text[max(0, match.start() - 1) : match.start()].isalpha():
            kind = Kind[match.lastgroup or "NUMBER"]
            yield Value(kind, match.group(), _float(match["figure"]), (match[kind.name] or "").lower(), _span(match))
    for match in _MONEY_BEFORE.finditer(text):
        yield Value(Kind.MONEY, match.group(), _float(match["figure"]), "", _span(match))
    for kind, pattern in ((Kind.DATE, _DATE), (Kind.PHONE, _PHONE), (Kind.MAIL, _MAIL)):
        for match in pattern.finditer(text):
            yield Value(kind, match.group(), None, "", _span(match))


def _by_column(name: str, cell: str) -> Iterator[Value]:
    match = _PLAIN.fullmatch(cell.strip())
    if match is None or not match.group()[0].isdigit():
        return
    for kind, pattern in _APART.items():
        unit = pattern.search(name)
        if unit is not None:
            symbol = unit.group().strip(" |(),[]/:").lower()
            yield Value(kind, match.group(), _float(match.group()), symbol, _span(match))
            return


def _span(match: re.Match[str]) -> Span:
    return Span(match.start(), match.end())


def _float(figure: str) -> float | None:
    """The last figure of a range, read with a decimal point."""
    last = re.findall(r"\d[\d.,]*", figure)[-1].rstrip(".,")
    plain = last.replace(",", "") if re.search(r",\d{3}(?!\d)", last) else last.replace(",", ".")
    try:
        return float(plain)
    except ValueError:
        return None
