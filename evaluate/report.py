"""Evaluation results as an HTML page with all questions, and percentages as a bar chart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from evaluate.answers import AnswerResult, AnswersReport
from evaluate.matrix_report import MatrixReport, TextRows
from evaluate.questions import Question
from evaluate.retrieval import DEPTHS, Ranked, RetrievalReport
from pipelines.core.safe_output import content_security_policy
from pipelines.retrieve.flat_search import Mode

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem; color: #222 }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #ddd; vertical-align: top }
td { overflow-wrap: anywhere; white-space: pre-line }
.figures { width: auto }
.figures td, .figures th { white-space: nowrap }
.scroll { overflow-x: auto }
.scroll td { min-width: 3rem }
td.figure, th.figure { text-align: right; font-variant-numeric: tabular-nums }
.found { color: #1a7f37 } .late { color: #9a6700 } .missed { color: #c22 }
svg text { font: 12px system-ui, sans-serif }
@media (prefers-color-scheme: dark) { body { background: #1b1b1b; color: #ddd } th, td { border-color: #444 } }
"""
FigureRows = Mapping[str, Mapping[str, float | int | None]]
"""Figures by row, and by name within a row."""
WIDTH, HEIGHT = 1200, 520
"""Size of the chart in pixels; `MARGIN` is at its sides, `HEAD` above its bars."""
MARGIN, HEAD = 60, 90
COLOURS = ("#2563eb", "#9ca3af", "#d97706", "#7c3aed", "#059669", "#dc2626", "#0891b2", "#4b5563")
KEYS, LINE = 5, 18
"""Row names per line of the legend, and the height of a line."""
_INK, _LINE = "#222222", "#d1d5db"
_NAMES = 110
"""Height for the slanted names below the bars of the page's chart."""


def retrieval_page(report: RetrievalReport, questions: Sequence[Question]) -> str:
    """Return the page of `strata eval retrieval` as HTML, with the ranks of every question's gold passages."""
    return page(f"Retrieval: {report.title}", report.shares(), report.rows(), _ranks_table(report.each, questions))


def answers_page(report: AnswersReport) -> str:
    """Return the page of `strata eval answers` as HTML, with all answers and their cost."""
    return page(f"Answers: {report.title}", report.shares(), report.figures(), _answers_table(report.each))


def matrix_page(report: MatrixReport) -> str:
    """Return the page of `strata eval matrix` as HTML: the means over all questions, and all tables."""
    body = "".join(map(_text_table, report.tables()))
    missing = "".join(f"<li>{escape(one)}</li>" for one in report.left_out)
    left_out = f"<h2>left out</h2><ul>{missing}</ul>" if missing else ""
    return page("Matrix", report.means(), report.means(), body + left_out)


def _text_table(table: TextRows) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in table.columns)
    rows = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in table.rows)
    return f"<h2>{escape(table.title)}</h2>{_scrolled(f'<table><tr>{head}</tr>{rows}</table>')}"


def _scrolled(table: str) -> str:
    """Return a table that is scrolled by itself where the window is narrower."""
    return f'<div class="scroll">{table}</div>'


def write_chart(path: Path, title: str, rows: Mapping[str, Mapping[str, float]]) -> None:
    """Write a PNG bar chart of percentages, with a group for each figure of the first row and a bar for each row."""
    picture = Image.new("RGB", (WIDTH, HEIGHT), "white")
    pen = ImageDraw.Draw(picture)
    pen.text((MARGIN, 18), title, _INK, ImageFont.load_default(22))
    _legend(pen, list(rows))
    for level in range(0, 101, 20):
        pen.line((MARGIN, _y(level), WIDTH - MARGIN, _y(level)), _LINE)
        pen.text((14, _y(level) - 8), f"{level:>3}", _INK, ImageFont.load_default(14))
    names = list(next(iter(rows.values()), {}))
    for place, name in enumerate(names):
        width = (WIDTH - 2 * MARGIN) / len(names)
        _group(pen, MARGIN + place * width, width, name, [values.get(name, 0.0) for values in rows.values()])
    picture.save(path, "PNG")


def _group(pen: ImageDraw.ImageDraw, left: float, width: float, name: str, values: list[float]) -> None:
    bar = width * 0.85 / max(1, len(values))
    for place, value in enumerate(values):
        start = left + place * bar
        pen.rectangle((start, _y(value), start + bar - 4, _y(0)), COLOURS[place % len(COLOURS)])
        pen.text((start + 2, _y(value) - 18), f"{value:.0f}", _INK, ImageFont.load_default(14))
    pen.text((left, _y(0) + 10), name, _INK, ImageFont.load_default(16))


