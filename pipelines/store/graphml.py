"""The graph as GraphML, which yEd, Gephi, Cytoscape and networkx read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from xml.sax.saxutils import escape, quoteattr

from pipelines.core.codec import encode
from pipelines.core.graph import Edge, Node, Value
from pipelines.store.graph import GraphStore

# What XML 1.0 cannot hold, not even as a reference.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TYPES: dict[type, str] = {bool: "boolean", int: "long", float: "double"}
_Keys = dict[str, str]
"""The GraphML type of each property name."""


def graphml_lines(store: GraphStore) -> Iterator[str]:
    """Yield the lines of a GraphML file; reads the store twice, since GraphML declares its properties first.

    A list is written as JSON text. A property that is of one type here and of another there is text throughout.
    """
    node_keys, edge_keys = _keys(map(_node_values, store.nodes())), _keys(map(_edge_values, store.edges()))
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    yield from _declared("node", node_keys)
    yield from _declared("edge", edge_keys)
    yield '<graph id="strata" edgedefault="directed">'
    for node in store.nodes():
        yield f"<node id={_attribute(node.id)}>{_data('n', _node_values(node), node_keys)}</node>"
    for edge in store.edges():
        ends = f"source={_attribute(edge.source)} target={_attribute(edge.target)}"
        yield f"<edge id={_attribute(edge.id)} {ends}>{_data('e', _edge_values(edge), edge_keys)}</edge>"
    yield "</graph>"
    yield "</graphml>"


def _node_values(node: Node) -> dict[str, Value]:
    return {"kind": node.kind.value, "layer": node.layer.value, "owner": node.owner} | {
        f"atom_{name}" if name == "kind" else name: value for name, value in node.properties.items()
    }


def _edge_values(edge: Edge) -> dict[str, Value]:
    return {"type": edge.kind.value, "key": edge.key, "owner": edge.owner} | {
        f"own_{name}" if name in ("type", "key", "owner") else name: value for name, value in edge.properties.items()
    }


def _keys(values: Iterable[Mapping[str, Value]]) -> _Keys:
    found: dict[str, set[str]] = {}
    for one in values:
        for name, value in one.items():
            found.setdefault(name, set()).add(_TYPES.get(type(value), "string"))
    return {name: types.pop() if len(types) == 1 else "string" for name, types in sorted(found.items())}


def _declared(domain: str, keys: _Keys) -> Iterator[str]:
    for number, (name, type) in enumerate(keys.items()):
        yield f'<key id="{domain[0]}{number}" for="{domain}" attr.name={_attribute(name)} attr.type="{type}"/>'


def _data(prefix: str, values: Mapping[str, Value], keys: _Keys) -> str:
    known = ((number, values[name]) for number, name in enumerate(keys) if name in values)
    return "".join(f'<data key="{prefix}{number}">{_text(value)}</data>' for number, value in known)


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    text = encode(value).decode() if isinstance(value, tuple) else str(value)
    return escape(_FORBIDDEN.sub("\ufffd", text))


def _attribute(text: str) -> str:
    return quoteattr(_FORBIDDEN.sub("\ufffd", text))
