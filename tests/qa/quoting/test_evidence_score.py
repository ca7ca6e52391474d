"""Tests of the parts of the extractive answer: scoring units, selecting them, and the confidence."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.lang.quantities import Kind
from pipelines.retrieve.conflicts import conflict_lines, conflicting_pairs, disagreements
from pipelines.retrieve.evidence import units
from pipelines.retrieve.evidence_score import ScoredUnit, added_cover, combined_cover, score_units
from pipelines.retrieve.question_reading import GENERAL, read_question
from pipelines.retrieve.question_terms import QuestionTerms
from pipelines.retrieve.quote_text import quote_text
from pipelines.retrieve.term_cover import ABOVE, OWN
from qa.quoting.answer_selection import select_quotes, select_units
from qa.quoting.confidence import Features, confidence, features
from tests.qa.memory import MemoryRetrieval

TEXTS = {
    "manual_pump.txt": "The casing bolts need 68 N·m. The seal is changed after 4000 hours. Wear gloves.",
    "notes_crane.txt": "The crane lifts five tons. Its hook is checked every year.",
    "table.txt": "Joint | Torque, N·m\nCasing bolts | 70\nSeal cover | 18",
    "hall.txt": "The hall has four gates.",
}
TORQUE = "Which torque do the casing bolts need?"


def read(question: str) -> QuestionTerms:
    return read_question(question, MemoryRetrieval(TEXTS).lexicon)


def scored(question: str) -> tuple[QuestionTerms, list[ScoredUnit]]:
    knowledge = MemoryRetrieval(TEXTS)
    query = read_question(question, knowledge.lexicon)
    return query, score_units(query, knowledge.retrieve(question, 4), knowledge.lexicon)


def test_the_terms_of_a_question_exclude_its_question_words() -> None:
    query = read(TORQUE)
    assert query.weights.keys() == {"torqu", "case", "bolt"}
    assert query.wants == {Kind.TORQUE}


def test_rare_terms_weigh_more_and_general_words_less() -> None:
    weights = read("Does a special crane lift the casing?").weights
    assert weights["lift"] > weights["case"] > 0
    assert weights["special"] == GENERAL


def test_a_term_missing_from_the_corpus_weighs_most_and_a_code_is_recognized() -> None:
    query = read("Does the zeppelin LZ-127 lift?")
    assert query.weights["zeppelin"] == 1
    assert any("127" in code for code in query.codes)


SETTINGS = {
    "settings.txt": "The name shared_buffers sets the cache.\n\nThe header Max-Age is in seconds.",
    "other.txt": "Buffers that are shared cost nothing.\n\nThe max age of a boiler is 30 years.",
}


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What does shared_buffers set?", "shared_buffers"),
        ("Was setzt shared_buffers?", "shared_buffers"),
        ("Que règle shared_buffers ?", "shared_buffers"),
        ("shared_buffers 是什么?", "shared_buffers"),
        ("In which unit is max-age?", "Max-Age"),
    ],
)
def test_a_unit_with_the_exact_identifier_ranks_first(question: str, said: str) -> None:
    knowledge = MemoryRetrieval(SETTINGS)
    query = read_question(question, knowledge.lexicon)
    assert said.lower() in query.words.values()
    found = score_units(query, knowledge.retrieve(question, 4), knowledge.lexicon)
    assert said in found[0].unit.text


def test_parts_of_a_compound_cover_it_partly_and_respelled_codes_cover_it_fully() -> None:
    text = "The max age is 30 years. K 80 is small. K 180 is large. 80 pumps of series K."
    knowledge = MemoryRetrieval({"a.txt": text, "b.txt": "Max-age and K-80."})
    query = read_question("max-age K-80", knowledge.lexicon)
    found = {
        item.unit.text: item for item in score_units(query, knowledge.retrieve("max-age K-80", 4), knowledge.lexicon)
    }
    assert 0 < found["The max age is 30 years."].covers["max-ag"] < OWN
    assert found["K 80 is small."].covers["k-80"] == OWN
    assert all(found[other].covers["k-80"] < ABOVE for other in ("K 180 is large.", "80 pumps of series K."))


def test_a_row_is_not_covered_by_other_rows_but_by_the_text_above_the_table() -> None:
    table = "Series K was tested in Utrecht.\n\nModel | Weight\nC25 | 2.3 kg\nC32 | 4.8 kg"
    knowledge = MemoryRetrieval({"a.txt": table, "b.txt": "The hall is long."})
    question = "What does the C32 tested in Utrecht weigh?"
    found = score_units(read_question(question, knowledge.lexicon), knowledge.retrieve(question, 4), knowledge.lexicon)
    row = next(item for item in found if item.unit.text.startswith("C25"))
    assert row.covers["c32"] == 0
    assert row.covers["utrecht"] > 0


def test_how_often_asks_for_a_time_and_how_much_for_money() -> None:
    assert read("How often is the oil changed?").wants == {Kind.TIME}
    assert "钱" in read("制动片多少钱？").asking


def test_chinese_question_words_are_removed_and_content_words_kept() -> None:
    query = read("压力变送器多久校准一次?")
    assert any("校准" in term for term in query.weights)
    assert not any("多久" in term for term in query.weights)


def test_the_answering_unit_ranks_first_and_partial_scores_are_between_zero_and_one() -> None:
    query, found = scored(TORQUE)
    assert found[0].unit.text in ("The casing bolts need 68 N·m.", "Casing bolts | 70")
    assert found[0].gives
    assert all(0 <= item.coverage <= 1 for item in found)
    assert found == sorted(found, key=lambda item: -item.score)
    assert all(item.covers.keys() == query.weights.keys() for item in found)


def test_a_term_counts_less_if_it_occurs_only_above_the_unit() -> None:
    _, found = scored("Is the crane checked?")
    by_text = {item.unit.text: item.covers["crane"] for item in found}
    assert by_text["The crane lifts five tons."] == OWN
    assert by_text["Its hook is checked every year."] == ABOVE


def test_further_units_are_selected_for_the_terms_they_add() -> None:
    query, found = scored("Which torque do the casing bolts need, and what does the crane lift?")
    chosen = select_units(query, found, 3)
    assert chosen[0].covers["bolt"] == OWN
    assert any(item.covers["crane"] == OWN for item in chosen[1:])
    assert added_cover(query, combined_cover(chosen), chosen[-1].covers) == 0
    assert select_quotes(query, chosen, found, True).items[0] == chosen[0]


def test_without_units_nothing_is_selected_and_confidence_is_low() -> None:
    query = read(TORQUE)
    assert select_units(query, [], 3) == []
    assert select_quotes(query, [], [], True).items == ()
    assert features(query, [], []) == Features(1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0)
    assert confidence(features(query, [], [])) < 0.2


def test_confidence_is_higher_if_the_evidence_covers_the_subject() -> None:
    def sure(question: str) -> float:
        query, found = scored(question)
        return confidence(features(query, found, select_units(query, found, 3)))

    assert sure(TORQUE) > 0.5 > sure("Which torque do the zeppelin's propellers need?")


@given(st.builds(Features, *(st.floats(0, 1) for _ in Features.__slots__)))
@settings(max_examples=50)
def test_confidence_is_a_probability_and_falls_with_each_missing_feature(found: Features) -> None:
    sure = confidence(found)
    assert 0 < sure < 1
    for name in Features.__slots__:
        worst = 0.0 if name == "margin" else 1.0
        assert sure >= confidence(replace(found, **{name: worst}))


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What does the crane of Eikenrode lift?", {"eikenrod"}),
        ("The crane stops. Where is the LZ-127?", {"lz-127"}),
        ("WHAT DOES THE CRANE LIFT?", set()),
    ],
)
def test_codes_and_words_capitalized_within_a_sentence_are_names(question: str, names: set[str]) -> None:
    assert read(question).names == names


def test_a_capitalized_german_noun_is_not_a_name() -> None:
    lexicon = MemoryRetrieval({"kran.txt": "Der Kran hebt fünf Tonnen."}, language="de").lexicon
    assert read_question("Was hebt der Kran in der Werkhalle?", lexicon, ("de",)).names == set()


def test_an_unknown_name_lowers_confidence_more_than_an_unknown_word() -> None:
    def sure(question: str) -> float:
        query, found = scored(question)
        return confidence(features(query, found, select_units(query, found, 3)))

    assert sure("Which torque do the casing bolts of Eikenrode need?") < sure(
        "Which torque do the casing bolts of zeppelins need?"
    )


def test_different_values_in_two_documents_are_reported_as_a_conflict() -> None:
    query, found = scored(TORQUE)
    [line] = conflict_lines(query, conflicting_pairs(query, found))
    assert "manual_pump.txt says: The casing bolts need 68 N·m." in line
    assert "table.txt says: Casing bolts; Torque, N·m: 70" in line
    knowledge = MemoryRetrieval(TEXTS)
    assert disagreements(TORQUE, knowledge.retrieve(TORQUE, 4), knowledge.lexicon) == (line,)


def test_there_is_no_conflict_if_the_question_asks_for_no_value() -> None:
    query, found = scored("Describe the casing bolts.")
    assert conflicting_pairs(query, found) == []


def test_a_row_is_quoted_with_its_column_names() -> None:
    knowledge = MemoryRetrieval({"a.txt": "Quantity | Unit | K65 | K80\nMass | kg | 148 | 395"})
    row = units(knowledge.hits[0], 0)[1]
    assert (
        quote_text(row, read_question("What is the mass?", knowledge.lexicon)) == "Mass; Unit: kg; K65: 148; K80: 395"
    )
    assert (
        quote_text(row, read_question("What is the mass of the K80?", knowledge.lexicon)) == "Mass; Unit: kg; K80: 395"
    )
