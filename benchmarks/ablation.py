"""What each layer, each kind of edge and the propagation are worth: recall@5 with each switched off in turn.

    python benchmarks/ablation.py [--embedder wordllama] [--keep FOLDER] [--kb KB --questions FILE]

On the passages of MuSiQue and HotpotQA; with `--kb` on a knowledge base of documents too, as page recall@5.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from pipelines.resources import open_stores
from pipelines.settings import load
from qa.evaluate.metrics import percent, recall_at
from qa.evaluate.places import page_recall
from qa.evaluate.questions import Question, read_questions
from qa.hit import Hit
from qa.retrieval.settings import RetrieveSettings
from qa.retrieve import Retriever
from qa.settings import QaSettings

sys.path.insert(0, str(Path(__file__).parent))
from retrieval import DATA, SETS, open_set

OFF: dict[str, dict[str, float]] = {
    "all": {},
    "no chunks": {"chunk": 0},
    "no summaries": {"summary": 0},
    "no atoms": {"atom": 0},
    "no soft count of atoms": {"soft_count": 0},
    "no documents": {"document": 0},
    "no titles in the question": {"title": 0},
    "no names of documents": {"called": 0},
    "no entities": {"entity": 0},
    "no tags": {"tag": 0},
    "no vectors": {"lexical": 1},
    "no terms": {"lexical": 0},
    "no MENTIONS": {"mentions": 0},
    "no REFERENCES": {"references": 0},
    "no RELATED": {"related": 0},
    "no NEXT": {"next": 0},
    "no way back to the source": {"back": 0},
    "no look at the rest of the question": {"blind": 1},
    "no headlines": {"headline": 0},
    "one round": {"rounds": 1},
    "no propagation": {"hop": 0},
    "no choice of what is new": {"fresh": 0, "again": 0},
}
DEPTH = 5


def passages_found(hits: tuple[Hit, ...], question: Question) -> float:
    return recall_at([hit.uri for hit in hits], question.gold_passages, DEPTH)


def pages_found(hits: tuple[Hit, ...], question: Question) -> float:
    return page_recall(hits, question, DEPTH)


def column(
    retriever: Retriever, questions: tuple[Question, ...], found: Callable[[tuple[Hit, ...], Question], float]
) -> list[float]:
    asked = [question for question in questions if question.answerable]
    evidence = [retriever.evidence(question.question) for question in asked]
    rows = []
    for off in OFF.values():
        settings = RetrieveSettings.model_validate(retriever.settings.model_dump() | off)
        ranked = [retriever.plain_hits(retriever.rank(one, DEPTH, settings)) for one in evidence]
        rows.append(percent([found(hits, question) for hits, question in zip(ranked, asked, strict=True)]))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--embedder", default="wordllama")
    parser.add_argument("--keep", type=Path, help="a folder that keeps the knowledge bases for the next time")
    parser.add_argument("--kb", type=Path, help="a knowledge base of documents")
    parser.add_argument("--questions", type=Path, help="questions with sources about it")
    args = parser.parse_args()
    columns: dict[str, list[float]] = {}
    with ExitStack() as stack:
        keep = args.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="strata-")))
        for name in SETS if DATA.is_dir() else ():
            columns[name] = column(*open_set(stack, name, args.embedder, keep), passages_found)
        if args.kb:
            settings = load(args.kb, {}, QaSettings).settings
            retriever = Retriever.of(stack.enter_context(open_stores(args.kb, settings)), settings.qa.retrieve)
            columns["documents"] = column(retriever, read_questions(args.questions), pages_found)
    print(f"{'':<38}" + "".join(f"{name:>12}" for name in columns))
    for place, name in enumerate(OFF):
        print(f"{name:<38}" + "".join(f"{values[place]:>12.1f}" for values in columns.values()))


if __name__ == "__main__":
    main()
