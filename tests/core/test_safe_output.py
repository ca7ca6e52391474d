"""Tests of displaying text from outside without control characters."""

import pytest

from pipelines.core.safe_output import shown, shown_lines


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("\x1b[2Jx", "<U+001B>[2Jx"),
        ("a\x9b31m", "a<U+009B>31m"),
        ("gpj\u202e.exe", "gpj<U+202E>.exe"),
        ("a\u200bb\ufeff", "a<U+200B>b<U+FEFF>"),
        ("pass\u200dword", "pass<U+200D>word"),
        ("x\U000e0041", "x<U+E0041>"),
        ("caf\udce9", "caf<U+DCE9>"),
        ("one\r\ntwo\rthree\nfour\tfive", "one⏎two⏎three⏎four five"),
        ("\u2028", "<U+2028>"),
    ],
)
def test_control_and_invisible_characters_are_made_visible(text: str, seen: str) -> None:
    assert shown(text) == seen


@pytest.mark.parametrize("text", ["过热 é [red]x[/] “…” ü", "می\u200cخواهم", "👩\u200d🔬", "שלום", "葛\U000e0100"])
def test_ordinary_text_of_any_script_is_unchanged(text: str) -> None:
    assert shown(text) == text


def test_lines_and_tabs_stay_where_lines_are_wanted() -> None:
    assert shown_lines("a\tb\r\nc\x1b[0m\n") == "a\tb\nc<U+001B>[0m\n"
