from __future__ import annotations

from array import array
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.lang.terms import terms
from pipelines.retrieve.index import document_words, name_key, title_keys, word_ngrams
from pipelines.retrieve.sparse_rows import Entries, SparseRows, rows_of


@given(st.dictionaries(st.tuples(st.integers(0, 5), st.integers(0, 4)), st.integers(1, 9)))
def test_sparse_rows_and_their_transpose_hold_the_entries_they_were_built_from(
    pairs: dict[tuple[int, int], int],
) -> None:
    rows = rows_of(Entries.flat(array("i", chain.from_iterable(pairs)), array("f", pairs.values())), 6)
    assert _entries(rows) == pairs
    assert {(r, c): v for (c, r), v in _entries(rows.transposed(5)).items()} == pairs
    owner, places = rows.gather(np.arange(6, dtype=np.int32))
    gathered = zip(owner.tolist(), rows.columns[places].tolist(), strict=True)
    assert sorted(gathered) == sorted(pairs)
    assert rows.counts().tolist() == [sum(r == row for r, _ in pairs) for row in range(6)]


def _entries(rows: SparseRows) -> dict[tuple[int, int], int]:
    return {
        (row, int(column)): int(value)
        for row in range(rows.size)
        for column, value in zip(rows.columns_of(row), rows.values_of(row), strict=True)
    }


@pytest.mark.parametrize(
    ("title", "keys"),
    [
        ("Twins (group)", ["twins group", "twins"]),
        ("Jacksonville, Florida", ["jacksonville florida", "jacksonville"]),
        ("The", []),
        ("水泵（旧）", ["水泵 旧", "水泵"]),
    ],
)
def test_a_title_has_keys_for_its_shorter_forms(title: str, keys: list[str]) -> None:
    assert list(title_keys(title)) == keys


@pytest.mark.parametrize(
    ("title", "language"), [("Über das", "de"), ("Et vous", "fr"), ("Who they", "en"), ("什么", "zh")]
)
def test_a_title_of_function_words_in_its_language_has_no_keys(title: str, language: str) -> None:
    assert list(title_keys(title, language)) == []
    assert list(title_keys(f"{title} Torvik", language)) != []


@pytest.mark.parametrize(("language", "called"), [("en", "mail"), ("de", "nachricht"), ("zh", "邮件")])
def test_the_words_of_a_document_include_its_kind_in_its_language(language: str, called: str) -> None:
    assert set(terms(called, language)) <= set(document_words("Re: seals", "a.eml", "message/rfc822", language))


def test_name_keys_ignore_case_punctuation_and_diacritics() -> None:
    assert name_key("DS-2041 (Rev. B)") == name_key("ds 2041 rev b")
    assert name_key("Akinoshū Kenji") == name_key("akinoshu kenji")
    assert name_key("が 가") == "が 가"
    assert [key for _, _, key in word_ngrams("one two three", 2)] == ["one two", "two three", "one", "two", "three"]


def test_the_words_of_a_document_come_from_title_file_name_and_kind() -> None:
    found = document_words("Pump list", "x/PumpPrices_2024.xlsx", "application/vnd.spreadsheetml.sheet")
    assert {"pump", "list", "price", "2024", "spreadsheet", "workbook"} <= set(found)
    assert document_words("", "", "") == []
