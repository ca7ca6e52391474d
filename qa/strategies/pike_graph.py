"""Decomposition over the graph, with or without a model.

With a model, this is algorithm 1 (`qa.strategies.pike`) with additional candidates and passages from retrieval over all
layers. Without one, it follows the edges of the graph from the passages found. The model's proposals are replaced by
the terms of the question that are not yet covered, and by the codes that sentences refer to ("clause 7.3 of STD-014");
the candidates are the chunks one edge away (a shared entity, a reference, the next chunk); the selection is the
sentence that covers most of these terms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pipelines.lang.characters import fold
from pipelines.lang.terms import terms
from pipelines.lang.word_lists import named_codes
from pipelines.retrieve.evidence_score import ScoredUnit, combined_cover, score_units
from pipelines.retrieve.hit import Hit, LinkedChunk
from pipelines.retrieve.question_reading import languages_of, read_question
from pipelines.retrieve.question_terms import QuestionTerms
from pipelines.retrieve.searches import Retrieval
from qa.answer import Answer, Step
from qa.model_calls import ModelCalls
from qa.quoting.answer_selection import select_units
from qa.settings import AnswerSettings
from qa.strategies.pike import decompose
from qa.strategies.quote_sentences import quoted
from qa.strategies.strategy import Attempt, in_rounds
from qa.strategies.survey import survey

_COVERED = 0.5
"""Minimum cover of a known term."""
_GAIN = 0.05
"""Minimum share of the question's weight that a sentence adds: 35.8 % cited answers; 0.1: 32.4 % (`eval matrix`)."""
_BRIDGE = 0.6
"""Weight of a code found in a sentence, relative to a term of the question."""
_MENTIONED = 0.3
"""Factor for a sentence that only mentions such a code."""
_OPENING = 12
"""A code within these characters at the beginning of a sentence is its subject."""
_FOUND = "found before"
"""In place of an edge, for a chunk found for the question itself."""
_LINKS = 24
"""Maximum chunks one edge away that are examined."""
_Candidate = tuple[float, LinkedChunk, ScoredUnit]
_NOTE = "no model: the question is decomposed along the graph's edges, from the passages it finds"


async def pike_graph(question: str, retrieval: Retrieval, model: ModelCalls | None, settings: AnswerSettings) -> Answer:
    """Return the answer of algorithm 1 with retrieval for the proposals and for the question itself.

    If the model considers the question to be about all documents, it is answered by a survey. Without a model, the
    answer quotes sentences of the passages found and of chunks linked to them.
    """
    if model is not None:
        return await decompose(Attempt(question, retrieval, model, settings), survey)
    hits = retrieval.retrieve(question, settings.hits)
    asked = read_question(question, retrieval.lexicon, languages_of(hits))
    scored = score_units(asked, hits, retrieval.lexicon)
    walk = _Walk(asked, asked, retrieval, list(hits), settings.atoms)
    walk.know(select_units(asked, scored, settings.quotes))
    await in_rounds(settings.rounds, walk.round, walk.trace)
    return quoted(asked, hits, scored, retrieval, settings, walk.trace, walk.linked)


