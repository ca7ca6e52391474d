from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.lang.profile import read_table
from pipelines.lang.quantities import Kind, gives, in_row, quantities
from pipelines.lang.questions import value_kinds, value_words


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
def test_the_kind_of_value_is_recognized_in_questions_and_answers(
    question: str, kind: Kind, answer: str, other: str
) -> None:
    assert kind in value_kinds(question)
    assert gives(frozenset({kind}), answer)
    assert not gives(frozenset({kind}), other)


@pytest.mark.parametrize(
    ("kind", "text", "language"),
    [
        (Kind.NUMBER, "最多可乘13人。", "zh"),
        (Kind.NUMBER, "3. Close 4 valves", "en"),
        (Kind.DATE, "open from 8 a.m.", "en"),
        (Kind.DATE, "ab 14 Uhr", "de"),
        (Kind.DATE, "de 10 h à 18 h", "fr"),
        (Kind.DATE, "早上8点开门", "zh"),
        (Kind.SPEED, "2.5 米/秒", "zh"),
        (Kind.TORQUE, "60 N・m", "ja"),
        (Kind.PHONE, "телефон +7 812 555-01-44.", "ru"),
        (Kind.PHONE, "Tél. 01 23 45 67 89", "fr"),
        (Kind.DATE, "We will repair it in April, when it is dry.", "en"),
        (Kind.DATE, "Les essais ont lieu en avril.", "fr"),
        (Kind.DATE, "Wij repareren het in april.", "nl"),
        (Kind.MASS, "Product | Net kg\nrye | 17460", "en"),
        (Kind.ENERGY, "Verbrauch: 1,8 kWh am Tag", "de"),
        (Kind.POWER, "rated 2.4 MVA", "en"),
        (Kind.CURRENT, "short-circuit current 25 kA", "en"),
        (Kind.DATA, "a disk of 500 GB", "en"),
        (Kind.VOLUME, "Tank: 1.5 L", "en"),
        (Kind.MONEY, "The annual fee is NOK 1,480,000.", "en"),
        (Kind.MONEY, "1 480 000 CZK", "cs"),
        (Kind.MONEY, "CAD 12.50 each", "en"),
    ],
)
def test_a_count_beside_chinese_and_a_time_of_day_are_values(kind: Kind, text: str, language: str) -> None:
    assert gives(frozenset({kind}), text, language)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (Kind.NUMBER, "3. Close the valve"),
        (Kind.DATE, "diluted 1:10"),
        (Kind.DATE, "after 10 hours"),
        (Kind.DATE, "May the valve be opened on the march?"),
        (Kind.PHONE, "parts 12 14 16 18"),
        (Kind.PHONE, "a load of 12 500 kg"),
        (Kind.PHONE, "costa 84.500"),
        (Kind.PHONE, "1.234.567"),
        (Kind.PHONE, "ul. Młyńska 8, 40-098 Katowice"),
        (Kind.PHONE, "12-10-2026"),
        (Kind.PHONE, "03/11/2026 06:10"),
        (Kind.PHONE, "985 550 110"),
        (Kind.MONEY, "TRY 3 times"),
        (Kind.TIME, "Part | Pressure min\nvalve | 5"),
        (Kind.LENGTH, "Part | Checked in\nvalve | 5"),
    ],
)
def test_what_only_looks_like_a_count_a_date_or_a_phone_number_is_none(kind: Kind, text: str) -> None:
    assert not gives(frozenset({kind}), text, "en")


def test_an_amount_behind_its_currency_is_complete() -> None:
    (value,) = quantities("SEK 12 500", "sv")
    assert (value.kind, value.text, value.figure) == (Kind.MONEY, "SEK 12 500", 12500)


