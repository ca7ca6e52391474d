"""What the API does is what its description says, for whatever is sent to it (schemathesis)."""

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
def test_every_route_keeps_to_its_description(served: Served) -> None:
    schema = schemathesis.openapi.from_url(f"{served.url}/api/openapi.json")
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) == 33
    there = names(served)
    for operation in operations:
        keeps_to(operation, there)


def names(served: Served) -> dict[str, str]:
    """An id of each kind, by the word that stands before it in a path."""
    with served.client() as client:
        found = {kind: client.get(f"/api/kb/kb/{kind}").json()["items"][0]["id"] for kind in ("tags", "entities")}
        documents = client.get("/api/kb/kb/documents", params={"status": "indexed"}).json()["items"]
    return found | {"documents": documents[0]["id"], "graph": documents[0]["id"]}


def keeps_to(operation: APIOperation, there: dict[str, str]) -> None:
    """Ask with whatever names, then with those of what is there. Raises what schemathesis finds.

    Not that all is taken which the description allows: filters by what is not there are refused, and odd dates.
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
