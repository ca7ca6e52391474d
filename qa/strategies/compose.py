"""The last line of algorithm 1 and of every strategy that reads: an answer from passages, with its claims checked."""

from __future__ import annotations

from collections.abc import Sequence

from pipelines.llm.ask import Asked, Ending
from qa.answer import NOT_IN_DOCUMENTS, Answer, Claim, Step
from qa.citations import Citer, found
from qa.claims import Checked, carries, check
from qa.evidence.conflicts import disagreements
from qa.hit import Hit
from qa.knowledge import Knowledge
from qa.language import Language
from qa.prompts.replies import AnswerReply
from qa.reading import fitting, render
from qa.strategies.settings import AnswerSettings

_ROOM = 700


async def compose(
    name: str,
    question: str,
    passages: Sequence[Hit],
    knowledge: Knowledge,
    language: Language,
    settings: AnswerSettings,
    trace: tuple[Step, ...] = (),
    notes: str = "",
    sought: Sequence[str] = (),
) -> Answer:
    """Return the model's answer from `passages`, or that the documents do not say; `notes` is what it worked out.

    Of passages too long for the prompt that is shown which speaks of the question, the notes and what was `sought`.

    They do not say where the model says so, where nothing was found, or where no claim stood the check.
    """
    read = fitting(passages, settings.context_tokens)
    if not read:
        return refused(name, question, (), language, (*trace, Step("answer", "nothing was found to answer from")))
    shown = render(read, settings.context_tokens, "\n".join((question, notes, *sought)))
    asked = await language.ask("answer", AnswerReply, room=_ROOM, passages=shown, notes=notes, question=question)
    citer = Citer(knowledge)
    if asked.value is None or not asked.value.found:
        return refused(name, question, passages, language, (*trace, Step("answer", _why_not(asked))))
    checked = check(question, asked.value, read, citer)
    short = " ".join(asked.value.answer.split())
    if not checked.claims and short and (numbers := carries(short, read, citer)):
        checked = Checked((Claim(short, numbers),), checked.dropped)
    if not checked.claims:
        step = Step("answer", "no claim stood the check against the sources", None, _steps(checked))
        return refused(name, question, passages, language, (*trace, step), checked.dropped)
    step = Step("answer", short or "from the claims", None, _steps(checked))
    return Answer(
        question,
        _text(short, checked.claims),
        name,
        checked.claims,
        citer.citations,
        short=short,
        found=found(passages),
        conflicts=disagreements(question, read, knowledge.lexicon),
        dropped=checked.dropped,
        trace=(*trace, step),
        usage=language.usage,
    )


def refused(
    name: str,
    question: str,
    passages: Sequence[Hit],
    language: Language,
    trace: tuple[Step, ...],
    dropped: tuple[str, ...] = (),
) -> Answer:
    """Return that the documents do not say."""
    return Answer(
        question, NOT_IN_DOCUMENTS, name, abstained=True, found=found(passages), dropped=dropped, trace=trace,
        usage=language.usage,
    )  # fmt: skip


def _text(short: str, claims: Sequence[Claim]) -> str:
    """The answer as it is read: the short one first, unless the first claim says it already."""
    said = " ".join(claim.text for claim in claims)
    if not short or short.casefold() in claims[0].text.casefold():
        return said
    ending = "" if short.endswith((".", "。", "!", "?")) else "."
    return f"{short}{ending} {said}"


def _why_not(asked: Asked[AnswerReply]) -> str:
    if asked.ending is Ending.FAILED:
        return f"the call failed: {asked.failure.reason if asked.failure else asked.problem}"
    if asked.ending is Ending.UNUSABLE:
        return f"no usable reply in {asked.tries} tries"
    return "the model finds no answer in the passages"


def _steps(checked: Checked) -> tuple[Step, ...]:
    kept = [Step("claim", claim.text) for claim in checked.claims]
    return tuple(kept) + tuple(Step("dropped", reason) for reason in checked.dropped)
