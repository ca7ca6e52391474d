"""A connection to a Neo4j: managed transactions, patience with a server that went away, the driver's errors as ours."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import neo4j
from neo4j import exceptions

from pipelines.core.errors import StoreError, StoreMismatch, StoreUnavailable
from pipelines.core.graph import PropertyValue

_AWAY = "Neo4j does not answer"
_BUG = "the driver of Neo4j was used wrongly; this is a fault of Strata"

ERRORS: dict[type[Exception], tuple[type[StoreError], str]] = {
    exceptions.GqlError: (StoreError, "Neo4j failed"),
    exceptions.Neo4jError: (StoreError, "Neo4j refused the statement"),
    exceptions.ClientError: (StoreError, "Neo4j refused the statement"),
    exceptions.CypherSyntaxError: (StoreError, "Neo4j does not understand the statement"),
    exceptions.CypherTypeError: (StoreError, "Neo4j cannot hold this value"),
    exceptions.ConstraintError: (StoreError, "Neo4j already holds another node of this id"),
    exceptions.AuthError: (StoreError, "Neo4j refuses this user name and password"),
    exceptions.TokenExpired: (StoreError, "Neo4j refuses this user name and password"),
    exceptions.Forbidden: (StoreError, "this user may not do that in Neo4j"),
    exceptions.DatabaseError: (StoreError, "Neo4j failed"),
    exceptions.TransientError: (StoreUnavailable, "Neo4j is busy"),
    exceptions.DatabaseUnavailable: (StoreUnavailable, _AWAY),
    exceptions.NotALeader: (StoreUnavailable, _AWAY),
    exceptions.ForbiddenOnReadOnlyDatabase: (StoreUnavailable, "this Neo4j takes no writes at present"),
    exceptions.DriverError: (StoreError, "the driver of Neo4j failed"),
    exceptions.SessionError: (StoreError, _BUG),
    exceptions.TransactionError: (StoreError, _BUG),
    exceptions.TransactionNestingError: (StoreError, _BUG),
    exceptions.ResultError: (StoreError, _BUG),
    exceptions.ResultFailedError: (StoreError, _BUG),
    exceptions.ResultConsumedError: (StoreError, _BUG),
    exceptions.ResultNotSingleError: (StoreError, _BUG),
    exceptions.BrokenRecordError: (StoreError, "Neo4j sent what cannot be read"),
    exceptions.SessionExpired: (StoreUnavailable, _AWAY),
    exceptions.ServiceUnavailable: (StoreUnavailable, _AWAY),
    exceptions.RoutingServiceUnavailable: (StoreUnavailable, _AWAY),
    exceptions.WriteServiceUnavailable: (StoreUnavailable, _AWAY),
    exceptions.ReadServiceUnavailable: (StoreUnavailable, _AWAY),
    exceptions.IncompleteCommit: (StoreUnavailable, "the connection to Neo4j broke while it was writing"),
    exceptions.ConnectionPoolError: (StoreUnavailable, "no connection to Neo4j is free"),
    exceptions.ConnectionAcquisitionTimeoutError: (StoreUnavailable, "no connection to Neo4j is free"),
    exceptions.ConfigurationError: (StoreError, "this address or setting of Neo4j is wrong"),
    exceptions.AuthConfigurationError: (StoreError, "the user name or password for Neo4j is wrong"),
    exceptions.CertificateConfigurationError: (StoreError, "the certificate for Neo4j is wrong"),
    exceptions.UnsupportedServerProduct: (StoreMismatch, "the server is not a Neo4j that Strata knows"),
}


class Occupied(Exception):
    """A node that was to be made is there already. Never leaves this package."""


@contextmanager
def translated(address: str) -> Iterator[None]:
    """Raise the driver's errors as ours; that a node is there already as `Occupied`."""
    try:
        yield
    except exceptions.ConstraintError as error:
        raise Occupied from error
    except (exceptions.DriverError, exceptions.Neo4jError) as error:
        raise our_error(error, address) from error
    except OSError as error:
        raise StoreUnavailable(_AWAY, ids=(address,)) from error