@pytest.mark.parametrize(
    "number",
    [
        "+49 431 4960 55",
        "+44 113 496 0321",
        "+33 4 72 96 03 21",
        "0561 50730-0",
        "040-55 66 77",
        "076 555 02 20",
        "985 55 01 10",
        "985 550 110",
    ],
)
def test_a_phone_number_is_complete(number: str) -> None:
    assert [value.text for value in quantities(f"Tel. {number}, Fax") if value.kind is Kind.PHONE] == [number]


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "What is the mobile number of Ann?"),
        ("de", "Wie lautet die Mobilnummer?"),
        ("pl", "Jaki jest numer komórkowy?"),
    ],
)
def test_a_mobile_number_is_a_phone_number(language: str, question: str) -> None:
    assert value_kinds(question, language) == {Kind.PHONE}


def test_a_question_without_a_value_has_no_kind() -> None:
    assert value_kinds("Which way up is the reducer mounted?") == frozenset()


@pytest.mark.parametrize("question", ["Wie hoch ist das Budget?", "Welcher Rechnungsbetrag ist offen?"])
def test_an_amount_is_money_and_a_content_is_not(question: str) -> None:
    assert Kind.MONEY in value_kinds(question, "de")
    assert Kind.MONEY not in value_kinds("Wie hoch ist der Wassergehalt?", "de")


@pytest.mark.parametrize(
    ("language", "clause", "asked"),
    [
        ("fr", "Que faut-il faire quand la pompe fuit ?", "Depuis quand la pompe fuit-elle ?"),
        ("it", "Cosa devo fare quando la pompa perde?", "Quando perde la pompa?"),
        ("nl", "Wat moet ik doen wanneer de pomp lekt?", "Sinds wanneer lekt de pomp?"),
        ("pl", "Co robić, kiedy pompa cieknie?", "Kiedy pompa cieknie?"),
    ],
)
def test_a_clause_with_when_asks_for_no_date(language: str, clause: str, asked: str) -> None:
    assert Kind.DATE not in value_kinds(clause, language)
    assert Kind.DATE in value_kinds(asked, language)


def test_a_unit_may_be_in_the_header_of_a_table() -> None:
    assert gives(frozenset({Kind.TORQUE}), "Joint | Thread | Torque, N·m\nCasing bolts | M12 | 68")
    assert gives(frozenset({Kind.SHARE}), "Efficiency | % | 62 | 74")
    assert not gives(frozenset({Kind.SHARE}), "Efficiency | high | low")


def test_the_words_that_ask_for_a_value_are_returned() -> None:
    assert value_words("How many centimetres of bar are cut?", "en").split() == ["centimetres", "How", "many"]


@pytest.mark.parametrize(
    ("text", "language", "figure"),
    [
        ("a line for 1.2 million EUR", "en", 1.2e6),
        ("costs of 1.9 M€", "en", 1.9e6),
        ("120 TEUR", "de", 1.2e5),
        ("about $4.5k", "en", 4500.0),
        ("£3bn in all", "en", 3e9),
        ("1,9 Mio. Euro", "de", 1.9e6),
        ("120 Tsd. EUR", "de", 1.2e5),
        ("5 millions d'euros", "fr", 5e6),
        ("2 millones de euros", "es", 2e6),
        ("3 mln zł", "pl", 3e6),
        ("投资12万元", "zh", 1.2e5),
    ],
)
def test_a_power_of_ten_may_stand_between_an_amount_and_its_unit(text: str, language: str, figure: float) -> None:
    (value,) = quantities(text, language)
    assert (value.kind, value.figure) == (Kind.MONEY, pytest.approx(figure))
    assert value.span.slice(text) == value.text


def test_values_have_unit_and_figure() -> None:
    found = [(value.kind, value.figure) for value in quantities("$115.10 for 30 m/s and 12 months")]
    assert found == [(Kind.MONEY, 115.1), (Kind.SPEED, 30.0), (Kind.TIME, 12.0)]


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    assert all(value.text == value.span.slice(text) for value in quantities(text))
    assert isinstance(value_kinds(text), frozenset)


