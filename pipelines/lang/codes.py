"""Codes that lead on to another place: "K80-250", "clause 7.3", "Abschnitt 4", "第3节"."""

from __future__ import annotations

import re

from pipelines.lang.wording import any_of

_LABELS = any_of("section", "appendix", "table", "figure")
_CODE = re.compile(
    rf"\b[A-Z]{{1,6}}-?\d[\w-]*|(?i:{_LABELS})\s+(\d+(?:\.\d+)*)|第?\s?(?<!\d)(?<!\d\.)(\d++(?:\.\d++)*+)\s?[节章条]"
)


def named_codes(text: str) -> list[str]:
    """Return the codes in a text, of labelled parts their numbers alone."""
    found = ([group for group in match.groups() if group] or [match.group()] for match in _CODE.finditer(text))
    return [code for codes in found for code in codes]
