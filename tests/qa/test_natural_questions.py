"""Questions as people ask them, to documents in several languages, answered without a language model."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from qa import KnowledgeBase
from tests.qa.corpus import knowledge_of

DOCUMENTS = {
    "coffee.md": """# BrewMaster 300 and 500

The cafeteria with the machine closes at 14:30.

## Cleaning

The brew group can be removed and must be rinsed weekly under running water. Do not use detergent.

| Property | BrewMaster 300 | BrewMaster 500 |
| --- | --- | --- |
| Tank volume | 1.8 l | 2.5 l |
| Pump pressure | 15 bar | 19 bar |
| Price | 499 EUR | 799 EUR |

| Fault | Cause | Remedy |
| --- | --- | --- |
| No coffee flows | The grounds container is full | Empty the grounds container |
| Lamp blinks red | The tank is empty | Fill the tank |
""",
    "bibliothèque.txt": """RÈGLEMENT DE LA BIBLIOTHÈQUE

La bibliothèque est ouverte du mardi au samedi de 10 h à 18 h. Elle est fermée le dimanche et le lundi.
La carte de lecteur coûte 12 euros par an. Les dictionnaires ne peuvent pas être empruntés.
""",
    "电梯.md": """# 电梯安全手册

## 一般规定

电梯额定载重量为1000公斤,最多可乘13人。火灾时禁止使用电梯。
电梯每半个月由维修单位保养一次。电梯由上海东方电梯有限公司制造。

## 困人时的处理

1. 按下紧急呼叫按钮。
2. 保持冷静,不要强行扒门。
3. 等待救援人员,救援人员一般在30分钟内到达。

| 项目 | 型号A | 型号B |
| --- | --- | --- |
| 速度 | 1.75 米/秒 | 2.5 米/秒 |
| 停站数 | 18 | 32 |
""",
    "射出成形機.md": """# 射出成形機 作業手順書

## 始業点検

始業前に非常停止ボタンの動作を確認してください。油圧は14 MPaです。
作業者は保護メガネを着用しなければなりません。手袋の着用は禁止されています。

## 金型交換

1. 機械の電源を切る。
2. 金型の温度が40℃以下になるまで待つ。
3. ボルトを60 N・mで締め付ける。
""",
    "график.md": """# График смен на июль

| Фамилия | Пн | Вт | Чт | Пт |
| --- | --- | --- | --- | --- |
| Иванов А. П. | дневная | дневная | ночная | выходной |
| Смирнова О. Л. | ночная | ночная | выходной | дневная |
""",
    "PR-14.md": """# Procedimiento PR-14: Limpieza del intercambiador de calor E-204

## Pasos

1. Recircular ácido cítrico al 5 % a 60 °C durante dos horas.
2. Prueba de estanqueidad a 9 bar durante 30 minutos.

## Frecuencia

Cada seis meses, o cuando la caída de presión supere 0,8 bar.
""",
}


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    with knowledge_of(DOCUMENTS, tmp_path_factory.mktemp("natural")) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("电梯最多可以乘多少人?", "电梯额定载重量为1000公斤,最多可乘13人。"),
        ("谁制造了电梯?", "电梯由上海东方电梯有限公司制造。"),
        ("型号B的速度是多少?", "速度 | 1.75 米/秒 | 2.5 米/秒"),
        ("手袋を着用してもいいですか?", "手袋の着用は禁止されています。"),
        ("ボルトの締め付けトルクは?", "3. ボルトを60 N・mで締め付ける。"),
        (
            "¿Cada cuánto se limpia el intercambiador E-204?",
            "Cada seis meses, o cuando la caída de presión supere 0,8 bar.",
        ),
        ("What does a red blinking lamp mean?", "Lamp blinks red | The tank is empty | Fill the tank"),
    ],
)
def test_the_passage_that_plainly_answers_is_quoted_first(knowledge: KnowledgeBase, question: str, quote: str) -> None:
    answer = knowledge.ask(question)
    assert not answer.abstained
    assert answer.citations[0].quote == quote


def test_a_time_of_day_answers_when_something_happens(knowledge: KnowledgeBase) -> None:
    answer = knowledge.ask("When does the cafeteria close?")
    assert answer.text == "The cafeteria with the machine closes at 14:30."
    assert answer.warnings == ()


def test_the_column_of_a_weekday_is_found_by_its_abbreviation(knowledge: KnowledgeBase) -> None:
    assert knowledge.ask("Какая смена у Смирновой в пятницу?").text == "Смирнова О. Л.; Пт: дневная"


def test_a_polite_request_in_japanese_is_not_taken_for_the_subject(knowledge: KnowledgeBase) -> None:
    steps = [citation.quote for citation in knowledge.ask("金型交換の手順を教えてください").citations]
    assert [step[:2] for step in steps] == ["金型", "1.", "2.", "3."]


@pytest.mark.parametrize(
    ("question", "compared"),
    [
        ("What is the difference between BrewMaster 300 and BrewMaster 500?", ("Tank", "Pump", "Price")),
        ("型号A和型号B有什么区别?", ("速度", "停站数")),
    ],
)
def test_things_whose_names_share_a_word_are_compared_in_all_properties(
    knowledge: KnowledgeBase, question: str, compared: tuple[str, ...]
) -> None:
    lines = knowledge.ask(question).text.splitlines()
    assert len(lines) == len(compared)
    assert all(line.startswith(name) for line, name in zip(lines, compared, strict=True))


@pytest.mark.parametrize(
    ("question", "denial"),
    [
        ("Is detergent allowed for the brew group?", "Do not use detergent."),
        ("La bibliothèque est-elle ouverte le dimanche ?", "Elle est fermée le dimanche et le lundi."),
    ],
)
def test_whether_something_is_so_is_not_answered_without_the_sentence_that_denies_it(
    knowledge: KnowledgeBase, question: str, denial: str
) -> None:
    assert denial in [citation.quote for citation in knowledge.ask(question).citations]
