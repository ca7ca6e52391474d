from __future__ import annotations

import pytest

from pipelines.lang.word_lists import named_codes


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Use the K80-250, see clause 7.3 of STD-014.", ["K80-250", "7.3", "STD-014"]),
        ("Siehe Abschnitt 4.2 und Tabelle 3.", ["4.2", "3"]),
        ("见第3节和2.1条。", ["3", "2.1"]),
        ("Five pumps in hall 3.", []),
    ],
)
def test_codes_and_section_numbers_are_recognized(text: str, codes: list[str]) -> None:
    assert named_codes(text) == codes
