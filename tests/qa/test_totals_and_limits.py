"""Questions for totals, and for rows beyond the limit in another column, answered without a language model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from pipelines import build
from qa import KnowledgeBase

TABLES = {
    "en": "item,on hand,minimum stock,price (EUR)\nGasket G-4,12,20,3.50\nBearing B-9,40,15,18.20\nBelt V-2,3,5,9.90\n",
    "de": "Monat;Wasser (m³);Grenzwert (m³)\nApril;2000;2500\nMai;2110;2000\nJuli;3100;3000\nSumme;7210;7500\n",
    "fr": "Article;Stock;Stock minimum;Prix (EUR)\nJoint J-1;12;20;3,50\nRoulement R-9;40;15;18,20\nTotal;52;35;\n",
    "it": "Ordine;Cliente;Quantità;Peso (kg);Lunghezza totale (mm)\nO1;Rossi;500;12;80\nO2;Bianchi;300;20;90\n"
    "O3;Rossi;200;10;70\n",
    "es": "Línea;Piezas hechas;Objetivo\nL1;480;500\nL2;610;550\nL3;2010;2000\nTotal;3100;3050\n",
}


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, KnowledgeBase]]:
    with ExitStack() as opened:
        found = {}
        for language, table in TABLES.items():
            folder = tmp_path_factory.mktemp(language)
            (folder / "table.csv").write_text(table, encoding="utf-8")
            build(folder, folder.with_name(f"kb-{language}"))
            found[language] = opened.enter_context(KnowledgeBase.open(folder.with_name(f"kb-{language}")))
        yield found


def rows(knowledge: dict[str, KnowledgeBase], language: str, question: str) -> list[str]:
    return [claim.text.partition(";")[0] for claim in knowledge[language].ask(question).claims]


@pytest.mark.parametrize(
    ("language", "question", "total"),
    [
        ("de", "Wie viel Wasser wurde insgesamt verbraucht?", "7210"),
        ("de", "Wie hoch ist die Summe beim Wasser?", "7210"),
        ("fr", "Quel est le total du stock ?", "52"),
        ("es", "¿Cuántas piezas se hicieron en total?", "3100"),
    ],
)
def test_a_question_for_a_total_is_answered_by_the_row_of_totals(
    knowledge: dict[str, KnowledgeBase], language: str, question: str, total: str
) -> None:
    answer = knowledge[language].ask(question)
    assert len(answer.claims) == 1
    assert total in answer.text


def test_a_merged_first_cell_is_quoted_once(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    head, rows = "<tr><th>Article<th>Pieces<th>Price", "<tr><td>Seal<td>3<td>12.40 EUR<tr><td>Filter<td>1<td>48.00 EUR"
    total = "<tr><td colspan=2>Total<td>85.20 EUR"
    (tmp_path / "source" / "order.html").write_text(f"<h1>Order 88</h1><table>{head}{rows}{total}</table>")
    build(tmp_path / "source", tmp_path / "kb")
    with KnowledgeBase.open(tmp_path / "kb") as opened:
        assert opened.ask("What is the total price of order 88?").text == "Total; Price: 85.20 EUR"


@pytest.mark.parametrize(
    ("language", "question", "total"),
    [
        ("en", "How many items are on hand in total?", "55 (sum of 3 rows)"),
        ("en", "What is the total price?", "31.6 EUR (sum of 3 rows)"),
        ("it", "Qual è la quantità totale ordinata da Rossi?", "700 (sum of 2 rows)"),
        ("it", "Qual è il peso totale?", "42 kg (sum of 3 rows)"),
        ("it", "Qual è il peso medio degli ordini di Rossi?", "11 kg (average of 2 rows)"),
        ("en", "What is the average price?", "10.5333 EUR (average of 3 rows)"),
    ],
)
def test_without_a_row_of_totals_the_cells_are_added_or_averaged(
    knowledge: dict[str, KnowledgeBase], language: str, question: str, total: str
) -> None:
    answer = knowledge[language].ask(question)
    assert answer.claims[0].text == total
    assert answer.claims[0].citations == tuple(
        dict.fromkeys(one for claim in answer.claims[1:] for one in claim.citations)
    )


def test_a_sum_over_rows_that_lack_a_word_of_the_question_says_so(knowledge: dict[str, KnowledgeBase]) -> None:
    assert any("fragile" in one for one in knowledge["en"].ask("What is the total price of fragile items?").warnings)
    assert not knowledge["en"].ask("What is the total price?").warnings


def test_a_property_whose_name_has_a_word_for_a_sum_is_not_added(knowledge: dict[str, KnowledgeBase]) -> None:
    assert not any("sum of" in claim.text for claim in knowledge["it"].ask("Qual è la lunghezza totale?").claims)


@pytest.mark.parametrize(
    ("language", "question", "row"),
    [
        ("de", "In welchem Monat wurde am meisten Wasser verbraucht?", "Juli"),
        ("de", "In welchem Monat wurde am wenigsten Wasser verbraucht?", "April"),
        ("es", "¿Qué línea hizo más piezas?", "L3"),
        ("es", "¿Qué línea hizo menos piezas?", "L1"),
    ],
)
def test_a_total_is_no_extreme_and_a_quantity_no_year(
    knowledge: dict[str, KnowledgeBase], language: str, question: str, row: str
) -> None:
    assert rows(knowledge, language, question) == [row]


@pytest.mark.parametrize(
    ("language", "question", "found"),
    [
        ("en", "Which items are below the minimum stock?", ["Gasket G-4", "Belt V-2"]),
        ("en", "Which items are above minimum stock?", ["Bearing B-9"]),
        ("de", "Welche Monate liegen über dem Grenzwert?", ["Mai", "Juli"]),
        ("fr", "Quels articles sont en dessous du stock minimum ?", ["Joint J-1"]),
        ("es", "¿Qué líneas están por debajo del objetivo?", ["L1"]),
    ],
)
def test_rows_are_selected_by_the_limit_in_another_column(
    knowledge: dict[str, KnowledgeBase], language: str, question: str, found: list[str]
) -> None:
    assert rows(knowledge, language, question) == found


def test_an_amount_in_the_currency_of_its_column_is_compared(knowledge: dict[str, KnowledgeBase]) -> None:
    assert rows(knowledge, "fr", "Quels articles coûtent plus de 5 EUR ?") == ["Roulement R-9"]


def test_a_limit_that_no_column_has_is_not_passed_over_in_silence(knowledge: dict[str, KnowledgeBase]) -> None:
    answer = knowledge["en"].ask("Which items are below the order quantity?")
    assert answer.abstained or answer.warnings
