"""What the state of a knowledge base means for an answer: that there is none, or a warning."""

from __future__ import annotations

from pipelines.retrieve.filters import describe_filter
from pipelines.retrieve.stored_knowledge import StoredKnowledge
from pipelines.store.facts import KnowledgeState, incompleteness, remedy
from pipelines.store.vector import Filter
from qa.answer import Answer, Ending
from qa.model_calls import ModelCalls


def nothing_matches(question: str, where: Filter) -> Answer:
    """Return the answer to a question if no passage passes its filter."""
    text = "No passage fits all parts of the filter."
    return Answer(question, text, ending=Ending.NOTHING_MATCHES, hint=describe_filter(where))


def no_passages(question: str, state: KnowledgeState, copy: str = "") -> Answer:
    """Return the answer to a question if the knowledge base has no passage.

    `copy` is the name of the graph store that is read in place of the knowledge base's own, if one is.
    """
    text, hint = incompleteness(state), remedy(state)
    if not text and copy:
        text = f"{copy.replace('neo4j', 'Neo4j')} has no data of this knowledge base."
        hint = "`strata graph sync` copies it there"
    text = text or "The knowledge base is empty: its documents have no text."
    return Answer(question, text, ending=Ending.EMPTY, hint=hint)


def warnings_about(
    answer: Answer, model: ModelCalls | None, knowledge: StoredKnowledge, state: KnowledgeState
) -> list[str]:
    """Return warnings about the question's language, failed calls and an incomplete ingest."""
    warnings = []
    if answer.ending is Ending.NOT_IN_DOCUMENTS and (unread := knowledge.unread_language(answer.question)):
        line = f"The question's language ({unread}) is not one of the documents' ({', '.join(knowledge.languages)})"
        warnings.append(f"{line}: `strata reindex --embedder e5` searches across languages.")
    if model and model.failed and answer.ending is not Ending.MODEL_FAILED:
        count = f"{len(model.failed)} call{'s' if len(model.failed) > 1 else ''} of the language model failed"
        warnings.append(f"{count}; the answer is based on the others: {model.failed[0].reason}.")
    if state.begun and not state.whole:
        warnings.append(f"{incompleteness(state)} To complete it, {remedy(state)}.")
    return warnings
