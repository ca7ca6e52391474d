"""Recall on the passages of MuSiQue and HotpotQA, beside BM25, dense and hybrid search of the same run.

    python benchmarks/retrieval.py [--embedder wordllama] [--keep FOLDER]

With `--held-out` the weights are tuned on the other set alone, for each of the two.
"""

from __future__ import annotations

import argparse
import tempfile
from contextlib import ExitStack
from pathlib import Path

from evaluate.passages import open_corpus
from evaluate.questions import Question, read_passages, read_questions
from evaluate.retrieval import RetrievalReport, evaluate_retrieval
from evaluate.tune import QuestionSet, tune
from pipelines.retrieve.retriever import Retriever
from pipelines.settings import load
from qa.settings import QaSettings

DATA = Path(__file__).parent.parent.parent / "shared" / "data" / "multihop"
SETS = ("musique", "hotpotqa")


def open_set(stack: ExitStack, name: str, embedder: str, keep: Path) -> tuple[Retriever, tuple[Question, ...]]:
    settings = load(None, {"embed.name": embedder}, QaSettings).settings
    passages = read_passages(DATA / name / "corpus.jsonl")
    retriever = stack.enter_context(open_corpus(passages, settings, keep / f"{name}-{embedder}"))
    return retriever, read_questions(DATA / name / "questions.jsonl")


def show(name: str, report: RetrievalReport) -> None:
    rows = report.rows()
    names = list(next(iter(rows.values())))
    print(f"\n{name}: {report.title}")
    print(f"{'':<14}" + "".join(f"{column:>13}" for column in names))
    for row, values in rows.items():
        print(f"{row:<14}" + "".join(f"{values[column]:>13.1f}" for column in names), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--embedder", default="wordllama")
    parser.add_argument("--keep", type=Path, help="a folder that keeps the knowledge bases for the next time")
    parser.add_argument("--held-out", action="store_true", help="tune on the other set first")
    args = parser.parse_args()
    if not DATA.is_dir():
        print(f"nothing to measure: {DATA} is not there")
        return
    with ExitStack() as stack:
        keep = args.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="strata-")))
        sets = {name: open_set(stack, name, args.embedder, keep) for name in SETS}
        for name, (retriever, questions) in sets.items():
            if args.held_out:
                others = [QuestionSet(other, *sets[other]) for other in SETS if other != name]
                retriever.settings = tune(others, retriever.settings).settings
            show(name, evaluate_retrieval(retriever, questions, args.embedder))


if __name__ == "__main__":
    main()