def test_a_number_in_a_row_has_the_unit_of_its_column() -> None:
    values = in_row([("Joint", "Casing bolts"), ("Thread", "M12"), ("Torque, N·m", "68"), ("Time (min)", "4")])
    assert [(value.kind, value.figure, value.unit) for value in values] == [
        (Kind.TORQUE, 68.0, "n·m"),
        (Kind.TIME, 4.0, "min"),
    ]


def test_a_cell_with_its_own_unit_keeps_it() -> None:
    assert [value.unit for value in in_row([("Torque, N·m", "50 ft-lb")])] == ["ft-lb"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [("5 Nm", Kind.TORQUE), ("5 N · m", Kind.TORQUE), ("5 N", Kind.FORCE), ("5 m/s", Kind.SPEED), ("5 m", Kind.LENGTH),
     ("5 m³/h", Kind.FLOW), ("5 m³", Kind.VOLUME), ("5 m²", Kind.AREA), ("5 cmH2O", Kind.PRESSURE),
     ("5 cm H2O", Kind.PRESSURE), ("5 Stunden", Kind.TIME), ("5 小时", Kind.TIME), ("5 千瓦", Kind.POWER),
     ("5 breaths per minute", Kind.FREQUENCY), ("EUR 5", Kind.MONEY), ("₹ 5", Kind.MONEY), ("5 €", Kind.MONEY)],
)  # fmt: skip
def test_a_unit_determines_the_kind(text: str, kind: Kind) -> None:
    assert [(value.kind, value.figure) for value in quantities(text)] == [(kind, 5.0)]


@pytest.mark.parametrize("text", ["5 men", "5 items", "A5 paper", "5"])
def test_a_number_without_a_unit_is_not_a_quantity(text: str) -> None:
    assert quantities(text) == []


@pytest.mark.parametrize(
    ("text", "language", "kind"),
    [("six months", "en", Kind.TIME), ("nach sechs Monaten", "de", Kind.TIME), ("pendant six mois", "fr", Kind.TIME),
     ("durante seis meses", "es", Kind.TIME), ("per sei mesi", "it", Kind.TIME), ("por seis meses", "pt", Kind.TIME),
     ("zes maanden", "nl", Kind.TIME), ("шесть месяцев", "ru", Kind.TIME), ("六个月", "zh", Kind.TIME),
     ("六か月", "ja", Kind.TIME), ("sechs Quadratmeter", "de", Kind.AREA), ("шесть метров", "ru", Kind.LENGTH),
     ("six gigabytes", "en", Kind.DATA), ("sechs Kilowattstunden", "de", Kind.ENERGY)],
)  # fmt: skip
def test_numbers_and_units_written_as_words_are_read(text: str, language: str, kind: Kind) -> None:
    assert [(value.kind, value.figure) for value in quantities(text, language)] == [(kind, 6.0)]


@pytest.mark.parametrize(
    ("text", "language", "figure", "unit"),
    [
        ("every 3,000 operating hours", "en", 3000.0, "hours"),
        ("alle 3.000 Betriebsstunden", "de", 3000.0, "stunden"),
        ("každých 3 000 provozních hodin", "cs", 3000.0, "hodin"),
        ("3 000 käyttötuntia", "fi", 3000.0, "tuntia"),
        ("3,000 운전 시간마다", "ko", 3000.0, "시간"),
        ("3,000 परिचालन घंटों में", "hi", 3000.0, "घंटों"),
    ],
)
def test_a_time_may_be_qualified_by_a_word(text: str, language: str, figure: float, unit: str) -> None:
    (value,) = quantities(text, language)
    assert (value.kind, value.figure, value.unit) == (Kind.TIME, figure, unit)


@pytest.mark.parametrize(
    ("text", "language"), [("5 Etagen", "de"), ("5 Parameter", "de"), ("2 of the hours", "en"), ("3 takes hours", "en")]
)
def test_a_word_that_ends_like_a_time_or_is_no_qualifier_makes_none(text: str, language: str) -> None:
    assert quantities(text, language) == []


