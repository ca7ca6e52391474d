"""Contribution of each layer, each kind of edge and propagation to retrieval: each is switched off in turn.

    python benchmarks/ablation.py [--embedder wordllama] [--keep FOLDER] [--kb KB --questions FILE]...

Measured on the passages of MuSiQue and HotpotQA; with `--kb` also on knowledge bases of documents. Each set has two
columns: recall@5 (of pages, for documents), and the value that `strata tune` maximizes, over several depths.
"""

from __future__ import annotations

import argparse
import tempfile
from contextlib import ExitStack
from pathlib import Path

from benchmarks.retrieval import DATA, SETS, open_set
from evaluate.metrics import page_recall, percent, recall_at
from evaluate.questions import Question, read_questions
from evaluate.tune import DEPTHS, value
from pipelines.resources import open_stores
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.retriever import Retriever
from pipelines.sections import RetrieveSettings
from pipelines.settings import load
from qa.citations import found as found_of
from qa.settings import QaSettings

OFF: dict[str, dict[str, float]] = {
    "all": {},
    "no chunks": {"chunk": 0},
    "no summaries": {"summary": 0},
    "no atoms": {"atom": 0},
    "no soft count of atoms": {"soft_count": 0},
    "nothing of the document beside the chunk": {"document": 0},
    "no titles in the question": {"title": 0},
    "no names of documents": {"called": 0},
    "no entities": {"entity": 0},
    "tags as well": {"tag": 0.15},
    "no vectors": {"lexical": 1},
    "no terms": {"lexical": 0},
    "no MENTIONS": {"mentions": 0},
    "no REFERENCES": {"references": 0},
    "no RELATED": {"related": 0},
    "no NEXT": {"next": 0},
    "nothing back for passing on": {"back": 0},
    "no look at the rest of the question": {"blind": 1},
    "no headlines": {"headline": 0},
    "one round": {"rounds": 1},
    "no propagation": {"hop": 0},
    "no choice of what is new": {"fresh": 0, "again": 0},
}
DEPTH = 5


def recall(hits: tuple[Hit, ...], question: Question) -> float:
    if question.gold_passages:
        return recall_at([hit.uri for hit in hits], question.gold_uris, DEPTH)
    return page_recall(found_of(hits), question.sources, DEPTH)


def column(retriever: Retriever, questions: tuple[Question, ...]) -> list[tuple[float, float]]:
    answerable = [question for question in questions if question.answerable]
    features = [retriever.features(question.question) for question in answerable]
    rows = []
    for off in OFF.values():
        settings = RetrieveSettings.model_validate(retriever.settings.model_dump() | off)
        ranked = [retriever.hits_of(retriever.rank(one, max(DEPTHS), settings)) for one in features]
        pairs = list(zip(ranked, answerable, strict=True))
        rows.append((percent([recall(*pair) for pair in pairs]), percent([value(*pair) for pair in pairs])))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--embedder", default="wordllama")
    parser.add_argument("--keep", type=Path, help="a folder that keeps the knowledge bases for the next time")
    parser.add_argument("--kb", type=Path, action="append", default=[], help="a knowledge base of documents")
    parser.add_argument("--questions", type=Path, action="append", default=[], help="questions with sources about it")
    args = parser.parse_args()
    columns: dict[str, list[tuple[float, float]]] = {}
    with ExitStack() as stack:
        keep = args.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="strata-")))
        for name in SETS if DATA.is_dir() else ():
            columns[name] = column(*open_set(stack, name, args.embedder, keep))
        for kb, questions in zip(args.kb, args.questions, strict=True):
            settings = load(kb, {}, QaSettings).settings
            retriever = Retriever.of(stack.enter_context(open_stores(kb, settings)), settings.retrieve)
            columns[kb.name] = column(retriever, read_questions(questions))
    print(f"{'':<38}" + "".join(f"{name:>18}" for name in columns))
    for place, name in enumerate(OFF):
        figures = (values[place] for values in columns.values())
        print(f"{name:<38}" + "".join(f"{recall:>11.1f}{finer:>7.1f}" for recall, finer in figures))


if __name__ == "__main__":
    main()
