"""Questions to Word documents as companies write them: minutes, offers, reports, manuals."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks.word import write_documents
from pipelines import build
from pipelines.settings import load
from qa import KnowledgeBase
from qa.settings import QaSettings

MINUTES = """
T Minutes of meeting
**Subject:**	Commissioning of line 6
**Date:**	20 May 2025
**Present:**	L. Castellano, P. Virtanen
**Excused:**	D. Oduya
**Minutes:**	J. Wren
# 1 Status
The limit for vibration after balancing is 2.8 mm/s{?Wren: Taken from ISO 14694}.
# 2 Next meeting
3 June 2025, 10:00, same room.
"""
LETTER = """
Northfield Paper Ltd
Mr. Colm Reilly
Offer Q-25-0871
Dear Mr. Reilly,
we offer the heat exchanger HX-310 for EUR 18,450.00. We are bound by this offer until 30 June 2025.
The exchanger is delivered within 14 weeks.
Kind regards
Thermatec Ltd.
Maja Lundqvist
Sales Manager
"""
REPORT = """
T Pressure test report
| Vessel | V-88 tank | Maker | Orlen |
| Design pressure | 16 bar | Year | 2016 |
| Inspector | A. Novak | Test pressure | 24 bar |
| Gauge | PG-12 | Test date | 12 February 2025 |
Result: [x] passed   [ ] failed
"""
MANUAL = """
T Adsorption dryer AD-40
# 1 Data
Flow	6.5 m³/min
Weight	186 kg
Noise	74 dB(A)
# 2 Lamps
Green – The dryer runs
Blue – The dew point is too high
Red – Fault
# 3 Material
| Interval | Material |
| yearly | Alumina, 48 kg |
| monthly | Grease, 2 kg |
# 4 Definitions
**Dew point:** the temperature at which water condenses.
**Operator:** the person at the dryer.
**PLC:** programmable logic controller.
# 5 Responsibilities
- **Shift leader:** starts the dryer.
- **Operator:** drains the filter every day.
- **Workshop:** changes the alumina.
"""
RISKS = """
T Risk assessment: belt grinder
S = severity, R = risk.
| Hazard | Before | < | Measure | After | < |
| ^ | S | R | ^ | S | R |
| Rotating belt | 4 | 12 | Guard | 4 | 4 |
| Sparks | 5 | 20 | Goggles | 5 | 5 |
| Noise | 3 | 9 | Ear protection | 3 | 3 |
"""
FRENCH = """
T Consignation
| Indice | Date | Modification |
| A | 04/02/2018 | Création |
| C | 20/01/2025 | Un cadenas par personne |
"""
ITALIAN = """
T Verbale di prova
| Apparecchio | Serbatoio S-5 | Matricola | 5-0442 |
| Pressione di prova | 18 bar | Controllato da | E. Riva |

Esito: [x] conforme   [ ] non conforme
"""
GERMAN = """
T Wartungsvertrag
# § 1 Laufzeit
Der Vertrag kann mit einer Frist von sechs Wochen zum Quartalsende gekündigt werden.
# § 2 Gerichtsstand
Zuständig ist das Landgericht Augsburg. Den Vertrag unterschreibt der Werkleiter.
# § 3 Aufgaben
| Nr. | Aufgabe | Wer | Bis wann |
| 1 | Bodenbeschichtung bestellen | Schuster | 21.03.2025 |
| 2 | Tor einbauen | Özdemir | 30.04.2025 |
"""


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder = tmp_path_factory.mktemp("word")
    (folder / "source").mkdir()
    texts = {
        "Minutes": MINUTES,
        "Offer": LETTER,
        "Report": REPORT,
        "Manual": MANUAL,
        "Risks": RISKS,
        "Vertrag": GERMAN,
        "Consignation": FRENCH,
        "Verbale": ITALIAN,
    }
    write_documents(folder / "source", [{"file": f"{name}.docx", "text": text} for name, text in texts.items()])
    settings = load(None, {"ingest.workers": 1}, QaSettings).settings
    build(folder / "source", folder / "kb", settings)
    with KnowledgeBase.open(folder / "kb", settings) as found:
        yield found


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who attended the commissioning meeting of line 6?", "L. Castellano, P. Virtanen"),
        ("Who was absent from the meeting on line 6?", "Oduya"),
        ("When is the next meeting on line 6?", "3 June 2025"),
        ("What is the vibration limit after balancing?", "2.8 mm/s"),
        ("Who signed the offer of Thermatec?", "Maja Lundqvist"),
        ("How long is the offer Q-25-0871 valid?", "30 June 2025"),
        ("Did vessel V-88 pass the pressure test?", "☒ passed"),
        ("When was the pressure test of V-88 done?", "12 February 2025"),
        ("Who inspected the vessel V-88?", "A. Novak"),
        ("How much does the dryer AD-40 weigh?", "186 kg"),
        ("What does the blue lamp of the dryer mean?", "dew point is too high"),
        ("What does PLC stand for?", "programmable logic controller"),
        ("Who changes the alumina of the dryer?", "Workshop"),
        ("Which hazard of the belt grinder has the highest risk?", "Sparks"),
        ("Wie hoch ist die Kündigungsfrist des Wartungsvertrags?", "sechs Wochen"),
        ("Welches Gericht ist zuständig?", "Landgericht Augsburg"),
        ("Wer kümmert sich um die Bodenbeschichtung?", "Schuster"),
        ("Bis wann wird das Tor eingebaut?", "30.04.2025"),
        ("Qu'est-ce qui a changé dans l'indice C ?", "Un cadenas par personne"),
        ("Il serbatoio S-5 è conforme?", "☒ conforme"),
    ],
)
def test_word_documents_of_companies_are_understood(knowledge: KnowledgeBase, question: str, answer: str) -> None:
    found = knowledge.ask(question)
    assert answer in found.text, found.text
    assert not found.abstained


def test_when_a_comment_was_written_is_no_date_of_the_document(knowledge: KnowledgeBase) -> None:
    assert "author:" not in knowledge.ask("When is the next meeting on line 6?").text
