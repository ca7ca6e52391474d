"""Values that a source warns against ("75 N·m would overstretch them"): no answer where another value is told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pipelines.lang.cues import cue
from pipelines.lang.quantities import Kind, in_row, quantities
from qa.quoting.question import QuestionTerms
from qa.quoting.weigh import Weighed

_NEAR = 0.8
"""Share of the best unit's coverage from which another speaks of the same, and of its score from which it may take the
best one's place: as `choose` has it for units that are quoted together."""
_BEHIND = 1e-3


def behind_what_holds(question: QuestionTerms, weighed: Sequence[Weighed]) -> list[Weighed]:
    """Return units with those that give nothing but values warned against behind the best that gives another value.

    All stay where they are where the question is itself about what is not so or no longer so, and where no unit nearly
    as good as the best gives another value: the warning is then the best that the documents have.
    """
    most = max((item.coverage for item in weighed), default=0.0)
    about = [item for item in weighed if item.gives and item.coverage >= _NEAR * most]
    warned = {value for item in about if _warns(item) for value in told_values(question, item)}
    if not warned or any(cue(name, question.language).search(question.text) for name in ("warns", "revisions")):
        return list(weighed)
    bad = {id(item) for item in about if set(told_values(question, item)) <= warned}
    floor = _NEAR * weighed[0].score
    sound = next((item for item in about if id(item) not in bad and item.score >= floor), None)
    if sound is None:
        return list(weighed)
    limit = sound.score - _BEHIND
    moved = [replace(item, score=min(item.score, limit)) if id(item) in bad else item for item in weighed]
    return sorted(moved, key=lambda item: -item.score)


def told_values(question: QuestionTerms, item: Weighed) -> Iterator[tuple[Kind, str, float]]:
    """Yield the values of a unit that are asked for and not named by the question: kind, unit of measure, figure."""
    unit, language = item.unit, item.unit.hit.chunk.language
    for value in in_row(unit.header, unit.text, language) if unit.header else quantities(unit.text, language):
        if value.kind in question.wants and value.figure is not None and value.text not in question.text:
            yield value.kind, "".join(filter(str.isalnum, value.unit)), value.figure


def _warns(item: Weighed) -> bool:
    return cue("warns", item.unit.hit.chunk.language).search(item.unit.text) is not None
