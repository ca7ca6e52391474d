"""The results of `strata eval matrix` as tables: a row for each set and embedder, a column for each search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from evaluate.answers import DEPTH
from evaluate.compare import FigureDifference, compare_results
from evaluate.metrics import Proportion, proportion
from evaluate.sets import DeclaredSet
from evaluate.tune import weights
from pipelines.sections import RetrieveSettings

ALL_LAYERS, HELD_OUT = "all layers", "held out"
FIGURES = ("first_document", "document_recall", "page_recall")
TITLES = {
    "first_document": "first document",
    "document_recall": f"document recall@{DEPTH}",
    "page_recall": f"page recall@{DEPTH}",
}
EVERYTHING = "all questions"
"""The row for all sets together, in which all questions have equal weight."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The figures, in [0, 1], of one search or strategy for one question of a set.

    `abstained` is None for searches, `answer_cited` also if neither answers nor quotes are known. `error` is the reason
    for a missing answer.
    """

    set: str
    embedder: str
    method: str
    id: str
    answerable: bool
    first_document: float
    document_recall: float
    page_recall: float
    answer_cited: float | None = None
    abstained: bool | None = None
    error: str = ""

    @property
    def answers(self) -> bool:
        """Whether this is the result of a strategy."""
        return self.abstained is not None


@dataclass(frozen=True, slots=True)
class MeasuredLine:
    """A question's figures, for `strata eval compare`."""

    id: str
    strategy: str
    first_document: float
    document_recall: float
    page_recall: float
    answer_cited: float | None = None
    abstained: bool | None = None


@dataclass(frozen=True, slots=True)
class TextRows:
    """A table of texts; all rows have the length of `columns`."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class MatrixReport:
    """All results of one run.

    `sets` are those evaluated, `left_out` the others with the reasons. `fitted` has the weights for each embedder and
    held-out corpus.
    """

    sets: tuple[DeclaredSet, ...]
    each: tuple[Measured, ...]
    left_out: tuple[str, ...] = ()
    fitted: Mapping[str, Mapping[str, RetrieveSettings]] = field(default_factory=dict)

    def tables(self) -> tuple[TextRows, ...]:
        """Return a table for each figure of the searches, and one of the strategies."""
        searches = [one for one in self.each if not one.answers]
        tables = [_search_table(figure, _groups(searches)) for figure in FIGURES] if searches else []
        answers = [one for one in self.each if one.answers]
        return (*tables, *([_answer_table(answers)] if answers else []))

    def means(self) -> dict[str, dict[str, float]]:
        """Return the figures over all questions, in percent, by embedder and search."""
        found: dict[str, dict[str, float]] = {}
        for embedder in _names(self.each, "embedder"):
            of_embedder = [one for one in self.each if one.embedder == embedder and not one.answers]
            for method in _names(of_embedder, "method"):
                rows = [one for one in of_embedder if one.method == method]
                found[f"{embedder} {method}"] = {
                    TITLES[name]: _value(proportion(_values(rows, name))) for name in FIGURES
                }
        return found

    def lines(self) -> tuple[MeasuredLine, ...]:
        """Return each question's figures for `strata eval compare`, without failed answers."""
        return tuple(
            MeasuredLine(
                f"{one.set}/{one.id}",
                f"{one.embedder} {one.method}",
                one.first_document,
                one.document_recall,
                one.page_recall,
                one.answer_cited,
                one.abstained,
            )
            for one in self.each
            if not one.error
        )

    def flat(self) -> dict[str, object]:
        """Return the output of `strata eval matrix --json`."""
        rows = [
            {
                "set": row,
                "embedder": embedder,
                "method": method,
                **_figures([one for one in rows if one.method == method]),
            }
            for (row, embedder), rows in _groups(self.each).items()
            for method in _names(rows, "method")
        ]
        sets = [
            {"name": one.name, "corpus": one.family, "language": one.language, "tags": one.tags} for one in self.sets
        ]
        fitted = {
            embedder: {corpus: weights(settings) for corpus, settings in found.items()}
            for embedder, found in self.fitted.items()
        }
        return {"sets": sets, "left_out": self.left_out, "rows": rows, "weights": fitted}


Group = tuple[str, str]
"""A set and an embedder, which have a row in the tables."""


