"""Every number in the packages below is explained beside it: what it measures, a source, or a test."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import TypeGuard

import pytest

PIPELINES = Path(__file__).parents[2] / "pipelines"
PLAIN = {0, 1, 2, 0.5, 10, 16, 90, 180, 270, 360}
"""Numbers that need no explanation: zero, one, two, half; bases of numerals; quarter turns."""
REMARKS = ("# noqa", "# type:", "# fmt:")


def unexplained(source: str) -> list[str]:
    """Return the statements with a number that has neither a comment on or above it nor a docstring below it."""
    lines = source.splitlines()
    comments = {
        token.start[0]
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT and not token.string.startswith(REMARKS)
    }
    above = {number + 1 for number in comments if lines[number - 1].lstrip().startswith("#")}
    found: list[str] = []
    for body in _bodies(ast.parse(source)):
        for place, statement in enumerate(body):
            numbers = [node for node in _own_nodes(statement) if _is_number(node)]
            places = [statement.lineno, *(node.lineno for node in numbers)]
            explained = min(places) in above or not comments.isdisjoint(range(min(places), max(places) + 1))
            if numbers and not explained and not _has_docstring(body[place : place + 2]):
                found.append(f"{statement.lineno}: {lines[numbers[0].lineno - 1].strip()}")
    return found


def _bodies(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list) and body:
                yield body


def _own_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the nodes of a statement, except those of nested statements."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]


def _is_number(node: ast.AST) -> TypeGuard[ast.Constant]:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value not in PLAIN


def _has_docstring(pair: list[ast.stmt]) -> bool:
    if len(pair) < 2 or not isinstance(pair[0], (ast.Assign, ast.AnnAssign)):
        return False
    below = pair[1]
    return isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) and isinstance(below.value.value, str)


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("_MOST = 7\n", 1),
        ('_MOST = 7\n"""Days of a week."""\n', 0),
        ("# Days of a week.\n_MOST = 7\n", 0),
        ("def f(x):\n    return x > 7\n", 1),
        ("def f(x):\n    return x > 7  # days of a week\n", 0),
        ("def f(x):\n    return x > 7  # noqa: PLR2004\n", 1),
        ("def f(x):\n    return x > 1\n", 0),
    ],
)
def test_a_number_without_an_explanation_is_found(source: str, count: int) -> None:
    assert len(unexplained(source)) == count


@pytest.mark.parametrize("room", ["parse", "chunk", "graph"])
def test_every_number_is_explained(room: str) -> None:
    found = {
        str(path.relative_to(PIPELINES)): missing
        for path in sorted((PIPELINES / room).rglob("*.py"))
        if (missing := unexplained(path.read_text(encoding="utf-8")))
    }
    assert found == {}
