"""The base split of texts without structure, by `langchain_text_splitters`: its only adapter."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from pipelines.core.provenance import Span
from pipelines.llm.tokens import count_tokens

if TYPE_CHECKING:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

# From the coarsest to the finest; the last one cuts between any two characters.
_SEPARATORS = ["\n\n", "\n", "。", "；", ". ", "; ", "，", "、", ", ", " | ", " ", ""]


def base_split(text: str, max_tokens: int) -> list[Span]:
    """Return consecutive spans that cover all of `text`, none over `max_tokens`, cut at the coarsest separators.

    Raises `ValueError` if the library returns anything but the text itself in parts.
    """
    spans: list[Span] = []
    start = 0
    for piece in _splitter(max_tokens).split_text(text):
        if not text.startswith(piece, start):
            raise ValueError(f"the base split lost text at character {start}")
        spans.append(Span(start, start + len(piece)))
        start += len(piece)
    if start != len(text):
        raise ValueError(f"the base split lost the text after character {start}")
    return spans


# Few settings are in use at once.
@lru_cache(maxsize=8)
def _splitter(max_tokens: int) -> RecursiveCharacterTextSplitter:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    return RecursiveCharacterTextSplitter(
        separators=_SEPARATORS,
        chunk_size=max_tokens,
        chunk_overlap=0,
        length_function=_length,
        keep_separator="end",
        strip_whitespace=False,
    )


def _length(piece: str) -> int:
    """Return the tokens of a part, at least 1: the library repeats a part of length 0 before the next one."""
    return max(1, count_tokens(piece)) if piece else 0
