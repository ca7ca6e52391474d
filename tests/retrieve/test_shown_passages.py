"""Tests of rendering passages for a model within a token limit."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.lang.terms import terms
from pipelines.llm.tokens import estimate_tokens
from pipelines.retrieve.hit import AtomHit, Hit
from pipelines.retrieve.shown_passages import NO_PASSAGES, condensed, fitting, headline, render, render_candidates
from tests.qa.memory import MemoryRetrieval

PUMP = (
    "The pump of line 3 was built in 1998. It has a cast iron casing. The casing bolts need 68 N·m. "
    "Its paint is blue. It stands in the hall beside the gate."
)


def hits_of(*texts: str) -> list[Hit]:
    return MemoryRetrieval({f"{number}.txt": text for number, text in enumerate(texts)}).hits


def test_passages_within_the_limit_are_shown_whole_with_number_and_title() -> None:
    shown = render(hits_of("A crane lifts 5 t.", PUMP), 500, "crane")
    assert "[1] 0: A crane lifts 5 t." in shown
    assert f"[2] 1: {PUMP}" in shown


def test_a_written_summary_precedes_its_passage_and_an_extracted_one_is_omitted() -> None:
    (hit,) = hits_of(PUMP)
    written = replace(hit, chunk=replace(hit.chunk, summary="An old pump: its bolts and its paint."))
    assert f"(An old pump: its bolts and its paint.)\n{PUMP}" in render([written], 500, "pump")
    quoted = replace(hit, chunk=replace(hit.chunk, summary="It has a cast iron casing. Its paint is blue."))
    assert f"[1] 0: {PUMP}" in render([quoted], 500, "pump")
    broken = PUMP.replace("cast iron", "cast\n  iron")
    lines = replace(quoted, chunk=replace(quoted.chunk, text=broken))
    assert f"[1] 0: {broken}" in render([lines], 500, "pump")


def test_an_empty_list_of_passages_is_stated() -> None:
    assert render([], 500, "crane") == NO_PASSAGES


def test_a_condensed_passage_keeps_its_opening_and_the_relevant_sentences_in_order() -> None:
    short = condensed(PUMP, 24, frozenset(terms("Which torque do the casing bolts need?")))
    assert short.startswith("The pump of line 3 was built in 1998. … The casing bolts need 68 N·m.")
    assert "gate" not in short


def test_a_condensed_table_keeps_its_column_names_and_whole_rows() -> None:
    rows = [f"pc_{number} | {number} bar | approx. {number} s" for number in range(40)]
    table = "\n".join(["Limits of the valves", "name | pressure | delay", *rows])
    shown = condensed(table, 40, frozenset(terms("Which delay has pc_31?")))
    assert shown.startswith("Limits of the valves\nname | pressure | delay")
    assert "pc_31 | 31 bar | approx. 31 s" in shown


def test_a_condensed_passage_keeps_names_shared_with_another_passage() -> None:
    team = "Wesson is a player who was with the Torvik Astros for many years."
    final = (
        "The final took place in October. The weather was fine on all of its days. The winner was cheered. "
        "It was played by the Leeds Dodgers and the Torvik Astros. Tickets were sold out early in the summer."
    )
    assert "Leeds Dodgers and the Torvik Astros" in render(hits_of(team, final), 70, "Who was the winner of the final?")


def test_short_passages_leave_their_unused_tokens_to_long_ones() -> None:
    shown = render(hits_of("A crane.", "A gate.", PUMP), 100, "paint")
    assert PUMP in shown


def test_passages_are_taken_in_order_while_each_has_its_minimum_share() -> None:
    hits = hits_of(*(f"Text {number}. " + "word " * 300 for number in range(12)))
    assert fitting([hits[0], *hits], 800) == hits[:8]
    assert fitting(hits, 1) == hits[:1]
    assert fitting([], 800) == []


def test_candidates_are_numbered_and_long_ones_truncated() -> None:
    hit = replace(hits_of("x")[0], title="Manual", uri="manual.pdf")
    shown = render_candidates([AtomHit("The nut.", 0.9, hit), AtomHit("word " * 200, 0.8, hit)])
    assert "1. (Manual) The nut." in shown
    assert shown.rstrip().endswith("…\n</list>")


@given(st.text(alphabet="ab. \n|A泵。", max_size=300), st.integers(1, 80))
@settings(deadline=None)
def test_a_condensed_passage_is_unchanged_or_within_its_token_limit(text: str, tokens: int) -> None:
    short = condensed(text, tokens, frozenset({"ab"}))
    assert short == text or estimate_tokens(short) <= tokens + 5 * (short.count("…") + 1)


def test_a_headline_names_document_and_headings_once() -> None:
    hit = hits_of("x")[0]
    chunk = replace(hit.chunk, heading_path=("Manual", "Oil"))
    named = replace(hit, title="Manual", chunk=chunk)
    assert headline(replace(named, uri="manual.pdf")) == "Manual > Oil"
    assert headline(replace(named, uri="K-300/manual.pdf")) == "Manual (K-300/manual.pdf) > Oil"
