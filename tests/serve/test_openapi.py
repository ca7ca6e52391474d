"""What the API does is what its description says, for whatever is sent to it (schemathesis)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.serve.conftest import Served

schemathesis = pytest.importorskip("schemathesis")
if TYPE_CHECKING:
    from schemathesis import BaseSchema, Case

pytestmark = pytest.mark.slow
PATIENCE_S = 300
OFTEN = 10
"""Requests for each route."""


@pytest.fixture(scope="session")
def described(served: Served) -> BaseSchema:
    return schemathesis.openapi.from_url(f"{served.url}/api/openapi.json")


@pytest.fixture(scope="session")
def names(served: Served) -> dict[str, str]:
    """An id of each kind, by the word that stands before it in a path."""
    with served.client() as client:
        found = {kind: client.get(f"/api/kb/kb/{kind}").json()["items"][0]["id"] for kind in ("tags", "entities")}
        documents = client.get("/api/kb/kb/documents", params={"status": "indexed"}).json()["items"]
    return found | {"documents": documents[0]["id"], "graph": documents[0]["id"]}


schema = schemathesis.pytest.from_fixture("described")


@schema.parametrize()
@settings(max_examples=OFTEN, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_every_route_keeps_to_its_description(case: Case, names: dict[str, str]) -> None:
    """With whatever names, then with those of what is there."""
    case.call_and_validate(timeout=PATIENCE_S)
    real = {"kb": "kb", "id": names.get(case.path.removeprefix("/api/kb/{kb}/").partition("/")[0], "none")}
    case.path_parameters |= {name: value for name, value in real.items() if name in case.path_parameters}
    case.call_and_validate(timeout=PATIENCE_S)
