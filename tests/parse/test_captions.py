"""Detection of captions in many languages, and their assignment to tables and figures."""

from __future__ import annotations

import pytest

from pipelines.core.document import BlockKind
from pipelines.parse.captions import caption_subject, is_caption, is_table_caption, match_captions

TABLE, FIGURE, CAPTION, TEXT = BlockKind.TABLE, BlockKind.FIGURE, BlockKind.CAPTION, BlockKind.PARAGRAPH


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Table 4: Tightening torques", TABLE),
        ("Tabelle 2 – Anzugsmomente", TABLE),
        ("Tableau 1. Couples de serrage", TABLE),
        ("Таблица 3 Моменты затяжки", TABLE),
        ("Bảng 5: Mô-men xiết", TABLE),
        ("表3：拧紧力矩", TABLE),
        ("Fig. 7a Section through the pump", FIGURE),
        ("Abb. 2: Schnitt", FIGURE),
        ("Rys. 4 Przekrój pompy", FIGURE),
        ("Obrázek 1: Řez čerpadlem", FIGURE),
        ("Şekil 2. Pompa kesiti", FIGURE),
        ("图 3-1 泵的剖面", FIGURE),
        ("그림 2 펌프", FIGURE),
    ],
)
def test_a_label_with_its_number_and_a_title_is_a_caption(text: str, subject: BlockKind) -> None:
    assert is_caption(text)
    assert caption_subject(text) is subject


@pytest.mark.parametrize("text", ["Example B.1. What lspci tells", "Beispiel 11.15. Verzeichnisblock", "例 3：配置"])
def test_the_label_of_an_example_names_neither_table_nor_figure(text: str) -> None:
    assert is_caption(text)
    assert caption_subject(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Figure 3 shows the pump in section.",
        "Abbildung 3 zeigt die Pumpe im Schnitt.",
        "La figure 3 montre la pompe.",
        "Figure 3 montre la pompe en coupe.",
        "La tabla 2 muestra los pares.",
        "Tables are listed below",
        "Vegetable 4 soup",
        "The pump is shown in figure 3.",
        "Table 1: " + "text " * 200,
    ],
)
def test_a_sentence_about_a_figure_is_not_a_caption(text: str) -> None:
    assert not is_caption(text)


def test_entries_of_a_list_of_tables_are_not_captions() -> None:
    assert is_table_caption("Tabelle 3 Werkstoffe")
    assert is_table_caption("TABLE IV")
    assert not is_table_caption("Table 3 Materials ........ 17")
    assert not is_table_caption("Figure 3 Materials")


@pytest.mark.parametrize(
    ("kinds", "texts", "owners"),
    [
        ([CAPTION, TABLE], ["Table 1: a", ""], {0: 1}),
        ([FIGURE, CAPTION, TABLE], ["", "Table 1: a", ""], {1: 2}),
        ([FIGURE, CAPTION, TABLE], ["", "Bild 1: a", ""], {1: 0}),
        ([TABLE, TEXT, TEXT, CAPTION], ["", "", "", "Table 1: a"], {}),
        ([CAPTION, TABLE, CAPTION], ["Table 1: a", "", "Table 2: b"], {0: 1}),
    ],
)
def test_a_caption_belongs_to_the_nearest_of_its_kind(
    kinds: list[BlockKind], texts: list[str], owners: dict[int, int]
) -> None:
    assert match_captions(kinds, texts) == owners
