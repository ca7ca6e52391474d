"""Questions that select rows of a table by a bound or a rank, or ask for their number."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pipelines.ingest.build import build
from pipelines.settings import load
from qa.knowledge_base import KnowledgeBase
from qa.settings import QaSettings

DOCUMENTS = Path(__file__).parents[2] / "benchmarks" / "unanswerable" / "documents"
FOLDERS = ("bikes-en", "prices-es", "clinic-zh", "valves-fr", "museum-pt")
ALARMS = """# Alarms of the pump

| Code | Meaning | Action | Added |
| --- | --- | --- | --- |
| A1 | Bearing too hot | Stop the pump | 2019-03-04 |
| A2 | Dry running | Open the suction valve | 2021-07-12 |
| A3 | Overpressure | Close the inlet | 2022-01-20 |
"""
LADDERS = """# Leitern im Lager

| Leiter | Länge | Zustand |
| --- | --- | --- |
| L-1 | 3 m | geprüft |
| L-2 | 4 m | nicht geprüft |
| L-3 | 4 m | geprüft |
| L-4 | 6 m | in Reparatur |
"""
DRIVES = """# Stepper drives with known timing

| Manufacturer | Model | Steps on | Step time (ns) |
| --- | --- | --- | --- |
| Gecko | G201 | falling edge | 500 |
| Gecko | G203V | rising edge | 1000 |
| Pololu | A4988 | rising edge | 1000 |
| Gecko | G540 | rising edge | 1000 |
| Pololu | DRV8825 | rising edge | 1900 |
| Parker | Zeta | falling edge | 200 |
"""
RELAYS = """# Relais im Schaltschrank

