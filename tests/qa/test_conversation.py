from __future__ import annotations

import pytest

from pipelines.lang.follow_up import joined, refers_back
from pipelines.llm.testing.fakes import ScriptedChat
from qa.answer import Answer
from qa.conversation import Conversation
from qa.model_calls import ModelCalls


def conversation(*replies: str, history: int = 4) -> tuple[Conversation, list[str], ScriptedChat]:
    asked: list[str] = []
    chat = ScriptedChat(replies)

    async def ask(question: str) -> Answer:
        asked.append(question)
        return Answer(question, "EUR 286", "extractive")

    return Conversation(ask, lambda: ModelCalls(chat) if replies else None, history), asked, chat


async def test_the_first_question_is_asked_unchanged() -> None:
    talk, asked, _ = conversation()
    await talk.say("What does the mechanical seal of the K65-200 cost?")
    assert asked == ["What does the mechanical seal of the K65-200 cost?"]


async def test_a_model_rewrites_a_follow_up_from_the_previous_turns() -> None:
    talk, asked, chat = conversation('{"question": "What does the mechanical seal of the K80-250 cost?"}')
    await talk.say("What does the mechanical seal of the K65-200 cost?")
    answer = await talk.say("And of the K80-250?")
    assert asked[1] == "What does the mechanical seal of the K80-250 cost?"
    assert "A: EUR 286" in chat.requests[0].messages[-1].content
    assert answer.trace[0].kind == "rewritten"
    assert talk.turns[1].asked == "And of the K80-250?"


async def test_without_a_model_a_follow_up_gets_the_subject_of_the_previous_question() -> None:
    talk, asked, _ = conversation()
    await talk.say("How is the mechanical seal of the K65-200 mounted?")
    await talk.say("What about its spring?")
    assert asked[1] == "What about its spring? (mechanical seal, K65-200 mounted)"


@pytest.mark.parametrize(
    ("first", "second", "understood"),
    [
        ("What is the power of the MT-40?", "And of the MT-60?", "And of the MT-60? (power)"),
        ("Wie schnell läuft die WS 110?", "Und die WS 180?", "Und die WS 180? (schnell läuft)"),
        ("Wie hoch ist die Drehzahl der WS 110?", "Und die der WS 180?", "Und die der WS 180? (Drehzahl)"),
        ("What is the filling pressure for glass?", "And for PET?", "And for PET? (filling pressure)"),
        ("What is the pressure of the valve?", "And its temperature?", "And its temperature? (valve)"),
        ("What is the efficiency of the K80?", "And its mass?", "And its mass? (K80)"),
        ("Who supplies the valve seal?", "And the glue roller?", "And the glue roller? (supplies)"),
        ("Wie hoch ist das Drehmoment für M8?", "Und für M10?", "Und für M10? (Drehmoment)"),
        ("E630 的额定载重量是多少？", "E1000 呢？", "E1000 呢？ (额定载重量)"),
        ("Wat kost de Calora 24?", "En de Calora 35?", "En de Calora 35? (kost)"),
        ("Ile kosztuje PH-63?", "A PH-40?", "A PH-40? (kosztuje)"),
        ("JM-100の型締力は?", "JM-200は?", "JM-200は? (型締力)"),
    ],
)
def test_a_follow_up_without_a_verb_keeps_the_property_and_replaces_the_subject(
    first: str, second: str, understood: str
) -> None:
    assert joined(second, first, ("en", "de", "nl", "pl", "zh", "ja")) == understood


