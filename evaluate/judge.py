"""Accuracy by a language model that sees question, right answers and the answer given (PIKE-RAG 6.1, Acc)."""

from __future__ import annotations

from collections.abc import Sequence

from qa.model_calls import ModelCalls
from qa.prompts.reply_types import VerdictReply


async def judge(model: ModelCalls, question: str, labels: Sequence[str], answer: str) -> bool | None:
    """Return whether the answer says what one of the labels says; None where the judge gave no usable verdict."""
    told = "\n".join(f"- {label}" for label in labels)
    asked = await model.ask("judge", VerdictReply, room=200, question=question, labels=told, answer=answer)
    return asked.value.correct if asked.value else None
