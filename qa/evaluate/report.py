"""The result of an evaluation as one page, with the ranks of every question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

from qa.evaluate.questions import Question
from qa.evaluate.retrieval import Ranked, RetrievalReport
from qa.retrieve import Mode

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem; color: #222 }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #ddd; vertical-align: top }
td.figure, th.figure { text-align: right; font-variant-numeric: tabular-nums }
.found { color: #1a7f37 } .late { color: #9a6700 } .missed { color: #c22 }
svg text { font: 12px system-ui, sans-serif }
@media (prefers-color-scheme: dark) { body { background: #1b1b1b; color: #ddd } th, td { border-color: #444 } }
"""
_COLOURS = ("#2563eb", "#9ca3af", "#d97706", "#7c3aed")
_DEEP = 20


def write_page(path: Path, report: RetrievalReport, questions: Sequence[Question]) -> None:
    """Write the page; it needs nothing from elsewhere."""
    path.write_text(page(report, questions), encoding="utf-8")


def page(report: RetrievalReport, questions: Sequence[Question]) -> str:
    """Return the page as HTML."""
    rows, title = report.rows(), f"Retrieval: {report.title}"
    parts = [
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>',
        f"<h1>{escape(title)}</h1>",
        _chart(rows),
        _table(rows),
        _questions(report.each, questions),
        "</html>",
    ]
    return "\n".join(parts)


def _table(rows: Mapping[str, Mapping[str, float]]) -> str:
    names = list(next(iter(rows.values())))
    head = "".join(f'<th class="figure">{escape(name)}</th>' for name in names)
    body = "".join(
        f"<tr><th>{escape(row)}</th>"
        + "".join(f'<td class="figure">{values[name]:.1f}</td>' for name in names)
        + "</tr>"
        for row, values in rows.items()
    )
    return f"<table><tr><th></th>{head}</tr>{body}</table>"


def _chart(rows: Mapping[str, Mapping[str, float]]) -> str:
    names = [name for name in next(iter(rows.values())) if "@" in name]
    bars = "".join(_bars(rows, names))
    keys = "".join(
        f'<rect x="{8 + 130 * place}" y="8" width="12" height="12" fill="{_COLOURS[place % len(_COLOURS)]}"/>'
        f'<text x="{26 + 130 * place}" y="18" fill="currentColor">{escape(row)}</text>'
        for place, row in enumerate(rows)
    )
    return f'<svg viewBox="0 0 760 250" role="img" aria-label="share of gold passages found">{keys}{bars}</svg>'


def _bars(rows: Mapping[str, Mapping[str, float]], names: Sequence[str]) -> Iterator[str]:
    width = 720 / len(names)
    for group, name in enumerate(names):
        left = 8 + group * width
        yield f'<text x="{left:.0f}" y="245" fill="currentColor">{escape(name)}</text>'
        for place, values in enumerate(rows.values()):
            height, x = 1.9 * values[name], left + place * 28
            colour = _COLOURS[place % len(_COLOURS)]
            yield f'<rect x="{x:.0f}" y="{228 - height:.1f}" width="24" height="{height:.1f}" fill="{colour}"/>'
            yield f'<text x="{x:.0f}" y="{224 - height:.1f}" fill="currentColor">{values[name]:.0f}</text>'


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
