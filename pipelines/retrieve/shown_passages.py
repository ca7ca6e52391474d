"""Passages as a prompt shows them to a model: numbered, with title, heading path and summary, cut to their tokens."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import PurePosixPath

from pipelines.core.document import Chunk
from pipelines.core.provenance import Span
from pipelines.lang.sentences import sentences
from pipelines.lang.terms import terms
from pipelines.llm.prompt import fence
from pipelines.llm.tokens import estimate_tokens
from pipelines.retrieve.hit import AtomHit, Hit

NO_PASSAGES = "(none)"
AT_ONCE = 8
"""Passages that a prompt has room for, however long they are: each may take this part of it at least."""
_ATOM = 60
"""Tokens of a candidate that are shown."""
_GAP = " … "
_WORD = re.compile(r"[^\W_]+")
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[^\W\d_a-zß-ÿ][\w-]+")
"""A word with a capital amid a sentence."""


def fitting(hits: Iterable[Hit], tokens: int) -> list[Hit]:
    """Return the first hits that `tokens` have room for, each chunk once; the first one in any case.

    A long passage counts for no more than its share, for `render` shows what matters of it.
    """
    share = max(1, tokens // AT_ONCE)
    chosen: dict[str, Hit] = {}
    for hit in hits:
        if hit.chunk.id in chosen:
            continue
        tokens -= min(_needed(hit), share)
        if tokens < 0 and chosen:
            break
        chosen[hit.chunk.id] = hit
    return list(chosen.values())


def render(hits: Sequence[Hit], tokens: int, query: str) -> str:
    """Return the passages numbered from 1, fenced as data, in `tokens` altogether.

    Of a passage too long for its share the sentences are shown that say most of what `query` says, and of the names
    that lead from one passage to another.
    """
    if not hits:
        return NO_PASSAGES
    wanted = frozenset(terms(query)) | _names_shared(hits)
    rooms = _shared_out([_needed(hit) for hit in hits], tokens)
    lines = [
        f"[{number}] {headline(hit)}: {condensed(_text(hit.chunk), room - estimate_tokens(headline(hit)), wanted)}"
        for number, (hit, room) in enumerate(zip(hits, rooms, strict=True), 1)
    ]
    return fence("\n\n".join(lines), "passages")


def render_candidates(candidates: Sequence[AtomHit]) -> str:
    """Return the atoms numbered from 1, each with the title and heading path of its chunk."""
    lines = [
        f"{number}. ({headline(candidate.hit)}) {cut(candidate.text, _ATOM)}"
        for number, candidate in enumerate(candidates, 1)
    ]
    return fence("\n".join(lines), "list")


def headline(hit: Hit) -> str:
    """Return title, path and heading path, "Data sheet (pumps/DS-2041.pdf) > Materials".

    The path stands there where it has a word that the title has not: whose manual, of which year, is told by folders.
    """
    headings = [heading for heading in hit.chunk.heading_path if heading and heading != hit.title]
    newer = f" (superseded by {hit.superseded_by})" if hit.superseded_by else ""
    told = _words(PurePosixPath(hit.uri).with_suffix("").as_posix()) <= _words(hit.title)
    path = "" if told else f" ({hit.uri})"
    return " > ".join([f"{hit.title}{path}{newer}" if hit.title else f"{hit.uri}{newer}", *headings])


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def condensed(text: str, tokens: int, wanted: frozenset[str]) -> str:
    """Return `text` if it fits into `tokens`, else those of its sentences that have most of the terms wanted.

    The first one, which says what the passage is about, is always there; what is left out between two shows as "…".
    """
    if estimate_tokens(text) <= tokens:
        return text
    spans = sentences(text)
    if not spans:
        return cut(text, tokens)
    kept = [0]
    room = tokens - estimate_tokens(spans[0].slice(text))
    for place in sorted(
        range(1, len(spans)), key=lambda place: -len(wanted.intersection(terms(spans[place].slice(text))))
    ):
        needed = estimate_tokens(spans[place].slice(text))
        if needed <= room:
            kept.append(place)
            room -= needed
    return cut(text, tokens) if room < 0 else _joined(text, spans, sorted(kept))


def cut(text: str, tokens: int) -> str:
    """Return the beginning of `text` that `tokens` have room for, with "…" where the rest is left out."""
    needed = estimate_tokens(text)
    if needed <= tokens:
        return text
    return text[: max(1, len(text) * max(1, tokens) // needed)].rstrip() + " …"


def clipped(text: str, characters: int = 160) -> str:
    """Return `text` on one line of so many characters at most, with "…" where the rest is left out."""
    line = " ".join(text.split())
    return line if len(line) <= characters else line[: characters - 1] + "…"


def _names_shared(hits: Sequence[Hit]) -> frozenset[str]:
    """The terms of names that more than one of the passages has."""
    counted = Counter(term for hit in hits for term in set(terms(" ".join(_NAME.findall(hit.chunk.text)))))
    return frozenset(term for term, count in counted.items() if count > 1)


def _joined(text: str, spans: Sequence[Span], kept: Sequence[int]) -> str:
    """The sentences kept as they stand in the text, gaps between them marked."""
    parts = [text[spans[0].start : spans[0].end]]
    for before, place in pairwise(kept):
        near = text[spans[before].end : spans[place].start] if place == before + 1 else _GAP
        parts.append(near + spans[place].slice(text))
    return "".join(parts) + (_GAP.rstrip() if kept[-1] < len(spans) - 1 else "")


def _shared_out(needed: Sequence[int], tokens: int) -> list[int]:
    """What each may take of `tokens`: the short ones all they need, the long ones equal parts of the rest."""
    rooms = [0] * len(needed)
    left = len(needed)
    for place in sorted(range(len(needed)), key=lambda place: needed[place]):
        rooms[place] = min(needed[place], tokens // left)
        tokens -= rooms[place]
        left -= 1
    return rooms


def _needed(hit: Hit) -> int:
    return estimate_tokens(_text(hit.chunk)) + estimate_tokens(headline(hit))


def _text(chunk: Chunk) -> str:
    return "\n".join(filter(None, (_written_summary(chunk), chunk.context, chunk.text)))


def _written_summary(chunk: Chunk) -> str:
    """The summary in parentheses (PIKE-RAG 5.2.1: it goes with its chunk); nothing where it is quoted from it."""
    said = (span.slice(chunk.summary) for span in sentences(chunk.summary))
    return "" if all(map(chunk.quotes, said)) else f"({chunk.summary})"
