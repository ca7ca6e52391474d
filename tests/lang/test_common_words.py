from pipelines.lang.word_lists import common_words


def test_common_words_are_listed_in_many_languages() -> None:
    assert {"special", "prefer"} <= common_words("en")
    assert {"erreichen", "bekommen"} <= common_words("de")
    assert "impeller" not in common_words("en")


def test_a_language_without_a_list_has_no_common_words() -> None:
    assert common_words("xx") == common_words("../en") == common_words("") == frozenset()
