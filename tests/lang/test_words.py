from pipelines.lang.word_lists import FUNCTION_WORDS, PHRASE_ENDS, STOP_WORDS


def test_the_lists_hold_english_and_chinese() -> None:
    assert {"the", "的", "什么"} <= STOP_WORDS


def test_function_words_hold_the_stop_words_and_phrases_end_at_both() -> None:
    assert STOP_WORDS < FUNCTION_WORDS < PHRASE_ENDS
    assert {"between", "approved", "typically"} <= PHRASE_ENDS


def test_words_of_a_subject_are_in_none() -> None:
    assert PHRASE_ENDS.isdisjoint({"pump", "valve", "pressure", "bing", "dos"})
