from __future__ import annotations

from qa.citations import Citer, check, cite_literal
from qa.prompts.reply_types import AnswerReply, ClaimReply
from tests.qa.memory import MemoryRetrieval

KNOWLEDGE = MemoryRetrieval(
    {
        "pump.txt": "The pump K65 needs 3.4 m of suction head. Its casing bolts take 68 N·m.",
        "slides.txt": "Final torque of the casing bolts: 75 N·m. Use new washers.",
    }
)


def reply(*claims: ClaimReply, answer: str = "") -> AnswerReply:
    return AnswerReply(claims=list(claims), found=True, answer=answer)


def test_a_claim_with_a_quote_from_the_source_is_cited_by_its_exact_span() -> None:
    citer = Citer(KNOWLEDGE)
    claim = ClaimReply(text="It needs 3.4 m.", passage=1, quote="needs 3.4 m of  SUCTION head")
    checked = check("What does it need?", reply(claim), KNOWLEDGE.hits, citer)
    (citation,) = citer.citations
    assert checked.dropped == ()
    assert checked.claims[0].citations == (1,)
    assert citation.quote == citation.span.slice(KNOWLEDGE.hits[0].chunk.text)
    assert "3.4 m of suction head" in citation.quote
    assert (citation.page, citation.boxes[0].page) == (1, 1)


def test_a_quote_found_in_another_passage_than_the_one_named_is_cited_from_there() -> None:
    citer = Citer(KNOWLEDGE)
    claim = ClaimReply(text="Use new washers.", passage=1, quote="Use new washers")
    check("?", reply(claim), KNOWLEDGE.hits, citer)
    assert citer.citations[0].uri == "slides.txt"


def test_a_claim_whose_quote_is_not_in_the_source_is_dropped_and_reported() -> None:
    claim = ClaimReply(text="The motor is painted blue.", passage=1, quote="painted blue")
    checked = check("?", reply(claim), KNOWLEDGE.hits, Citer(KNOWLEDGE))
    assert checked.claims == ()
    assert "quote not in the source: painted blue" in checked.dropped


def test_a_wrong_quote_is_replaced_by_the_sentence_that_supports_the_claim() -> None:
    citer = Citer(KNOWLEDGE)
    claim = ClaimReply(text="The casing bolts take 68 N·m.", passage=1, quote="bolts need sixty-eight")
    checked = check("?", reply(claim), KNOWLEDGE.hits, citer)
    assert checked.claims
    assert "quote not in the source" in checked.dropped[0]
    assert citer.citations[0].quote == "Its casing bolts take 68 N·m."


def test_a_claim_with_a_number_missing_from_the_source_is_dropped() -> None:
    claim = ClaimReply(text="The casing bolts take 86 N·m.", passage=1, quote="casing bolts take 68 N·m")
    checked = check("?", reply(claim), KNOWLEDGE.hits, Citer(KNOWLEDGE))
    assert checked.claims == ()
    assert checked.dropped[0].startswith("86 not in the source")


def test_a_claim_whose_number_is_not_in_its_quote_is_cited_from_the_sentence_that_has_it() -> None:
    citer = Citer(KNOWLEDGE)
    claim = ClaimReply(text="The final torque of the casing bolts is 75 N·m.", passage=1, quote="Its casing bolts take")
    checked = check("?", reply(claim), KNOWLEDGE.hits, citer)
    assert checked.dropped == ()
    assert [one.uri for one in citer.citations] == ["slides.txt"]


def test_a_number_from_the_question_needs_no_source() -> None:
    claim = ClaimReply(text="Of 2 pumps the K65 needs 3.4 m.", passage=1, quote="needs 3.4 m of suction head")
    assert check("Which of the 2 pumps?", reply(claim), KNOWLEDGE.hits, Citer(KNOWLEDGE)).claims


def test_without_claims_the_short_answer_is_located_and_cited() -> None:
    citer = Citer(KNOWLEDGE)
    checked = check("?", reply(answer="Final torque of the casing bolts: 75 N·m"), KNOWLEDGE.hits, citer)
    assert checked.claims
    assert citer.citations[0].uri == "slides.txt"


def test_the_same_span_has_the_same_citation_number() -> None:
    citer = Citer(KNOWLEDGE)
    claim = ClaimReply(text="It needs 3.4 m.", passage=1, quote="needs 3.4 m of suction head")
    check("?", reply(claim, claim), KNOWLEDGE.hits, citer)
    assert [citation.number for citation in citer.citations] == [1]


def test_a_short_quote_is_cited_by_its_whole_sentence() -> None:
    citer = Citer(KNOWLEDGE)
    claim = ClaimReply(text="It needs 3.4 m.", passage=1, quote="3.4 m")
    check("?", reply(claim), KNOWLEDGE.hits, citer)
    assert citer.citations[0].quote == "The pump K65 needs 3.4 m of suction head."


TABLE = MemoryRetrieval(
    {
        "data.txt": "Duty points\n\nPump | Head at 1450 rpm | Weight\nK65 | 34 m | 120 kg\nK80 | 51 m | 120 kg",
        "hall.txt": "The hall is 40 m long.",
    }
)


def test_a_claim_on_a_cell_may_use_numbers_of_its_row_and_header() -> None:
    citer = Citer(TABLE)
    claim = ClaimReply(text="At 1450 rpm the K80, which weighs 120 kg, has a head of 51 m.", passage=1, quote="51 m")
    checked = check("?", reply(claim), TABLE.hits, citer)
    assert checked.dropped == ()
    assert citer.citations[0].quote == "K80 | 51 m | 120 kg"
    assert citer.citations[0].context == "Pump | Head at 1450 rpm | Weight"


def test_a_claim_with_a_number_of_another_row_is_dropped() -> None:
    claim = ClaimReply(text="The K80 has a head of 34 m.", passage=1, quote="K80 | 51 m")
    assert check("?", reply(claim), TABLE.hits, Citer(TABLE)).claims == ()


def test_a_claim_without_a_quote_is_cited_by_the_supporting_row_with_its_header() -> None:
    citer = Citer(TABLE)
    checked = check("?", reply(ClaimReply(text="The weight of the K65 pump is 120 kg.")), TABLE.hits, citer)
    assert checked.claims
    assert citer.citations[0].quote == "K65 | 34 m | 120 kg"


def test_a_bare_cell_value_is_cited_by_the_row_that_the_question_names() -> None:
    citer = Citer(TABLE)
    claim = ClaimReply(text="120 kg", passage=1, quote="120 kg")
    assert check("What is the weight of the K80?", reply(claim), TABLE.hits[1:], citer).claims == ()
    assert cite_literal("120 kg", "What is the weight of the K80?", TABLE.hits, citer) == (1,)
    assert citer.citations[0].quote == "K80 | 51 m | 120 kg"


def test_a_cell_of_one_character_is_accepted_as_an_answer() -> None:
    table = MemoryRetrieval({"seals.txt": "Seal | Grade\nS1 | A\nS2 | B"})
    citer = Citer(table)
    checked = check("What grade has seal S2?", reply(ClaimReply(text="B", passage=1, quote="B")), table.hits, citer)
    assert [claim.text for claim in checked.claims] == ["B"]
    assert checked.dropped == ()
    assert citer.citations[0].quote == "S2 | B"