@pytest.mark.parametrize(
    ("first", "second", "understood"),
    [
        ("制动片的型号是什么？", "它多少钱？", "它多少钱？ (制动片 型号)"),
        ("and of the HX 45? (motor power)", "And the price?", "And the price? (HX 45)"),
        ("¿Qué número ONU tiene Limpiol Forte?", "¿De qué color es?", "¿De qué color es? (Limpiol Forte)"),
        ("E qual é a velocidade máxima da CF-12?", "Quem cuida dela?", "Quem cuida dela? (CF-12)"),
        ("Who was excused? (cooling water meeting)", "When is the next?", "When is the next? (cooling water meeting)"),
        ("Why was it moved? (autumn shutdown)", "How long does it last?", "How long does it last? (autumn shutdown)"),
        ("JM-200は? (型締力)", "質量は?", "質量は? (JM-200)"),
        ("E la fresatrice? (costato)", "Chi l'ha fornita?", "Chi l'ha fornita? (fresatrice)"),
        ("What is the price of the HX 20?", "And its weight in 2025?", "And its weight in 2025? (HX 20)"),
    ],
)
def test_a_follow_up_with_a_property_of_its_own_keeps_the_thing(first: str, second: str, understood: str) -> None:
    assert joined(second, first, ("en", "it", "pt", "es", "ja", "zh")) == understood


@pytest.mark.parametrize(("doubt", "asked_alone"), [("Two values.", True), ("", False)])
async def test_a_question_that_need_not_refer_back_is_asked_alone_if_its_answer_is_doubtful(
    doubt: str, asked_alone: bool
) -> None:
    async def ask(question: str) -> Answer:
        return Answer(question, "May", warnings=(doubt,) if doubt and "(" in question else ())

    talk = Conversation(ask, lambda: None)
    await talk.say("How fast must failures of the pump be repaired?")
    await talk.say("When can we cancel?")
    assert ("(" not in talk.turns[1].understood) is asked_alone


async def test_an_unusable_rewrite_falls_back_to_joining_the_previous_subject() -> None:
    talk, asked, _ = conversation("?")
    await talk.say("Who built the oven of line 3?")
    await talk.say("When was it built?")
    assert asked[1].startswith("When was it built? (")


async def test_the_model_is_shown_at_most_the_configured_number_of_turns() -> None:
    talk, _, chat = conversation('{"question": "x y"}', history=1)
    for question in ("First oven?", "Second oven?", "Third oven?"):
        await talk.say(question)
    assert "First" not in chat.requests[-1].messages[-1].content


@pytest.mark.parametrize(
    "question",
    [
        "And since when?",
        "What about it?",
        "那它的价格呢?",
        "How much is that one?",
        "Und seit wann ist das so?",
        "Und was kostet das?",
        "And what is the price for children?",
        "Und was kostet es am Sonntag?",
        "Et combien coûte-t-il ?",
        "それはいくらですか。",
    ],
)
def test_a_question_that_refers_back_is_a_follow_up(question: str) -> None:
    assert refers_back(question, languages=("en", "de", "fr", "zh", "ja"))


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("cs", "Jaký je maximální tlak čerpadla v provozu?"),
        ("cs", "Co je to mechanická ucpávka čerpadla?"),
        ("da", "Hvad er det maksimale tryk i pumpens hus?"),
        ("sv", "Vad är det maximala trycket i pumpens hus?"),
        ("no", "Hva er det maksimale trykket i pumpehuset?"),
        ("nl", "Wat is het maximale gewicht van de pomp?"),
        ("nl", "Welke pompen zijn rood en staan buiten?"),
        ("hu", "Mekkora az üzemi nyomás a szivattyú házában?"),
        ("el", "Ποια είναι η μέγιστη πίεση του συμπιεστή;"),
        ("pl", "Co to jest uszczelnienie mechaniczne pompy?"),
    ],
)
def test_an_article_is_no_pronoun(language: str, question: str) -> None:
    assert not refers_back(question, languages=(language,))


def test_a_question_too_short_to_name_its_subject_is_a_follow_up() -> None:
    assert joined("Why?", "Who built the oven?") == "Why? (built, oven)"


@pytest.mark.parametrize(
    "question",
    [
        "What does the casing of the K65-200 weigh?",
        "And what does lunch cost?",
        "Und was kostet das Mittagessen?",
        "Et combien coûte le déjeuner ?",
        "压力变送器多久校准一次?",
        "Wann wird der Drucksensor der Pumpe kalibriert?",
    ],
)
def test_a_question_that_names_its_subject_is_not_a_follow_up(question: str) -> None:
    assert not refers_back(question, languages=("en", "de", "fr", "zh"))
    assert joined(question, "Who built the oven?", ("en", "de", "fr", "zh")) == question
