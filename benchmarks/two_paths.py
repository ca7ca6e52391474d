"""Input of naive RAG: the right places among the passages of flat retrieval, and of both paths of figure 11.

    python benchmarks/two_paths.py --keep FOLDER [--least 0.2 0.3 0.5] [--tokens 800 3500]

FOLDER is one that `strata eval matrix --keep` has filled. The thresholds were chosen on industrial and the handbook in
English and German, the number of chunks also on MuSiQue and HotpotQA.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from evaluate.matrix import build_set
from evaluate.metrics import page_recall, percent
from evaluate.questions import Question
from evaluate.sets import DeclaredSet, read_sets
from pipelines.resources import open_stores
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.shown_passages import fitting
from pipelines.retrieve.stored_knowledge import StoredKnowledge
from pipelines.settings import load
from qa.citations import found
from qa.settings import AnswerSettings, QaSettings
from qa.strategies.baselines import Search, flat, hierarchical

SETS = Path(__file__).parent / "sets.toml"


def recall(questions: Sequence[Question], read: Callable[[str], Sequence[Hit]]) -> tuple[float, float, int]:
    """Return the share of right pages read, the passages read per question, and the questions without passages."""
    hits = [(one, read(one.question)) for one in questions]
    shares = [page_recall(found(passages), one.gold_sources, len(passages)) for one, passages in hits]
    counts = [len(passages) for _, passages in hits]
    return percent(shares), sum(counts) / len(counts), counts.count(0)


def measure(declared: DeclaredSet, keep: Path, least: Sequence[float], tokens: Sequence[int]) -> None:
    settings = load(None, {}, QaSettings).settings
    built = build_set(declared, settings, keep)
    with open_stores(built.kb, settings) as stores:
        knowledge = StoredKnowledge.of(stores, settings)
        print(f"\n{declared.name}, {len(built.answerable)} questions")
        for room in tokens:
            for value in least:
                names = ("threshold", "delta", "flat_threshold")
                answer = settings.qa.answer.model_copy(update=dict.fromkeys(names, value))
                for name, search in (("flat", flat), ("both paths", hierarchical)):
                    read = partial(read_within, search, knowledge, answer, room)
                    share, count, none = recall(built.answerable, read)
                    line = f"  {room:>5} tokens, least {value:.1f}, {name:<10} {share:5.1f} % of the right pages"
                    print(f"{line}, {count:4.1f} passages read, none for {none}", flush=True)


def read_within(search: Search, knowledge: StoredKnowledge, answer: AnswerSettings, room: int, query: str) -> list[Hit]:
    return fitting(search(query, knowledge, answer), room)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", type=Path, required=True, help="a folder for knowledge bases")
    parser.add_argument("--least", type=float, nargs="+", default=[0.2, 0.3, 0.5], help="least similarities")
    parser.add_argument("--tokens", type=int, nargs="+", default=[800, 3500], help="tokens of passages in a prompt")
    parser.add_argument("--only", nargs="+", default=[], help="names of sets")
    args = parser.parse_args()
    for declared in read_sets(SETS):
        if declared.missing or (args.only and declared.name not in args.only):
            continue
        measure(declared, args.keep, args.least, args.tokens)


if __name__ == "__main__":
    main()
