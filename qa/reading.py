"""Passages as a model reads them: numbered, with title and heading path, within the room there is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pipelines.core.chunk import Chunk
from pipelines.llm.prompt import fence
from pipelines.llm.tokens import estimate_tokens
from qa.hit import Hit
from qa.knowledge import Candidate

NO_PASSAGES = "(none)"
_LEAST = 60
"""Tokens of a passage below which showing a part of it is no use."""


def fitting(hits: Iterable[Hit], tokens: int) -> list[Hit]:
    """Return the first hits whose texts fit into `tokens`, each chunk once; the first one in any case."""
    chosen: dict[str, Hit] = {}
    for hit in hits:
        if hit.chunk.id in chosen:
            continue
        tokens -= estimate_tokens(_text(hit.chunk)) + estimate_tokens(headline(hit))
        if tokens < 0 and chosen:
            break
        chosen[hit.chunk.id] = hit
    return list(chosen.values())


def render(hits: Sequence[Hit], tokens: int) -> str:
    """Return the passages numbered from 1, fenced as data; one too long for its share is cut at its end."""
    if not hits:
        return NO_PASSAGES
    share = max(_LEAST, tokens // len(hits))
    lines = [f"[{number}] {headline(hit)}: {_cut(_text(hit.chunk), share)}" for number, hit in enumerate(hits, 1)]
    return fence("\n\n".join(lines), "passages")


def render_candidates(candidates: Sequence[Candidate]) -> str:
    """Return the atoms numbered from 1, each with the title and heading path of its chunk."""
    lines = [
        f"{number}. ({headline(candidate.hit)}) {_cut(candidate.text, _LEAST)}"
        for number, candidate in enumerate(candidates, 1)
    ]
    return fence("\n".join(lines), "list")


def headline(hit: Hit) -> str:
    """Return title and heading path, "Data sheet DS-2041 > Materials"."""
    headings = [heading for heading in hit.chunk.heading_path if heading and heading != hit.title]
    return " > ".join([hit.title or hit.uri, *headings])


def _text(chunk: Chunk) -> str:
    return f"{chunk.context}\n{chunk.text}" if chunk.context else chunk.text


def _cut(text: str, tokens: int) -> str:
    needed = estimate_tokens(text)
    if needed <= tokens:
        return text
    return text[: max(1, len(text) * tokens // needed)].rstrip() + " …"