def _groups(each: Sequence[Measured]) -> dict[Group, list[Measured]]:
    """Return the results by row, with a last row for all sets of each embedder with several sets."""
    rows: dict[Group, list[Measured]] = {}
    for one in each:
        rows.setdefault((one.set, one.embedder), []).append(one)
    for embedder in _names(each, "embedder"):
        if sum(name == embedder for _, name in rows) > 1:
            rows[EVERYTHING, embedder] = [one for one in each if one.embedder == embedder]
    return rows


def _search_table(figure: str, groups: Mapping[Group, list[Measured]]) -> TextRows:
    methods = _ordered([one for rows in groups.values() for one in rows])
    columns = ("set", "embedder", "questions", *methods, "all layers - best flat")
    rows = tuple(
        (set, embedder, str(len({(one.set, one.id) for one in rows})), *_cells(rows, methods, figure))
        for (set, embedder), rows in groups.items()
    )
    return TextRows(TITLES[figure], columns, rows)


def _cells(rows: Sequence[Measured], methods: Sequence[str], figure: str) -> Iterator[str]:
    by_method = {method: [one for one in rows if one.method == method] for method in methods}
    for of_method in by_method.values():
        yield _text(proportion(_values(of_method, figure)))
    flat = {name: found for name, found in by_method.items() if name not in (ALL_LAYERS, HELD_OUT) and found}
    best = max(flat, key=lambda name: _value(proportion(_values(flat[name], figure))), default="")
    difference = _difference(flat.get(best, []), by_method.get(ALL_LAYERS, []), figure)
    yield f"{100 * difference.difference:+.1f} ({_interval(difference)}) {best}" if difference else "-"


def _interval(difference: FigureDifference) -> str:
    return f"{100 * difference.low:+.0f} to {100 * difference.high:+.0f}"


def _difference(one: Sequence[Measured], two: Sequence[Measured], figure: str) -> FigureDifference | None:
    first, second = ({f"{row.set}/{row.id}": float(getattr(row, figure)) for row in rows} for rows in (one, two))
    return next(iter(compare_results({figure: first}, {figure: second})), None)


def _answer_table(each: Sequence[Measured]) -> TextRows:
    columns = (
        "set", "embedder", "strategy", "questions", "first document", f"document recall@{DEPTH}",
        f"page recall@{DEPTH}", "answer cited", "answered", "wrongly refused", "unanswerable recognized", "failed",
    )  # fmt: skip
    rows = []
    for (set, embedder), group in _groups(each).items():
        for method in _names(group, "method"):
            of_method = [one for one in group if one.method == method]
            failed = sum(bool(one.error) for one in of_method)
            shares = map(_text, _answer_shares(of_method).values())
            rows.append((set, embedder, method, str(len(of_method)), *shares, str(failed)))
    return TextRows("answers", columns, tuple(rows))


def _figures(each: Sequence[Measured]) -> dict[str, Proportion | int | None]:
    if each[0].answers:
        return {"questions": len(each), "failed": sum(bool(one.error) for one in each), **_answer_shares(each)}
    return {"questions": len(each)} | {name: proportion(_values(each, name)) for name in FIGURES}


def _answer_shares(each: Sequence[Measured]) -> dict[str, Proportion | None]:
    right = [one for one in each if not one.error]
    answerable = [one for one in right if one.answerable]
    refused = [float(bool(one.abstained)) for one in answerable]
    return {
        **{name: proportion(_values(answerable, name)) for name in (*FIGURES, "answer_cited")},
        "answered": proportion([1 - one for one in refused]),
        "wrongly_refused": proportion(refused),
        "unanswerable_recognized": proportion([float(bool(one.abstained)) for one in right if not one.answerable]),
    }


def _ordered(each: Sequence[Measured]) -> list[str]:
    """Return the searches: all layers, held out, and the others."""
    names = _names(each, "method")
    return sorted(names, key=lambda name: (name != ALL_LAYERS, name != HELD_OUT, names.index(name)))


def _names(each: Sequence[Measured], what: str) -> list[str]:
    return list(dict.fromkeys(getattr(one, what) for one in each))


def _values(each: Sequence[Measured], figure: str) -> list[float]:
    return [float(value) for one in each if (value := getattr(one, figure)) is not None]


def _value(found: Proportion | None) -> float:
    return found.value if found else 0.0


def _text(found: Proportion | None) -> str:
    return str(found) if found else "-"
