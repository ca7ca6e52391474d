"""Shared parts of the built-in strategies: input, rounds, and construction of the answer.

With a model, the answer is made from passages with checked claims (the last line of algorithm 1, PIKE-RAG 5.3.2), from
the model's own knowledge, or there is none. Without a model, it consists of quotes.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pipelines.lang.arithmetic import unsupported
from pipelines.retrieve.conflicts import disagreements
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.searches import Retrieval
from pipelines.retrieve.shown_passages import fitting, render
from qa.answer import NOT_IN_DOCUMENTS, Answer, Claim, Ending, Step
from qa.citations import CheckedClaims, Citer, check, cite_literal, found
from qa.model_calls import FailedCall, ModelCalls
from qa.prompts.reply_types import AnswerReply, RecallReply
from qa.settings import AnswerSettings

Solve = Callable[[str, Retrieval, Any, AnswerSettings], Awaitable[Answer]]
"""The function of a strategy; its arguments are the question, the searches, the model and the settings.

The model is a `ModelCalls`, or None if none is configured and the strategy needs none.
"""
DOCTOR = "`strata doctor` tries the endpoint"
_REPLY_TOKENS = 700
"""Maximum tokens of the reply, an answer with claims and quotes."""


@dataclass(slots=True)
class Attempt:
    """The input of a strategy, and its trace so far."""

    question: str
    retrieval: Retrieval
    model: ModelCalls
    settings: AnswerSettings
    trace: list[Step] = field(default_factory=list)

    def ended(self, text: str, passages: Collection[Hit], **fields: Any) -> Answer:
        """Return an answer with the passages found, the trace and the usage; `fields` are other fields of it."""
        usage, trace = self.model.usage, tuple(self.trace)
        return Answer(self.question, text, found=found(passages), usage=usage, trace=trace, **fields)


async def in_rounds(
    limit: int, one_round: Callable[[int], Awaitable[str | None]], trace: list[Step], at_limit: str = "round limit"
) -> str:
    """Run at most `limit` rounds, numbered from 1, until one returns the reason for stopping; return the reason.

    It is added to `trace`, unless it is "", which means that the round has added its own.
    """
    reason: str | None = None
    for number in range(1, limit + 1):
        if (reason := await one_round(number)) is not None:
            break
    reason = at_limit if reason is None else reason
    if reason:
        trace.append(Step("stop", reason))
    return reason


def passage_steps(hits: Sequence[Hit]) -> tuple[Step, ...]:
    """Return a trace step for each hit, with its file, headings and score."""
    return tuple(Step("passage", f"{hit.uri}: {' > '.join(hit.chunk.heading_path)}", hit.score) for hit in hits)


def quoted_answer(
    question: str,
    claims: tuple[Claim, ...],
    citer: Citer,
    hits: Collection[Hit],
    trace: Sequence[Step],
    warnings: Sequence[str] = (),
) -> Answer:
    """Return the answer of a strategy without a model: its quotes, or that the documents do not say if there are none.

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

    `notes` are intermediate results of the model. Passages that are too long for the prompt are reduced to sentences
    about the question, the notes and `sought`. The documents do not say if the model says so, if there are no passages,
    or if no claim passes the check; the answer then has the supported claims. Without a usable reply, the answer is
    `MODEL_FAILED`.
    """
    room = attempt.settings.context_tokens
    read = fitting(passages, room)
    if not read:
        return without_answer(attempt, (), "nothing was found to answer from")
    shown = render(read, room, "\n".join((attempt.question, notes, *sought)))
    question = attempt.question
    asked = await attempt.model.ask(
        "answer", AnswerReply, tokens=_REPLY_TOKENS, passages=shown, notes=notes, question=question
    )
    if asked.value is None:
        return _model_failed(attempt, passages)
    citer = Citer(attempt.retrieval)
    checked = check(question, asked.value, read, citer)
    missing = _supported_missing(asked.value.missing, question, checked)
    if not asked.value.found:
        refused = without_answer(attempt, passages, "the model finds no answer in the passages", checked)
        return _with_findings(refused, missing, checked, citer) if checked.claims else refused
    short = " ".join(asked.value.answer.split())
    if not checked.claims and short and (numbers := cite_literal(short, question, read, citer)):
        checked = CheckedClaims((Claim(short, numbers),), checked.dropped)
    if not checked.claims:
        return without_answer(attempt, passages, "no claim stood the check against the sources", checked)
    if wrong := _unsupported_numbers(short, question, checked, citer):
        checked = CheckedClaims(checked.claims, (*checked.dropped, f"{', '.join(wrong)} not in the claims: {short}"))
        short = ""
    attempt.trace.append(Step("answer", short or "from the claims", None, _steps(checked)))
    answer = answered(attempt, short, checked, citer, passages, (missing,) if missing else ())
    return replace(answer, missing=missing, conflicts=disagreements(question, read, attempt.retrieval.lexicon))


def answered(
    attempt: Attempt, short: str, checked: CheckedClaims, citer: Citer, passages: Sequence[Hit], warnings: Sequence[str]
) -> Answer:
    """Return the answer with at least one claim, and the model's short answer, if any."""
    text = _text_of(short, checked.claims)
    answer = attempt.ended(text, passages, claims=checked.claims, citations=citer.citations, short=short)
    return replace(answer, warnings=tuple(warnings), dropped=checked.dropped)


