"""Decomposition without a model: from the passages found, along the graph's edges, to what they lack.

The rounds are those of algorithm 1 (PIKE-RAG 5.3.2). In place of a model's proposals stand the question's terms that
no passage read so far covers; in place of atoms near them the chunks one edge away (a shared entity, a reference, the
next chunk); in place of its selection the chunk that covers most of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from qa.answer import Answer, Step
from qa.evidence.choose import choose, gain, union
from qa.evidence.query import Query, read_query
from qa.evidence.weigh import Weighed, weigh
from qa.hit import Hit
from qa.knowledge import Knowledge, Link
from qa.language import Language
from qa.strategies.extractive import quoted
from qa.strategies.settings import AnswerSettings

_COVERED = 0.5
"""From which cover on a term counts as known."""
_GAIN = 0.05
"""Share of the question's weight that a chunk must add to be read."""
_QUOTED = 0.1
"""Share of the question's weight that a sentence must add to be quoted: less than where nothing led to it."""
_LINKS = 40
_KEPT = 0.95
"""What a chunk has of the score of the one that led to it."""


@dataclass(slots=True)
class _Work:
    query: Query
    knowledge: Knowledge
    context: list[Hit]
    covered: dict[str, float] = field(default_factory=dict)

    def score_of(self, chunk: str) -> float:
        return next((hit.score for hit in self.context if hit.chunk.id == chunk), 0.0)

    def read(self) -> None:
        self.covered = union(choose(self.query, weigh(self.query, self.context, self.knowledge.lexicon), 3))

    @property
    def missing(self) -> list[str]:
        weights = self.query.weights
        lacking = [term for term in weights if self.covered.get(term, 0.0) < _COVERED]
        return sorted(lacking, key=lambda term: -weights[term])


async def pike_graph(
    question: str, knowledge: Knowledge, language: Language | None, settings: AnswerSettings
) -> Answer:
    """Return quoted sentences from the passages that the graph's edges lead to; asks no model."""
    hits = knowledge.retrieve(question, settings.hits)
    work = _Work(read_query(question, knowledge.lexicon), knowledge, list(hits))
    work.read()
    trace = [Step("note", "no model: the question is decomposed along the graph's edges, from the passages it finds")]
    stop = "round limit"
    for number in range(1, settings.rounds + 1):
        steps: list[Step] = []
        reason = _round(work, settings, steps)
        trace.append(Step("round", f"round {number}", None, tuple(steps)))
        if reason:
            stop = reason
            break
    trace.append(Step("stop", stop))
    return quoted("pike", question, work.context, knowledge, settings, tuple(trace), needed=_QUOTED)


def _round(work: _Work, settings: AnswerSettings, steps: list[Step]) -> str:
    """One step along the edges; returns why it was the last, or nothing."""
    missing = work.missing
    if not missing:
        return "what was read suffices"
    steps.append(Step("proposals", "terms not covered yet: " + ", ".join(missing)))
    links = work.knowledge.linked([hit.chunk.id for hit in work.context], _LINKS)
    if not links:
        return "no candidates"
    scored = _scored(work, links)
    listed = tuple(Step("candidate", _line(link), added) for added, link in scored[: settings.atoms])
    steps.append(Step("candidates", f"{len(links)} chunks one edge away", None, listed))
    added, link = scored[0]
    if added < _GAIN:
        return "nothing selected"
    steps.append(Step("selected", _line(link), added))
    work.context.append(replace(link.hit, score=_KEPT * work.score_of(link.source)))
    work.read()
    return ""


def _scored(work: _Work, links: Sequence[Link]) -> list[tuple[float, Link]]:
    """Links by what their chunk's best sentence adds to what is covered."""
    best: dict[str, Weighed] = {}
    for item in weigh(work.query, [link.hit for link in links], work.knowledge.lexicon):
        best.setdefault(item.unit.hit.chunk.id, item)
    scored = [
        (gain(work.query, work.covered, best[link.hit.chunk.id].covers), link)
        for link in links
        if link.hit.chunk.id in best
    ]
    return sorted(scored, key=lambda pair: -pair[0])


def _line(link: Link) -> str:
    through = f" through {link.through}" if link.through else ""
    return f"{link.hit.uri}: {' > '.join(link.hit.chunk.heading_path)} (by {link.edge}{through})"
