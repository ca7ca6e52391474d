"""What a change of the code changes in answers without a language model, over all sets of questions.

    python benchmarks/answer_changes.py --keep FOLDER --out FILE [--against FILE] [--packages FOLDER]

Every question of the sets of `benchmarks/refusal_sets.py` is asked with each strategy that needs no model, and each
answer is written to `--out`, with its confidence, quotes, warnings and conflicts. With `--against`, an earlier output,
every different answer is printed beside the old one, then by strategy: the answers that differ, the questions whose
answer is among the quotes, and the ones refused rightly and wrongly, before and after.

FOLDER keeps the knowledge bases; delete it if parsing, chunking or atomizing has changed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from benchmarks.refusal_sets import AskedSet, made, read_sets
from evaluate.answers import measure
from evaluate.questions import Question, read_questions
from qa.answer import Answer
from qa.knowledge_base import KnowledgeBase

STRATEGIES = ("extractive", "pike-graph", "survey")


class Asked(msgspec.Struct, frozen=True):
    """The answer of one strategy to one question, and whether it is right as far as the set knows."""

    set: str
    question: str
    strategy: str
    labels: tuple[str, ...]
    answerable: bool
    refused: bool
    cited: float | None
    text: str
    confidence: float | None
    quotes: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def key(self) -> tuple[str, str, str]:
        return (self.set, self.question, self.strategy)


def asked_of(one: AskedSet, keep: Path) -> Iterator[Asked]:
    """Yield the answers to the questions of a set by all strategies."""
    with KnowledgeBase.open(made(one, keep)) as knowledge:
        for question in read_questions(one.questions):
            for strategy in STRATEGIES:
                answer = knowledge.ask(question.question, strategy=strategy)
                yield _asked(one.name, question, strategy, answer)


def _asked(name: str, question: Question, strategy: str, answer: Answer) -> Asked:
    result = measure(question, strategy, answer)
    quotes = tuple(f"{cited.uri} {cited.place}: {cited.quote}" for cited in answer.citations)
    about = (name, question.question, strategy, question.labels, question.answerable)
    notes = (*answer.warnings, *answer.conflicts)
    return Asked(*about, answer.abstained, result.answer_cited, answer.text, answer.confidence, quotes, notes)


def compare(before: Sequence[Asked], after: Sequence[Asked]) -> None:
    """Print the answers that differ, and the figures of both."""
    old = {one.key: one for one in before}
    changed = [(old[one.key], one) for one in after if one.key in old and old[one.key] != one]
    for was, now in changed:
        print(f"{now.set} · {now.strategy} · {now.question} (right: {'; '.join(now.labels) or '-'})")
        for sign, one in (("-", was), ("+", now)):
            print(f"  {sign} {one.confidence} cited {one.cited} refused {one.refused}: {one.text}")
            print("".join(f"  {sign}   {note}\n" for note in one.notes), end="")
    for strategy in STRATEGIES:
        differ = sum(now.strategy == strategy for _, now in changed)
        print(f"{strategy}: {differ} differ; before {_figures(before, strategy)}; after {_figures(after, strategy)}")


def _figures(answers: Sequence[Asked], strategy: str) -> str:
    own = [one for one in answers if one.strategy == strategy]
    cited = [one.cited for one in own if one.answerable and one.cited is not None]
    refused = [one for one in own if one.refused]
    right = sum(not one.answerable for one in refused)
    return f"{sum(cited):g} of {len(cited)} cited, {right} refused rightly, {len(refused) - right} wrongly"


def main() -> None:
    """Ask all questions, and compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--packages", type=Path)
    told = parser.parse_args()
    after = [asked for one in read_sets(told.packages).values() for asked in asked_of(one, told.keep)]
    told.out.write_bytes(b"".join(msgspec.json.encode(asked) + b"\n" for asked in after))
    if told.against:
        compare([msgspec.json.decode(line, type=Asked) for line in told.against.read_bytes().splitlines()], after)


if __name__ == "__main__":
    main()
