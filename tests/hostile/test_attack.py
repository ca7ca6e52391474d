"""Tests of ingesting hostile files, each beside a good one.

All cases take seven minutes on two processors, so a third is tried here, selected by a hash of the name; `make trust`
tries all of them.
"""

from __future__ import annotations

from pathlib import Path
from zlib import crc32

import pytest

from tests.hostile.all_cases import CASES, FAMILIES
from tests.hostile.attack import attack
from tests.hostile.case import Case

LIMITS = ("parse.limits.cpu_s=30", "parse.limits.memory_mb=1500", "parse.limits.output_mb=20")
TOGETHER = 45
SHARE = 3


def _folders() -> list[tuple[str, int]]:
    return [(name, start) for name, cases in FAMILIES.items() for start in range(0, len(_light(name)), TOGETHER)]


def _light(family: str) -> list[Case]:
    return [case for case in FAMILIES[family] if not case.heavy and crc32(case.name.encode()) % SHARE == 0]


@pytest.mark.slow
@pytest.mark.parametrize(("family", "start"), [pytest.param(*one, id=f"{one[0]}-{one[1]}") for one in _folders()])
def test_hostile_files_neither_affect_their_neighbour_nor_let_anything_in(
    family: str, start: int, tmp_path: Path
) -> None:
    verdicts = attack(_light(family)[start : start + TOGETHER], tmp_path, LIMITS)
    assert [(one.name, one.wrong, one.lost, one.let_in) for one in verdicts if not one.survived] == []


def test_there_are_over_180_cases_with_unique_names() -> None:
    assert len({case.name for case in CASES}) == len(CASES) > 180
