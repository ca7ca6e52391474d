from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.core.document import Block, BlockKind, ReferenceKind
from pipelines.core.provenance import Provenance, Span
from pipelines.parse.references import find_references


def block(text: str, kind: BlockKind = BlockKind.PARAGRAPH) -> Block:
    return Block("block:1", kind, text, Provenance("document:1", Span(10, 10 + len(text))))


def found(text: str) -> list[tuple[str, str, str]]:
    return [(reference.kind.value, reference.target, reference.section) for reference in find_references(block(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tighten as in clause 7.3 of STD-014.", [("mention", "STD-014", "7.3")]),
        ("See section 4.2 for torques.", [("cross_reference", "section 4.2", "4.2")]),
        ("Siehe Abschnitt 3.1 der DIN EN 837-1.", [("mention", "DIN EN 837-1", "3.1")]),
        ("Gemäß DS-2041, Abschnitt 5 ist zu prüfen.", [("mention", "DS-2041", "5")]),
        ("详见《安装手册》第3.2节。", [("mention", "安装手册", "3.2")]),
        ("参见《质量手册》。", [("mention", "质量手册", "")]),
        ("All tests follow ISO 80601-2-12:2020 and IEC 62304.", [
            ("mention", "ISO 80601-2-12:2020", ""), ("mention", "IEC 62304", ""),
        ]),
        ("The report IR-2024-044 was filed.", [("mention", "IR-2024-044", "")]),
        ("Prices are in stock_list_2025.csv now.", [("mention", "stock_list_2025.csv", "")]),
        ("See https://a.example/x_(y), then stop.", [("hyperlink", "https://a.example/x_(y)", "")]),
        ("It is told in doi:10.1000/182.", [("citation", "https://doi.org/10.1000/182", "")]),
        ("Please consult the “BOM” document.", [("mention", "BOM", "")]),
        ("Refer to the Assembly Guide for that.", [("mention", "Assembly Guide", "")]),
    ],
)  # fmt: skip
def test_references_are_found(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize("text", ["Section 4 Valves", "The year 2024 was dry.", "Use 4.2 kg of it.", "A b c d."])
def test_other_text_is_not_a_reference(text: str) -> None:
    assert found(text) == []


def test_code_is_not_searched() -> None:
    assert find_references(block("open('a.csv')", BlockKind.CODE)) == []


@given(st.text(alphabet="SECTIONsection 0123456789.-/§《》“”:()ofthe", max_size=300))
def test_evidence_is_the_text_at_its_span(text: str) -> None:
    for reference in find_references(block(text)):
        span = reference.provenance.span
        assert text[span.start - 10 : span.end - 10] == reference.evidence
        assert reference.kind in ReferenceKind


@pytest.mark.parametrize("piece", ["((((...1.1.", "section 1.", "A-1-", "ISO ", "see the Aa ", "http://", "a.b.", "《"])
def test_long_runs_take_linear_time(piece: str) -> None:
    assert len(find_references(block(piece * (200_000 // len(piece))))) < 200_000
