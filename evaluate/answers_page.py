"""The result of an evaluation of answers as one page, with every question, what was answered and what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from evaluate.answered import Answered
from evaluate.answers import AnswersReport
from evaluate.report import sheet


def write_answers_page(path: Path, report: AnswersReport) -> None:
    """Write the page; it needs nothing from elsewhere."""
    path.write_text(answers_page(report), encoding="utf-8")


def answers_page(report: AnswersReport) -> str:
    """Return the page as HTML."""
    return sheet(f"Answers: {report.title}", report.shares(), report.figures(), _questions(report.each))


def _questions(each: Sequence[Answered]) -> str:
    rows = "".join(_row(one) for one in sorted(each, key=lambda one: one.id))
    head = "".join(f"<th>{name}</th>" for name in ("question", "strategy", "answer", "right", "F1", "calls", "seconds"))
    return f"<h2>Questions</h2><table><tr>{head}</tr>{rows}</table>"


def _row(one: Answered) -> str:
    figures = (f"{one.f1:.2f}", str(one.calls), f"{one.seconds:.1f}")
    cells = (escape(one.question), escape(one.strategy), _answer(one), escape(" / ".join(one.labels)), *figures)
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _answer(one: Answered) -> str:
    if one.error:
        return f'<span class="missed">{escape(one.error)}</span>'
    kind = "missed" if one.abstained == one.answerable else "found" if one.abstained or one.f1 else "late"
    return f'<span class="{kind}">{escape(one.short or one.answer)}</span>'
