"""Naive RAG w/ H-R: both paths of figure 11 with the question itself, then one reading (PIKE-RAG 6.1)."""

from __future__ import annotations

from pipelines.retrieve.hit import Hit
from qa.answer import Answer
from qa.language import Language
from qa.ports import Knowledge
from qa.strategies.compose import compose
from qa.strategies.naive import retrieved
from qa.strategies.settings import AnswerSettings


async def naive_hr(question: str, knowledge: Knowledge, language: Language, settings: AnswerSettings) -> Answer:
    """Return an answer from the chunks found directly and through their atoms."""
    hits = two_paths(question, knowledge, settings)
    step = retrieved(hits, "chunks by both paths")
    return await compose("naive-hr", question, hits, knowledge, language, settings, (step,))


def two_paths(query: str, knowledge: Knowledge, settings: AnswerSettings) -> tuple[Hit, ...]:
    """Return the chunks of path (a), up to 8 of 0.5 or more, and those that up to 4 atoms lead to, each once."""
    direct = knowledge.chunks(query, settings.chunks, settings.threshold)
    through = knowledge.atoms(query, settings.atoms, settings.delta)
    merged = {hit.chunk.id: hit for hit in (*direct, *(candidate.hit for candidate in through))}
    return tuple(sorted(merged.values(), key=lambda hit: -hit.score))
