"""The last line of algorithm 1 and of every strategy that reads: an answer from passages, with its claims checked."""

from __future__ import annotations

from collections.abc import Sequence

from pipelines.retrieve.hit import Hit
from qa.answer import Answer, Claim, Step
from qa.check.citations import Citer, found
from qa.check.claims import Checked, carries, check
from qa.check.figures import unsupported
from qa.language import Language
from qa.ports import Knowledge
from qa.prompts.replies import AnswerReply
from qa.quoting.conflicts import disagreements
from qa.reading import fitting, render
from qa.strategies.settings import AnswerSettings
from qa.strategies.unanswered import said, unanswered

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

    They do not say where the model says so, where nothing was found, or where no claim stood the check; where the
    model gave no usable reply, that is what the answer says.
    """
    read = fitting(passages, settings.context_tokens)
    if not read:
        step = Step("answer", "nothing was found to answer from")
        return unanswered(name, question, language, (), (*trace, step))
    shown = render(read, settings.context_tokens, "\n".join((question, notes, *sought)))
    asked = await language.ask("answer", AnswerReply, room=_ROOM, passages=shown, notes=notes, question=question)
    if asked.value is None:
        trouble = language.troubles[-1]
        return unanswered(name, question, language, passages, (*trace, Step("failed", said(trouble))), trouble=trouble)
    if not asked.value.found:
        step = Step("answer", "the model finds no answer in the passages")
        return unanswered(name, question, language, passages, (*trace, step))
    citer = Citer(knowledge)
    checked = check(question, asked.value, read, citer)
    short = " ".join(asked.value.answer.split())
    if not checked.claims and short and (numbers := carries(short, read, citer)):
        checked = Checked((Claim(short, numbers),), checked.dropped)
    if not checked.claims:
        step = Step("answer", "no claim stood the check against the sources", None, _steps(checked))
        return unanswered(name, question, language, passages, (*trace, step), checked.dropped)
    if wrong := _unfounded(short, question, checked, citer):
        checked = Checked(checked.claims, (*checked.dropped, f"{', '.join(wrong)} not in the claims: {short}"))
        short = ""
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


def _unfounded(short: str, question: str, checked: Checked, citer: Citer) -> list[str]:
    """The figures of the short answer that neither the claims nor their sources have; a count of the claims is one."""
    counted = str(len(checked.claims))
    told = [claim.text for claim in checked.claims] + [citation.quote for citation in citer.citations]
    return unsupported(short, [*told, question, counted])


def _text(short: str, claims: Sequence[Claim]) -> str:
    """The answer as it is read: the short one first, unless the first claim says it already."""
    said = " ".join(claim.text for claim in claims)
    if not short or short.casefold() in claims[0].text.casefold():
        return said
    ending = "" if short.endswith((".", "。", "!", "?")) else "."
    return f"{short}{ending} {said}"


def _steps(checked: Checked) -> tuple[Step, ...]:
    kept = [Step("claim", claim.text) for claim in checked.claims]
    return tuple(kept) + tuple(Step("dropped", reason) for reason in checked.dropped)
