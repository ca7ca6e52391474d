"""Questions in everyday words about documents in technical terms, and questions that only a table or figure answers.

    python benchmarks/asked_otherwise.py --keep FOLDER [--gguf FILE]

FOLDER is one that `strata eval matrix --keep` has filled. The questions (`benchmarks/questions/`) were written from the
documents only, by an author who had seen neither tags nor code. For each file and each way to use the corpus's tags
(PIKE-RAG 5.2.2), the table has the share of questions whose first document is right, and page recall@5.

The last columns use the documents' terms for a question (`qa.model_calls`): those in `benchmarks/terms/`, written by a
strong model that was shown each question with the forty most similar tags and not the documents; and with `--gguf`
those of that model.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path

import msgspec

from evaluate.metrics import page_recall, percent
from evaluate.questions import Question, read_questions
from pipelines.core.knowledge import TagPair
from pipelines.llm.chat import Chat
from pipelines.llm.stack import open_chat
from pipelines.resources import open_stores
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.retriever import Retriever
from pipelines.retrieve.stored_knowledge import StoredKnowledge
from pipelines.sections import RetrieveSettings
from pipelines.settings import load
from qa.citations import found
from qa.model_calls import WEIGHT, ModelCalls, question_terms
from qa.settings import QaSettings

QUESTIONS = Path(__file__).parent / "questions"
WAYS: dict[str, dict[str, float]] = {
    "tags not used": {"tag_words": 0},
    "their words in the question": {},
    "as a layer": {"tag_words": 0, "tag": 0.15},
    "both": {"tag": 0.15},
}


TERMS = Path(__file__).parent / "terms"


class _Terms(msgspec.Struct):
    """A line of a file in `TERMS`."""

    id: str
    terms: list[str]


def figures(hits: Sequence[Sequence[Hit]], questions: Sequence[Question]) -> tuple[float, float]:
    """Return the shares of right first documents and of right pages among five, in percent."""
    pairs = [(found(some), one.sources) for some, one in zip(hits, questions, strict=True)]
    firsts = [float(bool(pages) and pages[0].uri in {one.file for one in sources}) for pages, sources in pairs]
    return percent(firsts), percent([page_recall(pages, sources, 5) for pages, sources in pairs])


def strong_terms(path: Path, questions: Sequence[Question]) -> list[tuple[TagPair, ...]]:
    """Return the terms that a strong model wrote for each question, if there is a file."""
    lines = path.read_bytes().splitlines() if path.exists() else []
    terms = {line.id: line.terms for line in (msgspec.json.decode(raw, type=_Terms) for raw in lines)}
    return [tuple(TagPair(one.question, term, WEIGHT) for term in terms.get(one.id, ())) for one in questions]


async def model_terms(
    chat: Chat, knowledge: StoredKnowledge, questions: Sequence[Question]
) -> list[tuple[TagPair, ...]]:
    """Return the terms of a model for each question."""
    return [await question_terms(one.question, knowledge, ModelCalls(chat)) for one in questions]


def with_terms(
    knowledge: StoredKnowledge, questions: Sequence[Question], terms: Sequence[tuple[TagPair, ...]]
) -> tuple[float, float]:
    """Return the `figures` of searches extended by these terms, where a model would be asked for them."""
    asked = [() if knowledge.has_words_of(one.question) else own for one, own in zip(questions, terms, strict=True)]
    hits = [knowledge.with_terms(own).retrieve(one.question, 5) for one, own in zip(questions, asked, strict=True)]
    return figures(hits, questions)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", type=Path, required=True, help="a folder for knowledge bases")
    parser.add_argument("--gguf", default="", help="a model whose terms are measured too")
    args = parser.parse_args()
    settings = load(None, {"llm.gguf": args.gguf} if args.gguf else {}, QaSettings).settings
    chat = open_chat(settings.llm, args.keep / "terms.db") if args.gguf else None
    columns = [*WAYS, "a strong reader's terms", *["the model's terms"] * bool(chat)]
    print(f"{'':<24}" + "".join(f"{column:>30}" for column in columns))
    for path in sorted(QUESTIONS.glob("*.jsonl")):
        questions = read_questions(path)
        kb = args.keep / f"{path.stem.partition('-')[2]}-wordllama"
        with open_stores(kb, settings) as stores:
            ways = [settings.retrieve.model_dump() | way for way in WAYS.values()]
            retrievers = [Retriever.of(stores, RetrieveSettings.model_validate(way)) for way in ways]
            row = [figures([each.retrieve(one.question, 5) for one in questions], questions) for each in retrievers]
            knowledge = StoredKnowledge.of(stores, settings)
            row.append(with_terms(knowledge, questions, strong_terms(TERMS / path.name, questions)))
            if chat:
                told = asyncio.run(model_terms(chat, knowledge, questions))
                row.append(with_terms(knowledge, questions, told))
        print(f"{path.stem:<24}" + "".join(f"{first:>20.1f}{pages:>10.1f}" for first, pages in row), flush=True)


if __name__ == "__main__":
    main()
