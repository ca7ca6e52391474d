from __future__ import annotations

import pytest

from pipelines.lang.derivation import same_root, separated_verb, without_enclitics


@pytest.mark.parametrize(
    ("word", "other", "language"),
    [
        ("hergestellt", "hersteller", "de"),
        ("abschaltet", "abgeschaltet", "de"),
        ("liefert", "lieferant", "de"),
        ("gegründet", "gründer", "de"),
        ("fabricó", "fabricante", "es"),
        ("изготовил", "изготовитель", "ru"),
        ("operates", "operation", "en"),
        ("ausgetauscht", "austausch", "de"),
        ("freigegeben", "freigabe", "de"),
        ("abgenommen", "abnahme", "de"),
        ("owns", "owner", "en"),
        ("pay", "payment", "en"),
        ("built", "builder", "en"),
        ("construit", "constructeur", "fr"),
        ("produite", "producteur", "fr"),
    ],
)
def test_verbs_and_nouns_have_one_root(word: str, other: str, language: str) -> None:
    assert same_root(word, other, language)
    assert same_root(other, word, language)


@pytest.mark.parametrize(
    ("word", "other", "language"),
    [
        ("contain", "contact", "en"),
        ("status", "station", "de"),
        ("наклон", "насос", "ru"),
        ("pump", "pump", "en"),
        ("former", "form", "en"),
    ],
)
def test_words_that_only_begin_alike_have_none(word: str, other: str, language: str) -> None:
    assert not same_root(word, other, language)


@pytest.mark.parametrize(
    ("question", "language", "verb"),
    [
        ("Wann schaltet die Pumpe ab?", "de", ("schaltet", "ab")),
        ("Wo findet das Konzert statt?", "de", ("findet", "statt")),
        ("Wanneer gaat de pomp uit?", "nl", ("gaat", "uit")),
        ("Welche Pumpe ist an?", "de", ("", "")),
        ("What is it on?", "en", ("", "")),
    ],
)
def test_a_particle_at_the_end_belongs_to_the_verb(question: str, language: str, verb: tuple[str, str]) -> None:
    assert separated_verb(question, language) == verb


@pytest.mark.parametrize(
    ("word", "language", "bare"),
    [
        ("peut-il", "fr", "peut"),
        ("note-t-on", "fr", "note"),
        ("trata-se", "pt", "trata"),
        ("porte-clés", "fr", "porte-clés"),
        ("log-in", "en", "log-in"),
        ("펌프장의", "ko", "펌프장"),
        ("온도", "ko", "온도"),
    ],
)
def test_pronouns_and_particles_joined_to_a_word_are_no_part_of_it(word: str, language: str, bare: str) -> None:
    assert without_enclitics(word, language) == bare
