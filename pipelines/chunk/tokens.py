"""Token counts that need no tokenizer, and are the same whatever model is used."""

from __future__ import annotations

import re

from pipelines.lang.characters import CJK

_TOKEN = re.compile(rf"[{CJK}]|[^\W\d_{CJK}]{{1,7}}|\d{{1,3}}|[^\w\s]|_+")


def count_tokens(text: str) -> int:
    """Return about how many tokens a byte-pair tokenizer makes of `text`.

    Words count one for each seven letters, numbers one for each three digits, Chinese characters and signs one each,
    white space nothing. Cutting a text anywhere gives parts whose counts add up to the whole's count or more.
    """
    return len(_TOKEN.findall(text))
