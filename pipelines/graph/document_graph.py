"""The subgraph of one document: its nodes in three layers and the edges between them.

    Document -HAS_SECTION-> Section -HAS_SECTION-> Section        the root section is the document itself
    Document | Section -HAS_CHUNK-> Chunk -NEXT-> Chunk           each chunk once, under its section
    Chunk -HAS_TABLE-> Table, Chunk -HAS_FIGURE-> Figure          from each chunk that contains it, else its section
    Chunk -CAPTION_OF-> Table | Figure
    Chunk -REFERENCES-> Table | Figure                            "see table 2", the label of its caption
    Chunk -HAS_ATOM-> Atom, Chunk -HAS_TAG-> Tag, Chunk -MENTIONS-> Entity
    Chunk -HAS_ROW-> Row, Table -HAS_ROW-> Row
    Entity -RELATED-> Entity                                      one for each relation, with its id as `key`

Tags and entities belong to no single document: linking creates their nodes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

from pipelines.core.block_index import BlockIndex
from pipelines.core.document import Block, BlockKind, Document, ReferenceKind, Section
from pipelines.core.graph import Edge, EdgeKind, Node, NodeKind, Subgraph
from pipelines.core.ids import normalize
from pipelines.core.knowledge import Distillate
from pipelines.core.provenance import Provenance
from pipelines.core.settings_section import GraphSchema
from pipelines.graph import node_properties
from pipelines.graph.node_properties import Properties, span_properties


def build_graph(document: Document, distillate: Distillate) -> Subgraph:
    """Return the subgraph owned by `document`.

    The tags and entities that its edges point to are not part of it: `pipelines.graph.link` creates those nodes.
    """
    builder = _Builder(document, distillate)
    return Subgraph(document.id, tuple(builder.nodes()), tuple(builder.edges()))


def redirect(subgraph: Subgraph, merged: Mapping[str, str]) -> Subgraph:
    """Return `subgraph` with the edges of merged entities moved to their replacements.

    `merged` is `Linked.replacements(document)`, a mapping from entity ids to their replacements. A relation between two
    names of the same entity is dropped.
    """
    edges: list[Edge] = []
    for edge in subgraph.edges:
        source, target = merged.get(edge.source, edge.source), merged.get(edge.target, edge.target)
        if (source, target) == (edge.source, edge.target):
            edges.append(edge)
        elif source != target:
            edges.append(replace(edge, source=source, target=target))
    return replace(subgraph, edges=tuple(edges))


def conform(distillate: Distillate, schema: GraphSchema) -> Distillate:
    """Return the distillate without the entities and relations that the schema does not allow.

    The removed ones are counted in `dropped`. If the schema lists entity types, entities without a type are removed.
    """
    if not schema.confines:
        return distillate
    entities = tuple(one for one in distillate.entities if schema.allows_entity(one.type))
    types = {one.id: one.type for one in entities}
    mentions = tuple(one for one in distillate.mentions if one.entity in types)
    between = [one for one in distillate.relations if one.head in types and one.tail in types]
    relations = tuple(one for one in between if schema.allows_relation(types[one.head], one.type, types[one.tail]))
    dropped = Counter(distillate.dropped)
    dropped["entity type not in the schema"] += len(distillate.entities) - len(entities)
    dropped["relation not in the schema"] += len(distillate.relations) - len(relations)
    counts = {reason: count for reason, count in dropped.items() if count}
    return replace(distillate, entities=entities, mentions=mentions, relations=relations, dropped=counts)


class _Builder:
    def __init__(self, document: Document, distillate: Distillate) -> None:
        self.document = document
        self.distillate = distillate
        self.layout = BlockIndex(document)
        self.sections = {section.id: section for section in document.sections if section.parent}
        self.chunks = {chunk.id: chunk for chunk in distillate.chunks}
        self.shown = {block.table.id for block in document.blocks if block.table is not None}
        self.shown |= {block.figure.id for block in document.blocks if block.figure is not None}
        self.labelled = dict(reversed(list(_labelled(document))))
        self.in_order = sorted(distillate.chunks, key=lambda chunk: chunk.provenance.span.start)
        self.starts = [chunk.provenance.span.start for chunk in self.in_order]

    def nodes(self) -> Iterator[Node]:
        document, work = self.document, self.distillate
        properties = node_properties.of_document(document, work.summaries.get(document.id, ""))
        yield self._node(document.id, NodeKind.DOCUMENT, properties)
        for section in self.sections.values():
            properties = node_properties.of_section(document, section, work.summaries.get(section.id, ""))
            yield self._node(section.id, NodeKind.SECTION, properties)
        for chunk in work.chunks:
            yield self._node(chunk.id, NodeKind.CHUNK, node_properties.of_chunk(document, chunk))
        for block in document.blocks:
            if block.table is not None:
                properties = node_properties.of_table(document, block, block.table)
                yield self._node(block.table.id, NodeKind.TABLE, properties)
            if block.figure is not None:
                properties = node_properties.of_figure(document, block, block.figure)
                yield self._node(block.figure.id, NodeKind.FIGURE, properties)
        for atom in work.atoms:
            yield self._node(atom.id, NodeKind.ATOM, node_properties.of_atom(document, atom))
        for row in work.rows:
            yield self._node(row.id, NodeKind.ROW, node_properties.of_row(document, row))

    def edges(self) -> Iterator[Edge]:
        yield from self._tree()
        yield from self._shown_in_chunks()
        yield from self._referred_to()
        yield from self._knowledge()
        yield from self._entities()

    def _tree(self) -> Iterator[Edge]:
        for section in self.sections.values():
            properties: Properties = {"start": section.span.start, "end": section.span.end}
            if section.title:
                properties = {"evidence": section.title} | properties
            yield self._edge(self._holder(section.parent), EdgeKind.HAS_SECTION, section.id, properties)
        for chunk in self.distillate.chunks:
            properties = span_properties(chunk.provenance)
            yield self._edge(self._holder(chunk.section), EdgeKind.HAS_CHUNK, chunk.id, properties)
        in_order = sorted(self.distillate.chunks, key=lambda chunk: chunk.position)
        for one, two in pairwise(in_order):
            yield self._edge(one.id, EdgeKind.NEXT, two.id)

    def _holder(self, section: str) -> str:
        return section if section in self.sections else self.document.id

    def _shown_in_chunks(self) -> Iterator[Edge]:
        placed: set[str] = set()
        for chunk in self.distillate.chunks:
            for block in self.layout.touching(chunk.provenance.span):
                for edge in self._shows(chunk.id, block):
                    placed.add(edge.target)
                    yield edge
        for block in self.document.blocks:  # a figure without text is not in any chunk
            item = block.table or block.figure
            if item is not None and item.id not in placed:
                yield from self._shows(self._section_at(block.provenance), block)

    def _shows(self, holder: str, block: Block) -> Iterator[Edge]:
        properties = span_properties(block.provenance)
        if block.table is not None:
            yield self._edge(holder, EdgeKind.HAS_TABLE, block.table.id, properties)
        if block.figure is not None:
            yield self._edge(holder, EdgeKind.HAS_FIGURE, block.figure.id, properties)
        if block.kind is BlockKind.CAPTION and block.caption_of in self.shown:
            properties = {"evidence": block.text} | properties
            yield self._edge(holder, EdgeKind.CAPTION_OF, block.caption_of, properties)

    def _referred_to(self) -> Iterator[Edge]:
        """Yield an edge for each reference from a chunk to a table or figure by its label."""
        for reference in self.document.references:
            item = self.labelled.get(normalize(reference.target))
            if item is None or reference.kind is not ReferenceKind.CROSS_REFERENCE:
                continue
            place = reference.provenance.span
            index = bisect_right(self.starts, place.start) - 1
            if index >= 0 and self.in_order[index].provenance.span.overlaps(place):
                properties: Properties = {"kind": reference.kind.value, "evidence": reference.evidence}
                properties |= span_properties(reference.provenance)
                key = f"{place.start}:{place.end}"
                yield self._edge(self.in_order[index].id, EdgeKind.REFERENCES, item, properties, key)

    def _section_at(self, provenance: Provenance) -> str:
        """Return the id of the innermost section that contains a place, or the document's id."""
        around: list[Section] = [one for one in self.sections.values() if one.span.covers(provenance.span)]
        return max(around, key=lambda section: section.level).id if around else self.document.id

    def _knowledge(self) -> Iterator[Edge]:
        work = self.distillate
        for atom in work.atoms:
            yield self._edge(atom.chunk, EdgeKind.HAS_ATOM, atom.id, span_properties(atom.provenance))
        for tag in work.tags:
            yield self._edge(tag.chunk, EdgeKind.HAS_TAG, tag.tag, {"evidence": tag.text, "weight": float(tag.weight)})
        for row in work.rows:
            yield self._edge(row.chunk, EdgeKind.HAS_ROW, row.id, span_properties(row.provenance))
            if row.table in self.shown:
                yield self._edge(row.table, EdgeKind.HAS_ROW, row.id, span_properties(row.provenance))

    def _entities(self) -> Iterator[Edge]:
        for mention in self.distillate.mentions:
            span = mention.provenance.span
            properties: Properties = {"surface": mention.surface, "evidence": mention.surface}
            properties |= span_properties(mention.provenance)
            yield self._edge(mention.chunk, EdgeKind.MENTIONS, mention.entity, properties, f"{span.start}:{span.end}")
        for relation in self.distillate.relations:
            properties = {
                "type": relation.type,
                "evidence": relation.provenance.span.slice(self.document.text),
                "chunk": relation.chunk,
                "origin": relation.origin,
            }
            properties |= span_properties(relation.provenance)
            yield self._edge(relation.head, EdgeKind.RELATED, relation.tail, properties, relation.id)

    def _node(self, id: str, kind: NodeKind, properties: Properties) -> Node:
        return Node(id, kind, self.document.id, properties)

    def _edge(
        self, source: str, kind: EdgeKind, target: str, properties: Properties | None = None, key: str = ""
    ) -> Edge:
        return Edge(source, kind, target, self.document.id, key, properties or {})


def _labelled(document: Document) -> Iterator[tuple[str, str]]:
    """Yield (label, id) for each table and figure whose caption begins with a label ("表2", "table 2")."""
    for block in document.blocks:
        item = block.table or block.figure
        if item is not None and item.caption:
            words = normalize(item.caption).split()
            for count in (1, 2):
                label = " ".join(words[:count]).rstrip(".:：")
                if any(map(str.isdigit, label)):
                    yield label, item.id
