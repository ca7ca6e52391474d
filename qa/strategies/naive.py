"""Naive RAG w/ R: flat retrieval by the question, then one reading (PIKE-RAG 6.1)."""

from __future__ import annotations

from pipelines.retrieve.hit import Hit
from qa.answer import Answer, Step
from qa.language import Language
from qa.ports import Knowledge
from qa.strategies.compose import compose
from qa.strategies.settings import AnswerSettings


async def naive(question: str, knowledge: Knowledge, language: Language, settings: AnswerSettings) -> Answer:
    """Return an answer from the chunks nearest to the question."""
    hits = flat(question, knowledge, settings)
    return await compose("naive", question, hits, knowledge, language, settings, (retrieved(hits, "chunks"),))


def flat(query: str, knowledge: Knowledge, settings: AnswerSettings) -> tuple[Hit, ...]:
    """Return what flat retrieval finds: up to 16 chunks of 0.2 or more."""
    return knowledge.chunks(query, settings.flat_chunks, settings.flat_threshold)


def retrieved(hits: tuple[Hit, ...], what: str) -> Step:
    """Return the step of the trace that lists hits."""
    steps = tuple(Step("passage", f"{hit.uri}: {' > '.join(hit.chunk.heading_path)}", hit.score) for hit in hits)
    return Step("retrieved", f"{len(hits)} {what}", None, steps)
