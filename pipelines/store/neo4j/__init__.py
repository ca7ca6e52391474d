"""The graph store in Neo4j; the only package that imports its driver."""