def _legend(pen: ImageDraw.ImageDraw, rows: list[str]) -> None:
    for place, row in enumerate(rows):
        left = MARGIN + place * (WIDTH - 2 * MARGIN) / max(1, len(rows))
        pen.rectangle((left, 54, left + 14, 68), COLOURS[place % len(COLOURS)])
        pen.text((left + 22, 51), row, _INK, ImageFont.load_default(16))


def _y(value: float) -> float:
    """Return the y coordinate of a percentage, limited to 0 to 100."""
    bottom = HEIGHT - 50
    return bottom - (bottom - HEAD - 10) * min(max(value, 0.0), 100.0) / 100


def page(title: str, shares: FigureRows, figures: FigureRows, body: str) -> str:
    """Return a self-contained HTML page: a chart of `shares` (percentages), a table of all `figures`, and `body`."""
    parts = [
        f'<!doctype html><html lang="en"><meta charset="utf-8">{content_security_policy(_STYLE)}',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style>",
        f"<h1>{escape(title)}</h1>",
        _svg_chart(shares),
        _table(figures),
        body,
        "</html>",
    ]
    return "\n".join(parts)


def _table(rows: FigureRows) -> str:
    """Return a table with a line for each figure and a column for each row: there are more figures than rows."""
    names = list(next(iter(rows.values()), {}))
    head = "".join(f'<th class="figure">{escape(row)}</th>' for row in rows)
    body = "".join(
        f"<tr><th>{escape(name)}</th>"
        + "".join(f'<td class="figure">{_cell(values[name])}</td>' for values in rows.values())
        + "</tr>"
        for name in names
    )
    return _scrolled(f'<table class="figures"><tr><th></th>{head}</tr>{body}</table>')


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:,.1f}" if isinstance(value, float) else f"{value:,}"


def _svg_chart(rows: FigureRows) -> str:
    names = list(next(iter(rows.values()), {}))
    bars = "".join(_svg_bars(rows, names))
    head = LINE * ((len(rows) - 1) // KEYS)
    keys = "".join(_svg_key(place, row, head) for place, row in enumerate(rows))
    return f'<svg viewBox="0 {-head} 800 {230 + _NAMES + head}" role="img" aria-label="percentages">{keys}{bars}</svg>'


def _svg_key(place: int, row: str, head: int) -> str:
    """Return the legend entry of a row, `KEYS` per line."""
    x, y = 8 + 750 // KEYS * (place % KEYS), 8 - head + LINE * (place // KEYS)
    return (
        f'<rect x="{x}" y="{y}" width="12" height="12" fill="{COLOURS[place % len(COLOURS)]}"/>'
        f'<text x="{x + 18}" y="{y + 10}" fill="currentColor">{escape(row)}</text>'
    )


def _svg_bars(rows: FigureRows, names: Sequence[str]) -> Iterator[str]:
    group_width = 740 / max(1, len(names))
    step = min(28.0, 0.85 * group_width / max(1, len(rows)))
    for group, name in enumerate(names):
        left = 8 + group * group_width
        slanted = f'transform="translate({left:.0f} 245) rotate(40)"'
        yield f'<text {slanted} fill="currentColor">{escape(name)}</text>'
        for place, values in enumerate(rows.values()):
            value, x = values[name] or 0, left + place * step
            top, colour = 228 - 1.9 * value, COLOURS[place % len(COLOURS)]
            size = f'width="{step - 4:.0f}" height="{1.9 * value:.1f}"'
            yield f'<rect x="{x:.0f}" y="{top:.1f}" {size} fill="{colour}"/>'
            yield f'<text x="{x:.0f}" y="{top - 4:.1f}" fill="currentColor">{value:.0f}</text>'


def _ranks_table(each: Sequence[Ranked], questions: Sequence[Question]) -> str:
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
        return f'<span class="missed">over {max(DEPTHS)}</span>'
    return f'<span class="{"found" if rank <= 5 else "late"}">{rank}</span>'


def _answers_table(each: Sequence[AnswerResult]) -> str:
    places = {id: place for place, id in enumerate(dict.fromkeys(one.id for one in each))}
    rows = "".join(_row(one) for one in sorted(each, key=lambda one: places[one.id]))
    head = "".join(f"<th>{name}</th>" for name in ("question", "strategy", "answer", "right", "F1", "calls", "seconds"))
    return f"<h2>Questions</h2>{_scrolled(f'<table><tr>{head}</tr>{rows}</table>')}"


def _row(one: AnswerResult) -> str:
    figures = (f"{one.f1:.2f}", str(one.calls), f"{one.seconds:.1f}")
    cells = (escape(one.question), escape(one.strategy), _answer(one), escape(" / ".join(one.labels)), *figures)
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _answer(one: AnswerResult) -> str:
    if one.error:
        return f'<span class="missed">{escape(one.error)}</span>'
    kind = "missed" if one.abstained == one.answerable else "found" if one.abstained or one.f1 else "late"
    return f'<span class="{kind}">{escape(one.short or one.answer)}</span>'
