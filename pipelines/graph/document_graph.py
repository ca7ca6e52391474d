"""One document's part of the graph: its nodes in three layers, and the edges that hold it together.

    Document -HAS_SECTION-> Section -HAS_SECTION-> Section        the root section is the document itself
    Document | Section -HAS_CHUNK-> Chunk -NEXT-> Chunk           each chunk once, under its own section
    Chunk -HAS_TABLE-> Table, Chunk -HAS_FIGURE-> Figure          from each chunk that shows it, else its section
    Chunk -CAPTION_OF-> Table | Figure
    Chunk -REFERENCES-> Table | Figure                            "see table 2", the label of its caption
    Chunk -HAS_ATOM-> Atom, Chunk -HAS_TAG-> Tag, Chunk -MENTIONS-> Entity
    Chunk -HAS_ROW-> Row, Table -HAS_ROW-> Row
    Entity -RELATED-> Entity                                      one for each relation, `key` its id

Tags and entities themselves are nobody's in particular: linking makes their nodes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

from pipelines.core.block_index import BlockIndex
from pipelines.core.document import Block, BlockKind, Document, ReferenceKind, Section
from pipelines.core.graph import Edge, EdgeKind, Node, NodeKind, PropertyValue, Subgraph
from pipelines.core.ids import normalize
from pipelines.core.knowledge import Distillate
from pipelines.core.provenance import Provenance
from pipelines.core.settings_section import GraphSchema
from pipelines.graph import node_properties


def build_graph(document: Document, distillate: Distillate) -> Subgraph:
    """Return the subgraph that `document` owns.

    Its edges to tags and entities end at nodes that are not in it: linking makes those (`pipelines.graph.link`).
    """
    builder = _Builder(document, distillate)
    return Subgraph(document.id, tuple(builder.nodes()), tuple(builder.edges()))


def redirect(subgraph: Subgraph, merged: Mapping[str, str]) -> Subgraph:
    """Return `subgraph` with its edges at merged entities moved to what they were merged into.

    `merged` is `Linked.stands_for(document)`: from an entity's own id to that of the one that stands for it. A
    relation between two names of one thing says nothing any more and is left out.
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
    """Return the distillate without entities and relations that the schema does not allow.

    What is left out is counted in `dropped`. An entity without a type is left out where types are named.
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
        yield self._node(document.id, NodeKind.DOCUMENT, self._of_document())
        for section in self.sections.values():
            yield self._node(section.id, NodeKind.SECTION, self._of_section(section))
        for chunk in work.chunks:
            yield self._node(chunk.id, NodeKind.CHUNK, node_properties.of_chunk(document, chunk))
        for block in document.blocks:
            if block.table is not None:
                told = node_properties.of_table(document, block, block.table)
                yield self._node(block.table.id, NodeKind.TABLE, told)
            if block.figure is not None:
                told = node_properties.of_figure(document, block, block.figure)
                yield self._node(block.figure.id, NodeKind.FIGURE, told)
        for atom in work.atoms:
            yield self._node(atom.id, NodeKind.ATOM, node_properties.of_atom(document, atom))
        for row in work.rows:
            yield self._node(row.id, NodeKind.ROW, node_properties.of_row(document, row))

    def _of_document(self) -> node_properties.Properties:
        return node_properties.of_document(self.document, self.distillate.summaries.get(self.document.id, ""))

    def _of_section(self, section: Section) -> node_properties.Properties:
        return node_properties.of_section(self.document, section, self.distillate.summaries.get(section.id, ""))

    def edges(self) -> Iterator[Edge]:
        yield from self._tree()
        yield from self._shown_in_chunks()
        yield from self._referred_to()
        yield from self._knowledge()
        yield from self._entities()

    def _tree(self) -> Iterator[Edge]:
        for section in self.sections.values():
            told = _filled(evidence=section.title, start=section.span.start, end=section.span.end)
            yield self._edge(self._holder(section.parent), EdgeKind.HAS_SECTION, section.id, told)
        for chunk in self.distillate.chunks:
            yield self._edge(self._holder(chunk.section), EdgeKind.HAS_CHUNK, chunk.id, _span(chunk.provenance))
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
        for block in self.document.blocks:  # a picture without any text has no place in a chunk
            item = block.table or block.figure
            if item is not None and item.id not in placed:
                yield from self._shows(self._section_at(block.provenance), block)

    def _shows(self, holder: str, block: Block) -> Iterator[Edge]:
        told = _span(block.provenance)
        if block.table is not None:
            yield self._edge(holder, EdgeKind.HAS_TABLE, block.table.id, told)
        if block.figure is not None:
            yield self._edge(holder, EdgeKind.HAS_FIGURE, block.figure.id, told)
        if block.kind is BlockKind.CAPTION and block.caption_of in self.shown:
            told = {"evidence": block.text} | told
            yield self._edge(holder, EdgeKind.CAPTION_OF, block.caption_of, told)

    def _referred_to(self) -> Iterator[Edge]:
        """An edge from each chunk that refers to a table or figure by its label to that table or figure."""
        for reference in self.document.references:
            item = self.labelled.get(normalize(reference.target))
            if item is None or reference.kind is not ReferenceKind.CROSS_REFERENCE:
                continue
            place = reference.provenance.span
            index = bisect_right(self.starts, place.start) - 1
            if index >= 0 and self.in_order[index].provenance.span.overlaps(place):
                told = {"kind": reference.kind.value, "evidence": reference.evidence} | _span(reference.provenance)
                key = f"{place.start}:{place.end}"
                yield self._edge(self.in_order[index].id, EdgeKind.REFERENCES, item, told, key)

    def _section_at(self, provenance: Provenance) -> str:
        """The innermost section around a place."""
        around: list[Section] = [one for one in self.sections.values() if one.span.covers(provenance.span)]
        return max(around, key=lambda section: section.level).id if around else self.document.id

    def _knowledge(self) -> Iterator[Edge]:
        work = self.distillate
        for atom in work.atoms:
            yield self._edge(atom.chunk, EdgeKind.HAS_ATOM, atom.id, _span(atom.provenance))
        for tag in work.tags:
            yield self._edge(tag.chunk, EdgeKind.HAS_TAG, tag.tag, {"evidence": tag.text, "weight": float(tag.weight)})
        for row in work.rows:
            yield self._edge(row.chunk, EdgeKind.HAS_ROW, row.id, _span(row.provenance))
            if row.table in self.shown:
                yield self._edge(row.table, EdgeKind.HAS_ROW, row.id, _span(row.provenance))

    def _entities(self) -> Iterator[Edge]:
        for mention in self.distillate.mentions:
            span = mention.provenance.span
            told = {"surface": mention.surface, "evidence": mention.surface} | _span(mention.provenance)
            yield self._edge(mention.chunk, EdgeKind.MENTIONS, mention.entity, told, f"{span.start}:{span.end}")
        for relation in self.distillate.relations:
            told = {
                "type": relation.type,
                "evidence": relation.provenance.span.slice(self.document.text),
                "chunk": relation.chunk,
                "origin": relation.origin,
            }
            told |= _span(relation.provenance)
            yield self._edge(relation.head, EdgeKind.RELATED, relation.tail, told, relation.id)

    def _node(self, id: str, kind: NodeKind, told: Mapping[str, PropertyValue]) -> Node:
        return Node(id, kind, self.document.id, told)

    def _edge(
        self, source: str, kind: EdgeKind, target: str, told: Mapping[str, PropertyValue] | None = None, key: str = ""
    ) -> Edge:
        return Edge(source, kind, target, self.document.id, key, told or {})


def _labelled(document: Document) -> Iterator[tuple[str, str]]:
    """Yield tables and figures by the label that opens their caption, in one word ("表2") or two ("table 2")."""
    for block in document.blocks:
        item = block.table or block.figure
        if item is not None and item.caption:
            words = normalize(item.caption).split()
            for count in (1, 2):
                label = " ".join(words[:count]).rstrip(".:：")
                if any(map(str.isdigit, label)):
                    yield label, item.id


def _span(provenance: Provenance) -> dict[str, PropertyValue]:
    found: dict[str, PropertyValue] = {"start": provenance.span.start, "end": provenance.span.end}
    if provenance.page is not None:
        found["page"] = provenance.page
    return found


def _filled(**values: PropertyValue) -> dict[str, PropertyValue]:
    return {name: value for name, value in values.items() if value != ""}
