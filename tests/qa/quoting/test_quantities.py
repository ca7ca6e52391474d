from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa.quoting.kinds import Kind, asked_for, asking
from qa.quoting.quantities import gives, in_row, quantities


@pytest.mark.parametrize(
    ("question", "kind", "answer", "other"),
    [
        ("How many kilograms does the pump weigh?", Kind.MASS, "It has 395 kg with motor.", "It runs at 2,960 rpm."),
        ("How loud is the fan?", Kind.SOUND, "Sound level: 66 dB(A)", "The fan has 5 blades."),
        ("What does the seal cost?", Kind.MONEY, "EUR 286.00 a piece", "286 pieces"),
        ("At which temperature does it trip?", Kind.TEMPERATURE, "It trips at 110 °C.", "It trips after 20 minutes."),
        ("When was the plant opened?", Kind.DATE, "It opened on 4 May 1998.", "It has 98 pumps."),
        ("变送器多久校准一次?", Kind.TIME, "每 12 个月校准一次。", "精度为 0.2 %。"),
        ("值班电话号码是多少?", Kind.PHONE, "0512-5550-0120", "2024年11月15日"),
        ("Why did it stop?", Kind.REASON, "It stopped because the filter was full.", "It stopped at noon."),
        ("Who signed the note?", Kind.PERSON, "Signed: Marta Kowalczyk", "Signed on the spot"),
    ],
)
def test_the_kind_of_value_asked_for_is_known_and_recognized(
    question: str, kind: Kind, answer: str, other: str
) -> None:
    assert kind in asked_for(question)
    assert gives(frozenset({kind}), answer)
    assert not gives(frozenset({kind}), other)


def test_a_question_for_no_value_asks_for_no_kind() -> None:
    assert asked_for("Which way up is the reducer mounted?") == frozenset()


def test_a_unit_may_stand_in_the_header_of_a_table() -> None:
    assert gives(frozenset({Kind.TORQUE}), "Joint | Thread | Torque, N·m\nCasing bolts | M12 | 68")
    assert gives(frozenset({Kind.SHARE}), "Efficiency | % | 62 | 74")
    assert not gives(frozenset({Kind.SHARE}), "Efficiency | high | low")


def test_the_words_that_ask_are_named_whole() -> None:
    assert asking("How many centimetres of bar are cut?").split() == ["centimetres", "How", "many"]


def test_values_are_read_with_unit_and_figure() -> None:
    found = [(value.kind, value.figure) for value in quantities("$115.10 for 30 m/s and 12 months")]
    assert found == [(Kind.MONEY, 115.1), (Kind.SPEED, 30.0), (Kind.TIME, 12.0)]


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    assert all(value.text == value.span.slice(text) for value in quantities(text))
    assert isinstance(asked_for(text), frozenset)


def test_a_figure_in_a_row_has_the_unit_of_its_column() -> None:
    values = in_row("Joint | Thread | Torque, N·m | Time (min)", "Casing bolts | M12 | 68 | 4")
    assert [(value.kind, value.figure, value.unit) for value in values] == [
        (Kind.TORQUE, 68.0, "n·m"),
        (Kind.TIME, 4.0, "min"),
    ]


def test_a_cell_with_a_unit_of_its_own_keeps_it() -> None:
    assert [value.unit for value in in_row("Torque, N·m", "50 ft-lb")] == ["ft-lb"]
