"""Decomposition without a model: from the passages found, along the graph's edges, to what they lack or point at.

The rounds are those of algorithm 1 (PIKE-RAG 5.3.2). In place of a model's proposals stand the terms of the question
that no passage read so far covers, and the numbers and codes by which the sentences found point on ("clause 7.3 of
STD-014"); in place of atoms near them the chunks one edge away (a shared entity, a reference, the next chunk); in place
of its selection the sentence that covers most of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pipelines.lang.terms import terms
from pipelines.retrieve.hit import Hit, LinkedChunk
from qa.answer import Answer, Step
from qa.language import Language
from qa.ports import Knowledge
from qa.quoting.choose import choose, union
from qa.quoting.query import Query, read_query
from qa.quoting.unit import RULE
from qa.quoting.weigh import Weighed, weigh
from qa.strategies.extractive import quoted
from qa.strategies.settings import AnswerSettings

_COVERED = 0.5
"""From which cover on a term counts as known."""
_GAIN = 0.1
"""What a sentence must add of the terms wanted, as a share of the question's weight."""
_BRIDGE = 0.6
"""What a code that leads on weighs against a term of the question."""
_MENTIONED = 0.3
"""What it counts where a code that leads on is only mentioned."""
_OPENING = 12
_FOUND = "found before"
"""The way to a chunk that the question itself had found."""
_LINKS = 24
_CODE = re.compile(
    r"\b[A-Z]{1,6}-?\d[\w-]*"
    r"|\b(?i:clause|section|chapter|table|figure|appendix|annex|step|abschnitt|kapitel)\s+(\d+(?:\.\d+)*)"
    r"|第?\s?(?<!\d)(?<!\d\.)(\d++(?:\.\d++)*+)\s?[节章条]"
)


@dataclass(slots=True)
class _Work:
    """The question with the codes that lead on, what is covered of it, the chunks read and the sentences led to.

    `asked` are the terms of the question alone.
    """

    query: Query
    knowledge: Knowledge
    context: list[Hit]
    asked: frozenset[str]
    covered: dict[str, float] = field(default_factory=dict)
    led_to: list[Weighed] = field(default_factory=list)

    def know(self, chosen: Sequence[Weighed]) -> None:
        """Count what these sentences cover, and want what they point at."""
        self.covered = {**self.covered, **_higher(self.covered, union(chosen))}
        codes = {code for item in chosen for code in _codes(item.unit.text)} - self.query.weights.keys()
        rarity = {code: self.knowledge.lexicon.rarity(code) for code in codes}
        bridges = {code: _BRIDGE * rare for code, rare in rarity.items() if rare < 1}
        self.query = replace(
            self.query, weights={**self.query.weights, **bridges}, codes=self.query.codes | bridges.keys()
        )

    @property
    def wanted(self) -> dict[str, float]:
        """The terms not covered yet by their weight, the heaviest first; what no chunk has is not looked for."""
        lacking = {
            term: weight
            for term, weight in self.query.weights.items()
            if self.covered.get(term, 0.0) < _COVERED and self.knowledge.lexicon.rarity(term) < 1
        }
        return dict(sorted(lacking.items(), key=lambda pair: -pair[1]))


async def pike_graph(
    question: str, knowledge: Knowledge, language: Language | None, settings: AnswerSettings
) -> Answer:
    """Return quoted sentences of the passages found and of those that the graph's edges lead to; asks no model."""
    hits = knowledge.retrieve(question, settings.hits)
    query = read_query(question, knowledge.lexicon)
    work = _Work(query, knowledge, list(hits), frozenset(query.weights))
    work.know(choose(query, weigh(query, hits, knowledge.lexicon), settings.quotes))
    trace = [Step("note", "no model: the question is decomposed along the graph's edges, from the passages it finds")]
    stop = "round limit"
    for number in range(1, settings.rounds + 1):
        steps: list[Step] = []
        reason = _round(work, query.total, settings, steps)
        trace.append(Step("round", f"round {number}", None, tuple(steps)))
        if reason:
            stop = reason
            break
    trace.append(Step("stop", stop))
    return quoted("pike-graph", question, hits, knowledge, settings, tuple(trace), work.led_to)


def _round(work: _Work, total: float, settings: AnswerSettings, steps: list[Step]) -> str:
    """One step along the edges; returns why it was the last, or nothing."""
    wanted = work.wanted
    if not wanted:
        return "what was read suffices"
    steps.append(Step("proposals", "not covered yet: " + ", ".join(wanted)))
    links = work.knowledge.linked([hit.chunk.id for hit in work.context], _LINKS)
    if not links:
        return "no candidates"
    found = [LinkedChunk(hit.chunk.id, hit, _FOUND) for hit in work.context]
    scored = _scored(work, wanted, [*links, *found])
    listed = tuple(
        Step("candidate", _line(link, item), added / total) for added, link, item in scored[: settings.atoms]
    )
    steps.append(Step("candidates", f"{len(links)} chunks one edge away", None, listed))
    if not scored or scored[0][0] < _GAIN * total:
        return "nothing selected"
    added, link, item = scored[0]
    steps.append(Step("selected", _line(link, item), added / total))
    if link.edge != _FOUND:
        work.context.append(link.hit)
    work.led_to.append(item)
    work.know([item])
    return ""


def _scored(
    work: _Work, wanted: Mapping[str, float], links: Sequence[LinkedChunk]
) -> list[tuple[float, LinkedChunk, Weighed]]:
    """The best sentence of each chunk by what it adds of the terms wanted, most first."""
    by_chunk = {link.hit.chunk.id: link for link in links}
    best: dict[str, tuple[float, LinkedChunk, Weighed]] = {}
    for item in weigh(work.query, [link.hit for link in links], work.knowledge.lexicon):
        chunk = item.unit.hit.chunk.id
        added = sum(weight * _more(term, work, item) for term, weight in wanted.items())
        if not item.unit.label and (chunk not in best or added > best[chunk][0]):
            best[chunk] = (added, by_chunk[chunk], item)
    return sorted(best.values(), key=lambda found: -found[0])


def _more(term: str, work: _Work, item: Weighed) -> float:
    more = max(0.0, item.covers.get(term, 0.0) - work.covered.get(term, 0.0))
    return more if term in work.asked or _is_about(item, term) else _MENTIONED * more


def _is_about(item: Weighed, code: str) -> bool:
    """Whether a unit is what a code points at, and does not only point there too: its document, clause or row."""
    unit = item.unit
    return code in unit.above or RULE in unit.text or code in terms(unit.text[:_OPENING])


def _higher(covered: Mapping[str, float], covers: Mapping[str, float]) -> dict[str, float]:
    return {term: max(cover, covered.get(term, 0.0)) for term, cover in covers.items()}


def _codes(text: str) -> set[str]:
    """The terms of codes and of numbers of clauses in a sentence."""
    found = ([group for group in match.groups() if group] or [match.group()] for match in _CODE.finditer(text))
    return {terms(code)[0] for codes in found for code in codes if terms(code)}


def _line(link: LinkedChunk, item: Weighed) -> str:
    through = f" through {link.through}" if link.through else ""
    way = link.edge if link.edge == _FOUND else f"by {link.edge}{through}"
    return f"{' '.join(item.unit.text.split())[:120]} ({link.hit.uri}, {way})"
