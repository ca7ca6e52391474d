"""The end of a strategy that has no answer: the documents do not say, or the model failed and nobody knows."""

from __future__ import annotations

from collections.abc import Sequence

from pipelines.retrieve.hit import Hit
from qa.answer import NOT_IN_DOCUMENTS, Answer, Ending, Step
from qa.check.citations import found
from qa.language import Language, Trouble

DOCTOR = "`strata doctor` tries the endpoint"


def unanswered(
    name: str,
    question: str,
    language: Language,
    passages: Sequence[Hit] = (),
    trace: tuple[Step, ...] = (),
    dropped: tuple[str, ...] = (),
    trouble: Trouble | None = None,
) -> Answer:
    """Return that the documents do not say, or that the model failed, with what was found and done before.

    `trouble` is what became of the call that was to bring the answer. Where the endpoint was silent on the way there,
    it cannot be said what the documents hold either.
    """
    failed = trouble or language.failure
    return Answer(
        question,
        said(failed) if failed else NOT_IN_DOCUMENTS,
        name,
        ending=Ending.MODEL_FAILED if failed else Ending.NOT_IN_DOCUMENTS,
        hint="; ".join(filter(None, (failed.hint, DOCTOR))) if failed else "",
        found=found(passages),
        dropped=dropped,
        trace=trace,
        usage=language.usage,
    )


def said(trouble: Trouble) -> str:
    """Return the sentence that tells of a failed call."""
    return f"The language model failed: {trouble.reason}."
