"""Questions to data sheets and certificates: models, single letters, symbols of elements, values written otherwise."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pipelines.ingest.build import build
from pipelines.settings import load
from qa.knowledge_base import KnowledgeBase
from qa.settings import QaSettings

BEARINGS = """# Pillow block units

| Unit | L mm | Bolt | C kN | Mass kg |
| --- | --- | --- | --- | --- |
| UCP 206 | 165 | M14 | 19.5 | 1.30 |
| UCP 207 | 167 | M14 | 25.7 | 1.60 |
| UCP 210 | 206 | M16 | 35.1 | 2.70 |

# Limiting speeds

The load rating is for 1000 hours at 20 °C. The rated load holds for both fits.

| Unit | Shaft h7 (rpm) | Shaft h6 (rpm) |
| --- | --- | --- |
| UCP 206 | 3100 | 5000 |
| UCP 207 | 2600 | 4400 |
| UCP 210 | 1900 | 3200 |
"""
MOTORS = """# Motoren

| Baugröße | Leistung kW | Strom A | Gewicht kg |
| --- | --- | --- | --- |
| 112M | 4,0 | 7,8 | 74 |
| 132S | 5,5 | 10,4 | 96 |
| 160M | 11,0 | 20,3 | 151 |
"""
CERTIFICATE = """# Inspection certificate 88213

| Item | Heat | Pieces | Mass kg |
| --- | --- | --- | --- |
| 1 | H44172 | 4 | 4608 |
| 2 | H44190 | 6 | 3456 |

## Chemical composition, % by mass

| Heat | C | Si | Mn | Cr | Ni | Mo |
| --- | --- | --- | --- | --- | --- | --- |
| H44172 | 0.019 | 0.42 | 1.31 | 16.9 | 10.1 | 2.04 |
| H44190 | 0.022 | 0.38 | 1.44 | 17.1 | 10.2 | 2.07 |
"""
BRAKE = """# Moteur frein MFA 90

Température ambiante de −15 à +40 °C, altitude jusqu'à 1 000 m ; au-dessus, la puissance baisse de 1 % par 100 m.

| Pièce | Clé mm |
| --- | --- |
| vis | 3 |
| écrou | 4 |
| bouchon | 5 |
"""
FILTER = """# AquaFine

- duration of a rinse: 30 s
- highest temperature: 60 °C

| Size | Flow m³/h | A mm | Rinse valve |
| --- | --- | --- | --- |
| DN 80 | 60 | 380 | DN 25 |
| DN 100 | 95 | 420 | DN 25 |
"""
CABLE = """# Кабель контрольный

| Сечение, мм² | Диаметр, мм | Масса, кг/км |
| --- | --- | --- |
| 5×1,5 | 10,1 | 167 |
| 10×2,5 | 15,4 | 402 |
"""
RINGS = """# Pierścienie

| Indeks | Szerokość | Materiał |
| --- | --- | --- |
| SM-2540 | 7 | NBR |
| SM-3562 | 10 | FKM |
"""
CONVEYOR = """# Gurtförderer GF-500

| Größe | Einheit | GF-500/10 | GF-500/20 |
| --- | --- | --- | --- |
| Förderleistung | t/h | 60 | 95 |
| Gewicht | kg | 840 | 1390 |

# Störungen

| Nr. | Störung | Abhilfe |
| --- | --- | --- |
| F03 | Band läuft schief | Rolle nachstellen |
| F04 | Band rutscht | Band auf 450 N spannen |
"""
SAFETY = """# Ficha de datos de seguridad Limpiol

- Proveedor: Químicas Ebro S.L., Zaragoza
- Teléfono de emergencia: 976 55 21 00
- Uso: desengrasante industrial
"""
VALVES = """# Ordering chart

| Port | Orifice mm | Item no. | Mass kg |
| --- | --- | --- | --- |
| G 1/4 | 10 | 221 601 | 0.45 |
| G 1/2 | 13 | 221 607 | 0.62 |
| G 1 | 25 | 221 615 | 1.45 |
| G 2 | 50 | 221 623 | 4.90 |
"""
FILES = {
    "valves.md": VALVES,
    "conveyor.md": CONVEYOR,
    "limpiol.md": SAFETY,
    "bearings.md": BEARINGS,
    "motoren.md": MOTORS,
    "certificate.md": CERTIFICATE,
    "frein.md": BRAKE,
    "filter.md": FILTER,
    "кабель.md": CABLE,
    "pierścienie.md": RINGS,
}


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder, kb = tmp_path_factory.mktemp("files"), tmp_path_factory.mktemp("kb") / "kb"
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    build(folder, kb, load(None, {"ingest.workers": 1}, QaSettings).settings)
    with KnowledgeBase.open(kb) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which bolt does the UCP 206 need?", "M14"),  # not the row of UCP 210, which is 206 mm long
        ("What is the load rating C of the UCP 207?", "25.7"),
        ("Wie schwer ist der Motor mit 11 kW?", "151"),
        ("What is the nickel content of heat H44190?", "10.2"),
        ("What is the carbon content of heat H44172?", "0.019"),
        ("De combien baisse la puissance au-dessus de 1 000 m ?", "1 %"),
        ("How long does a rinse take?", "30 s"),
        ("Сколько весит кабель 10×2,5?", "402"),
        ("Z jakiego materiału jest SM-3562?", "FKM"),
        ("Wie schwer ist der GF-500/10?", "840"),  # "t/h" is no mass
        ("What is the item number of the G 1 valve?", "221 615"),
        ("Was bedeutet der Fehler F03?", "läuft schief"),
        ("¿Cuál es el teléfono de emergencia?", "976 55 21 00"),
    ],
)
def test_questions_to_data_sheets_are_answered(knowledge: KnowledgeBase, question: str, expected: str) -> None:
    answer = knowledge.ask(question)
    assert not answer.abstained
    assert expected in answer.text
