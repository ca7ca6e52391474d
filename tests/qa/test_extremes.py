"""Tests that a question for an extreme is answered by the table row that has it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pipelines.ingest.build import build
from pipelines.settings import load
from qa.knowledge_base import KnowledgeBase
from qa.settings import QaSettings

KETTLES = """# Kettles

| Model | Volume | Mass | Warranty | Price |
| --- | --- | --- | --- | --- |
| Arno | 1.7 l | 1.2 kg | 2 years | 39.00 EUR |
| Brit | 800 ml | 950 g | 18 months | 55.00 EUR |
| Carl | 1.2 l | 1.4 kg | 3 years | 1,020.00 EUR |
| Dora | 1.0 l | 1.1 kg | 3 years | on request |

## Results of the kitchen test

| Quantity | Arno | Brit | Carl |
| --- | --- | --- | --- |
| Sound level | 66 dB | 71 dB | 58 dB |
| Boiling time | 240 s | 3 min | 5 min |

The largest lid is that of the Brit, it is 14 cm wide.
"""
LAMPEN = """# Leuchten für die Werkstatt

| Leuchte | Lichtstrom | Gewicht | Preis |
| --- | --- | --- | --- |
| Arbeitsleuchte Lux | 1.200 lm | 0,8 kg | 19,90 EUR |
| Arbeitsleuchte Rex | 900 lm | 650 g | 1.024,00 EUR |
| Stehleuchte Max | 3.500 lm | 4,2 kg | 89,00 EUR |
"""
VELOS = """# Vélos à louer

| Vélo | Autonomie | Poids | Prix par jour |
| --- | --- | --- | --- |
| Azur | 60 km | 24 kg | 35 € |
| Brume | 85 km | 27 kg | 42 € |
| Cime | 40 km | 19 kg | 51 € |
"""
DIANSHAN = """# 电扇规格

| 型号 | 风量 | 重量 | 价格 |
| --- | --- | --- | --- |
| 清风 | 1200 m³/h | 5.2 kg | 199 元 |
| 和风 | 900 m³/h | 3.8 kg | 259 元 |
| 大风 | 2400 m³/h | 9.5 kg | 429 元 |
"""
VALVES = "Valve;Bore;List price\n" + "".join(
    f"Globe valve GV-{place};{place + 10} mm;{place * 7 % 97 + 20}.50 EUR\n" for place in range(1, 90)
)
"""A table of several chunks; GV-14 is the cheapest one (98 modulo 97), GV-83 the most expensive one (581 modulo 97)."""
HARBOUR = "# Cranes in {}\n\n| Crane | Lifting capacity | Built |\n| --- | --- | --- |\n"
NORTH = HARBOUR.format("the north harbour") + "| Nora | 40 t | 1998 |\n| Nils | 900 kg | 2011 |\n"
SOUTH = HARBOUR.format("the south harbour") + "| Sven | 64 t | 2004 |\n| Siri | 12 t | 1987 |\n"


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder, kb = tmp_path_factory.mktemp("files"), tmp_path_factory.mktemp("kb") / "kb"
    texts = {"kettles": KETTLES, "lampen": LAMPEN, "velos": VELOS, "电扇": DIANSHAN, "north": NORTH, "south": SOUTH}
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    (folder / "valves.csv").write_text(VALVES)
    build(folder, kb, load(None, {"ingest.workers": 1}, QaSettings).settings)
    with KnowledgeBase.open(kb) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "winner", "cell"),
    [
        ("Which kettle is the cheapest?", "Arno", "39.00 EUR"),
        ("What is the most expensive kettle?", "Carl", "1,020.00 EUR"),
        ("Which kettle has the smallest volume?", "Brit", "800 ml"),
        ("Which is the lightest kettle?", "Brit", "950 g"),
        ("Which kettle has the highest sound level?", "Brit", "71 dB"),
        ("Which kettle has the shortest boiling time?", "Brit", "3 min"),
        ("Which globe valve is the cheapest?", "GV-14;", "21.50 EUR"),
        ("Which globe valve is the most expensive?", "GV-83;", "116.50 EUR"),
        ("Which crane has the highest lifting capacity?", "Sven", "64 t"),
        ("Which crane has the lowest lifting capacity?", "Nils", "900 kg"),
        ("What is the oldest crane?", "Siri", "1987"),
        ("Which crane in the north harbour has the highest lifting capacity?", "Nora", "40 t"),
        ("Welche Leuchte hat den größten Lichtstrom?", "Max", "3.500 lm"),
        ("Welche Arbeitsleuchte ist am leichtesten?", "Rex", "650 g"),
        ("Was ist die teuerste Leuchte?", "Rex", "1.024,00 EUR"),
        ("Quel vélo a la plus grande autonomie ?", "Brume", "85 km"),
        ("Quel est le vélo le moins cher ?", "Azur", "35 €"),
        ("哪台电扇的风量最大？", "大风", "2400 m³/h"),
        ("最便宜的电扇是哪台？", "清风", "199 元"),
    ],
)
def test_the_row_with_the_extreme_is_quoted(knowledge: KnowledgeBase, question: str, winner: str, cell: str) -> None:
    answer = knowledge.ask(question)
    assert len(answer.claims) == 1
    assert winner in answer.text
    assert cell in answer.text


def test_all_rows_with_the_same_extreme_value_are_quoted(knowledge: KnowledgeBase) -> None:
    answer = knowledge.ask("Which kettle has the longest warranty?")
    assert [claim.text.partition(";")[0] for claim in answer.claims] == ["Carl", "Dora"]


@pytest.mark.parametrize(
    ("question", "winners"),
    [
        ("What are the two heaviest kettles?", ["Carl", "Arno"]),
        ("Was sind die zwei leichtesten Leuchten?", ["Arbeitsleuchte Rex", "Arbeitsleuchte Lux"]),
    ],
)
def test_the_number_of_rows_asked_for_is_quoted_in_order(
    knowledge: KnowledgeBase, question: str, winners: list[str]
) -> None:
    assert [claim.text.partition(";")[0] for claim in knowledge.ask(question).claims] == winners


def test_cells_without_a_comparable_value_are_reported(knowledge: KnowledgeBase) -> None:
    answer = knowledge.ask("Which kettle is the cheapest?")
    assert answer.warnings == ("1 cell has no value that could be compared.",)


def test_the_citation_is_the_row(knowledge: KnowledgeBase) -> None:
    answer = knowledge.ask("Welche Leuchte hat den größten Lichtstrom?")
    (cited,) = answer.citations
    assert "Stehleuchte Max" in cited.quote
    assert "Rex" not in cited.quote


def test_a_sentence_that_states_the_extreme_comes_before_tables(knowledge: KnowledgeBase) -> None:
    assert "The largest lid is that of the Brit" in knowledge.ask("Which kettle has the largest lid?").text
