"""An answer's trace as a tree on the terminal."""

from __future__ import annotations

from rich.text import Text
from rich.tree import Tree

from qa.answer import Answer, Step

_STYLES = {
    "selected": "green", "quote": "green", "claim": "green", "dropped": "red", "failed": "red", "unusable": "yellow",
    "stop": "bold", "candidate": "dim", "passage": "dim",
}  # fmt: skip
_SHOWN = 12
"""Steps shown below one; the rest is counted."""


def trace_tree(answer: Answer) -> Tree:
    """Return the trace as a tree for rich: proposals, candidates with scores, selection, why it stopped."""
    tree = Tree(Text(f"{answer.strategy}: {answer.question}", "bold"))
    for step in answer.trace:
        _grow(tree, step)
    return tree


def _grow(tree: Tree, step: Step) -> None:
    branch = tree.add(_label(step))
    for inner in step.steps[:_SHOWN]:
        _grow(branch, inner)
    if len(step.steps) > _SHOWN:
        branch.add(Text(f"and {len(step.steps) - _SHOWN} more", "dim"))


def _label(step: Step) -> Text:
    style = _STYLES.get(step.kind, "")
    label = Text()
    if step.score is not None:
        label.append(f"{step.score:.2f} ", "cyan")
    if step.kind != "round":
        label.append(f"{step.kind}: " if step.text else step.kind, style or "bold")
    label.append(step.text, style)
    return label
