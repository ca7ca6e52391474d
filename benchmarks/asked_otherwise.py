"""Questions in lay words about documents in trade words, and such that only a table or a figure answers.

    python benchmarks/asked_otherwise.py --keep FOLDER

FOLDER is one that `strata eval matrix --keep` has filled. The questions (`benchmarks/questions/`) were written from the
documents alone, by somebody who had seen neither tags nor code. Of each file and way to use the corpus's tags (PIKE-RAG
5.2.2): the share of questions whose first document is right, and recall of pages among five.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from evaluate.metrics import page_recall, percent
from evaluate.questions import Question, read_questions
from pipelines.resources import open_stores
from pipelines.retrieve.retriever import Retriever
from pipelines.sections import RetrieveSettings
from pipelines.settings import load
from qa.check.quotes import found
from qa.settings import QaSettings

QUESTIONS = Path(__file__).parent / "questions"
WAYS: dict[str, dict[str, float]] = {
    "tags not used": {"tag_words": 0},
    "their words in the question": {},
    "as a layer": {"tag_words": 0, "tag": 0.15},
    "both": {"tag": 0.15},
}


def figures(retriever: Retriever, questions: Sequence[Question]) -> tuple[float, float]:
    """The shares of first documents that are right, and of right pages among five, in percent."""
    pairs = [(found(retriever.retrieve(one.question, 5)), one.sources) for one in questions]
    firsts = [float(bool(pages) and pages[0].uri in {one.file for one in sources}) for pages, sources in pairs]
    return percent(firsts), percent([page_recall(pages, sources, 5) for pages, sources in pairs])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", type=Path, required=True, help="a folder for knowledge bases")
    args = parser.parse_args()
    settings = load(None, {}, QaSettings).settings
    print(f"{'':<24}" + "".join(f"{way:>30}" for way in WAYS))
    for path in sorted(QUESTIONS.glob("*.jsonl")):
        questions = read_questions(path)
        kb = args.keep / f"{path.stem.partition('-')[2]}-wordllama"
        with open_stores(kb, settings) as stores:
            ways = [settings.retrieve.model_dump() | way for way in WAYS.values()]
            retrievers = [Retriever.of(stores, RetrieveSettings.model_validate(way)) for way in ways]
            row = [figures(retriever, questions) for retriever in retrievers]
        print(f"{path.stem:<24}" + "".join(f"{first:>20.1f}{pages:>10.1f}" for first, pages in row), flush=True)


if __name__ == "__main__":
    main()
