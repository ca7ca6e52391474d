"""Every fault, tried a few times: nothing is lost, and nothing is let in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.bench import Bench, Fault
from tests.faults.disk import can_mount
from tests.faults.faults import FAULTS

NEO4J = "runs with Neo4j killed"
SEED = 12


def marked(fault: Fault) -> object:
    """The fault as a parameter, marked as slow where it is."""
    return pytest.param(fault, id=fault.name, marks=[pytest.mark.slow] if fault.slow else [])


@pytest.mark.parametrize("fault", [marked(fault) for fault in FAULTS if fault.name != NEO4J])
def test_a_fault_costs_nothing(fault: Fault, tmp_path: Path) -> None:
    if fault.name == "disks filled" and not can_mount():
        pytest.skip("no disk can be mounted here: it takes root and unshare")
    outcome = fault.try_on(Bench(tmp_path, fault.few, SEED))
    assert outcome.told == ()
    assert outcome.sound


def test_there_are_sixty_kills_in_all() -> None:
    assert sum(fault.many for fault in FAULTS if "killed" in fault.name) == 60
