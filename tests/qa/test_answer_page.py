"""Tests of rendering an answer as a page and its trace as a tree."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from flows.cli.answer_page import answer_page
from flows.cli.answer_text import trace_tree
from pipelines.core.provenance import Span
from qa.answer import NOT_IN_DOCUMENTS, Answer, Citation, Claim, Ending, Step

CITATION = Citation(1, "d", "a<b>.pdf", "A", "68 <N·m> & more", "c", Span(0, 15), 3, "3", context="Joint | Torque")
ROUND = Step("round", "round 1", None, (Step("proposal", "Who <built> it?"), Step("selected", "Merton", 0.71)))
ANSWER = Answer(
    "Which <torque>?",
    "68 N·m. The bolts need 68 N·m.",
    "pike",
    (Claim("The bolts need 68 N·m.", (1,)),),
    (CITATION,),
    short="68 N·m",
    conflicts=("a says 68 - but b says 70",),
    dropped=("quote not in the source: 99",),
    trace=(ROUND, Step("stop", "no proposals")),
)


def printed(answer: Answer) -> str:
    written = StringIO()
    Console(file=written, width=100).print(trace_tree(answer))
    return written.getvalue()


def test_a_page_has_answer_sources_conflicts_and_dropped_claims_and_loads_nothing() -> None:
    page = answer_page(ANSWER)
    for part in ("<strong>68 N·m</strong>", "href='#c1'", "id='c1'", "page 3", "Joint | Torque", "b says 70", "99"):
        assert part in page
    assert "://" not in page


def test_a_page_escapes_the_text_of_documents() -> None:
    page = answer_page(ANSWER)
    assert "Which &lt;torque&gt;?" in page
    assert "68 &lt;N·m&gt; &amp; more" in page
    assert "Who &lt;built&gt; it?" in page


def test_a_page_of_a_refusal_lists_the_nearest_passages() -> None:
    page = answer_page(
        Answer("Why?", NOT_IN_DOCUMENTS, "extractive", citations=(CITATION,), ending=Ending.NOT_IN_DOCUMENTS)
    )
    assert f"<strong>{NOT_IN_DOCUMENTS}</strong>" in page
    assert "Nearest passages" in page


def test_a_tree_shows_rounds_scores_and_the_stop_condition() -> None:
    tree = printed(ANSWER)
    assert tree.startswith("pike: Which <torque>?")
    assert "0.71 selected: Merton" in tree
    assert "stop: no proposals" in tree


def test_a_tree_counts_the_steps_that_it_omits() -> None:
    many = Step("candidates", "40", None, tuple(Step("candidate", str(number)) for number in range(40)))
    assert "and 28 more" in printed(Answer("?", "", "pike", trace=(many,)))
