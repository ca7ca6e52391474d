"""Contribution of a language model's splitting, summaries, questions and tags to retrieval (PIKE-RAG 5.2.1 to 5.2.3).

    python benchmarks/language_work.py --keep FOLDER [--base-url URL --model NAME] [--set industrial ...] [--answers]
        [--distil extractive]

Each set of documents is ingested in three ways: split by size, by the documents' structure, and recurrently (by the
model, if one is given). The model distills in all three, unless `--distil extractive` leaves it the splitting and the
summaries alone; without a model, the table is for extractive work. For each knowledge base, the table has the share of
questions whose first document is right, and page recall@5, in percent, for the set's own questions and those in
everyday words (`benchmarks/questions`), with all layers and with one kind of work switched off in turn. `--answers`
also evaluates strategies on the set's own questions, over the last knowledge base. The knowledge bases and the model's
replies are kept in FOLDER.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path

from benchmarks.asked_otherwise import QUESTIONS, figures
from evaluate.answers import AnswersReport, evaluate_answers
from evaluate.questions import Question, read_questions
from evaluate.sets import DeclaredSet, read_sets, without_model
from pipelines.ingest.build import build
from pipelines.resources import open_stores
from pipelines.retrieve.retriever import Retriever
from pipelines.sections import RetrieveSettings
from pipelines.settings import load
from qa.knowledge_base import KnowledgeBase
from qa.settings import QaSettings

SETS = Path(__file__).parent / "sets.toml"
CUTTING: dict[str, dict[str, object]] = {
    "size": {"chunk.by": "size", "chunk.recurrent": False},
    "structure": {"chunk.recurrent": False},
    "recurrent": {},
}
OFF: dict[str, dict[str, float]] = {
    "all": {},
    "no summaries": {"summary": 0},
    "no questions": {"atom": 0},
    "no tags": {"tag_words": 0},
    "tags as a layer": {"tag": 0.15},
}
STRATEGIES = ("naive", "pike", "pike-graph")


def settings_of(args: argparse.Namespace, cutting: str) -> QaSettings:
    model = {"llm.base_url": args.base_url, "llm.model": args.model} if args.base_url else {}
    calls = {"llm.concurrency": args.concurrency, "llm.timeout": 900, "atomize.use_model": args.distil == "model"}
    overrides = {**model, **calls, "embed.name": args.embedder}
    settings = load(None, {**overrides, **CUTTING[cutting]}, QaSettings).settings
    return settings.model_copy(update={"ingest": without_model(settings).ingest})


def questions_of(declared: DeclaredSet) -> dict[str, Sequence[Question]]:
    own = {"own": [one for one in read_questions(declared.questions) if one.answerable]}
    lay = QUESTIONS / f"lay-{declared.name}.jsonl"
    return own | ({"lay": read_questions(lay)} if lay.is_file() else {})


def show(declared: DeclaredSet, cutting: str, kb: Path, settings: QaSettings) -> None:
    asked = questions_of(declared)
    with open_stores(kb, settings) as stores:
        for off, changed in OFF.items():
            weights = RetrieveSettings.model_validate(settings.retrieve.model_dump() | changed)
            retriever = Retriever.of(stores, weights)
            cells = []
            for kind, questions in asked.items():
                first, pages = figures([retriever.retrieve(one.question, 5) for one in questions], questions)
                cells.append(f"{kind} {first:5.1f} {pages:5.1f}")
            print(f"{declared.name:<18}{cutting:<12}{off:<18}" + "   ".join(cells), flush=True)


async def answers(kb: Path, settings: QaSettings, declared: DeclaredSet, out: Path) -> AnswersReport:
    with KnowledgeBase.open(kb, settings) as knowledge:
        return await evaluate_answers(knowledge, read_questions(declared.questions), STRATEGIES, concurrency=8, out=out)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", type=Path, required=True, help="a folder for knowledge bases and answers")
    parser.add_argument("--base-url", default="", help="an OpenAI-compatible endpoint; without it keyless")
    parser.add_argument("--model", default="", help="the model's name there")
    parser.add_argument("--embedder", default="wordllama")
    parser.add_argument("--concurrency", type=int, default=16, help="calls in flight")
    parser.add_argument("--sets", type=Path, default=SETS, help="a file that declares sets")
    parser.add_argument("--set", nargs="+", default=["industrial", "industrial2", "multilingual-en"])
    parser.add_argument("--cutting", nargs="+", default=list(CUTTING), choices=list(CUTTING))
    parser.add_argument("--distil", choices=["model", "extractive"], default="model")
    parser.add_argument("--answers", action="store_true", help="ask the strategies too (needs a model)")
    return parser.parse_args()


def main() -> None:
    args = parsed()
    for declared in (one for one in read_sets(args.sets) if one.name in args.set):
        if declared.documents is None or not declared.documents.is_dir():
            print(f"{declared.name}: its documents are not there")
            continue
        for cutting in args.cutting:
            settings, kb = settings_of(args, cutting), args.keep / f"{declared.name}-{cutting}"
            built = build(declared.documents, kb, settings)
            print(f"{declared.name:<18}{cutting:<12}{built.contents} {built.usage} {built.seconds} s", flush=True)
            show(declared, cutting, kb, settings)
        if args.answers and args.base_url:
            report = asyncio.run(answers(kb, settings, declared, args.keep / f"answers-{declared.name}.jsonl"))
            for strategy, row in report.figures().items():
                print(f"{declared.name:<18}{strategy:<12}{row}", flush=True)


if __name__ == "__main__":
    main()
