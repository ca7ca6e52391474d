"""Evaluation of answers: strategies on a file of questions, side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluate.metrics import (
    answer_cited,
    document_recall,
    exact_match,
    first_document,
    mean,
    overlap,
    page_recall,
    percent,
)
from evaluate.questions import Question
from pipelines.core import codec
from pipelines.core.concurrent import gather
from pipelines.core.errors import BudgetExceeded, SettingsError, StrataError
from qa.answer import Answer, Ending, Step
from qa.knowledge_base import KnowledgeBase
from qa.model_calls import ModelCalls
from qa.prompts.reply_types import VerdictReply

StrategyFigures = dict[str, float | int | None]
DEPTH = 5
"""Depth of document and page recall."""
SHARES = (
    "first_document", f"document_recall@{DEPTH}", f"page_recall@{DEPTH}", "answer_cited", "abstention_precision",
    "abstention_recall", "em", "f1", "precision", "recall", "acc",
)  # fmt: skip
"""The figures that are percentages."""


@dataclass(frozen=True, slots=True)
class AnswerResult:
    """The answer of one strategy to one question, and its figures. Shares are in [0, 1].

    `answer_cited` is None if neither answers nor quotes are known. `correct` is the judge's verdict, or None. `error`
    is the reason for a missing answer; all figures are then 0. `dropped` is the number of unsupported claims, `stopped`
    the reason for the end of a decomposition. `tokens` are input and output tokens, `written` only the latter.
    """

    id: str
    strategy: str
    question: str
    type: str
    answerable: bool
    labels: tuple[str, ...]
    answer: str = ""
    short: str = ""
    abstained: bool = False
    confidence: float | None = None
    cited: tuple[str, ...] = ()
    first_document: float = 0.0
    document_recall: float = 0.0
    page_recall: float = 0.0
    answer_cited: float | None = None
    em: float = 0.0
    f1: float = 0.0
    precision: float = 0.0
    recall: float = 0.0
    correct: bool | None = None
    dropped: int = 0
    stopped: str = ""
    calls: int = 0
    tokens: int = 0
    written: int = 0
    dollars: float = 0.0
    seconds: float = 0.0
    error: str = ""


def measure(question: Question, strategy: str, answer: Answer, correct: bool | None = None) -> AnswerResult:
    """Return the result with the figures of an answer; an abstention counts as an empty answer."""
    short = "" if answer.abstained else answer.short or answer.text
    shared = overlap(short, question.labels)
    gold = question.gold_sources
    return AnswerResult(
        question.id,
        strategy,
        question.question,
        question.type,
        question.answerable,
        question.labels,
        answer.text,
        answer.short,
        answer.abstained,
        answer.confidence,
        tuple(citation.uri for citation in answer.citations),
        first_document(answer.found, gold),
        document_recall(answer.found, gold, DEPTH),
        page_recall(answer.found, gold, DEPTH),
        _answer_cited(question, answer),
        exact_match(short, question.labels),
        shared.f1,
        shared.precision,
        shared.recall,
        correct,
        len(answer.dropped),
        _stopped(answer.trace),
        answer.usage.calls,
        answer.usage.input_tokens + answer.usage.output_tokens,
        answer.usage.output_tokens,
        answer.dollars,
        answer.seconds,
    )


def failure(question: Question, strategy: str, reason: str) -> AnswerResult:
    """Return the result of a question without an answer, with the reason."""
    return AnswerResult(
        question.id, strategy, question.question, question.type, question.answerable, question.labels, error=reason
    )


@dataclass(frozen=True, slots=True)
class AnswersReport:
    """All results, in the order of strategies and questions."""

    each: tuple[AnswerResult, ...]

    @property
    def title(self) -> str:
        """What was measured, on one line."""
        return f"{len({one.id for one in self.each})} questions, {', '.join(self.figures())}"

    def shares(self) -> dict[str, dict[str, float]]:
        """Return the percentages of each strategy by name, without those that no strategy has."""
        figures = self.figures()
        names = [name for name in SHARES if any(values[name] is not None for values in figures.values())]
        return {row: {name: float(values[name] or 0) for name in names} for row, values in figures.items()}

    def figures(self) -> dict[str, StrategyFigures]:
        """Return the figures of each strategy by name."""
        names = dict.fromkeys(one.strategy for one in self.each)
        return {name: summarized([one for one in self.each if one.strategy == name]) for name in names}

    def flat(self) -> dict[str, object]:
        """Return the output of `strata eval answers --json`: the first strategy's figures, and all by name."""
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
    tell: Callable[[AnswerResult], None] = lambda answered: None,
) -> AnswersReport:
    """Return the results of each strategy for each question.

    Results are appended to `out` one by one; those already in it are not computed again. Failed questions are counted
    separately. Raises `SettingsError` for an unknown strategy, `BudgetExceeded`.
    """
    done = read_results(out) if out is not None else {}

    async def work(task: tuple[str, Question]) -> AnswerResult:
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


