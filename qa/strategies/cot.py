"""Zero-shot chain of thought, closed book: what the model knows by itself (PIKE-RAG 6.1, the first baseline)."""

from __future__ import annotations

from qa.answer import NOT_IN_DOCUMENTS, Answer, Claim, Step
from qa.knowledge import Knowledge
from qa.language import Language
from qa.prompts.replies import RecallReply
from qa.strategies.settings import AnswerSettings


async def cot(question: str, knowledge: Knowledge, language: Language, settings: AnswerSettings) -> Answer:
    """Return the model's own answer; it cites nothing, for it read nothing."""
    asked = await language.ask("cot", RecallReply, room=600, question=question)
    return recalled("cot", question, asked.value, language, ())


def recalled(
    name: str, question: str, reply: RecallReply | None, language: Language, trace: tuple[Step, ...]
) -> Answer:
    """Return the answer of a closed-book reply; no reply, or an empty one, is no answer."""
    short = " ".join(reply.answer.split()) if reply else ""
    steps = (*trace, Step("thinking", reply.thinking if reply else "no usable reply"), Step("answer", short))
    if not short:
        return Answer(question, NOT_IN_DOCUMENTS, name, abstained=True, trace=steps, usage=language.usage)
    return Answer(question, short, name, (Claim(short),), short=short, trace=steps, usage=language.usage)
