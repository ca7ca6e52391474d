"""The result of an evaluation as one page, with the ranks of every question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

from evaluate.chart import COLOURS
from evaluate.questions import Question
from evaluate.retrieval import Ranked, RetrievalReport
from pipelines.core.safe_output import content_security_policy
from pipelines.retrieve.retriever import Mode

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem; color: #222 }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #ddd; vertical-align: top }
td.figure, th.figure { text-align: right; font-variant-numeric: tabular-nums }
.found { color: #1a7f37 } .late { color: #9a6700 } .missed { color: #c22 }
svg text { font: 12px system-ui, sans-serif }
@media (prefers-color-scheme: dark) { body { background: #1b1b1b; color: #ddd } th, td { border-color: #444 } }
"""
_DEEP = 20
Rows = Mapping[str, Mapping[str, float | int | None]]
"""Figures by name, by the row that they stand in."""


def write_page(path: Path, report: RetrievalReport, questions: Sequence[Question]) -> None:
    """Write the page; it needs nothing from elsewhere."""
    path.write_text(page(report, questions), encoding="utf-8")


def page(report: RetrievalReport, questions: Sequence[Question]) -> str:
    """Return the page as HTML."""
    return sheet(f"Retrieval: {report.title}", report.shares(), report.rows(), _questions(report.each, questions))


def sheet(title: str, shares: Rows, figures: Rows, rest: str) -> str:
    """Return a page with a chart of the percentages, a table of all figures, and the HTML of the rest."""
    parts = [
        f'<!doctype html><html lang="en"><meta charset="utf-8">{content_security_policy(_STYLE)}',
        f"<title>{escape(title)}</title><style>{_STYLE}</style>",
        f"<h1>{escape(title)}</h1>",
        _chart(shares),
        _table(figures),
        rest,
        "</html>",
    ]
    return "\n".join(parts)


def _table(rows: Rows) -> str:
    names = list(next(iter(rows.values()), {}))
    head = "".join(f'<th class="figure">{escape(name)}</th>' for name in names)
    body = "".join(
        f"<tr><th>{escape(row)}</th>"
        + "".join(f'<td class="figure">{_cell(values[name])}</td>' for name in names)
        + "</tr>"
        for row, values in rows.items()
    )
    return f"<table><tr><th></th>{head}</tr>{body}</table>"


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:,.1f}" if isinstance(value, float) else f"{value:,}"


def _chart(rows: Rows) -> str:
    names = list(next(iter(rows.values()), {}))
    bars = "".join(_bars(rows, names))
    keys = "".join(
        f'<rect x="{8 + 130 * place}" y="8" width="12" height="12" fill="{COLOURS[place % len(COLOURS)]}"/>'
        f'<text x="{26 + 130 * place}" y="18" fill="currentColor">{escape(row)}</text>'
        for place, row in enumerate(rows)
    )
    return f'<svg viewBox="0 0 760 250" role="img" aria-label="percentages">{keys}{bars}</svg>'


def _bars(rows: Rows, names: Sequence[str]) -> Iterator[str]:
    group_width = 740 / max(1, len(names))
    step = min(28.0, 0.85 * group_width / max(1, len(rows)))
    for group, name in enumerate(names):
        left = 8 + group * group_width
        yield f'<text x="{left:.0f}" y="245" fill="currentColor">{escape(name)}</text>'
        for place, values in enumerate(rows.values()):
            value, x = values[name] or 0, left + place * step
            top, colour = 228 - 1.9 * value, COLOURS[place % len(COLOURS)]
            size = f'width="{step - 4:.0f}" height="{1.9 * value:.1f}"'
            yield f'<rect x="{x:.0f}" y="{top:.1f}" {size} fill="{colour}"/>'
            yield f'<text x="{x:.0f}" y="{top - 4:.1f}" fill="currentColor">{value:.0f}</text>'


def _questions(each: Sequence[Ranked], questions: Sequence[Question]) -> str:
    texts = {question.id: question.question for question in questions}
    rows = "".join(
        f"<tr><td>{escape(texts.get(one.id, one.id))}</td><td>{_ranks(one)}</td></tr>"
        for one in each
        if one.mode == Mode.GRAPH.value
    )
    return f"<h2>Ranks of the gold passages</h2><table><tr><th>question</th><th>ranks</th></tr>{rows}</table>"


def _ranks(one: Ranked) -> str:
    return ", ".join(_rank(one.ranked.index(id) + 1 if id in one.ranked else 0) for id in one.gold)


def _rank(rank: int) -> str:
    if not rank:
        return f'<span class="missed">over {_DEEP}</span>'
    return f'<span class="{"found" if rank <= 5 else "late"}">{rank}</span>'
