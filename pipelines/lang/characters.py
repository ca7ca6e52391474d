"""Classes of characters by script, as they stand between the brackets of a pattern (ranges of the Unicode blocks)."""

from __future__ import annotations

import re

KANA = r"\u3040-\u30ff"
HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
HANGUL = r"\uac00-\ud7af"

UNSPACED = KANA + HAN
"""Scripts that set no blanks between words; Korean does."""

CJK = UNSPACED + HANGUL
"""Scripts whose words are matched by pairs of characters."""

CJK_CHARACTER = re.compile(f"[{CJK}]")
CJK_RUN = re.compile(f"[{CJK}]+")
HAN_CHARACTER = re.compile(f"[{HAN}]")
UNSPACED_CHARACTER = re.compile(f"[{UNSPACED}]")

LATIN_CAPITAL = "A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĘĚĞĢĪİŁŃŇŌŐŒŘŚŞŠŤŪŮŰŹŻŽ"
"""Capitals of the Latin alphabets of Europe."""

CURRENCY = "$€£¥￥₩₹₽฿₺"
"""Signs of currencies."""
