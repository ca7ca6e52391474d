"""Views of the stored graph: lists of unresolved references and merges, and a self-contained HTML page that draws it.

The page needs no server and fetches nothing, so that it can be opened from a disk or a mail.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import TextIO

from pipelines.core.codec import encode
from pipelines.core.graph import Edge, EdgeKind, Layer, Node, NodeKind
from pipelines.core.safe_output import content_security_policy
from pipelines.store.graph import GraphStore

_LONGEST_QUOTE = 60
"""Maximum characters of a quote: enough to be unique."""
MOST_NODES = 30_000
"""Maximum nodes of a page: with more, browsers open it slowly."""
# Order in which nodes are taken if a graph is too large for a page: its structure first, then details.
_NODE_ORDER = (
    NodeKind.DOCUMENT, NodeKind.UNRESOLVED, NodeKind.SECTION, NodeKind.CHUNK, NodeKind.TABLE, NodeKind.FIGURE,
    NodeKind.TAG_CLASS, NodeKind.ENTITY, NodeKind.TAG, NodeKind.ATOM, NodeKind.ROW,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A reference to a document that the knowledge base does not contain, and where it occurs."""

    wanted: str
    reason: str
    kind: str
    uri: str
    evidence: str
    start: int
    end: int
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Merged:
    """An entity, and a name that was merged into it with the rule."""

    id: str
    name: str
    merged: str


def unresolved(store: GraphStore) -> tuple[Unresolved, ...]:
    """Return all unresolved references, sorted by wanted name, document and position."""
    wanted = {node.id: node for node in store.nodes([NodeKind.UNRESOLVED])}
    edges = list(store.edges([EdgeKind.REFERENCES], targets=wanted.keys()))
    sources = {node.id: node for node in store.nodes(ids={edge.source for edge in edges})}
    found = []
    for edge in edges:
        node, properties = wanted[edge.target], edge.properties
        page = properties.get("page")
        found.append(
            Unresolved(
                _text(node, "wanted"),
                _text(node, "reason"),
                str(properties.get("kind", "")),
                _text(sources[edge.source], "uri") if edge.source in sources else edge.source,
                str(properties.get("evidence", "")),
                int(str(properties.get("start", 0))),
                int(str(properties.get("end", 0))),
                page if isinstance(page, int) else None,
            )
        )
    return tuple(sorted(found, key=lambda one: (one.wanted, one.uri, one.start)))


def merges(store: GraphStore) -> tuple[Merged, ...]:
    """Return the merges of entities, sorted by the entity's name."""
    found = []
    for node in store.nodes([NodeKind.ENTITY]):
        merged = node.properties.get("merges", ())
        if isinstance(merged, tuple):
            found += [Merged(node.id, _text(node, "name"), one) for one in merged]
    return tuple(sorted(found, key=lambda one: (one.name, one.merged)))


def _text(node: Node, name: str) -> str:
    return str(node.properties.get(name, ""))


def examples(store: GraphStore) -> dict[str, str]:
    """Return example values for the parameters of the saved queries, as far as the graph has them.

    These are a document's `uri`, a `page` and a `quote` of it, the most frequent `tag`, which is also the `words` of a
    search, the most frequent `entity`, and an `other` entity related to it, or else the next in frequency.
    """
    return dict([*_of_document(store), *_of_knowledge(store)])


def _of_document(store: GraphStore) -> Iterator[tuple[str, str]]:
    """Yield the values of the document with the most chunks, preferably one with pages."""
    chunks = list(store.nodes([NodeKind.CHUNK]))
    chunks = [chunk for chunk in chunks if "page" in chunk.properties] or chunks
    counts = Counter(str(chunk.properties["uri"]) for chunk in chunks)
    if not counts:
        return
    uri = min(counts, key=lambda one: (-counts[one], one))
    own = [chunk for chunk in chunks if chunk.properties["uri"] == uri]
    first = min(own, key=lambda chunk: int(str(chunk.properties.get("position", 0))))
    yield "uri", uri
    yield "page", str(first.properties.get("page", 1))
    yield "quote", max(str(first.properties["text"]).splitlines(), key=len, default="")[:_LONGEST_QUOTE].strip()


