"""Kinds of values, and which of them a question asks for."""

from __future__ import annotations

import re
from enum import StrEnum


class Kind(StrEnum):
    """What a value measures, or is."""

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
    TORQUE = "torque"
    FORCE = "force"
    RESISTANCE = "resistance"
    AREA = "area"
    DATE = "date"
    PHONE = "phone"
    MAIL = "mail"
    NUMBER = "number"
    PERSON = "person"
    REASON = "reason"


_ASKED: tuple[tuple[Kind, str], ...] = (
    (Kind.PHONE, r"\b(?:tele)?phone number|\bphone\b.{0,60}\bnumber\b|\bextension\b|电话|手机号"),
    (Kind.MAIL, r"\be-?mail address|邮箱"),
    (Kind.SOUND, r"\bloud|\bnois[ey]|\bsound (?:level|pressure|power)|\bdecibels?|\bdB|噪声|噪音|分贝|音量"),
    (
        Kind.MASS,
        r"\bweigh(?:s|t)?\b|\bheavy\b|\bmass of\b|\bkilograms?\b|\bhow many (?:kg|grams|pounds|tons|tonnes)"
        r"|重量|多重|公斤|千克",
    ),
    (
        Kind.MONEY,
        r"\bcosts?\b(?! cent)|\bprices?\b|\bhow expensive|\bhow much (?:money|does .{0,60} cost)|\bfees?\b"
        r"|\bdollars?\b|\beuros?\b|\bpaid\b|价格|单价|多少钱|费用|成本",
    ),
    (Kind.TORQUE, r"\btorques?\b|\btighten(?:ed|ing)?\b.{0,60}\b(?:how|what)|扭矩|力矩"),
    (Kind.TEMPERATURE, r"\btemperatures?\b|\bhow (?:hot|cold|warm)\b|\bdegrees\b|温度|多少度"),
    (Kind.PRESSURE, r"\bpressures?\b|\bpsi\b|\bhow many bar\b|压力多|多大压力|压力是"),
    (Kind.VOLTAGE, r"\bvoltages?\b|\bvolts?\b|\bspannung\b|电压|多少伏"),
    (
        Kind.CURRENT,
        r"\bhow many (?:m?amps?|amperes?|milliamps?)\b|\bcurrent (?:rating|consumption|draw)|\bwhat current\b"
        r"|电流",
    ),
    (
        Kind.POWER,
        r"\bhow many (?:kilo)?watts?\b|\b(?:rated|motor|shaft|electrical|power) (?:power|consumption|rating)\b"
        r"|\bwhat power\b|功率",
    ),
    (Kind.FLOW, r"\bflow rates?\b|\b(?:rated|peak|free air) (?:\w+ )?(?:flow|delivery)\b|流量"),
    (Kind.SPEED, r"\bspeeds?\b|\bhow fast\b|\bvelocit|\brpm\b|转速|速度"),
    (Kind.FREQUENCY, r"\bfrequenc|\bbreaths? (?:a|per) minute|\bhertz\b|频率"),
    (Kind.SHARE, r"\bpercent(?:age)?\b|\bper cent\b|\befficienc|\bhumidity\b|\bwhat share\b|百分|效率|湿度"),
    (
        Kind.DATE,
        r"^when\b|\bwhen (?:was|did|is|were|will)\b|\bon (?:which|what) (?:date|day)|\bwhat date\b"
        r"|\b(?:which|what) year\b|\bdate (?:of|did|was)\b|何时|什么时候|哪一?[年天日]|日期",
    ),
    (Kind.AREA, r"\bareas?\b|\bhow many square\b|\bfloor space\b|面积"),
    (Kind.RESISTANCE, r"\bresistances?\b|\bohms?\b|电阻"),
    (
        Kind.LENGTH,
        r"\bdiameters?\b|\bhow (?:wide|thick|deep|tall|high|far)\b|\blengths?\b|\bthickness\b|\bheight\b"
        r"|\bwidth\b|\bcentimet|\bmillimet|\bmet(?:er|re)s\b|\binches\b|直径|长度|厚度|高度|宽度|多长(?!时)"
        r"|多厚",
    ),
    (
        Kind.TIME,
        r"\bhow (?:long|old)\b|\bhow many (?:\w+ )?(?:seconds|minutes|hours|days|weeks|months|years)\b"
        r"|\blifetime\b|\bduration\b|\b(?:warranty|guarantee) (?:period|time)|多久|多长时间"
        r"|多少(?:小时|分钟|天|年|个月|秒)|几(?:小时|分钟|天|年|个月)",
    ),
    (Kind.VOLUME, r"\bhow many (?:lit(?:er|re)s|millilit(?:er|re)s|gallons)\b|\bvolume\b|多少升|容积"),
    (Kind.FORCE, r"\bhow many newtons\b|\bwhat force\b"),
    (
        Kind.PERSON,
        r"^who\b|\bwho (?:is|was|were|did|has|had|must|may|should|will|in|\w+ed|wrote|built|made)\b"
        r"|\bwhose (?:name|permission)|谁",
    ),
    (Kind.REASON, r"\bwhy\b|\bwhat (?:caused|causes|led to)\b|\b(?:cause|reason) (?:of|for)\b|为什么|为何|原因"),
    (Kind.NUMBER, r"\bhow many\b|\bhow often\b|\bhow much\b|\bnumber of\b|多少|几[个次台件种]"),
)
_REST = re.compile(r"[a-zA-Z]*")
_PATTERNS = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _ASKED)
_HOW_LONG = re.compile(r"\bhow long\b", re.IGNORECASE)


def asked_for(question: str) -> frozenset[Kind]:
    """Return the kinds of value that a question asks for, none where it asks for no value.

    "How long" may mean a time or a length; a plain number is asked for only where no kind is.
    """
    found = {kind for kind, pattern in _PATTERNS if pattern.search(question)}
    if Kind.TIME in found and _HOW_LONG.search(question):
        found.add(Kind.LENGTH)
    return frozenset(found - {Kind.NUMBER} or found)


def asking(question: str) -> str:
    """Return the words of a question that say which kind of value it asks for: "how many kilograms weigh"."""
    return " ".join(
        question[match.start() : _word_end(question, match.end())]
        for _, pattern in _PATTERNS
        for match in pattern.finditer(question)
    )


def _word_end(text: str, place: int) -> int:
    rest = _REST.match(text, place)
    return rest.end() if rest else place
