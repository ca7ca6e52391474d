"""The graph in Neo4j; the only place where its driver is imported."""
