"""Servers that were named: Neo4j, Prefect. What is not named is not looked for."""

from __future__ import annotations

import os
import urllib.error
import urllib.request
from importlib.util import find_spec

from flows.doctor.diagnosis import Diagnosis, Subject, bad, doubtful, good
from pipelines.core.errors import StoreError

OLDEST_NEO4J = 5
_SECONDS = 10.0
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
    """Whether the Prefect server that is named answers; else whether one of our own can be started."""
    url = os.environ.get("PREFECT_API_URL", "")
    if not url:
        if find_spec("prefect") is None:
            return doubtful("Prefect is not installed", "`strata ingest --no-flow` does without")
        return good("no server is named: each ingest starts one of its own")
    try:
        request = urllib.request.Request(url.rstrip("/") + "/health")  # noqa: S310 - the user's own
        with urllib.request.urlopen(request, timeout=_SECONDS) as reply:  # noqa: S310
            return good(f"{url} answers") if reply.status == 200 else bad(f"{url} answers {reply.status}")
    except (urllib.error.URLError, OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        hint = "start it, or unset PREFECT_API_URL; `strata ingest --no-flow` does without"
        return bad(f"{url} does not answer: {reason}", hint)
