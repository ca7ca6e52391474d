"""A connection to Neo4j: managed transactions, retries while the server is away, and translation of errors."""

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
    """A node to be created exists already. Only used inside this package."""


@contextmanager
def translated(address: str) -> Iterator[None]:
    """Raise the driver's errors as `StoreError`; if a node exists already, as `Occupied`."""
    try:
        yield
    except exceptions.ConstraintError as error:
        raise Occupied from error
    except (exceptions.DriverError, exceptions.Neo4jError) as error:
        raise our_error(error, address) from error
    except OSError as error:
        raise StoreUnavailable(_AWAY, ids=(address,)) from error


def our_error(error: Exception, address: str) -> StoreError:
    """Return the `StoreError` for an error of the driver."""
    kind, message = next(ERRORS[one] for one in type(error).__mro__ if one in ERRORS)
    if kind is StoreUnavailable:
        return kind(message, ids=(address,), hint="is it running? `make neo4j` starts one")
    return kind(f"{message}: {error}", ids=(address,))


# The driver logs its retries, which are not of interest: failures are raised as errors.
logging.getLogger("neo4j").addHandler(logging.NullHandler())

T = TypeVar("T")
ResultRow = Mapping[str, object]
"""A row of a result, by the names after RETURN; nodes and relationships are returned as their properties."""
Parameter = PropertyValue | Sequence[str] | Sequence[Mapping[str, object]] | Mapping[str, object]

_FETCH = 2000
_PAUSE = 2.0
"""Seconds between two attempts while the server is away."""
_DRIVER_RETRIES = 5.0
"""Seconds during which the driver repeats a transaction after a deadlock."""


@dataclass(frozen=True, slots=True)
class Neo4jAddress:
    """Address and login of a Neo4j server; an empty password means that it needs none."""

    uri: str
    user: str = "neo4j"
    password: str = ""
    database: str = "neo4j"


class Transaction:
    """A managed transaction: its statements take effect together or not at all."""

    def __init__(self, transaction: neo4j.ManagedTransaction) -> None:
        self._transaction = transaction

    def send(self, statement: str, **parameters: Parameter) -> None:
        """Send a statement without a result; the server executes it while the next one is prepared."""
        self._transaction.run(statement, parameters)

    def run(self, statement: str, **parameters: Parameter) -> list[ResultRow]:
        """Return the rows of a statement."""
        # Statements consist of constants and names of the schema; all data are parameters.
        return list(self._transaction.run(statement, parameters).data())


class Connection:
    """A connection, opened at the first use. Raises `StoreUnavailable` if the server is away for `patience` seconds."""

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
        """Run `work` in a transaction and return its result; it may be called again after a transient failure."""
        with translated(self._address.uri), self._session() as session:
            return session.execute_write(lambda transaction: work(Transaction(transaction)))

    def patiently(self, work: Callable[[int], T]) -> T:
        """Return the result of `work`, called with the number of the attempt (from 0) until the server answers again.

        After a broken connection it is unknown whether the last transaction was committed: `work` must check this.
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
        """Yield the rows of a statement in the order of the server."""
        with translated(self._address.uri), self._session(read_only=True) as session:
            for record in session.run(statement, parameters):
                yield record.data()

    def run(self, statement: str, **parameters: Parameter) -> list[ResultRow]:
        """Return the rows of a statement that runs outside a managed transaction, such as a schema change."""
        with translated(self._address.uri), self._session() as session:
            return list(session.run(statement, parameters).data())

    def _session(self, read_only: bool = False) -> neo4j.Session:
        mode = neo4j.READ_ACCESS if read_only else neo4j.WRITE_ACCESS
        return self._driver.session(database=self._address.database, default_access_mode=mode, fetch_size=_FETCH)

    def close(self) -> None:
        """Close all connections; may be called twice."""
        self._driver.close()