def _of_knowledge(store: GraphStore) -> Iterator[tuple[str, str]]:
    if tag := _most_frequent(store.nodes([NodeKind.TAG]), "chunks"):
        yield "tag", str(tag.properties["name"])
        yield "words", str(tag.properties["name"])
    entities = {node.id: node for node in store.nodes([NodeKind.ENTITY])}
    entity = _most_frequent(entities.values(), "mentions")
    if entity is None:
        return
    yield "entity", str(entity.properties["name"])
    related = {edge.target for edge in store.edges([EdgeKind.RELATED], sources=[entity.id])}
    related |= {edge.source for edge in store.edges([EdgeKind.RELATED], targets=[entity.id])}
    del entities[entity.id]
    others = [entities[id] for id in related & entities.keys()] or entities.values()
    if other := _most_frequent(others, "mentions"):
        yield "other", str(other.properties["name"])


def _most_frequent(nodes: Iterable[Node], count: str) -> Node | None:
    return min(nodes, key=lambda node: (-int(str(node.properties.get(count, 0))), node.id), default=None)


@dataclass(frozen=True, slots=True)
class Shown:
    """The size of a written page; `left_out` counts the nodes beyond the maximum."""

    nodes: int
    edges: int
    left_out: int = 0


def write_page(store: GraphStore, title: str, out: TextIO, most: int = MOST_NODES) -> Shown:
    """Write the graph of a store as one HTML page.

    Args:
        store: the graph.
        title: the heading of the page.
        out: the file to write to.
        most: maximum nodes; documents, sections and chunks come first, and the page states how many are left out.

    Example:
        with open("graph.html", "w", encoding="utf-8") as out:
            write_page(store, "Plant 3", out)
    """
    nodes, left_out = _chosen(store, most)
    places = {node.id: i for i, node in enumerate(nodes)}
    edges = [edge for edge in store.edges() if edge.source in places and edge.target in places]
    data = {
        "title": title,
        "layers": [layer.value for layer in Layer],
        "kinds": [[kind.value, list(Layer).index(kind.layer)] for kind in NodeKind],
        "leftOut": left_out,
        "nodes": [_node(node, places) for node in nodes],
        "edges": [_edge(edge, places) for edge in edges],
    }
    out.write(_page(title, encode(data).decode()))
    return Shown(len(nodes), len(edges), left_out)


def _chosen(store: GraphStore, most: int) -> tuple[list[Node], int]:
    chosen: list[Node] = []
    left_out = 0
    for kind in _NODE_ORDER:
        for node in store.nodes([kind]):
            if len(chosen) < most:
                chosen.append(node)
            else:
                left_out += 1
    return chosen, left_out


def _node(node: Node, places: dict[str, int]) -> list[object]:
    """Return a node's id, kind, index of its document (-1 if no document owns it) and properties."""
    return [node.id, list(NodeKind).index(node.kind), places.get(node.owner, -1), node.properties]


def _edge(edge: Edge, places: dict[str, int]) -> list[object]:
    values = (edge.properties.get(name) for name in ("type", "kind", "section", "surface"))
    label = " · ".join(str(value) for value in values if value)
    return [places[edge.source], edge.kind.value, places[edge.target], label, str(edge.properties.get("evidence", ""))]


def _page(title: str, data: str) -> str:
    """Return the filled template. "<" in the data is escaped, so that it cannot end the script element."""
    style, layout, script = (_asset(name) for name in ("page.css", "layout.js", "page.js"))
    parts = {
        "policy": content_security_policy(style, (layout, script)),
        "title": title.replace("&", "&amp;").replace("<", "&lt;"),
        "style": style,
        "data": data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"),
        "layout": layout,
        "script": script,
    }
    pieces = _asset("page.html").split("{{")
    filled = [pieces[0]]
    for piece in pieces[1:]:
        name, _, rest = piece.partition("}}")
        filled += [parts[name], rest]
    return "".join(filled)


def _asset(name: str) -> str:
    return files("pipelines.graph").joinpath("page", name).read_text("utf-8")
