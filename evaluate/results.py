"""Results of evaluations as JSON Lines, and the figures in them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from evaluate.metrics import all_gold_at, recall_at
from evaluate.retrieval import ALL_GOLD, DEPTHS, Ranked
from pipelines.core import codec
from pipelines.core.errors import SourceError

Figures = dict[str, dict[str, float]]
"""By name of the figure, by question: "graph recall@5" to {"q1": 0.5, ...}."""
_SHARES = (
    "first_document",
    "document_recall",
    "page_recall",
    "em",
    "f1",
    "precision",
    "recall",
    "correct",
    "abstained",
)


def write_results(path: Path, results: Iterable[object]) -> None:
    """Write one result a line."""
    path.write_bytes(b"".join(codec.encode(one) + b"\n" for one in results))


def read_figures(path: Path) -> Figures:
    """Return the figures of each question in a file that `strata eval` wrote. Raises `SourceError`."""
    found: Figures = {}
    for number, line in enumerate(_lines(path), 1):
        try:
            plain = msgspec.json.decode(line)
        except msgspec.DecodeError as error:
            raise SourceError(f"{path}, line {number}: {error}") from error
        if not isinstance(plain, dict) or "id" not in plain:
            raise SourceError(f"{path}, line {number}: not a result of `strata eval`")
        for name, value in _figures_of(plain).items():
            found.setdefault(name, {})[str(plain["id"])] = value
    return found


def _lines(path: Path) -> list[bytes]:
    try:
        return [line for line in path.read_bytes().splitlines() if line.strip()]
    except OSError as error:
        raise SourceError(f"cannot read {path}: {error.strerror}") from error


def _figures_of(plain: dict[str, object]) -> dict[str, float]:
    if "ranked" in plain:
        one = codec.convert(plain, Ranked)
        recall = {f"{one.mode} recall@{k}": recall_at(one.ranked, one.gold, k) for k in DEPTHS}
        return recall | {f"{one.mode} all_gold@{ALL_GOLD}": all_gold_at(one.ranked, one.gold, ALL_GOLD)}
    strategy = str(plain.get("strategy", ""))
    return {
        f"{strategy} {name}".strip(): float(value)
        for name in _SHARES
        if isinstance(value := plain.get(name), bool | int | float)
    }