@dataclass(slots=True)
class _Walk:
    """A walk along the edges of the graph for one question.

    `sought` is `question` with the codes found. `covered` has the cover of each term so far, `context` the chunks read,
    `linked` the sentences selected in them. `shown` is the maximum number of candidates per round in the trace.
    """

    question: QuestionTerms
    sought: QuestionTerms
    retrieval: Retrieval
    context: list[Hit]
    shown: int
    covered: dict[str, float] = field(default_factory=dict)
    linked: list[ScoredUnit] = field(default_factory=list)
    trace: list[Step] = field(default_factory=lambda: [Step("note", _NOTE)])

    def know(self, chosen: Sequence[ScoredUnit]) -> None:
        """Update the cover of the terms by these sentences, and add the codes that they refer to."""
        for term, cover in combined_cover(chosen).items():
            self.covered[term] = max(cover, self.covered.get(term, 0.0))
        written = {term: code for item in chosen for code in named_codes(item.unit.text) for term in terms(code)[:1]}
        rarity = {code: self.retrieval.lexicon.rarity(code) for code in written.keys() - self.sought.weights.keys()}
        bridges = {code: _BRIDGE * rare for code, rare in rarity.items() if rare < 1}
        self.sought = replace(
            self.sought,
            weights={**self.sought.weights, **bridges},
            words={**self.sought.words, **{code: fold(written[code]) for code in bridges}},
            codes=self.sought.codes | bridges.keys(),
        )

    async def round(self, number: int) -> str | None:
        """Follow one edge; return the reason for stopping, or None."""
        steps: list[Step] = []
        reason = self._step(steps)
        self.trace.append(Step("round", f"round {number}", None, tuple(steps)))
        return reason

    def _step(self, steps: list[Step]) -> str | None:
        wanted = self._wanted()
        if not wanted:
            return "what was read suffices"
        steps.append(Step("proposals", "not covered yet: " + ", ".join(wanted)))
        links = self.retrieval.linked([hit.chunk.id for hit in self.context], _LINKS)
        if not links:
            return "no candidates"
        total = self.question.total
        scored = self._scored(wanted, [*links, *(LinkedChunk(hit.chunk.id, hit, _FOUND) for hit in self.context)])
        listed = (Step("candidate", _line(link, item), added / total) for added, link, item in scored[: self.shown])
        steps.append(Step("candidates", f"{len(links)} chunks one edge away", None, tuple(listed)))
        if not scored or scored[0][0] < _GAIN * total:
            return "nothing selected"
        added, link, item = scored[0]
        steps.append(Step("selected", _line(link, item), added / total))
        if link.edge != _FOUND:
            self.context.append(link.hit)
        self.linked.append(item)
        self.know([item])
        return None

    def _wanted(self) -> dict[str, float]:
        """Return the uncovered terms with their weights, heaviest first, without terms that are in no chunk."""
        rarity, weights = self.retrieval.lexicon.rarity, self.sought.weights
        lacking = [term for term in weights if self.covered.get(term, 0.0) < _COVERED and rarity(term) < 1]
        return {term: weights[term] for term in sorted(lacking, key=lambda term: -weights[term])}

    def _scored(self, wanted: Mapping[str, float], links: Sequence[LinkedChunk]) -> list[_Candidate]:
        """Return the best sentence of each chunk with the weight of wanted terms that it adds, highest first."""
        by_chunk = {link.hit.chunk.id: link for link in links}
        best: dict[str, _Candidate] = {}
        for item in score_units(self.sought, [link.hit for link in links], self.retrieval.lexicon):
            chunk = item.unit.hit.chunk.id
            added = sum(weight * self._adds(term, item) for term, weight in wanted.items())
            if not item.unit.label and (chunk not in best or added > best[chunk][0]):
                best[chunk] = (added, by_chunk[chunk], item)
        return sorted(best.values(), key=lambda found: -found[0])

    def _adds(self, term: str, item: ScoredUnit) -> float:
        adds = max(0.0, item.covers.get(term, 0.0) - self.covered.get(term, 0.0))
        return adds if term in self.question.weights or _is_about(item, term) else _MENTIONED * adds


def _is_about(item: ScoredUnit, code: str) -> bool:
    """Whether a unit is about a code (its document, clause or row), and does not just refer to it."""
    unit = item.unit
    return code in unit.above or unit.is_row or code in terms(unit.text[:_OPENING])


def _line(link: LinkedChunk, item: ScoredUnit) -> str:
    through = f" through {link.through}" if link.through else ""
    way = link.edge if link.edge == _FOUND else f"by {link.edge}{through}"
    return f"{' '.join(item.unit.text.split())[:120]} ({link.hit.uri}, {way})"
