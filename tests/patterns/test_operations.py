"""What reads a whole document costs operations in proportion to its length, whatever stands in it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.patterns.metered import FACTOR, GROWTH


@pytest.mark.slow
def test_eight_times_the_text_costs_no_more_than_sixteen_times_the_operations() -> None:
    command = [sys.executable, "-m", "tests.patterns.metered"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert {name for name, *_ in told} >= {"sentences", "parse", "chunk", "atomize", "card", "records", "quotes"}
    assert FACTOR < GROWTH < FACTOR**2
    assert [one for one in told if one[4]] == []
