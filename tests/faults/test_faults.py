"""Tests that every fault is survived, each tried a few times."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.bench import Bench, Fault
from tests.faults.disk import can_mount
from tests.faults.faults import FAULTS

NEO4J = "runs with Neo4j killed"
"""Tried by `make trust`; `tests/store/neo4j/test_ingest.py` kills runs at chosen places."""
SEED = 12


def marked(fault: Fault) -> object:
    """The fault as a parameter, with its slow mark."""
    return pytest.param(fault, id=fault.name, marks=[pytest.mark.slow] if fault.slow else [])


@pytest.mark.parametrize("fault", [marked(fault) for fault in FAULTS if fault.name != NEO4J])
def test_a_fault_loses_no_data_and_causes_no_wrong_result(fault: Fault, tmp_path: Path) -> None:
    if fault.name == "disks filled" and not can_mount():
        pytest.skip("no disk can be mounted here: it takes root and unshare")
    outcome = fault.try_on(Bench(tmp_path, fault.few, SEED))
    assert outcome.told == ()
    assert outcome.sound


def test_the_long_run_has_sixty_kills() -> None:
    assert sum(fault.many for fault in FAULTS if "killed" in fault.name) == 60
