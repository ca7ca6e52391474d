from __future__ import annotations

import pytest

from pipelines.lang.names import names_person


@pytest.mark.parametrize(
    "text",
    ["Signed: Marta Kowalczyk", "José García", "Jan van der Berg", "Иван Петров", "检验：张伟", "Prof. Quill", "王经理",
     "Herr Meier", "valve RS-60 | J. Okafor", "geprüft von M. K. Duval"],
)  # fmt: skip
def test_a_person_is_recognized(text: str) -> None:
    assert names_person(text)


@pytest.mark.parametrize(
    "text",
    [
        "Mineral Oil",
        "Casing Bolts",
        "Signed on the spot",
        "上海工厂",
        "安全主管",
        "Torque Table",
        "载重 | 1000 公斤",
        "项目 | 型号A",
        "A. Scope",
        "see part B. The pump stops",
        "closed on 30 May and Friday 20 June",
    ],
)
def test_things_and_places_are_not_persons(text: str) -> None:
    assert not names_person(text)