def _with_findings(refused: Answer, missing: str, checked: CheckedClaims, citer: Citer) -> Answer:
    """Return a refusal with what is missing and the supported claims: "X is not named; Y is ..."."""
    if refused.ending is Ending.MODEL_FAILED:
        return refused
    findings = " ".join(claim.text for claim in checked.claims)
    text = " ".join(filter(None, (NOT_IN_DOCUMENTS, missing, findings)))
    return replace(refused, text=text, missing=missing, claims=checked.claims, citations=citer.citations)


def _supported_missing(missing: str, question: str, checked: CheckedClaims) -> str:
    """Return what the model says is missing, or "" if it has numbers that are not in the question or a claim."""
    text = " ".join(missing.split())
    return "" if unsupported(text, [question, *(claim.text for claim in checked.claims)]) else text


def answer_closed_book(attempt: Attempt, reply: RecallReply | None) -> Answer:
    """Return the answer of a closed-book reply, without citations; an empty reply is no answer, None a failure."""
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
    """Return that the documents do not say, or that the model failed if a call got no reply."""
    attempt.trace.append(Step("answer", reason, None, _steps(checked)))
    return _unanswered(attempt, passages, attempt.model.failure, checked.dropped)


def _model_failed(attempt: Attempt, passages: Sequence[Hit]) -> Answer:
    """Return the answer after the last call got no usable reply."""
    call = attempt.model.failed[-1]
    attempt.trace.append(Step("failed", f"The language model failed: {call.reason}."))
    return _unanswered(attempt, passages, call)


def _unanswered(
    attempt: Attempt, passages: Sequence[Hit], call: FailedCall | None, dropped: tuple[str, ...] = ()
) -> Answer:
    """Return that the documents do not say, or that the model failed because of `call`."""
    if call is None:
        return attempt.ended(NOT_IN_DOCUMENTS, passages, ending=Ending.NOT_IN_DOCUMENTS, dropped=dropped)
    text, hint = f"The language model failed: {call.reason}.", "; ".join(filter(None, (call.hint, DOCTOR)))
    return attempt.ended(text, passages, ending=Ending.MODEL_FAILED, hint=hint, dropped=dropped)


def _unsupported_numbers(short: str, question: str, checked: CheckedClaims, citer: Citer) -> list[str]:
    """Return the numbers of the short answer that are not in the claims, their sources, or the number of claims."""
    sources = [claim.text for claim in checked.claims]
    sources += [text for citation in citer.citations for text in (citation.quote, citation.context)]
    return unsupported(short, [*sources, question, str(len(checked.claims))])


def _text_of(short: str, claims: Sequence[Claim]) -> str:
    """Return the text of an answer: the short answer, unless the first claim contains it, and the claims."""
    text = " ".join(claim.text for claim in claims)
    if not short or short.casefold() in claims[0].text.casefold():
        return text
    ending = "" if short.endswith((".", "。", "!", "?")) else "."
    return f"{short}{ending} {text}"


def _steps(checked: CheckedClaims) -> tuple[Step, ...]:
    return (*(Step("claim", one.text) for one in checked.claims), *(Step("dropped", one) for one in checked.dropped))
