"""How well questions are answered: every strategy over a file of questions, side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluate.answered import DEPTH, Answered, failed, measured
from evaluate.judge import judge
from evaluate.metrics import mean, percent
from evaluate.questions import Question
from pipelines.core import codec
from pipelines.core.concurrent import gather
from pipelines.core.errors import BudgetExceeded, SettingsError, StrataError
from qa.answer import Ending
from qa.knowledge_base import KnowledgeBase

Figures = dict[str, float | int | None]


SHARES = (
    "first_document", f"document_recall@{DEPTH}", f"page_recall@{DEPTH}", "abstention_precision", "abstention_recall",
    "em", "f1", "precision", "recall", "acc",
)  # fmt: skip
"""The figures that are percentages."""


@dataclass(frozen=True, slots=True)
class AnswersReport:
    """All results, in the order of strategies and questions."""

    each: tuple[Answered, ...]

    @property
    def title(self) -> str:
        """What was measured, on one line."""
        return f"{len({one.id for one in self.each})} questions, {', '.join(self.figures())}"

    def shares(self) -> dict[str, dict[str, float]]:
        """Return the percentages of each strategy by name; one that was not measured counts as 0."""
        return {row: {name: float(values[name] or 0) for name in SHARES} for row, values in self.figures().items()}

    def figures(self) -> dict[str, Figures]:
        """Return the figures of each strategy by name."""
        names = dict.fromkeys(one.strategy for one in self.each)
        return {name: summed([one for one in self.each if one.strategy == name]) for name in names}

    def flat(self) -> dict[str, object]:
        """Return what `strata eval answers --json` prints: the first strategy's figures, and all by name."""
        figures = self.figures()
        first = next(iter(figures.values()), {})
        return {**first, "strategies": figures}


async def evaluate_answers(
    knowledge: KnowledgeBase,
    questions: Sequence[Question],
    strategies: Sequence[str],
    *,
    concurrency: int = 4,
    judged: bool = False,
    out: Path | None = None,
    tell: Callable[[Answered], None] = lambda answered: None,
) -> AnswersReport:
    """Return how well each strategy answers each question.

    Results are appended to `out` as they come; those that it already has are not made again. A question that fails
    is counted apart. Raises `SettingsError` for an unknown strategy, `BudgetExceeded`.
    """
    done = read_results(out) if out is not None else {}

    async def work(task: tuple[str, Question]) -> Answered:
        strategy, question = task
        known = done.get((strategy, question.id, question.question))
        if known is not None:
            return known
        answered = await _answered(knowledge, strategy, question, judged)
        if out is not None:
            _append(out, answered)
        tell(answered)
        return answered

    tasks = [(strategy, question) for strategy in strategies for question in questions]
    return AnswersReport(tuple(await gather(work, tasks, concurrency)))


def summed(each: Sequence[Answered]) -> Figures:
    """Return the figures of one strategy.

    `SHARES` are percentages of the answerable questions, but for those of abstention; `refused_right` and
    `refused_wrong` are counts; calls, tokens, dollars and seconds are means over all questions. `acc` is None where
    nothing was judged; `failed` and `unjudged` are counted apart.
    """
    right = [one for one in each if not one.error]
    answerable = [one for one in right if one.answerable]
    verdicts = [one.correct for one in answerable if one.correct is not None]
    refused = [one for one in right if one.abstained]
    refused_right = sum(not one.answerable for one in refused)
    return {
        "questions": len(each),
        "answerable": len(answerable),
        "unanswerable": len(right) - len(answerable),
        "first_document": percent([one.first_document for one in answerable]),
        f"document_recall@{DEPTH}": percent([one.document_recall for one in answerable]),
        f"page_recall@{DEPTH}": percent([one.page_recall for one in answerable]),
        "refused_right": refused_right,
        "refused_wrong": len(refused) - refused_right,
        "abstention_precision": percent([not one.answerable for one in refused]),
        "abstention_recall": percent([one.abstained for one in right if not one.answerable]),
        "em": percent([one.em for one in answerable]),
        "f1": percent([one.f1 for one in answerable]),
        "precision": percent([one.precision for one in answerable]),
        "recall": percent([one.recall for one in answerable]),
        "acc": percent(verdicts) if verdicts else None,
        "unjudged": len(answerable) - len(verdicts) if verdicts else 0,
        "failed": len(each) - len(right),
        "calls": round(mean([one.calls for one in right]), 2),
        "tokens": round(mean([one.tokens for one in right])),
        "written": round(mean([one.written for one in right])),
        "dollars": round(mean([one.dollars for one in right]), 6),
        "seconds": round(mean([one.seconds for one in right]), 3),
    }


def read_results(path: Path) -> dict[tuple[str, str, str], Answered]:
    """Return the results that a file holds, failures left out; a last line cut short is passed over."""
    if not path.is_file():
        return {}
    found: dict[tuple[str, str, str], Answered] = {}
    for line in path.read_bytes().splitlines():
        try:
            one = codec.decode(line, Answered)
        except codec.DecodeError:
            continue
        if not one.error:
            found[(one.strategy, one.id, one.question)] = one
    return found


async def _answered(knowledge: KnowledgeBase, strategy: str, question: Question, judged: bool) -> Answered:
    try:
        answer = await knowledge.answer(question.question, strategy=strategy)
    except (SettingsError, BudgetExceeded):
        raise
    except StrataError as error:
        return failed(question, strategy, f"{type(error).__name__}: {error.message}")
    if answer.ending not in (Ending.ANSWERED, Ending.NOT_IN_DOCUMENTS):
        return failed(question, strategy, answer.text)
    correct = None
    model = knowledge.model_calls() if judged and question.answerable else None
    if model is not None and answer.abstained:
        correct = False
    elif model is not None:
        correct = await judge(model, question.question, question.labels, answer.text)
    return measured(question, strategy, answer, correct)


def _append(path: Path, answered: Answered) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = not path.exists() or path.read_bytes()[-1:] in (b"\n", b"")
    with path.open("ab") as file:
        file.write((b"" if whole else b"\n") + codec.encode(answered) + b"\n")