| Bezeichnung | Hersteller | Einbauort |
| --- | --- | --- |
| KA1 | Finder | Feld 1 |
| KA2 | Phoenix | Feld 2 |
| KA3 | Finder | Feld 2 |
| KA4 | Omron | Feld 1 |
"""
PARTS = "Teil;Preis\nÖlfilter;24,50 €\nLuftfilter;31,00 €\nKeilriemen;18,90 €\nDichtungssatz;112,00 €\n"


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder, kb = tmp_path_factory.mktemp("files"), tmp_path_factory.mktemp("kb") / "kb"
    for name in FOLDERS:
        for path in (DOCUMENTS / name).iterdir():
            (folder / f"{name}-{path.name}").write_bytes(path.read_bytes())
    (folder / "alarms.md").write_text(ALARMS)
    (folder / "leitern.md").write_text(LADDERS)
    (folder / "drives.md").write_text(DRIVES)
    (folder / "relais.md").write_text(RELAYS)
    (folder / "teile.csv").write_text(PARTS)
    build(folder, kb, load(None, {"ingest.workers": 1}, QaSettings).settings)
    with KnowledgeBase.open(kb) as opened:
        yield opened


def _rows(knowledge: KnowledgeBase, question: str) -> list[str]:
    """Return the first cells of the quoted rows."""
    claims = [claim.text for claim in knowledge.ask(question).claims]
    return [text.split(";")[0] for text in claims if not text.endswith(" rows")]


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which bikes have a range of more than 65 km?", ["Hulda 2", "Hulda 2 Long"]),
        ("Which bikes weigh less than 40 kg?", ["Hulda 1", "Hulda 2"]),
        ("Which bikes have a payload of 120 kg or more?", ["Hulda 2", "Hulda 2 Long"]),
        ("Which bike has a wheelbase over 2 m?", ["Hulda 2 Long"]),
        ("Which bikes have a range between 65 and 72 km?", ["Hulda 2 Long"]),
        ("Que peças são de entre 1900 e 1915?", ["Vestido de festa"]),
        ("¿Qué servicios cuestan menos de 60 euros?", ["Cambio de aceite", "Alineación de ruedas"]),
        ("价格低于100元的项目有哪些？", ["血常规", "肝功能"]),
        ("Quelles vannes ont une masse de plus de 1 kg ?", ["V-32", "V-50"]),
        ("Que peças são de antes de 1900?", ["Canoa de pesca", "Mapa do delta"]),
        ("Which alarms were added after 2021?", ["A3"]),
        ("Welche Teile kosten mehr als 30 Euro?", ["Luftfilter", "Dichtungssatz"]),
    ],
)
def test_rows_beyond_a_bound_are_quoted(knowledge: KnowledgeBase, question: str, rows: list[str]) -> None:
    assert _rows(knowledge, question) == rows


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("Which is the second lightest bike?", "Hulda 2"),
        ("Was ist das zweitgünstigste Teil?", "Ölfilter"),
        ("Quelle est la deuxième vanne la plus lourde ?", "V-32"),
    ],
)
def test_the_row_with_the_rank_is_quoted(knowledge: KnowledgeBase, question: str, row: str) -> None:
    assert _rows(knowledge, question) == [row]


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("How many bikes have a payload of at least 120 kg?", "2 of 3 rows"),
        ("How many bikes have disc brakes?", "2 rows"),
        ("How many alarms of the pump are there?", "3 rows"),
        ("¿Cuántos servicios cuestan más de 100 €?", "2 of 5 rows"),
        ("有多少个项目的价格超过100元？", "3 of 5 rows"),
    ],
)
def test_the_number_of_rows_is_stated_and_cites_them(knowledge: KnowledgeBase, question: str, count: str) -> None:
    first, *rows = knowledge.ask(question).claims
    assert first.text == count
    assert len(rows) == int(count.partition(" ")[0])
    assert set(first.citations) == {number for row in rows for number in row.citations}


def test_a_number_in_a_cell_is_not_the_number_of_rows(knowledge: KnowledgeBase) -> None:
    answer = knowledge.ask("How many kilograms does the Hulda 2 Long weigh?")
    assert "44 kg" in answer.text
    assert "rows" not in answer.text


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which bikes do not have disc brakes?", ["Hulda 1"]),
        ("Which alarms do not stop the pump?", ["A2", "A3"]),
        ("Welche Leitern sind nicht geprüft?", ["L-2", "L-4"]),
    ],
)
def test_rows_without_a_negated_word_are_quoted(knowledge: KnowledgeBase, question: str, rows: list[str]) -> None:
    assert _rows(knowledge, question) == rows


def test_that_no_row_is_beyond_the_bound_is_said(knowledge: KnowledgeBase) -> None:
    answer = knowledge.ask("Which bikes have a range of more than 200 km?")
    assert answer.claims == ()
    assert answer.warnings == ("None of 3 values of Range is in the range that is asked for.",)


@pytest.mark.parametrize(("question", "row"), [("What does alarm A2 mean?", "A2"), ("What does A3 mean?", "A3")])
def test_the_row_of_a_code_is_its_definition(knowledge: KnowledgeBase, question: str, row: str) -> None:
    assert _rows(knowledge, question) == [row]


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which models from Pololu are known?", ["A4988", "DRV8825"]),
        ("Which Gecko drives step on the rising edge?", ["G203V", "G540"]),
        ("Which drive is from Parker?", ["Zeta"]),
        ("Welches Relais ist von Finder?", ["KA1", "KA3"]),
    ],
)
def test_all_rows_with_the_words_of_the_best_one_are_quoted(
    knowledge: KnowledgeBase, question: str, rows: list[str]
) -> None:
    claims = [claim.text for claim in knowledge.ask(question).claims]
    assert len(claims) == len(rows)
    assert all(row in claim for row, claim in zip(rows, claims, strict=True))


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("How many Gecko models are there?", "3 rows"),
        ("How many models step on the rising edge?", "4 rows"),
        ("Wie viele Relais sind von Finder?", "2 rows"),
    ],
)
def test_rows_with_a_word_are_counted(knowledge: KnowledgeBase, question: str, count: str) -> None:
    answer = knowledge.ask(question)
    assert answer.claims
    assert answer.claims[0].text == count
