"""What the built-in strategies share: what they are given, rounds, and how they end.

With a model they end by an answer from passages with its claims checked, the last line of algorithm 1 (PIKE-RAG 5.3.2);
by one by heart; or by none. Without one they end by quotes.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pipelines.lang.arithmetic import unsupported
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.searches import Retrieval
from pipelines.retrieve.shown_passages import fitting, render
from qa.answer import NOT_IN_DOCUMENTS, Answer, Claim, Ending, Step
from qa.citations import CheckedClaims, Citer, carries, check, found
from qa.model_calls import FailedCall, ModelCalls
from qa.prompts.reply_types import AnswerReply, RecallReply
from qa.quoting.conflicts import disagreements
from qa.settings import AnswerSettings

Solve = Callable[[str, Retrieval, Any, AnswerSettings], Awaitable[Answer]]
"""A strategy's function: of the question, the searches of the knowledge base, the model and the settings.

The model is a `ModelCalls`, or None where none is configured and the strategy needs none.
"""
DOCTOR = "`strata doctor` tries the endpoint"
_ROOM = 700
"""Tokens of the reply: an answer with its claims and their quotes."""


@dataclass(slots=True)
class Attempt:
    """What a strategy was given to answer a question with, and the trace of what it has done so far."""

    question: str
    retrieval: Retrieval
    model: ModelCalls
    settings: AnswerSettings
    trace: list[Step] = field(default_factory=list)

    def ended(self, text: str, passages: Collection[Hit], **told: Any) -> Answer:
        """Return an answer with what was found, done and spent for it; `told` are other fields of it."""
        usage, trace = self.model.usage, tuple(self.trace)
        return Answer(self.question, text, found=found(passages), usage=usage, trace=trace, **told)


async def in_rounds(
    limit: int, one_round: Callable[[int], Awaitable[str | None]], trace: list[Step], at_limit: str = "round limit"
) -> None:
    """Run rounds, numbered from 1, until one returns why it was the last; at most `limit` of them.

    The reason is added to `trace`, but not an empty one, which says that the round has told its failure itself.
    """
    reason: str | None = None
    for number in range(1, limit + 1):
        if (reason := await one_round(number)) is not None:
            break
    if reason := at_limit if reason is None else reason:
        trace.append(Step("stop", reason))


def passage_steps(hits: Sequence[Hit]) -> tuple[Step, ...]:
    """Return a step of the trace for each hit: its file and headings, with its score."""
    return tuple(Step("passage", f"{hit.uri}: {' > '.join(hit.chunk.heading_path)}", hit.score) for hit in hits)


def quoted_answer(
    question: str,
    claims: tuple[Claim, ...],
    citer: Citer,
    hits: Collection[Hit],
    trace: Sequence[Step],
    warnings: Sequence[str] = (),
) -> Answer:
    """Return the answer of a strategy without a model: its quotes, or that the documents do not say where it has none.

    `hits` are the passages found, best first.
    """
    return Answer(
        question,
        "\n".join(claim.text for claim in claims) or NOT_IN_DOCUMENTS,
        claims=claims,
        citations=citer.citations,
        ending=Ending.ANSWERED if claims else Ending.NOT_IN_DOCUMENTS,
        extractive=True,
        short=claims[0].text if claims else "",
        found=found(hits),
        warnings=tuple(warnings),
        trace=tuple(trace),
    )


async def answer_from(attempt: Attempt, passages: Sequence[Hit], notes: str = "", sought: Sequence[str] = ()) -> Answer:
    """Return the model's answer from `passages`, or that the documents do not say.

    `notes` is what the model has worked out so far. Of passages too long for the prompt the sentences are shown that
    speak of the question, the notes and what was `sought`. The documents do not say where the model says so, where
    there are no passages, and where no claim stood the check; what they tell on the way to the answer is told then. A
    model without a usable reply is `MODEL_FAILED`.
    """
    room = attempt.settings.context_tokens
    read = fitting(passages, room)
    if not read:
        return without_answer(attempt, (), "nothing was found to answer from")
    shown = render(read, room, "\n".join((attempt.question, notes, *sought)))
    question = attempt.question
    asked = await attempt.model.ask("answer", AnswerReply, room=_ROOM, passages=shown, notes=notes, question=question)
    if asked.value is None:
        return _model_failed(attempt, passages)
    citer = Citer(attempt.retrieval)
    checked = check(question, asked.value, read, citer)
    missing = _sound_missing(asked.value.missing, question, checked)
    if not asked.value.found:
        refused = without_answer(attempt, passages, "the model finds no answer in the passages", checked)
        return _with_what_is_known(refused, missing, checked, citer) if checked.claims else refused
    short = " ".join(asked.value.answer.split())
    if not checked.claims and short and (numbers := carries(short, question, read, citer)):
        checked = CheckedClaims((Claim(short, numbers),), checked.dropped)
    if not checked.claims:
        return without_answer(attempt, passages, "no claim stood the check against the sources", checked)
    if wrong := _unfounded(short, question, checked, citer):
        checked = CheckedClaims(checked.claims, (*checked.dropped, f"{', '.join(wrong)} not in the claims: {short}"))
        short = ""
    attempt.trace.append(Step("answer", short or "from the claims", None, _steps(checked)))
    answer = answered(attempt, short, checked, citer, passages, (missing,) if missing else ())
    return replace(answer, missing=missing, conflicts=disagreements(question, read, attempt.retrieval.lexicon))


def answered(
    attempt: Attempt,
    short: str,
    checked: CheckedClaims,
    citer: Citer,
    passages: Sequence[Hit],
    warnings: tuple[str, ...],
) -> Answer:
    """Return the answer that claims make, one or more, with the bare one that the model gave, if any."""
    text = _text_of(short, checked.claims)
    answer = attempt.ended(text, passages, claims=checked.claims, citations=citer.citations, short=short)
    return replace(answer, warnings=warnings, dropped=checked.dropped)


def _with_what_is_known(refused: Answer, missing: str, checked: CheckedClaims, citer: Citer) -> Answer:
    """A refusal that tells what is missing, and what the documents say on the way to it: "X is not named; Y is ..."."""
    if refused.ending is Ending.MODEL_FAILED:
        return refused
    said = " ".join(claim.text for claim in checked.claims)
    text = " ".join(filter(None, (NOT_IN_DOCUMENTS, missing, said)))
    return replace(refused, text=text, missing=missing, claims=checked.claims, citations=citer.citations)


def _sound_missing(missing: str, question: str, checked: CheckedClaims) -> str:
    """What the model says is missing, unless it has figures that neither the question nor a claim has."""
    text = " ".join(missing.split())
    return "" if unsupported(text, [question, *(claim.text for claim in checked.claims)]) else text


def answer_closed_book(attempt: Attempt, reply: RecallReply | None) -> Answer:
    """Return the answer of a closed-book reply, without citations; an empty one is no answer, none is a failure."""
    if reply is None:
        return _model_failed(attempt, ())
    short = " ".join(reply.answer.split())
    attempt.trace += [Step("thinking", reply.thinking), Step("answer", short)]
    if not short:
        return _unanswered(attempt, (), attempt.model.failure)
    return attempt.ended(short, (), claims=(Claim(short),), short=short)


def without_answer(
    attempt: Attempt, passages: Sequence[Hit], reason: str, checked: CheckedClaims = CheckedClaims()
) -> Answer:
    """Return that the documents do not say; where a call failed on the way, it cannot be said what they hold either."""
    attempt.trace.append(Step("answer", reason, None, _steps(checked)))
    return _unanswered(attempt, passages, attempt.model.failure, checked.dropped)


def _model_failed(attempt: Attempt, passages: Sequence[Hit]) -> Answer:
    """The model gave no usable reply to the last call."""
    call = attempt.model.failed[-1]
    attempt.trace.append(Step("failed", f"The language model failed: {call.reason}."))
    return _unanswered(attempt, passages, call)


def _unanswered(
    attempt: Attempt, passages: Sequence[Hit], call: FailedCall | None, dropped: tuple[str, ...] = ()
) -> Answer:
    """An answer without text of its own, with what was found and done; `call` is the one that is to blame, if any."""
    if call is None:
        return attempt.ended(NOT_IN_DOCUMENTS, passages, ending=Ending.NOT_IN_DOCUMENTS, dropped=dropped)
    said, hint = f"The language model failed: {call.reason}.", "; ".join(filter(None, (call.hint, DOCTOR)))
    return attempt.ended(said, passages, ending=Ending.MODEL_FAILED, hint=hint, dropped=dropped)


def _unfounded(short: str, question: str, checked: CheckedClaims, citer: Citer) -> list[str]:
    """The numbers of the short answer that neither the claims nor their sources have; a count of the claims is one."""
    told = [claim.text for claim in checked.claims]
    told += [text for citation in citer.citations for text in (citation.quote, citation.context)]
    return unsupported(short, [*told, question, str(len(checked.claims))])


def _text_of(short: str, claims: Sequence[Claim]) -> str:
    """The answer as it is read: the short one first, unless the first claim says it already."""
    said = " ".join(claim.text for claim in claims)
    if not short or short.casefold() in claims[0].text.casefold():
        return said
    ending = "" if short.endswith((".", "。", "!", "?")) else "."
    return f"{short}{ending} {said}"


def _steps(checked: CheckedClaims) -> tuple[Step, ...]:
    kept = [Step("claim", claim.text) for claim in checked.claims]
    return tuple(kept) + tuple(Step("dropped", reason) for reason in checked.dropped)
