"""Tests of extractive answers from tables: merged cells, groups of rows, complete lists and comparisons."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pipelines.ingest.build import build
from pipelines.settings import load
from qa.knowledge_base import KnowledgeBase
from qa.settings import QaSettings

PINS = """<h1>Controller board</h1><table>
<tr><th>Connector</th><th>Pin</th><th>Function</th></tr>
<tr><td rowspan="3">CAN bus</td><td>H</td><td>high line</td></tr>
<tr><td>L</td><td>low line</td></tr><tr><td>EN</td><td>enable signal</td></tr>
<tr><td rowspan="2">Display</td><td>SDA</td><td>data line</td></tr><tr><td>RST</td><td>not used</td></tr></table>
<table><tr><th>Supply</th><th>Volts</th></tr><tr><td>Logic</td><td>3.3</td></tr></table>"""
LIMITS = """<h1>Charge controller</h1><table>
<tr><th rowspan="2">Feature</th><th rowspan="2">Unit</th><th colspan="2">Model</th></tr>
<tr><th>MC-10</th><th>MC-20</th></tr>
<tr><td colspan="4">Load output</td></tr><tr><td>Maximum current</td><td>A</td><td>10</td><td>20</td></tr>
<tr><td colspan="4">USB socket</td></tr><tr><td>Maximum current</td><td>A</td><td colspan="2">2.5</td></tr></table>"""
TEILE = """<h1>Ersatzteile der Anlage</h1><table><tr><th>Gruppe</th><th>Teil</th><th>Werkstoff</th></tr>
<tr><td rowspan="2">Ventil</td><td>Gehäuse</td><td>Messing</td></tr><tr><td>Feder</td><td>Stahl</td></tr></table>"""
PIECES = """<h1>Pièces de la machine</h1><table><tr><th>Groupe</th><th>Pièce</th><th>Matière</th></tr>
<tr><td rowspan="2">Soupape</td><td>Corps</td><td>laiton</td></tr><tr><td>Ressort</td><td>acier</td></tr></table>"""
LINGJIAN = """<h1>设备零件表</h1><table><tr><th>部件</th><th>零件</th><th>材料</th></tr>
<tr><td rowspan="2">阀门</td><td>阀体</td><td>黄铜</td></tr><tr><td>弹簧</td><td>弹簧钢</td></tr></table>"""

PRICES = """<h1>Price list</h1><table><tr><th>Part</th><th>Description</th><th>Price</th></tr>
<tr><td>V-310</td><td>Valve spring</td><td>12.50 EUR</td></tr>
<tr><td>V-320</td><td>Valve body</td><td>80.00 EUR</td></tr>
</table><h1>Notes</h1><p>The freight of the valve spring costs 185.00 EUR. The V-330 is a valve seat of steel.</p>"""

BOARD = "27pF;C7,C8;0805;C8031\n8MHz;Y2;SMD-5032;C112659\nSN65HVD234;IC1;SOIC-8;C99818\n"
"""A parts list without a header."""


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder, kb = tmp_path_factory.mktemp("files"), tmp_path_factory.mktemp("kb") / "kb"
    for name, text in (
        ("pins", PINS),
        ("limits", LIMITS),
        ("teile", TEILE),
        ("pieces", PIECES),
        ("设备", LINGJIAN),
        ("prices", PRICES),
    ):
        (folder / f"{name}.html").write_text(f"<html><meta charset=utf-8>{text}</html>", encoding="utf-8")
    (folder / "board.csv").write_text(BOARD)
    build(folder, kb, load(None, {"ingest.workers": 1}, QaSettings).settings)
    with KnowledgeBase.open(kb) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What is pin L of the CAN bus?", "CAN bus; Pin: L; Function: low line"),
        ("Aus welchem Werkstoff ist die Feder im Ventil?", "Ventil; Teil: Feder; Werkstoff: Stahl"),
        ("En quelle matière est le ressort de la soupape ?", "Soupape; Pièce: Ressort; Matière: acier"),
        ("阀门的弹簧是什么材料?", "阀门; 零件: 弹簧; 材料: 弹簧钢"),
    ],
)
def test_a_row_beside_a_merged_cell_is_quoted_with_the_cell(knowledge: KnowledgeBase, question: str, told: str) -> None:
    assert told in knowledge.ask(question).text


def test_a_row_below_a_merged_cell_over_all_columns_is_quoted_with_the_cell(knowledge: KnowledgeBase) -> None:
    answer = knowledge.ask("Which maximum current does the load output of the MC-20 have?")
    assert answer.claims[0].text == "Load output; Maximum current; Unit: A; Model MC-20: 20"


def test_a_cell_over_several_columns_is_quoted_once_with_all_column_names(knowledge: KnowledgeBase) -> None:
    answer = knowledge.ask("Which maximum current does the USB socket have?")
    assert answer.claims[0].text == "USB socket; Maximum current; Unit: A; Model MC-10, MC-20: 2.5"


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Which pins does the CAN bus have? List all.", ["H", "L", "EN"]),
        ("Welche Teile gehören zum Ventil? Nenne alle.", ["Gehäuse", "Feder"]),
        ("Quelles sont les pièces de la soupape ?", ["Corps", "Ressort"]),
        ("阀门有哪些零件?", ["阀体", "弹簧"]),
    ],
)
def test_a_list_has_exactly_the_rows_asked_about(knowledge: KnowledgeBase, question: str, told: list[str]) -> None:
    answer = knowledge.ask(question)
    assert len(answer.claims) == len(told)
    assert all(name in claim.text for name, claim in zip(told, answer.claims, strict=True))
    assert answer.warnings == ()


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Which of the two is the data line of the display, SDA or RST?", {"data line", "not used"}),
        ("Worin unterscheiden sich Gehäuse und Feder im Werkstoff?", {"Messing", "Stahl"}),
        ("Quelle différence de matière entre le corps et le ressort ?", {"laiton", "acier"}),
        ("阀体和弹簧的材料有什么区别?", {"黄铜", "弹簧钢"}),
    ],
)
def test_a_comparison_quotes_both_sides(knowledge: KnowledgeBase, question: str, told: set[str]) -> None:
    text = knowledge.ask(question).text
    assert all(value in text for value in told)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "Compare the MC-10 and the MC-20.",
            ["Load output; Maximum current; Unit: A; Model MC-10: 10; Model MC-20: 20",
             "USB socket; Maximum current; Unit: A; Model MC-10, MC-20: 2.5"],
        ),
        ("V-310 vs V-320", ["V-310; Description: Valve spring; Price: 12.50 EUR",
                            "V-320; Description: Valve body; Price: 80.00 EUR"]),
        ("Was ist der Unterschied zwischen MC-10 und MC-20?",
         ["Load output; Maximum current; Unit: A; Model MC-10: 10; Model MC-20: 20",
          "USB socket; Maximum current; Unit: A; Model MC-10, MC-20: 2.5"]),
        ("V-310和V-320有什么区别?", ["V-310; Description: Valve spring; Price: 12.50 EUR",
                               "V-320; Description: Valve body; Price: 80.00 EUR"]),
    ],
)  # fmt: skip
def test_a_comparison_without_a_property_quotes_all_common_rows_of_both(
    knowledge: KnowledgeBase, question: str, told: list[str]
) -> None:
    assert [claim.text for claim in knowledge.ask(question).claims] == told


@pytest.mark.parametrize(
    ("question", "price"),
    [
        ("What does the valve spring V-310 cost?", "12.50 EUR"),
        ("Wie teuer ist die Ventilfeder V-310?", "12.50 EUR"),
        ("Quel est le prix du ressort V-310 ?", "12.50 EUR"),
        ("V-310 的价格是多少?", "12.50 EUR"),
    ],
)
def test_a_price_is_that_of_the_named_part(knowledge: KnowledgeBase, question: str, price: str) -> None:
    answer = knowledge.ask(question)
    assert price in answer.claims[0].text


def test_a_price_question_about_a_part_without_a_price_is_refused(knowledge: KnowledgeBase) -> None:
    assert knowledge.ask("What does the valve seat V-330 cost?").abstained


def test_a_price_comparison_quotes_both_prices(knowledge: KnowledgeBase) -> None:
    text = knowledge.ask("Which part is cheaper, V-310 or V-320?").text
    assert "12.50 EUR" in text
    assert "80.00 EUR" in text


def test_a_row_of_a_table_without_a_header_has_no_other_row_as_context(knowledge: KnowledgeBase) -> None:
    answer = knowledge.ask("Which package has the SN65HVD234?")
    assert answer.citations[0].quote == "SN65HVD234 | IC1 | SOIC-8 | C99818"
    assert answer.citations[0].context == ""
