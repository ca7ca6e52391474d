"""Superlatives, ranks and bounds in questions."""

from __future__ import annotations

import pytest

from pipelines.lang.comparisons import comparison_asked
from pipelines.lang.profile import read_table
from pipelines.lang.quantities import Kind


@pytest.mark.parametrize(
    ("language", "question", "highest", "bound", "inclusive"),
    [
        ("en", "Which pumps have a flow of more than 60 m³/h?", True, "60 m³/h", False),
        ("en", "Which pumps have a head of at most 30 m?", False, "30 m", True),
        ("en", "Which parts weigh 2 kg or less?", False, "2 kg", True),
        ("de", "Wie viele Teile kosten weniger als 30 Euro?", False, "30 Euro", False),
        ("fr", "Quelles pompes ont un débit supérieur à 60 m³/h ?", True, "60 m³/h", False),
        ("es", "¿Qué bombas pesan más de 20 kg?", True, "20 kg", False),
        ("it", "Quali pompe costano meno di 900 euro?", False, "900 euro", False),
        ("pt", "Quais bombas pesam mais de 20 kg?", True, "20 kg", False),
        ("nl", "Welke pompen wegen minder dan 20 kg?", False, "20 kg", False),
        ("ru", "Какие насосы тяжелее 20 кг?", True, "20 кг", False),
        ("zh", "哪些泵的流量不低于60 m³/h？", True, "60 m³/h", True),
        ("ja", "流量が60 m³/h以上のポンプはどれですか？", True, "60 m³/h", True),
    ],
)
def test_a_bound_has_a_direction_and_a_value(
    language: str, question: str, highest: bool, bound: str, inclusive: bool
) -> None:
    asked = comparison_asked(question, language)
    assert asked is not None
    assert (asked.highest, asked.bound, asked.inclusive) == (highest, bound, inclusive)


@pytest.mark.parametrize(
    ("question", "language", "highest", "bound"),
    [
        ("Which pumps were installed before 2020?", "en", False, "2020"),
        ("Which pumps were installed after 2020?", "en", True, "2020-12-31"),
        ("Which pumps were installed after 2020-05?", "en", True, "2020-05-31"),
        ("Welche Pumpen wurden nach dem 12.05.2021 installiert?", "de", True, "2021-05-12"),
        ("2020年以后安装的泵有哪些？", "zh", True, "2020-12-31"),
    ],
)
def test_a_date_is_a_bound_up_to_the_end_of_its_year_or_month(
    question: str, language: str, highest: bool, bound: str
) -> None:
    asked = comparison_asked(question, language)
    assert asked is not None
    assert (asked.highest, asked.bound, asked.kinds) == (highest, bound, {Kind.DATE})


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("What happens if the temperature rises above 85 °C?", "en"),
        ("Why does the pump need more than 3 bar?", "en"),
        ("Which valve is before the pump?", "en"),
        ("Was passiert über 85 °C?", "de"),
    ],
)
def test_a_condition_and_a_place_are_no_bounds(question: str, language: str) -> None:
    assert comparison_asked(question, language) is None


@pytest.mark.parametrize(
    ("question", "language", "rank"),
    [
        ("Which pump has the second highest flow?", "en", 2),
        ("Which pump has the third-lowest head?", "en", 3),
        ("Welche Pumpe hat den zweithöchsten Förderstrom?", "de", 2),
        ("Quelle est la deuxième pompe la plus chère ?", "fr", 2),
        ("¿Cuál es la segunda bomba más cara?", "es", 2),
        ("Which pump has the highest flow?", "en", 1),
    ],
)
def test_an_ordinal_before_a_superlative_is_its_rank(question: str, language: str, rank: int) -> None:
    asked = comparison_asked(question, language)
    assert asked is not None
    assert asked.rank == rank


@pytest.mark.parametrize(
    ("question", "language", "bound", "upper"),
    [
        ("Which pumps have a head between 30 and 40 m?", "en", "30 m", "40 m"),
        ("Which pumps have a head from 30 m to 40 m?", "en", "30 m", "40 m"),
        ("Which pumps were installed between 2019 and 2021?", "en", "2019", "2021-12-31"),
        ("Which shafts are between 1900 and 2000 mm long?", "en", "1900 mm", "2000 mm"),
        ("Welche Pumpen wiegen zwischen 20 und 30 kg?", "de", "20 kg", "30 kg"),
        ("Quelles pompes pèsent entre 20 et 30 kg ?", "fr", "20 kg", "30 kg"),
        ("哪些泵的流量在50到80 m³/h之间？", "zh", "50 m³/h", "80 m³/h"),
    ],
)
def test_a_range_has_two_bounds(question: str, language: str, bound: str, upper: str) -> None:
    asked = comparison_asked(question, language)
    assert asked is not None
    assert (asked.bound, asked.upper, asked.inclusive) == (bound, upper, True)


@pytest.mark.parametrize("name", ["at_least", "at_most", "below", "above", "since", "later", "earlier", "until"])
def test_each_limit_has_the_ten_languages(name: str) -> None:
    table = read_table("comparisons")
    languages = table["before"][name].keys() | table["behind"].get(name, {}).keys()
    assert languages >= {"en", "de", "fr", "es", "it", "pt", "nl", "ru", "zh", "ja"}
