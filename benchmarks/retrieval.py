"""Recall on the passages of MuSiQue and HotpotQA, compared with BM25, dense and hybrid search in the same run.

    python benchmarks/retrieval.py [--embedder wordllama] [--keep FOLDER] [--trials 200]

The passages are ingested as by `strata ingest`. "all layers" uses the current weights, which were tuned on both sets
among others; "held out" uses weights tuned on the other set only, with the start and the trials of `strata tune`: the
result to expect for a corpus that was not used for tuning.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from evaluate.questions import Question, read_passages, read_questions
from evaluate.retrieval import RetrievalReport, evaluate_retrieval, figures
from evaluate.sets import open_passages
from evaluate.tune import QuestionSet, tune
from pipelines.retrieve.retriever import Retriever
from pipelines.sections import RetrieveSettings
from pipelines.settings import load
from qa.settings import QaSettings

DATA = Path(__file__).parent.parent.parent / "shared" / "data" / "multihop"
SETS = ("musique", "hotpotqa")
WITHOUT_PROPAGATION = {"hop": 0.0}


def open_set(stack: ExitStack, name: str, embedder: str, keep: Path) -> tuple[Retriever, tuple[Question, ...]]:
    settings = load(None, {"embed.name": embedder}, QaSettings).settings
    passages = read_passages(DATA / name / "corpus.jsonl")
    began = time.perf_counter()
    retriever = stack.enter_context(open_passages(passages, settings, keep / f"{name}-{embedder}"))
    print(f"{name}: {len(passages):,} passages ingested in {time.perf_counter() - began:.0f} s", flush=True)
    return retriever, read_questions(DATA / name / "questions.jsonl")


def under(
    settings: RetrieveSettings, retriever: Retriever, questions: tuple[Question, ...], embedder: str
) -> dict[str, float]:
    """Return the figures of all layers with other weights."""
    retriever.settings, in_force = settings, retriever.settings
    report = evaluate_retrieval(retriever, questions, embedder, baselines=())
    retriever.settings = in_force
    return figures(report.graph)


def show(name: str, report: RetrievalReport, more: dict[str, dict[str, float]]) -> None:
    first, *baselines = report.rows().items()
    rows = dict([first, *more.items(), *baselines])
    print(f"\n{name}: {report.title}")
    print(f"{'':<22}" + "".join(f"{column:>13}" for column in first[1]))
    for row, values in rows.items():
        print(f"{row:<22}" + "".join(f"{value:>13.1f}" for value in values.values()), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--embedder", default="wordllama")
    parser.add_argument("--keep", type=Path, help="a folder that keeps the knowledge bases for the next time")
    parser.add_argument("--trials", type=int, default=200, help="settings that are tried for the row held out")
    args = parser.parse_args()
    if not DATA.is_dir():
        print(f"nothing to measure: {DATA} is not there")
        return
    with ExitStack() as stack:
        keep = args.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="strata-")))
        sets = {name: open_set(stack, name, args.embedder, keep) for name in SETS}
        for name, (retriever, questions) in sets.items():
            report = evaluate_retrieval(retriever, questions, args.embedder)
            start = retriever.settings
            others = [QuestionSet(other, *sets[other]) for other in SETS if other != name]
            held_out = tune(others, start, args.trials).settings
            no_hops = start.model_copy(update=WITHOUT_PROPAGATION)
            more = {"held out": held_out, "without propagation": no_hops}
            show(name, report, {row: under(one, retriever, questions, args.embedder) for row, one in more.items()})


if __name__ == "__main__":
    main()
