"""A first load of 100,000 nodes and 200,000 edges into Neo4j, compared with a bare loop and another library's writer.

    python benchmarks/neo4j_load.py [--nodes 100000] [--rounds 3] [--graphrag]

Starts a server without a password in a temporary folder. The same graph is loaded alternately by a loop of
`UNWIND ... CREATE` with 5,000 rows and a constraint on the id, with the text only ("bare") and with all properties of
the store ("bare, all"); by Strata's store, document by document; and with --graphrag by neo4j-graphrag's `Neo4jWriter`
with its defaults (nodes only: relationships need APOC). Prints the rates of each round and the ratios of the medians.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from collections.abc import Callable
from contextlib import closing

import neo4j

from deploy.neo4j import server
from pipelines.core.graph import Edge, EdgeKind, Node, NodeKind, Subgraph
from pipelines.store.graph import item_hash, write_all
from pipelines.store.neo4j.connection import Neo4jAddress
from pipelines.store.neo4j.schema import HashedItem, edge_row, node_row
from pipelines.store.neo4j.store import Neo4jStore

TEXT = "The margin between the suction head of the plant and that of the pump shall be at least half a metre. " * 2
ROWS = 5000
Row = dict[str, object]
PER_DOCUMENT = 1000


def documents(nodes: int) -> list[Subgraph]:
    """Return the graph in documents of 1,000 chunks; each chunk is linked to the next and to a later one."""
    return [document(f"document:{number:032x}", number) for number in range(nodes // PER_DOCUMENT)]


def document(owner: str, number: int) -> Subgraph:
    ids = [f"chunk:{number * PER_DOCUMENT + place:032x}" for place in range(PER_DOCUMENT)]
    nodes = tuple(Node(id, NodeKind.CHUNK, owner, {"text": TEXT[:200]}) for id in ids)
    edges = [Edge(id, EdgeKind.NEXT, ids[(place + 1) % PER_DOCUMENT], owner) for place, id in enumerate(ids)]
    edges += [Edge(id, EdgeKind.HAS_CHUNK, ids[(place * 7 + 3) % PER_DOCUMENT], owner) for place, id in enumerate(ids)]
    return Subgraph(owner, nodes, tuple(edges))


def bare(driver: neo4j.Driver, parts: list[Subgraph], all_properties: bool) -> float:
    """Load with a bare loop over prepared rows; return the seconds."""
    driver.execute_query("CREATE CONSTRAINT bare_id IF NOT EXISTS FOR (n:Bare) REQUIRE n.id IS UNIQUE")
    nodes: list[Row] = []
    edges: dict[str, list[Row]] = {}
    for part in parts:
        for node in part.nodes:
            kept = node_row(HashedItem(node, item_hash(node)), "bench")
            nodes.append(kept if all_properties else {"id": node.id, **node.properties})
        for edge in part.edges:
            row = edge_row(HashedItem(edge, item_hash(edge)))
            edges.setdefault(edge.kind.value, []).append(row if all_properties else row | {"properties": {}})
    started = time.perf_counter()
    for start in range(0, len(nodes), ROWS):
        driver.execute_query("UNWIND $rows AS row CREATE (n:Bare) SET n = row", rows=nodes[start : start + ROWS])
    for kind, ends in edges.items():
        statement = (
            "UNWIND $rows AS row MATCH (a:Bare {id: row.source}) MATCH (b:Bare {id: row.target})"
            f" CREATE (a)-[r:{kind}]->(b)" + (" SET r = row.properties" if all_properties else "")
        )
        for start in range(0, len(ends), ROWS):
            driver.execute_query(statement, rows=ends[start : start + ROWS])
    return time.perf_counter() - started


def ours(address: Neo4jAddress, parts: list[Subgraph]) -> float:
    """Load with the store, document by document as `strata graph sync` does; return the seconds."""
    with closing(Neo4jStore.open(address, "bench")) as store:
        started = time.perf_counter()
        assert len(list(write_all(store, parts))) == len(parts)
        return time.perf_counter() - started


def graphrag(driver: neo4j.Driver, parts: list[Subgraph]) -> float:
    """Load the nodes with neo4j-graphrag; return the seconds."""
    from neo4j_graphrag.components.kg_writer import Neo4jWriter
    from neo4j_graphrag.components.types import Neo4jGraph, Neo4jNode

    nodes = [Neo4jNode(id=node.id, label="Chunk", properties=dict(node.properties)) for p in parts for node in p.nodes]
    writer = Neo4jWriter(driver)
    started = time.perf_counter()
    asyncio.run(writer.run(Neo4jGraph(nodes=nodes, relationships=[])))
    return time.perf_counter() - started


def wipe(driver: neo4j.Driver) -> None:
    while driver.execute_query("MATCH (n) WITH n LIMIT 20000 DETACH DELETE n RETURN count(*) AS n").records[0]["n"]:
        pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--graphrag", action="store_true")
    args = parser.parse_args()
    parts = documents(args.nodes)
    items = sum(len(part.nodes) + len(part.edges) for part in parts)
    rates: dict[str, list[float]] = {"bare": [], "bare, all": [], "strata": []}
    with server.temporary(heap="2g") as running, neo4j.GraphDatabase.driver(running.bolt) as driver:
        address = Neo4jAddress(running.bolt)
        turns: dict[str, Callable[[], float]] = {
            "bare": lambda: bare(driver, parts, all_properties=False),
            "bare, all": lambda: bare(driver, parts, all_properties=True),
            "strata": lambda: ours(address, parts),
        }
        for number in range(args.rounds + 1):  # the first warms the server and does not count
            for name, turn in turns.items():
                rate = items / turn()
                wipe(driver)
                if number:
                    rates[name].append(rate)
                    print(f"round {number}  {name:9} {rate:8,.0f} nodes and edges a second", flush=True)
        medians = {name: statistics.median(found) for name, found in rates.items()}
        for name in ("bare", "bare, all"):
            print(f"strata / {name}: {medians['strata'] / medians[name]:.2f}")
        if args.graphrag:
            print(f"neo4j-graphrag, nodes alone: {args.nodes / graphrag(driver, parts):,.0f} a second")


if __name__ == "__main__":
    main()
