"""Questions for serial numbers, months, phone numbers, ranges and what the next sentence says, in six languages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from qa import KnowledgeBase
from tests.qa.corpus import knowledge_of

DOCUMENTS = {
    "turbines.csv": "Turbine,Type,Serial no.\nSA-01,VT-117,117-20931\nSA-04,VT-90,90-11417\n",
    "oiseaux.md": """# Suivi

| Espèce | Nombre | Éolienne |
| --- | --- | --- |
| Noctule | 2 | SA-04 |
| Faucon | 1 | SA-01 |

Neuf cadavres ont été trouvés, dont six chauves-souris.
""",
    "mail.txt": """The new gearbox has the serial number GB-77415.
The old gearbox goes to Winergy in Voerde.

The leading edge of the blade shows erosion on four metres. We will repair it in April, when it is dry.
""",
    "visits.txt": "Team of Hugo Pinto. Bring the torque tool HYTORC 3.\n",
    "contrato.md": """# Preço

| Ano | Preço por aerogerador |
| --- | --- |
| 1 a 2 | 42 500 € |
| 3 a 5 | 46 900 € |
| 6 a 10 | 51 200 € |
""",
    "редуктор.txt": "Если масло течёт, вызывают инженера Ольгу Кравцову, телефон +7 812 555-01-44.\n",
    "weegbrug.csv": """Datum;Leverancier;Product;Netto kg
2025-10-01;Van Dijk Akkerbouw;tarwe;24860
2025-10-02;Van Dijk Akkerbouw;tarwe;25200
2025-10-03;Maatschap De Vries;rogge;17460
""",
    "help.md": """# Viewer

The buttons of the panel pass files on: this button of the panel passes the name of the file under the cursor.

## Results

- View: opens the file in the viewer.
- Files to panel: passes the list of all names that were found.

You can set the number of copies in Settings > Options... > Files. When it is first started, the viewer finds its fonts.
""",
    "rules.md": "# Winter rules\n\nAt least four people clear the yard of snow.\n",
    "diary.txt": "The yard was clear. Twelve people had read the winter rules, others had not.\n",
    "kurtarma.md": "Rüzgâr hızı 18 m/s üzerindeyse göbekte çalışılmaz.\n\nTürbine en az iki kişi çıkar.\n",
}


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    with knowledge_of(DOCUMENTS, tmp_path_factory.mktemp("values")) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("Which type is SA-04?", "VT-90"),
        ("Where does the old gearbox go?", "Winergy"),
        ("What is the serial number of the new gearbox?", "GB-77415"),
        ("When will the leading edge be repaired?", "April"),
        ("What must Hugo Pinto's team bring?", "HYTORC"),
        ("Combien de chauves-souris ont été trouvées ?", "six"),
        ("Quanto custa por aerogerador o ano 4?", "46 900"),
        ("По какому телефону вызывают Ольгу Кравцову?", "555-01-44"),
        ("Wat is het netto gewicht van de rogge?", "17460"),
    ],
)
def test_the_first_quote_has_the_value(knowledge: KnowledgeBase, question: str, value: str) -> None:
    answer = knowledge.ask(question)
    assert value in answer.citations[0].quote
    assert answer.warnings == ()


def test_words_in_quotation_marks_are_looked_for_together(knowledge: KnowledgeBase) -> None:
    assert "passes the list" in knowledge.ask('What does the button "Files to panel" pass on?').citations[0].quote


def test_words_in_quotation_marks_may_be_the_title_of_a_document(knowledge: KnowledgeBase) -> None:
    answer = knowledge.ask('How many people clear the yard according to "Winter rules"?')
    assert "four people" in answer.citations[0].quote


def test_a_question_where_a_number_is_set_asks_for_no_number(knowledge: KnowledgeBase) -> None:
    answer = knowledge.ask("Where can the number of copies be set?")
    assert "Options... > Files" in answer.citations[0].quote
    assert answer.warnings == ()


def test_an_event_does_not_tell_in_which_year(knowledge: KnowledgeBase) -> None:
    answer = knowledge.ask("In which year was the viewer first started?")
    assert answer.abstained or answer.warnings


def test_rows_of_another_day_are_not_listed(knowledge: KnowledgeBase) -> None:
    (cited,) = knowledge.ask("Hoeveel tarwe leverde Van Dijk op 2 oktober?").citations
    assert "25200" in cited.quote


@pytest.mark.parametrize("number", ["17", "9" * 5000])
def test_a_number_outside_all_ranges_is_not_answered_for(knowledge: KnowledgeBase, number: str) -> None:
    answer = knowledge.ask(f"Quanto custa por aerogerador o ano {number}?")
    assert answer.abstained or answer.warnings


def test_a_speed_is_no_number_of_people(knowledge: KnowledgeBase) -> None:
    answer = knowledge.ask("Göbekte kaç kişi çalışabilir?")
    assert answer.abstained or answer.warnings
