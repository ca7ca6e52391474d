"""What the documents call the things that a question speaks of, told by the language model (PIKE-RAG 5.2.2)."""

from __future__ import annotations

from pipelines.core.knowledge import TagPair
from pipelines.retrieve.stored_knowledge import StoredKnowledge
from qa.model_calls import ModelCalls
from qa.prompts.reply_types import TermsReply

_TAGS = 40
"""Tags of the corpus that the model is shown."""
WEIGHT = 0.5
"""What a word counts that the model put beside those of the question: 0.3 to 1 do alike (`benchmarks/terms`)."""
_MOST = 3
"""Terms for the same words of a question, as the prompt asks: a small model may copy all that it is shown."""


async def question_terms(question: str, knowledge: StoredKnowledge, model: ModelCalls) -> tuple[TagPair, ...]:
    """Return pairs that lead from words of a question to terms of the documents.

    There are none, and the model is not asked, where a chunk has enough of the question's words. The model sees the
    tags that are near to the question. A pair counts where its words stand in the question. A call that fails gives
    none, and is told by `model.failed`. Raises `BudgetExceeded`.

    For "Which number do I turn off on the phone card?": `TagPair("phone card", "SIM card", 0.5)`.
    """
    if knowledge.has_words_of(question):
        return ()
    tags = "; ".join(knowledge.tags_near(question, _TAGS))
    languages = ", ".join(knowledge.languages) or "that of the question"
    asked = await model.ask("terms", TermsReply, room=200, question=question, tags=tags, languages=languages)
    said = question.casefold()
    found = [
        TagPair(pair.said, term, WEIGHT)
        for pair in (asked.value.pairs if asked.value else [])
        if pair.said and pair.said.casefold() in said
        for term in pair.terms[:_MOST]
    ]
    return tuple(dict.fromkeys(one for one in found if one.corpus_tag and one.corpus_tag.casefold() not in said))
