"""Servers: the Neo4j that is named, and the Prefect that ingests are seen on."""

from __future__ import annotations

from importlib.util import find_spec

from flows.doctor.diagnosis import Diagnosis, Subject, bad, doubtful, good
from flows.prefect_address import ServerFailed, server_address
from pipelines.core.errors import StoreError

OLDEST_NEO4J = 5
_VERSION = "CALL dbms.components() YIELD name, versions, edition RETURN name, versions[0] AS version, edition"


def neo4j(subject: Subject) -> Diagnosis:
    """Whether the Neo4j of the settings answers, and which it is; nothing is written there."""
    from pipelines.store.neo4j.connection import Connection, Neo4jAddress

    store = subject.settings.store
    if not store.neo4j_uri:
        return good("none is configured: the graph lies in the knowledge base", "`make neo4j` starts one")
    password = store.neo4j_password.get_secret_value()
    connection = Connection(Neo4jAddress(store.neo4j_uri, store.neo4j_user, password, store.neo4j_database), 0.0)
    try:
        told = list(connection.read(_VERSION))
    except StoreError as error:
        return bad(f"{store.neo4j_uri}: {error.message}", error.hint)
    finally:
        connection.close()
    if not told:
        return bad(f"{store.neo4j_uri} does not say what it is")
    release, edition = str(told[0]["version"]), str(told[0]["edition"])
    text = f"{store.neo4j_uri}, {told[0]['name']} {release} {edition}, database {store.neo4j_database}"
    number = release.partition(".")[0]
    if number.isdigit() and int(number) < OLDEST_NEO4J:
        return doubtful(text, f"Strata is tested with Neo4j {OLDEST_NEO4J} and newer")
    return good(text)


def prefect(subject: Subject) -> Diagnosis:
    """Whether the Prefect server that is named answers, or one that was started with nothing said."""
    if find_spec("prefect") is None:
        return doubtful("Prefect is not installed", "an ingest is then seen on no page")
    try:
        address = server_address()
    except ServerFailed as error:
        return bad(error.message, error.hint)
    if not address:
        return good("no server runs: an ingest is seen on no page", "`make up` or `prefect server start` starts one")
    return good(f"{address} answers: ingests are seen there")
