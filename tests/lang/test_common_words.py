from pipelines.lang.word_lists import common_words, verbs


def test_common_words_are_listed_in_many_languages() -> None:
    assert {"special", "prefer"} <= common_words("en")
    assert {"erreichen", "bekommen"} <= common_words("de")
    assert "impeller" not in common_words("en")


def test_a_language_without_a_list_has_no_common_words() -> None:
    assert common_words("xx") == common_words("../en") == common_words("") == frozenset()


def test_forms_of_verbs_are_listed_without_participles_and_nouns_of_the_same_form() -> None:
    assert {"permite", "contiene"} <= verbs("es")
    assert verbs("es").isdisjoint({"comprimido", "bomba", "uso"})
    assert {"duurt", "bevat"} <= verbs("nl")
    assert "test" not in verbs("nl")
    assert "holds" in verbs("") & verbs("en-GB")
    assert verbs("fi") == frozenset()
