"""Formats passages for prompts: numbered, with title, heading path and summary, shortened to a token budget."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import PurePosixPath

from pipelines.core.document import Chunk
from pipelines.core.provenance import Span
from pipelines.lang.characters import SMALL
from pipelines.lang.sentences import sentences
from pipelines.lang.terms import terms
from pipelines.llm.prompt import fence
from pipelines.llm.tokens import estimate_tokens
from pipelines.retrieve.hit import AtomHit, Hit
from pipelines.retrieve.table_rows import is_row
from pipelines.retrieve.unit_spans import unit_spans

NO_PASSAGES = "(none)"
AT_ONCE = 8
"""A prompt has room for this many passages of any length: each may take at least an equal share of it."""
_CANDIDATE_TOKENS = 60
"""Maximum tokens of a candidate."""
_GAP = " … "
_WORD = re.compile(r"[^\W_]+")
_NAME = re.compile(rf"(?<![.!?]\s)(?<!^)\b[^\W\d_{SMALL}][\w-]+")
"""A capitalized word inside a sentence."""


def fitting(hits: Iterable[Hit], tokens: int) -> list[Hit]:
    """Return the first hits that fit into `tokens`, each chunk once; at least one.

    A long passage counts only for its share, since `render` shortens it.
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
    """Return the passages numbered from 1 and fenced as data, with at most `tokens` in total.

    A passage that is too long for its share is reduced to the sentences with most terms of `query` and of the names
    that several passages have in common.
    """
    if not hits:
        return NO_PASSAGES
    wanted = frozenset(terms(query)) | _names_shared(hits)
    rooms = _budgets([_needed(hit) for hit in hits], tokens)
    lines = [
        f"[{number}] {headline(hit)}: {condensed(_text(hit.chunk), room - estimate_tokens(headline(hit)), wanted)}"
        for number, (hit, room) in enumerate(zip(hits, rooms, strict=True), 1)
    ]
    return fence("\n\n".join(lines), "passages")


def render_candidates(candidates: Sequence[AtomHit]) -> str:
    """Return the atoms numbered from 1, each with the title and heading path of its chunk."""
    lines = [
        f"{number}. ({headline(candidate.hit)}) {cut(candidate.text, _CANDIDATE_TOKENS)}"
        for number, candidate in enumerate(candidates, 1)
    ]
    return fence("\n".join(lines), "list")


def headline(hit: Hit) -> str:
    """Return title, file path and heading path: "Data sheet (pumps/DS-2041.pdf) > Materials".

    The path is included if it has words that are not in the title: folders often give the product or year of a manual.
    """
    headings = [heading for heading in hit.chunk.heading_path if heading and heading != hit.title]
    newer = f" (superseded by {hit.superseded_by})" if hit.superseded_by else ""
    redundant = _words(PurePosixPath(hit.uri).with_suffix("").as_posix()) <= _words(hit.title)
    path = "" if redundant else f" ({hit.uri})"
    return " > ".join([f"{hit.title}{path}{newer}" if hit.title else f"{hit.uri}{newer}", *headings])


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def condensed(text: str, tokens: int, wanted: frozenset[str]) -> str:
    """Return `text` if it fits into `tokens`, else its sentences and rows with most of the `wanted` terms.

    The first sentence, which introduces the subject, and the first row, which names the columns, are always included;
    omissions are marked by "…".
    """
    if estimate_tokens(text) <= tokens:
        return text
    spans = list(unit_spans(text))
    if not spans:
        return cut(text, tokens)
    units = [span.slice(text) for span in spans]
    kept = sorted({0, next((place for place, unit in enumerate(units) if is_row(unit)), 0)})
    room = tokens - sum(estimate_tokens(units[place]) for place in kept)
    others = (place for place in range(len(units)) if place not in kept)
    for place in sorted(others, key=lambda place: -len(wanted.intersection(terms(units[place])))):
        needed = estimate_tokens(units[place])
        if needed <= room:
            kept.append(place)
            room -= needed
    return cut(text, tokens) if room < 0 else _joined(text, spans, sorted(kept))


def cut(text: str, tokens: int) -> str:
    """Return the beginning of `text` that fits into `tokens`, with "…" if the rest is omitted."""
    needed = estimate_tokens(text)
    if needed <= tokens:
        return text
    return text[: max(1, len(text) * max(1, tokens) // needed)].rstrip() + " …"


def clipped(text: str, characters: int = 160) -> str:
    """Return `text` on one line of at most `characters`, with "…" if the rest is omitted."""
    line = " ".join(text.split())
    return line if len(line) <= characters else line[: characters - 1] + "…"


def _names_shared(hits: Sequence[Hit]) -> frozenset[str]:
    """Return the terms of names that occur in more than one passage."""
    counted = Counter(term for hit in hits for term in set(terms(" ".join(_NAME.findall(hit.chunk.text)))))
    return frozenset(term for term, count in counted.items() if count > 1)


def _joined(text: str, spans: Sequence[Span], kept: Sequence[int]) -> str:
    """Return the kept sentences as in the text, with omissions marked."""
    parts = [text[spans[0].start : spans[0].end]]
    for before, place in pairwise(kept):
        near = text[spans[before].end : spans[place].start] if place == before + 1 else _GAP
        parts.append(near + spans[place].slice(text))
    return "".join(parts) + (_GAP.rstrip() if kept[-1] < len(spans) - 1 else "")


def _budgets(needed: Sequence[int], tokens: int) -> list[int]:
    """Return a token budget for each passage: what short ones need, and equal shares of the rest for long ones."""
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
    """Return the chunk's summary in parentheses (PIKE-RAG 5.2.1), or "" if it only quotes the chunk."""
    parts = (span.slice(chunk.summary) for span in sentences(chunk.summary))
    return "" if all(map(chunk.quotes, parts)) else f"({chunk.summary})"
