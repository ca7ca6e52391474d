"""Self-Ask w/ R: each follow-up is answered from flat retrieval (PIKE-RAG 6.1)."""

from __future__ import annotations

from qa.answer import Answer
from qa.language import Language
from qa.ports import Knowledge
from qa.strategies.compose import compose
from qa.strategies.naive import flat
from qa.strategies.self_ask import Find, converse
from qa.strategies.settings import AnswerSettings


async def self_ask_r(question: str, knowledge: Knowledge, language: Language, settings: AnswerSettings) -> Answer:
    """Return an answer from what the follow-ups brought up in a flat knowledge base."""
    return await reading("self-ask-r", question, knowledge, language, settings, lambda q: flat(q, knowledge, settings))


async def reading(
    name: str, question: str, knowledge: Knowledge, language: Language, settings: AnswerSettings, find: Find
) -> Answer:
    """Return the answer from all that was read for the follow-ups, with their answers at hand."""
    dialogue = await converse(question, language, settings, find)
    hits = tuple(dialogue.passages.values()) or find(question)
    notes = f"\nWorked out so far:\n{dialogue.text}\n" if dialogue.notes else ""
    return await compose(name, question, hits, knowledge, language, settings, tuple(dialogue.trace), notes)
