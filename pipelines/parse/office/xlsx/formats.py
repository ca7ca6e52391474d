"""Numbers of a sheet as text (ECMA-376 1, 18.8.30): dates, times and percentages as displayed, others as stored.

Other numbers have no currency sign or thousands separator and are not rounded; `other_form` has the displayed form.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from pipelines.lang.characters import CURRENCY

# Ids of predefined formats (ECMA-376 1, 18.8.30), with dates in the order of ISO 8601.
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
"""The digits of a format without fractions, scaling by thousands or placeholders for blanks."""
_EPOCH, _EPOCH_1904 = datetime(1899, 12, 30), datetime(1904, 1, 1)
"""Day 0. Excel counts a 29 February 1900, which did not exist, as day 60 (18.17.4.1): earlier days are one later."""
_SIGNIFICANT = 15
"""Significant digits of a number in Excel (IEEE 754, 53 bits)."""
_MOST_TYPED = 8
"""Maximum digits of a typed number: a price with cents, a measurement; a calculated number has up to 15."""
_LAST_DAY = 2_958_466
"""The day after 9999-12-31 (18.17.4.1)."""
_MICROSECONDS_A_DAY = 86_400_000_000
"""24 * 60 * 60 * 1,000,000."""


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """A parsed format code: `kind` is number, percent, date, time, datetime or duration.

    `digits` is the number of decimals of a percentage, or the minimum number of digits of an integer. `before` and
    `after` are texts around the number. `decimals` is the number of displayed decimals, None if unspecified. `grouped`
    says whether there are thousands separators, `currency_after` whether the sign `currency` follows the number.
    """

    kind: str = "number"
    digits: int = 0
    before: str = ""
    after: str = ""
    decimals: int | None = None
    grouped: bool = False
    currency: str = ""
    currency_after: bool = False


PLAIN = NumberFormat()


def built_in(id: int) -> NumberFormat:
    """Return the predefined format with this id."""
    return parse_format(_BUILT_IN.get(id, "General"))


# A workbook may define 64,000 formats (Excel's limit), but uses few.
@lru_cache(maxsize=4096)
def parse_format(code: str) -> NumberFormat:
    """Return the parsed format code; only the first of its sections (positive; negative; zero) is used."""
    before, after, codes, digits, percent, elapsed = "", "", "", "", False, False
    currency, currency_after = "", False
    for token in _TOKEN.finditer(code):
        if token.group() == ";":
            break
        literal = token["quoted"] or token["escaped"] or ""
        sign = _currency(literal or (token["bracket"] or "").removeprefix("$") or token["other"] or "")
        if sign and not currency:
            currency, currency_after = sign, bool(digits)
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
        return NumberFormat("duration" if elapsed else _kind_of_date(codes))
    if percent:
        return NumberFormat("percent", len(digits.partition(".")[2]))
    plain = _PLACES.fullmatch(digits)
    decimals = len(plain[1] or "") if plain else None
    grouped = "," in digits
    return NumberFormat(
        "number",
        _minimum_digits(digits),
        _unit_text(before),
        _unit_text(after),
        decimals,
        grouped,
        currency,
        currency_after,
    )


def number_text(raw: str, format: NumberFormat, since_1904: bool = False) -> str:
    """Return a stored number as text; a text that is not a number is returned unchanged."""
    try:
        number = float(raw)
    except ValueError:
        return raw
    if format.kind == "percent":
        # 100 per cent; from 1e12 on Excel uses scientific notation.
        return f"{number * 100:.{format.digits}f}%" if abs(number) < 1e12 else plain(raw, number)
    if format.kind == "duration":
        return _duration(number)
    if format.kind != "number":
        return _date_text(number, format.kind, since_1904) or plain(raw, number)
    text = plain(raw, number)
    if format.digits > 1 and text.isdigit():
        text = text.zfill(format.digits)
    return f"{format.before}{text}{format.after}"


def other_form(raw: str, format: NumberFormat) -> str:
    """Return the displayed form of a number if `number_text` returns the stored one, and vice versa.

    Empty if both are the same apart from trailing zeros.
    """
    try:
        number = float(raw)
    except ValueError:
        return ""
    # Excel uses scientific notation from 1e12 on (see `number_text`).
    if abs(number) >= 1e12:
        return ""
    if format.kind == "percent":
        return typed(raw) if round(number, format.digits + 2) != float(plain(raw, number)) else ""
    if format.kind != "number" or format.decimals is None:
        return ""
    text = f"{abs(number):{',' if format.grouped else ''}.{format.decimals}f}"
    same = float(text.replace(",", "")) == abs(float(plain(raw, number))) and "," not in text
    if same and not format.currency:
        return ""
    around = f"{text} {format.currency}" if format.currency_after else f"{format.currency}{text}"
    return f"-{around}".strip() if number < 0 else around.strip()


def typed(raw: str) -> str:
    """Return a stored number if it may have been typed, empty if it has as many digits as a calculated one."""
    text = plain(raw, float(raw))
    return text if sum(map(str.isdigit, text)) <= _MOST_TYPED else ""


def plain(raw: str, number: float) -> str:
    """Return the value rounded to 15 significant digits, without the error of binary fractions."""
    raw = raw.strip()
    if raw.lstrip("-").isdigit():
        return raw
    text = repr(number)
    digits = text.partition("e")[0].replace(".", "").replace("-", "").lstrip("0")
    return text if len(digits) <= _SIGNIFICANT else f"{number:.{_SIGNIFICANT}g}"


def _minimum_digits(digits: str) -> int:
    """Return the minimum number of digits of an integer format: 4 for "0000", which shows 42 as 0042."""
    if "." in digits or "," in digits:
        return 0
    return len(digits) - digits.index("0") if "0" in digits else 0


def _currency(literal: str) -> str:
    """Return the currency sign in a literal or in brackets ("€-407": sign and locale), empty if there is none."""
    match = _CURRENCY.search(literal.partition("-")[0])
    return match[0] if match else ""


def _unit_text(literal: str) -> str:
    return "" if _CURRENCY.search(literal) or not any(char.isalnum() for char in literal) else literal


def _kind_of_date(codes: str) -> str:
    date, time = "y" in codes or "d" in codes, "h" in codes or "s" in codes
    if date and time:
        return "datetime"
    return "time" if time else "date"


def _date_text(number: float, kind: str, since_1904: bool) -> str:
    """Return a day number as an ISO date or time, empty if it is out of range."""
    if not 0 <= number < _LAST_DAY:
        return ""
    epoch = _EPOCH_1904 if since_1904 else _EPOCH
    # 29 February 1900, see `_EPOCH`.
    if not since_1904 and number < 60 and kind != "time":
        number += 1
    # Rounded to hundredths of a second: the rest is the error of binary fractions.
    moment = epoch + timedelta(microseconds=round(number * _MICROSECONDS_A_DAY, -4))
    if kind == "time" and number < 1:
        return moment.strftime("%H:%M:%S")
    return moment.strftime("%Y-%m-%d") if kind == "date" else moment.strftime("%Y-%m-%d %H:%M:%S")


def _duration(days: float) -> str:
    seconds = round(abs(days) * timedelta(days=1).total_seconds())
    sign = "-" if days < 0 else ""
    return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"  # hours, minutes, seconds