def summarized(each: Sequence[AnswerResult]) -> StrategyFigures:
    """Return the figures of one strategy.

    `SHARES` are percentages of the answerable questions, except those of abstention; `refused_right` and
    `refused_wrong` are counts; calls, tokens, dollars and seconds are means over all questions. `acc` is None if
    nothing was judged; `failed` and `unjudged` are counted separately.
    """
    right = [one for one in each if not one.error]
    answerable = [one for one in right if one.answerable]
    verdicts = [one.correct for one in answerable if one.correct is not None]
    cited = [one.answer_cited for one in answerable if one.answer_cited is not None]
    refused = [one for one in right if one.abstained]
    refused_right = sum(not one.answerable for one in refused)
    return {
        "questions": len(each),
        "answerable": len(answerable),
        "unanswerable": len(right) - len(answerable),
        "first_document": percent([one.first_document for one in answerable]),
        f"document_recall@{DEPTH}": percent([one.document_recall for one in answerable]),
        f"page_recall@{DEPTH}": percent([one.page_recall for one in answerable]),
        "answer_cited": percent(cited) if cited else None,
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


def read_results(path: Path) -> dict[tuple[str, str, str], AnswerResult]:
    """Return the results in a file, without failures and a truncated last line."""
    if not path.is_file():
        return {}
    found: dict[tuple[str, str, str], AnswerResult] = {}
    for line in path.read_bytes().splitlines():
        try:
            one = codec.decode(line, AnswerResult)
        except codec.DecodeError:
            continue
        if not one.error:
            found[(one.strategy, one.id, one.question)] = one
    return found


async def judge(model: ModelCalls, question: str, labels: Sequence[str], answer: str) -> bool | None:
    """Return a model's verdict on whether the answer agrees with a label (PIKE-RAG 6.1, Acc), or None on failure."""
    listed = "\n".join(f"- {label}" for label in labels)
    asked = await model.ask("judge", VerdictReply, tokens=200, question=question, labels=listed, answer=answer)
    return asked.value.correct if asked.value else None


async def _answered(knowledge: KnowledgeBase, strategy: str, question: Question, judged: bool) -> AnswerResult:
    try:
        answer = await knowledge.answer(question.question, strategy=strategy)
    except (SettingsError, BudgetExceeded):
        raise
    except StrataError as error:
        return failure(question, strategy, f"{type(error).__name__}: {error.message}")
    if answer.ending not in (Ending.ANSWERED, Ending.NOT_IN_DOCUMENTS):
        return failure(question, strategy, answer.text)
    correct = None
    model = knowledge.model_calls() if judged and question.answerable else None
    if model is not None and answer.abstained:
        correct = False
    elif model is not None:
        correct = await judge(model, question.question, question.labels, answer.text)
    return measure(question, strategy, answer, correct)


def _answer_cited(question: Question, answer: Answer) -> float | None:
    """Return whether a cited sentence has the answer, or None if neither answers nor quotes are known."""
    if not question.labels and not any(source.quote for source in question.gold_sources):
        return None
    return 0.0 if answer.abstained else answer_cited(answer.citations, question.labels, question.gold_sources)


def _append(path: Path, answered: AnswerResult) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = not path.exists() or path.read_bytes()[-1:] in (b"\n", b"")
    with path.open("ab") as file:
        file.write((b"" if whole else b"\n") + codec.encode(answered) + b"\n")


def _stopped(trace: Sequence[Step]) -> str:
    return next((step.text for step in trace if step.kind == "stop"), "")
