"""Tests of reading the words around the name of a document, in several languages."""

from __future__ import annotations

import pytest

from pipelines.graph.mentions import ChunkText, NameMatcher, read_citation


@pytest.mark.parametrize(
    ("before", "after", "part"),
    [
        ("as in clause 7.3 of ", "", "7.3"),
        ("see annex B of the ", "", "B"),
        ("gemäß Abschnitt 4.2 der ", "", "4.2"),
        ("voir le chapitre 15 du ", "", "15"),
        ("", ", раздел 5.18", "5.18"),
        ("", "第4.2节", "4.2"),
        ("", " tables are left out", ""),
        ("Some third-party ", "", ""),
        ("", " body", ""),
    ],
)
def test_the_part_beside_a_name_is_read(before: str, after: str, part: str) -> None:
    assert read_citation(before, after)[1].part == part


@pytest.mark.parametrize(
    ("before", "takes_place"),
    [
        ("This standard supersedes ", 1),
        ("Diese Norm ersetzt ", 1),
        ("Cette norme remplace ", 1),
        ("Esta norma sustituye a ", 1),
        ("本标准代替", 1),
        ("It was superseded by ", -1),
        ("Sie ist ersetzt durch ", -1),
        ("Elle a été remplacée par ", -1),
        ("The remplacement of ", 0),
        ("It belongs to ", 0),
    ],
)
def test_words_for_superseding_are_recognized_with_their_direction(before: str, takes_place: int) -> None:
    assert read_citation(before, "")[1].takes_place == takes_place


@pytest.mark.parametrize(
    ("text", "cue"),
    [
        ("see pump manual", True),
        ("Siehe die Pump Manual", True),
        ("consulte o pump manual", True),
        ("см. pump manual", True),
        ("参见《pump manual》", True),
        ("the pump manual", False),
        ("oversee pump manual", False),
    ],
)
def test_words_before_a_name_that_refer_to_it_are_recognized(text: str, cue: bool) -> None:
    (found,) = NameMatcher(["pump manual"]).find([ChunkText("chunk:1", 0, text)])
    assert found.cue is cue
