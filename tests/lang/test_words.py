from pipelines.lang.word_lists import FUNCTION_WORDS, PHRASE_ENDS, STOP_WORDS


def test_stop_words_include_english_and_chinese() -> None:
    assert {"the", "的", "什么"} <= STOP_WORDS


def test_function_words_include_the_stop_words_and_phrase_ends_include_both() -> None:
    assert STOP_WORDS < FUNCTION_WORDS < PHRASE_ENDS
    assert {"between", "approved", "typically"} <= PHRASE_ENDS


def test_content_words_are_not_in_the_lists() -> None:
    assert PHRASE_ENDS.isdisjoint({"pump", "valve", "pressure", "bing", "dos"})
