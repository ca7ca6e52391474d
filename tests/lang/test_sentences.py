from hypothesis import given
from hypothesis import strategies as st

from pipelines.lang.sentences import sentences


def split(text: str) -> list[str]:
    return [span.slice(text) for span in sentences(text)]


def test_a_full_stop_ends_a_sentence() -> None:
    assert split("The pump runs. It is hot!") == ["The pump runs.", "It is hot!"]


def test_decimals_abbreviations_and_initials_do_not_end_a_sentence() -> None:
    text = "Dr. J. Smith measured 3.5 bar, see fig. 3 for details. It held."
    assert split(text) == ["Dr. J. Smith measured 3.5 bar, see fig. 3 for details.", "It held."]


def test_a_short_word_before_a_number_does_not_end_a_sentence() -> None:
    assert split("IT helpdesk: ext. 555, weekdays.") == ["IT helpdesk: ext. 555, weekdays."]
    assert split("Смотри рис. 5 справа. Далее.") == ["Смотри рис. 5 справа.", "Далее."]
    assert split("1. Stop it. 2. Close it. 3. Open it.") == ["1. Stop it.", "2. Close it.", "3. Open it."]


def test_abbreviated_titles_and_numerals_in_german_do_not_end_a_sentence() -> None:
    text = "Die Prüfung machte Ing. Karin Möller vom TÜV. Das Budget beträgt 1,9 Mio. Euro und steigt."
    assert split(text) == [
        "Die Prüfung machte Ing. Karin Möller vom TÜV.",
        "Das Budget beträgt 1,9 Mio. Euro und steigt.",
    ]


def test_a_unit_after_a_number_ends_a_sentence_unless_lower_case_follows() -> None:
    text = "Tighten to 75 N·m. Wait 5 min. At 20 °C. Keep 3.4 m. Use no 3 min. steps."
    assert split(text) == ["Tighten to 75 N·m.", "Wait 5 min.", "At 20 °C.", "Keep 3.4 m.", "Use no 3 min. steps."]


def test_a_time_of_day_ends_a_sentence_and_goes_on_before_a_weekday_or_a_time_zone() -> None:
    text = "Call us from 8 a.m. to 6 p.m. The pump is new. It starts at 8 a.m. Monday and 9 a.m. EST. It runs."
    assert split(text) == [
        "Call us from 8 a.m. to 6 p.m.",
        "The pump is new.",
        "It starts at 8 a.m. Monday and 9 a.m. EST.",
        "It runs.",
    ]


def test_the_number_of_a_title_or_caption_does_not_end_a_sentence() -> None:
    assert split("4. REPAIR\nStop it. Drain it.") == ["4. REPAIR\nStop it.", "Drain it."]
    assert split("Table 1. Torques. See Table 2. It holds.") == ["Table 1. Torques.", "See Table 2.", "It holds."]
    assert split("It weighs 4. The rest is light.") == ["It weighs 4.", "The rest is light."]


def test_a_range_or_an_ellipsis_before_lower_case_does_not_end_a_sentence() -> None:
    assert split("Joint N (0 .. 8) is homed. Bits 0 ... 15 are set.") == [
        "Joint N (0 .. 8) is homed.",
        "Bits 0 ... 15 are set.",
    ]
    assert split("Wait... then go on. And so on... Stop it… Drain it.") == [
        "Wait... then go on.",
        "And so on...",
        "Stop it…",
        "Drain it.",
    ]
    assert split("Choose Options... > Files. Then Save... Close it.") == [
        "Choose Options... > Files.",
        "Then Save...",
        "Close it.",
    ]


def test_ordinal_numbers_and_dates_do_not_end_a_sentence() -> None:
    assert split("Resturlaub muss bis zum 31. März genommen sein. Er verfällt am 5. Tag. Im 2. Quartal nicht.") == [
        "Resturlaub muss bis zum 31. März genommen sein.",
        "Er verfällt am 5. Tag.",
        "Im 2. Quartal nicht.",
    ]
    assert split("Platí do 31. 12. 2024. Pak ne.") == ["Platí do 31. 12. 2024.", "Pak ne."]
    assert split("Es sind 3. Pumpen laufen.") == ["Es sind 3.", "Pumpen laufen."]
    assert split("It ended on day 31. 12 pumps run. See 4. May we go?") == [
        "It ended on day 31.",
        "12 pumps run.",
        "See 4.",
        "May we go?",
    ]


def test_chinese_punctuation_ends_a_sentence_without_a_space() -> None:
    assert split("过热报警。请检查！") == ["过热报警。", "请检查！"]


def test_punctuation_of_other_scripts_ends_a_sentence() -> None:
    assert split("पंप चलता है। वाल्व बंद है॥") == ["पंप चलता है।", "वाल्व बंद है॥"]
    assert split("هل تعمل المضخة؟ نعم تعمل.") == ["هل تعمل المضخة؟", "نعم تعمل."]


def test_list_items_and_table_rows_are_one_sentence_each() -> None:
    assert split("Steps\n- stop\n- drain\nName | Price\nRing | 3.50") == [
        "Steps", "- stop", "- drain", "Name | Price", "Ring | 3.50",
    ]  # fmt: skip


def test_lines_with_a_label_are_one_sentence_each_but_not_the_rest_of_a_wrapped_line() -> None:
    assert split("Type: K80-250\nSerial no.: 4711\n型号：K80") == ["Type: K80-250", "Serial no.: 4711", "型号：K80"]
    assert split("The valve is closed\nbefore the pump") == ["The valve is closed\nbefore the pump"]


def test_a_blank_line_ends_a_sentence() -> None:
    assert split("A title\n\nA paragraph") == ["A title", "A paragraph"]


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_sentences_are_in_order_and_omit_only_white_space(text: str) -> None:
    spans = sentences(text)
    gaps = [
        text[a:b] for a, b in zip([0, *(s.end for s in spans)], [*(s.start for s in spans), len(text)], strict=True)
    ]
    assert all(not gap.strip() for gap in gaps)
    assert all(len(span) > 0 for span in spans)


def test_a_short_word_behind_a_bracket_or_in_hindi_does_not_end_a_sentence() -> None:
    text = "Le filtre (réf. FB-22) est changé. Fermez la porte."
    assert split(text) == ["Le filtre (réf. FB-22) est changé.", "Fermez la porte."]
    assert split("पशु चिकित्सक डॉ. मीना जोशी हर महीने आती हैं। दूध बिकता है।")[0].endswith("आती हैं।")
