from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.patterns.backtracking import Counter, Steps, TooManySteps
from tests.patterns.collect import collect

_PLENTY = 200_000
_LETTERS = st.sampled_from(["a", "b", "c", "A", ".", r"\w", r"\s", r"\d", "[ab]", "[^a]", r"\b", "^", "$", " "])


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    repeat = st.sampled_from(["*", "+", "?", "{1,2}", "{2}", "*?", "+?", "??", "{0,2}?", "*+", "++", "?+"])
    group = st.sampled_from(["({})", "(?:{})", "(?>{})", "(?={})", "(?!{})", "(?i:{})"])
    return st.one_of(
        st.builds("".join, st.lists(inner, min_size=2, max_size=3)),
        st.builds("(?:{}|{})".format, inner, inner),
        st.builds(lambda body, sign: f"(?:{body}){sign}", inner, repeat),
        st.builds(lambda body, form: form.format(body), inner, group),
        st.builds(r"({})\1".format, _LETTERS),
        st.builds("(?<={}){}".format, st.sampled_from(["a", "b", "[ab]"]), inner),
    )


_PATTERNS = st.recursive(_LETTERS, _grown, max_leaves=7)
_TEXTS = st.text(st.sampled_from("abcA. \n1"), max_size=9)


def _spans(pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    return list(Counter(pattern).spans(text, Steps(_PLENTY)))


@settings(max_examples=600, deadline=None)
@given(_PATTERNS, _TEXTS)
def test_the_counter_finds_what_re_finds(written: str, text: str) -> None:
    try:
        pattern = re.compile(written)
    except re.error:  # a group referred to before it is closed
        return
    assert _spans(pattern, text) == [match.span() for match in pattern.finditer(text)]
    whole = pattern.match(text)
    assert Counter(pattern).match(text, Steps(_PLENTY)) == (whole.end() if whole else None)


_LIKE_OURS = (
    "See section 4.2 of DS-2041 Rev B (2019-03-01), Table 3. The pump (PX) weighs 1,104.5 kg at 20 °C; cost $ 5.",
    "* TODO Title :a:b:\n- item [[x][y]]\n| a | b |\n|---|---|\n1. one\n\n2) two ... see http://e.example/a_(b).pdf",
    "参见《手册》第3章。中文有限公司（一）12年3月4日，温度 20℃；\n“引号” a@b.example +49 30 123456 9:15",
    "..  .\n \n((([[[<<<\"\"''``##**__//--==::;;!!??%%%1.1.1.1.,,,aA1-aA1-",
)


def test_the_counter_finds_what_our_patterns_find() -> None:
    for found in collect()[0]:
        counter = Counter(found.pattern)
        for text in _LIKE_OURS if isinstance(found.pattern.pattern, str) else ():
            spans = list(counter.spans(text, Steps(_PLENTY)))
            assert spans == [match.span() for match in found.pattern.finditer(text)], found.where


@pytest.mark.parametrize(
    ("written", "unit", "power"), [("a+", "a", 1), (r"\s+$", " ", 2), ("(?:a+)+b", "a", 8), ("a.*b.*c", "ab", 3)]
)
def test_steps_grow_as_the_pattern_backtracks(written: str, unit: str, power: int) -> None:
    counts = []
    for length in (8, 16):
        steps = Steps(10_000_000)
        list(Counter(re.compile(written)).spans((unit * length)[:length] + "x", steps))
        counts.append(steps.count)
    assert counts[1] / counts[0] > 2**power * 0.6


def test_a_match_that_takes_too_many_steps_is_ended() -> None:
    with pytest.raises(TooManySteps):
        Counter(re.compile("(?:a+)+b")).match("a" * 40, Steps(10_000))
