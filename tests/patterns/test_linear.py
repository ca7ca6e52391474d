"""No pattern of ours takes more than linear time, whatever text it is given: counted in steps, not in seconds."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.patterns.backtracking import Counter, Steps, TooManySteps
from tests.patterns.collect import Found, collect
from tests.patterns.traps import Trap, traps

_LENGTHS, _FACTOR = (40, 120), 8
"""Characters of the short texts. The longer ones are for those patterns that fail at the shorter ones, where a repeat
that is bounded by more than they are long takes as much as one that is not."""
_TURNS = 4
"""How often the short text repeats what a trap repeats, at least."""
_GROWTH = 12
"""What eight times the text may cost at most, in times of what the text costs: 8 where it is linear, 64 where not."""
_LEAST_STEPS = 5
_MOST_STEPS = 3000
"""Steps for each character: below the one nothing is measured, over the other even a linear pattern is too slow."""

_AT_THE_START = {
    "pipelines.atomize.table_rows._TYPES": "full matches of a cell, never searched for",
    "pipelines.parse.web.yaml._BEHIND": "matches directly behind a value, never searched for",
}
_BOUNDED = {
    "pipelines.parse.office.ooxml._EXTERNAL_ENTITY": "2,000 characters at most, in the first 64 KiB of a part",
    "pipelines.parse.captions._SENTENCE": "matches a line of at most 600 characters",
    "pipelines.parse.web.dom._DECLARED": "searches the first 4,096 bytes",
    "pipelines.parse.web.rst._EMPHASIS": "200 characters at most from a mark that begins a word",
    "pipelines.retrieve.index._BRACKETS": "a title has at most 200 characters",
    "pipelines.lang.numbers._CODE_BEFORE": "searches the 24 characters before a figure",
}
"""Patterns whose text, or whose reach, is bounded by more than the traps are long."""
_MADE = {
    "pipelines.lang.questions._patterns": "from a list of ours, each without a repeat beside one that takes the same",
    "pipelines.lang.word_lists.bounded": "from lists of ours, each without a repeat beside one that takes the same",
    "pipelines.lang.scales._pattern": "words of our own data, then blanks and at most one of three short words",
    "pipelines.lang.elements._pattern": "symbols of elements from our own data, without a repeat",
    "pipelines.retrieve.question_terms.term_places": "groups of three digits with one sign between them",
    "pipelines.retrieve.given_values._without": "a few letters and digits, with at most one sign between them",
    "pipelines.retrieve.across_documents._nameless": "a few letters and digits, with at most one sign between them",
    "pipelines.retrieve.term_cover._letter_place": "one capital letter",
    "pipelines.retrieve.term_cover._named_cover": "a few letters and a few digits, with at most one sign between them",
    "pipelines.lang.word_lists._elided": "words of our own data between the edge of a word and an apostrophe",
    "pipelines.lang.counting._places": "an escaped pair of letters",
    "pipelines.lang.dates._named": "escaped names of months from our own data; every run beside them is bounded",
    "pipelines.lang.terms._number_formats": "runs of digits and an escaped mark between them, which is no digit",
    "pipelines.lang.questions._splitters": "escaped words from lists",
    "pipelines.atomize.grounding._find": "escaped words with white space between them: a word cannot match a blank",
    "pipelines.graph.document_names._titles": "an escaped number",
    "pipelines.llm.prompt.fence": "an escaped tag behind a sign that is not white space",
    "pipelines.llm.prompt._belongs": "file names of prompts, which are ours or the owner's",
    "pipelines.lang.arithmetic.of": "escaped words from a list of ours, between the edges of words",
    "pipelines.parse.references._patterns": "words of our own data; every run in the patterns is bounded",
    "pipelines.retrieve.term_cover._has_apart": "runs of letters and of digits, with at most one sign between them",
}
_FOUND, _CALLS = collect()


def _name(where: str) -> str:
    return where.partition("[")[0]


def _steps(counter: Counter, anchored: bool, text: str | bytes, most: int) -> int | None:
    steps = Steps(most)
    try:
        if anchored:
            counter.match(text, steps)
        else:
            for _ in counter.spans(text, steps):
                pass
    except TooManySteps:
        return None
    return steps.count


def _sprung(found: Found) -> Iterator[tuple[Trap, int | None]]:
    """Yield the traps of a pattern that cost more than linear time, with the steps of the short text."""
    counter = Counter(found.pattern)
    anchored = found.anchored or _name(found.where) in _AT_THE_START
    for trap in traps(found.pattern):
        for length in (max(least, _TURNS * len(trap.unit)) for least in _LENGTHS):
            short, long = (_text(found.pattern, trap, longer) for longer in (length, _FACTOR * length))
            steps = _steps(counter, anchored, short, _MOST_STEPS * len(short))
            most = _GROWTH * max(steps or 0, _LEAST_STEPS * length)
            if steps is not None and _steps(counter, anchored, long, most) is not None:
                break
        else:
            yield trap, steps


def _text(pattern: re.Pattern[str] | re.Pattern[bytes], trap: Trap, length: int) -> str | bytes:
    text = trap.text(length)
    return text.encode("latin-1", "replace") if isinstance(pattern.pattern, bytes) else text


@pytest.mark.slow
@pytest.mark.parametrize(
    "found", [one for one in _FOUND if _name(one.where) not in _BOUNDED], ids=lambda one: one.where
)
def test_eight_times_the_text_costs_no_more_than_twelve_times_the_steps(found: Found) -> None:
    assert list(_sprung(found)) == []


@pytest.mark.parametrize("written", [r"\s+$", r"[\w-]+\.pdf", r"(\d+)(,\d+)*x", "<a[^>]+href", r"\((?:[^)]*\))+"])
def test_a_pattern_that_backtracks_falls_into_its_own_traps(written: str) -> None:
    assert any(_sprung(Found("here", re.compile(written), anchored=False)))


def test_every_pattern_of_the_packages_is_looked_at() -> None:
    names = {_name(one.where) for one in _FOUND}
    assert len(_FOUND) > 300
    assert {
        "pipelines.lang.sentences._END",
        "pipelines.lang.characters._OMISSION",
        "pipelines.parse.web.text.append_code",
    } <= names
    assert set(_AT_THE_START) | set(_BOUNDED) <= names


def test_patterns_made_at_run_time_are_listed_with_the_reason_why_they_are_linear() -> None:
    assert {call.where for call in _CALLS} == set(_MADE)
