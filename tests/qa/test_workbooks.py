"""Questions to workbooks as companies write them: title blocks, forms, groups, notes, columns with gaps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from openpyxl import Workbook

from pipelines import build
from pipelines.settings import load
from qa import KnowledgeBase
from qa.settings import QaSettings

SHEETS = {
    "motors": (
        "Mill||||Doc. no.|EL-4471",
        "Motor list||||Revision|C",
        "Area: stock||||Issued|2025-03-14",
        "Tag|Service|Power|Current|Speed|Frame",
        "||kW|A|rpm|",
        "M-1|Pulper|315|540|990|355M",
        "M-2|Agitator|45|84|1475|225M",
        "Approved: K. Lund",
        "|The agitator starts with less than half its load.",
    ),
    "vessel": (
        "Report no.|IR-118||Inspection date|2025-06-03",
        "Vessel|Air receiver V-220||Inspector|Tomas Lindgren",
        "Design pressure|12 bar||Test pressure|18 bar",
        "",
        "Point|Wall (mm)|Result",
        "top|7.6|good",
        "bottom|6.9|watch",
        "",
        "Remarks|Nozzle N2 must be replaced",
        "Released by|Ingrid Solberg",
    ),
    "cables": (
        "Panel|Section|Cable|Length (m)",
        "MCC-1|A|W101|42",
        "||W102|57",
        "MCC-2|A|W201|88",
        "||W202|93",
    ),
    "plan": (
        "Maintenance 2026",
        "Machine|Jul|Aug|Sep",
        "Press|x||",
        "Oven||x|",
        "Packer||x|x",
    ),
    "transformer": (
        "Transformer T3",
        "1||Rated power||kVA|:|630",
        "2||Vector group|||:|Dyn5",
        "Cooling",
        "3||Oil||kg|:|410",
    ),
    "cover": (
        "Project|Tank farm extension Rotterdam",
        "Client|Vopel Terminals",
        "Document|Line list",
        "Approved by|A. Haddad",
    ),
}


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder = tmp_path_factory.mktemp("workbooks")
    (folder / "source").mkdir()
    for name, rows in SHEETS.items():
        _write(folder / "source" / f"{name}.xlsx", name, rows)
    settings = load(None, {"ingest.workers": 1}, QaSettings).settings
    build(folder / "source", folder / "kb", settings)
    with KnowledgeBase.open(folder / "kb", settings) as found:
        yield found


def _write(path: Path, name: str, rows: tuple[str, ...]) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = name.title()
    for number, row in enumerate(rows, 1):
        for column, text in enumerate(row.split("|"), 1):
            if text:
                sheet.cell(number, column, float(text) if text.replace(".", "", 1).isdigit() else text)
    book.save(path)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the document number of the motor list?", "EL-4471"),
        ("What is the speed of the agitator?", "1475"),
        ("How does the agitator start?", "less than half its load"),
        ("Who inspected the air receiver V-220?", "Tomas Lindgren"),
        ("What is the test pressure of the air receiver V-220?", "18 bar"),
        ("Who released the vessel?", "Ingrid Solberg"),
        ("Which panel does cable W102 belong to?", "MCC-1"),
        ("In which panel is cable W202?", "MCC-2"),
        ("Which machine is maintained in July?", "Press"),
        ("When is the oven maintained?", "Aug"),
        ("What is the rated power of the transformer T3?", "630"),
        ("What is the vector group of T3?", "Dyn5"),
        ("Who is the client of the tank farm extension?", "Vopel"),
    ],
)
def test_what_a_workbook_says_is_found(knowledge: KnowledgeBase, question: str, answer: str) -> None:
    assert answer in knowledge.ask(question).text


def test_a_row_names_its_group_though_it_is_written_once(knowledge: KnowledgeBase) -> None:
    answer = knowledge.ask("How long is cable W202?")
    assert "93" in answer.text
    assert "88" not in answer.text
