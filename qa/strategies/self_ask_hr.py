"""Self-Ask w/ H-R: each follow-up is answered from both paths of figure 11 (PIKE-RAG 6.1)."""

from __future__ import annotations

from qa.answer import Answer
from qa.language import Language
from qa.ports import Knowledge
from qa.strategies.naive_hr import two_paths
from qa.strategies.self_ask_r import reading
from qa.strategies.settings import AnswerSettings


async def self_ask_hr(question: str, knowledge: Knowledge, language: Language, settings: AnswerSettings) -> Answer:
    """Return an answer from what the follow-ups brought up in the hierarchical knowledge base."""
    return await reading(
        "self-ask-hr", question, knowledge, language, settings, lambda query: two_paths(query, knowledge, settings)
    )
