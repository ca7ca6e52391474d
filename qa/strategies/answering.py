"""How a strategy with a model ends: an answer from passages with its claims checked, one by heart, or none.

The first is the last line of algorithm 1 (PIKE-RAG 5.3.2), and of every strategy that reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pipelines.lang.arithmetic import unsupported
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.shown_passages import fitting, render
from qa.answer import NOT_IN_DOCUMENTS, Answer, Claim, Ending, Step
from qa.check.claims import CheckedClaims, carries, check
from qa.check.quotes import Citer, found
from qa.model_calls import FailedCall
from qa.prompts.reply_types import AnswerReply, RecallReply
from qa.quoting.conflicts import disagreements
from qa.strategies.strategy import Attempt

DOCTOR = "`strata doctor` tries the endpoint"
_ROOM = 700
"""Tokens of the reply: an answer with its claims and their quotes."""


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
    asked = await attempt.model.ask(
        "answer", AnswerReply, room=_ROOM, passages=shown, notes=notes, question=attempt.question
    )
    if asked.value is None:
        return _model_failed(attempt, passages)
    citer = Citer(attempt.retrieval)
    checked = check(attempt.question, asked.value, read, citer)
    missing = _sound_missing(asked.value.missing, attempt.question, checked)
    if not asked.value.found:
        reason = "the model finds no answer in the passages"
        refused = without_answer(attempt, passages, reason, checked)
        return _with_what_is_known(refused, missing, checked, citer) if checked.claims else refused
    short = " ".join(asked.value.answer.split())
    if not checked.claims and short and (numbers := carries(short, attempt.question, read, citer)):
        checked = CheckedClaims((Claim(short, numbers),), checked.dropped)
    if not checked.claims:
        return without_answer(attempt, passages, "no claim stood the check against the sources", checked)
    if wrong := _unfounded(short, attempt.question, checked, citer):
        checked = CheckedClaims(checked.claims, (*checked.dropped, f"{', '.join(wrong)} not in the claims: {short}"))
        short = ""
    attempt.trace.append(Step("answer", short or "from the claims", None, _steps(checked)))
    answer = answered(attempt, short, checked, citer, passages, (missing,) if missing else ())
    conflicts = disagreements(attempt.question, read, attempt.retrieval.lexicon)
    return replace(answer, missing=missing, conflicts=conflicts)


def answered(
    attempt: Attempt,
    short: str,
    checked: CheckedClaims,
    citer: Citer,
    passages: Sequence[Hit],
    warnings: tuple[str, ...],
) -> Answer:
    """Return the answer that claims make, one or more, with the bare one that the model gave, if any."""
    return Answer(
        attempt.question,
        _text_of(short, checked.claims),
        claims=checked.claims,
        citations=citer.citations,
        short=short,
        found=found(passages),
        warnings=warnings,
        dropped=checked.dropped,
        trace=tuple(attempt.trace),
        usage=attempt.model.usage,
    )


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
    return Answer(
        attempt.question,
        short,
        claims=(Claim(short),),
        short=short,
        trace=tuple(attempt.trace),
        usage=attempt.model.usage,
    )


def without_answer(
    attempt: Attempt, passages: Sequence[Hit], reason: str, checked: CheckedClaims = CheckedClaims()
) -> Answer:
    """Return that the documents do not say; where a call failed on the way, it cannot be said what they hold either."""
    attempt.trace.append(Step("answer", reason, None, _steps(checked)))
    return _unanswered(attempt, passages, attempt.model.failure, checked.dropped)


def _model_failed(attempt: Attempt, passages: Sequence[Hit]) -> Answer:
    """The model gave no usable reply to the last call."""
    call = attempt.model.failed[-1]
    attempt.trace.append(Step("failed", _said(call)))
    return _unanswered(attempt, passages, call)


def _unanswered(
    attempt: Attempt, passages: Sequence[Hit], call: FailedCall | None, dropped: tuple[str, ...] = ()
) -> Answer:
    """An answer without text of its own, with what was found and done; `call` is the one that is to blame, if any."""
    return Answer(
        attempt.question,
        _said(call) if call else NOT_IN_DOCUMENTS,
        ending=Ending.MODEL_FAILED if call else Ending.NOT_IN_DOCUMENTS,
        hint="; ".join(filter(None, (call.hint, DOCTOR))) if call else "",
        found=found(passages),
        dropped=dropped,
        trace=tuple(attempt.trace),
        usage=attempt.model.usage,
    )


def _said(call: FailedCall) -> str:
    return f"The language model failed: {call.reason}."


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
