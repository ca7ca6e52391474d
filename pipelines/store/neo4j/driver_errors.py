"""Errors of the driver and the server as ours: one table, the most specific match, the cause chained."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from neo4j import exceptions

from pipelines.core.errors import StoreError, StoreMismatch, StoreUnavailable

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