def our_error(error: Exception, address: str) -> StoreError:
    """Return our error for one of the driver's."""
    kind, message = next(ERRORS[one] for one in type(error).__mro__ if one in ERRORS)
    told = "" if kind is StoreUnavailable else f": {error}"
    return kind(f"{message}{told}", ids=(address,), hint="is it running? `make neo4j` starts one" if not told else "")


# The driver logs its retries for those who set up logging; what matters is raised as an error.
logging.getLogger("neo4j").addHandler(logging.NullHandler())

T = TypeVar("T")
ResultRow = Mapping[str, object]
"""One row of an answer, by the names after RETURN; nodes and relationships only as their properties."""
Parameter = PropertyValue | Sequence[str] | Sequence[Mapping[str, object]] | Mapping[str, object]

_FETCH = 2000
_PAUSE = 2.0
"""Seconds between two tries while the server is away."""
_DRIVER_RETRIES = 5.0
"""Seconds in which the driver itself repeats a transaction that lost against another (a deadlock)."""


@dataclass(frozen=True, slots=True)
class Neo4jAddress:
    """Address and login of a Neo4j; an empty password means that it needs none."""

    uri: str
    user: str = "neo4j"
    password: str = ""
    database: str = "neo4j"


class Transaction:
    """What runs inside lands together or not at all."""

    def __init__(self, transaction: neo4j.ManagedTransaction) -> None:
        self._transaction = transaction

    def send(self, statement: str, **parameters: Parameter) -> None:
        """Send a statement that answers nothing; the server works on it while the next one is put together."""
        self._transaction.run(statement, parameters)

    def run(self, statement: str, **parameters: Parameter) -> list[ResultRow]:
        """Return the rows of a statement."""
        # Statements are made of constants and names from the schema's lists; what comes from data is a parameter.
        return list(self._transaction.run(statement, parameters).data())


class Connection:
    """Opened on first use. Raises `StoreUnavailable` when the server stays away for longer than `patience` seconds."""

    def __init__(self, address: Neo4jAddress, patience: float) -> None:
        self._address = address
        self._patience = patience
        auth = (address.user, address.password) if address.password else None
        with translated(address.uri):
            self._driver = neo4j.GraphDatabase.driver(
                address.uri,
                auth=auth,
                max_transaction_retry_time=_DRIVER_RETRIES,
                connection_timeout=10.0,
                notifications_min_severity="OFF",
                user_agent="strata",
                telemetry_disabled=True,
            )

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Return what `work` gives, done in one transaction; it may be called again when that fails for a moment."""
        with translated(self._address.uri), self._session() as session:
            return session.execute_write(lambda transaction: work(Transaction(transaction)))

    def patiently(self, work: Callable[[int], T]) -> T:
        """Return what `work` gives, called with the number of the try (from 0) until the server answers again.

        A broken connection leaves open whether the last transaction landed: `work` must look before it repeats.
        """
        deadline: float | None = None
        number = 0
        while True:
            try:
                return work(number)
            except StoreUnavailable:
                now = time.monotonic()
                deadline = deadline or now + self._patience
                if now >= deadline:
                    raise
            number += 1
            time.sleep(min(_PAUSE, max(deadline - time.monotonic(), 0)))

    def read(self, statement: str, **parameters: Parameter) -> Iterator[ResultRow]:
        """Yield the rows of a statement as the server finds them."""
        with translated(self._address.uri), self._session(read_only=True) as session:
            for record in session.run(statement, parameters):
                yield record.data()

    def run(self, statement: str, **parameters: Parameter) -> list[ResultRow]:
        """Return the rows of a statement that cannot be part of a transaction with others (schema changes)."""
        with translated(self._address.uri), self._session() as session:
            return list(session.run(statement, parameters).data())

    def _session(self, read_only: bool = False) -> neo4j.Session:
        mode = neo4j.READ_ACCESS if read_only else neo4j.WRITE_ACCESS
        return self._driver.session(database=self._address.database, default_access_mode=mode, fetch_size=_FETCH)

    def close(self) -> None:
        """Close all connections; twice is allowed."""
        self._driver.close()