@pytest.mark.parametrize(
    ("text", "language"), [("4,500 लीटर है", "hi"), ("4,500 ลิตร", "th"), ("4.500 liter", "da"), ("4 500 litrů", "cs")]
)
def test_a_volume_is_read_as_its_language_writes_it(text: str, language: str) -> None:
    (value,) = quantities(text, language)
    assert (value.kind, value.figure) == (Kind.VOLUME, 4500.0)


@pytest.mark.parametrize(("text", "kind"), [("5 nm", Kind.LENGTH), ("5 Nm", Kind.TORQUE), ("5 KG", Kind.MASS)])
def test_case_only_matters_between_units_that_differ_by_case(text: str, kind: Kind) -> None:
    assert [value.kind for value in quantities(text)] == [kind]


@pytest.mark.parametrize(
    ("text", "language"), [("5 in stock", "en"), ("section 4 a", "en"), ("5 in Berlin", "de"), ("Abschnitt 4 a", "de")]
)
def test_a_word_after_a_number_is_not_a_unit(text: str, language: str) -> None:
    assert quantities(text, language) == []


@pytest.mark.parametrize(
    ("question", "language", "kind"),
    [("Wie lange dauert die Probezeit?", "de", Kind.TIME), ("Combien de temps dure l'essai ?", "fr", Kind.TIME),
     ("¿Cuánto tiempo dura el periodo de prueba?", "es", Kind.TIME), ("Quanto pesa la pompa?", "it", Kind.MASS),
     ("By whom was the note signed?", "en", Kind.PERSON), ("Par qui la note est-elle signée ?", "fr", Kind.PERSON),
     ("Quem assinou o relatório?", "pt", Kind.PERSON), ("Waarom stopte de pomp?", "nl", Kind.REASON),
     ("Сколько стоит насос?", "ru", Kind.MONEY), ("なぜ停止しましたか。", "ja", Kind.REASON),
     ("Kuinka kauan koeaika kestää?", "fi", Kind.TIME), ("Mennyibe kerül a szivattyú?", "hu", Kind.MONEY),
     ("Când a fost livrată pompa?", "ro", Kind.DATE), ("Hvem signerte rapporten?", "no", Kind.PERSON),
     ("מה מחיר המשאבה?", "he", Kind.MONEY), ("Защо спря помпата?", "bg", Kind.REASON),
     ("Koliko teži pumpa?", "hr", Kind.MASS), ("Kedy bolo čerpadlo dodané?", "sk", Kind.DATE),
     ("Zakaj se je črpalka ustavila?", "sl", Kind.REASON), ("Cik bieži pārbauda sūkni?", "lv", Kind.TIME)],
)  # fmt: skip
def test_the_kind_asked_for_is_recognized_in_every_language_of_the_table(
    question: str, language: str, kind: Kind
) -> None:
    assert kind in value_kinds(question, language)
    assert kind in value_kinds(question)


def test_a_language_without_patterns_has_no_kinds() -> None:
    assert value_kinds("Kui kaua katseaeg kestab?", "et") == frozenset()


def test_every_unit_of_the_table_has_its_kind() -> None:
    for kind, by_language in read_table("units").items():
        for unit in {unit for units in by_language.values() for unit in units}:
            assert [value.kind for value in quantities(f"5 {unit}")] == [Kind(kind)], unit


@pytest.mark.parametrize("name", ["Total €", "Costo (€)", "Preis in EUR", "Total (¥)", "Amount £"])
def test_a_currency_in_the_name_of_a_column_makes_its_numbers_amounts(name: str) -> None:
    assert [(value.kind, value.figure) for value in in_row(((name, "84.500"),), "de")] == [(Kind.MONEY, 84500.0)]


@pytest.mark.parametrize("text", ["delivery in week 38", "Lieferung KW 38", "livraison semaine 38", "第38周交货"])
def test_a_calendar_week_is_a_date(text: str) -> None:
    language = {"d": "en", "L": "de", "l": "fr"}.get(text[0], "zh")
    assert gives(frozenset({Kind.DATE}), text, language)
