"""Numbers of a sheet as text (ECMA-376 1, 18.8.30): dates, times, percentages as shown, all others as the plain value.

Currency signs and thousands separators are left out, so that a number reads as one, and nothing is rounded; the other
form, as the sheet shows it, is told apart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from pipelines.lang.characters import CURRENCY

# Ids that a workbook need not declare (ECMA-376 1, 18.8.30), dates in the order of ISO 8601.
_BUILT_IN = {9: "0%", 10: "0.00%", 14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM",
             19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd h:mm", 45: "mm:ss", 46: "[h]:mm:ss",
             47: "mm:ss.0", 27: "yyyy-mm-dd", 28: "yyyy-mm-dd", 29: "yyyy-mm-dd", 30: "m-d-yy", 31: "yyyy-mm-dd",
             36: "yyyy-mm-dd", 50: "yyyy-mm-dd", 57: "yyyy-mm", 58: "m-d"}  # fmt: skip
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_.|\*.|\[(?P<bracket>[^\]]{0,60})\]|(?P<general>General|Standard)'
    r"|(?P<half>AM/PM|A/P)|(?P<code>[ymdhs]+)|(?P<digits>[0#?][0#?,.]*|\.[0#?]+)|(?P<percent>%)|(?P<sign>[Ee][+-])|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_CURRENCY = re.compile(rf"[{CURRENCY}]|\b(?:USD|EUR|GBP|CHF|CNY|JPY|Rs|kr)\b", re.IGNORECASE)
_PLACES = re.compile(r"[#0,]*[#0](?:\.([#0]*))?|\.([#0]+)")
"""The digits of a format without fractions, scaling by thousands and places for blanks."""
_EPOCH, _EPOCH_1904 = datetime(1899, 12, 30), datetime(1904, 1, 1)
"""Day 0: Excel counts a 29 February 1900, so that its day 60 and all after it are off by one (18.17.4.1)."""
_SIGNIFICANT = 15
"""Digits that Excel keeps of a number (IEEE 754, 53 bits)."""
_MOST_TYPED = 8
"""Digits of a number that somebody typed: a price with its cents, a measurement; a reckoned one has 15."""
_LAST_DAY = 2_958_466
"""The day after 9999-12-31 (18.17.4.1)."""
_MICROSECONDS_A_DAY = 86_400_000_000
"""24 * 60 * 60 * 1,000,000."""


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """What a format code means: `kind` is number, percent, date, time, datetime or duration.

    `digits` are the decimals of a percentage, or the least number of digits of a whole number. `before` and `after`
    are written around the number. `shown` is how many decimals are shown, None where the format does not say, `grouped`
    whether thousands are parted, `currency` the sign that stands before the number or, if `behind`, after it.
    """

    kind: str = "number"
    digits: int = 0
    before: str = ""
    after: str = ""
    shown: int | None = None
    grouped: bool = False
    currency: str = ""
    behind: bool = False


PLAIN = NumberFormat()


def built_in(id: int) -> NumberFormat:
    """Return the format of a number that is not defined in the file."""
    return parse_format(_BUILT_IN.get(id, "General"))


# A workbook may have 64,000 formats (Excel's limit), and uses few.
@lru_cache(maxsize=4096)
def parse_format(code: str) -> NumberFormat:
    """Return what a format code means; of several sections (positive; negative; zero) the first counts."""
    before, after, codes, digits, percent, elapsed = "", "", "", "", False, False
    currency, behind = "", False
    for token in _TOKEN.finditer(code):
        if token.group() == ";":
            break
        literal = token["quoted"] or token["escaped"] or ""
        sign = _currency(literal or (token["bracket"] or "").removeprefix("$") or token["other"] or "")
        if sign and not currency:
            currency, behind = sign, bool(digits)
        if literal:
            before, after = (before, after + literal) if digits else (before + literal, after)
        elif token["code"]:
            codes += token["code"].lower()
        elif token["digits"]:
            digits += token["digits"]
        elif token["percent"]:
            percent = True
        elif token["bracket"] is not None:
            elapsed = elapsed or token["bracket"].lower().strip("hms") == "" != token["bracket"]
        elif token["sign"]:
            return PLAIN
    if codes or elapsed:
        return NumberFormat("duration" if elapsed else _moment(codes))
    if percent:
        return NumberFormat("percent", len(digits.partition(".")[2]))
    plain = _PLACES.fullmatch(digits)
    shown = len(plain[1] or "") if plain else None
    grouped = "," in digits
    return NumberFormat("number", _least(digits), _unit(before), _unit(after), shown, grouped, currency, behind)


def number_text(raw: str, format: NumberFormat, since_1904: bool = False) -> str:
    """Return a stored number as text; what is no number is returned as it is."""
    try:
        number = float(raw)
    except ValueError:
        return raw
    if format.kind == "percent":
        # A hundredth; beyond 1e12 Excel itself writes powers of ten.
        return f"{number * 100:.{format.digits}f}%" if abs(number) < 1e12 else plain(raw, number)
    if format.kind == "duration":
        return _duration(number)
    if format.kind != "number":
        return _moment_text(number, format.kind, since_1904) or plain(raw, number)
    text = plain(raw, number)
    if format.digits > 1 and text.isdigit():
        text = text.zfill(format.digits)
    return f"{format.before}{text}{format.after}"


def other_form(raw: str, format: NumberFormat) -> str:
    """Return a number as the sheet shows it where `number_text` is the stored one, and the other way round.

    Empty where both say the same: zeros behind the point, and thousands of a number that has none, add nothing.
    """
    try:
        number = float(raw)
    except ValueError:
        return ""
    # Excel itself shows powers of ten from 1e12 on, see `number_text`.
    if abs(number) >= 1e12:
        return ""
    if format.kind == "percent":
        return typed(raw) if round(number, format.digits + 2) != float(plain(raw, number)) else ""
    if format.kind != "number" or format.shown is None:
        return ""
    text = f"{abs(number):{',' if format.grouped else ''}.{format.shown}f}"
    same = float(text.replace(",", "")) == abs(float(plain(raw, number))) and "," not in text
    if same and not format.currency:
        return ""
    around = f"{text} {format.currency}" if format.behind else f"{format.currency}{text}"
    return f"-{around}".strip() if number < 0 else around.strip()


def typed(raw: str) -> str:
    """Return a stored number that somebody may have typed, empty for one that is reckoned: it has all its digits."""
    text = plain(raw, float(raw))
    return text if sum(map(str.isdigit, text)) <= _MOST_TYPED else ""


def plain(raw: str, number: float) -> str:
    """Return the value with at most the 15 digits that are significant, without the noise of binary fractions."""
    raw = raw.strip()
    if raw.lstrip("-").isdigit():
        return raw
    text = repr(number)
    digits = text.partition("e")[0].replace(".", "").replace("-", "").lstrip("0")
    return text if len(digits) <= _SIGNIFICANT else f"{number:.{_SIGNIFICANT}g}"


def _least(digits: str) -> int:
    """The places from the first 0 on are always filled: "0000" makes 0042 of 42."""
    if "." in digits or "," in digits:
        return 0
    return len(digits) - digits.index("0") if "0" in digits else 0


def _currency(literal: str) -> str:
    """Return the sign of a currency in a literal or in brackets ("€-407": a sign, and whose writing)."""
    match = _CURRENCY.search(literal.partition("-")[0])
    return match[0] if match else ""


def _unit(literal: str) -> str:
    return "" if _CURRENCY.search(literal) or not any(char.isalnum() for char in literal) else literal


def _moment(codes: str) -> str:
    date, time = "y" in codes or "d" in codes, "h" in codes or "s" in codes
    if date and time:
        return "datetime"
    return "time" if time else "date"


def _moment_text(number: float, kind: str, since_1904: bool) -> str:
    """Return a day number as ISO date or time, empty where it is none."""
    if not 0 <= number < _LAST_DAY:
        return ""
    epoch = _EPOCH_1904 if since_1904 else _EPOCH
    # 29 February 1900, see `_EPOCH`.
    if not since_1904 and number < 60 and kind != "time":
        number += 1  # Excel counts a 29 February 1900 that never was
    # To hundredths of a second: the rest is the error of a binary fraction.
    moment = epoch + timedelta(microseconds=round(number * _MICROSECONDS_A_DAY, -4))
    if kind == "time" and number < 1:
        return moment.strftime("%H:%M:%S")
    return moment.strftime("%Y-%m-%d") if kind == "date" else moment.strftime("%Y-%m-%d %H:%M:%S")


def _duration(days: float) -> str:
    seconds = round(abs(days) * timedelta(days=1).total_seconds())
    sign = "-" if days < 0 else ""
    return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"  # hours, minutes, seconds
