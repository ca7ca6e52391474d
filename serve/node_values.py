"""Properties of nodes and edges as plain values."""

from __future__ import annotations

from pipelines.core.graph import Edge, Node, NodeKind
from pipelines.store.explore import node_name
from serve.views import Named


def text(item: Node | Edge | None, name: str) -> str:
    """Return a property as text, empty where there is none."""
    return str(item.properties.get(name, "")) if item is not None else ""


def texts(item: Node | Edge, name: str) -> tuple[str, ...]:
    """Return a property that is a list, empty where there is none."""
    value = item.properties.get(name, ())
    return value if isinstance(value, tuple) else ()


def number(item: Node | Edge, name: str) -> int:
    """Return a property as a whole number, 0 where there is none."""
    value = item.properties.get(name, 0)
    return int(value) if isinstance(value, int | float) else 0


def page_of(item: Node | Edge) -> int | None:
    """Return the page that a node or edge stands on, None where it has none."""
    return number(item, "page") or None


def named(node: Node, count: int | None = None) -> Named:
    """Return a tag or an entity; `count` in place of how often it stands in the whole knowledge base."""
    own = number(node, "chunks") if node.kind is NodeKind.TAG else number(node, "mentions")
    return Named(
        node.id,
        node.kind.value,
        node_name(node),
        text(node, "type"),
        own if count is None else count,
        number(node, "documents"),
        texts(node, "aliases"),
    )
