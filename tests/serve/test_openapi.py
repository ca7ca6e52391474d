"""Tests with schemathesis that every reply of the API conforms to its OpenAPI description."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from tests.serve.conftest import Served

if TYPE_CHECKING:
    from schemathesis import APIOperation, Case

PATIENCE_S = 300
OFTEN = settings(
    max_examples=4,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.slow
def test_every_route_conforms_to_its_description(served: Served) -> None:
    schema = schemathesis.openapi.from_url(f"{served.url}/api/openapi.json")
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) == 33
    there = names(served)
    for operation in operations:
        assert_conforms(operation, there)


def names(served: Served) -> dict[str, str]:
    """An id of each kind, by the path segment before it."""
    with served.client() as client:
        found = {kind: client.get(f"/api/kb/kb/{kind}").json()["items"][0]["id"] for kind in ("tags", "entities")}
        documents = client.get("/api/kb/kb/documents", params={"status": "indexed"}).json()["items"]
    return found | {"documents": documents[0]["id"], "graph": documents[0]["id"]}


def assert_conforms(operation: APIOperation, there: dict[str, str]) -> None:
    """Send generated requests, once with generated and once with existing ids; raises what schemathesis finds.

    Requests that the description allows may still be refused, such as filters without matches and invalid dates.
    """
    before = operation.path.removeprefix("/api/kb/{kb}/").partition("/")[0]
    real = {"kb": "kb", "id": there.get(before, "none")}

    @OFTEN
    @given(case=operation.as_strategy())
    def ask(case: Case) -> None:
        case.call_and_validate(timeout=PATIENCE_S, excluded_checks=[positive_data_acceptance])
        case.path_parameters |= {name: value for name, value in real.items() if name in case.path_parameters}
        case.call_and_validate(timeout=PATIENCE_S, excluded_checks=[positive_data_acceptance])

    ask()
