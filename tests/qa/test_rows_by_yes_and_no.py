"""Rows that a column of yes and no selects, items of a list by their place, counts, and verbs told as nouns."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pipelines.ingest.build import build
from pipelines.settings import load
from qa.knowledge_base import KnowledgeBase
from qa.settings import QaSettings

FILES = {
    "machines.md": """# Coffee machines

| Model | Power | Milk frother | Grinder |
| --- | --- | --- | --- |
| Aroma 1 | 1200 W | – | ✓ |
| Aroma 2 | 1450 W | ✓ | ✓ |
| Basic | 900 W | – | – |
| Lungo | 1500 W | ✓ | – |
""",
    "hire.md": """# Riverside Hire

Riverside Hire lends bikes and kayaks by the river. Anyone can rent a bike with a deposit and an identity card.
The harbour has 14 moorings.

## Returning a kayak

The steps are:

1. Lift the kayak out of the water.
2. Rinse the seat.
3. Hang up the life jacket.
4. Sign the book.
""",
    "pumpe.md": """# Betriebsanweisung der Pumpe

Die Pumpe wird bei einem Druck von 6 bar abgeschaltet. Bei 4 bar schaltet sie sich wieder ein.
Hersteller: Nordlicht Pumpenbau GmbH.
""",
    "geraete.csv": "Regner;Fernbedienung;Preis\nTau;nein;45 €\nNebel;ja;80 €\nGuss;ja;120 €\n",
    "zhangpeng.csv": "帐篷型号,防雨,日租金(元)\n青鸟,是,60\n石屋,是,120\n夏影,否,75\n",
}


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder, kb = tmp_path_factory.mktemp("files"), tmp_path_factory.mktemp("kb") / "kb"
    for name, text in FILES.items():
        (folder / name).write_text(text)
    build(folder, kb, load(None, {"ingest.workers": 1}, QaSettings).settings)
    with KnowledgeBase.open(kb) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which model has a milk frother?", ["Aroma 2", "Lungo"]),
        ("Which models have no grinder?", ["Basic", "Lungo"]),
        ("How many models have a grinder?", ["2 of 4 rows", "Aroma 1", "Aroma 2"]),
        ("Welche Regner haben eine Fernbedienung?", ["Nebel", "Guss"]),
        ("哪些帐篷防雨？", ["青鸟", "石屋"]),
        ("日租金第二高的帐篷是哪个？", ["夏影"]),
    ],
)
def test_a_column_of_yes_and_no_selects_rows(knowledge: KnowledgeBase, question: str, rows: list[str]) -> None:
    assert [claim.text.split(";")[0] for claim in knowledge.ask(question).claims] == rows


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("What is the third step of returning a kayak?", "3. Hang up the life jacket."),
        ("What is the last step of returning a kayak?", "4. Sign the book."),
        (
            "Wann schaltet die Pumpe ab?",
            "Die Pumpe wird bei einem Druck von 6 bar abgeschaltet. Bei 4 bar schaltet sie sich wieder ein.",
        ),
        ("Wer hat die Pumpe hergestellt?", "Hersteller: Nordlicht Pumpenbau GmbH."),
        ("How many moorings are there?", "The harbour has 14 moorings."),
    ],
)
def test_the_first_quote_answers(knowledge: KnowledgeBase, question: str, quote: str) -> None:
    assert knowledge.ask(question).claims[0].text == quote


@pytest.mark.parametrize("question", ["How many bikes are there?", "How many kayaks are there?"])
def test_a_sentence_without_the_number_of_things_does_not_answer_how_many(
    knowledge: KnowledgeBase, question: str
) -> None:
    assert "no quote gives what is asked for (number)" in knowledge.ask(question).warnings[0]


def test_an_attribute_that_no_column_has_is_doubted(knowledge: KnowledgeBase) -> None:
    assert "no quote has colour" in knowledge.ask("What is the colour of the Lungo?").warnings[0]
