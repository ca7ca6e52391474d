"""Zero-shot chain of thought, closed book: what the model knows by itself (PIKE-RAG 6.1, the first baseline)."""

from __future__ import annotations

from qa.answer import Answer, Claim, Step
from qa.language import Language
from qa.ports import Knowledge
from qa.prompts.replies import RecallReply
from qa.strategies.settings import AnswerSettings
from qa.strategies.unanswered import said, unanswered


async def cot(question: str, knowledge: Knowledge, language: Language, settings: AnswerSettings) -> Answer:
    """Return the model's own answer; it cites nothing, for it read nothing."""
    asked = await language.ask("cot", RecallReply, room=600, question=question)
    return recalled("cot", question, asked.value, language, ())


def recalled(
    name: str, question: str, reply: RecallReply | None, language: Language, trace: tuple[Step, ...]
) -> Answer:
    """Return the answer of a closed-book reply; an empty one is no answer, and no reply is a failure."""
    if reply is None:
        trouble = language.troubles[-1]
        return unanswered(name, question, language, (), (*trace, Step("failed", said(trouble))), trouble=trouble)
    short = " ".join(reply.answer.split())
    steps = (*trace, Step("thinking", reply.thinking), Step("answer", short))
    if not short:
        return unanswered(name, question, language, (), steps)
    return Answer(question, short, name, (Claim(short),), short=short, trace=steps, usage=language.usage)
