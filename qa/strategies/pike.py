"""Task solving with knowledge-aware decomposition (PIKE-RAG 5.3.2, algorithm 1).

Each round proposes atomic questions in view of the chunks read so far, retrieves atoms for them, selects the most
useful atom and reads its chunk. Then the question is answered from the chunks read. `pike` is the published algorithm;
`pike-graph` adds the results of retrieval over all layers of the graph. Both differ from the published algorithm in one
point: the first time that nothing is proposed or selected, the model is asked once more, with the proposals and
rejected candidates so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from pipelines.core.ids import normalize
from pipelines.llm.ask import Asked, CallEnding
from pipelines.llm.prompt import fence
from pipelines.retrieve.hit import AtomHit, Hit
from pipelines.retrieve.searches import Retrieval
from pipelines.retrieve.shown_passages import AT_ONCE, clipped, cut, headline, render, render_candidates
from qa.answer import Answer, Ending, Step
from qa.model_calls import ModelCalls
from qa.prompts.reply_types import ProposalsReply, selection_among
from qa.settings import AnswerSettings
from qa.strategies.strategy import Attempt, Solve, answer_from, in_rounds

_CHUNK_SHOWN = 200
"""Maximum characters of a chunk without atoms in the list of candidates."""
_OPEN_SHOWN, _REJECTED_SHOWN, _REJECTED_TOKENS = 6, 8, 30
"""Maximum open questions and rejected candidates in a prompt, and maximum tokens of one of the latter."""


class Stop(StrEnum):
    """The reason for the last round."""

    SUFFICIENT = "what was read suffices"
    WHOLE = "it is a question over the whole"
    NO_PROPOSALS = "no proposals"
    NO_CANDIDATES = "no candidates"
    NOTHING_SELECTED = "nothing selected"
    MODEL_FAILED = "the model gave no reply"
    ROUND_LIMIT = "round limit"


async def pike(question: str, retrieval: Retrieval, model: ModelCalls, settings: AnswerSettings) -> Answer:
    """Return the answer of algorithm 1, from the selected chunks only.

    A failed call ends the rounds; the question is then answered from the chunks read so far.
    """
    as_published = settings.model_copy(update={"nearest": 0, "beside": 0})
    return await decompose(Attempt(question, retrieval, model, as_published))


async def decompose(attempt: Attempt, whole: Solve | None = None) -> Answer:
    """Return the answer of algorithm 1, extended by retrieval over all layers as in the settings.

    `nearest` chunks found for each proposal are additional candidates. `beside` chunks found for the question itself
    are read in addition to the selected ones, so that a wrong decomposition does not prevent an answer. If the model
    considers the question to be about all documents, it is passed to `whole`.
    """
    decomposition = _Decomposition(attempt)
    stop = await in_rounds(attempt.settings.rounds, decomposition.round, attempt.trace, Stop.ROUND_LIMIT)
    if whole is not None and stop == Stop.WHOLE:
        answer = await whole(attempt.question, attempt.retrieval, attempt.model, attempt.settings)
        if answer.ending is Ending.ANSWERED:
            return replace(answer, trace=(*attempt.trace, *answer.trace))
    return await decomposition.answer()


@dataclass(slots=True)
class _Decomposition:
    """The state of the algorithm: `read` is the context C_t, `steps` are the trace of the current round.

    `proposed` maps all proposals so far to their results ("" if open), `sources` the chunks of this round's candidates
    to their proposals. `rejected` are the candidates that were not selected since the last chunk was read.
    """

    attempt: Attempt
    read: list[Hit] = field(default_factory=list)
    proposed: dict[str, str] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    rejected: dict[str, AtomHit] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    tried_again: bool = False

    async def round(self, number: int) -> Stop | None:
        """Run one iteration of the loop, lines 3 to 12; return why it is the last one, or None."""
        self.steps = []
        stop: Stop | None = await self._round()
        if stop in (Stop.NO_PROPOSALS, Stop.NOTHING_SELECTED) and not self.tried_again:
            self.tried_again = True
            self._log("again", f"{stop}; asked once more")
            stop = None
        self.attempt.trace.append(Step("round", f"round {number}", None, tuple(self.steps)))
        return stop

    async def _round(self) -> Stop | None:
        proposals = await self._propose()
        if isinstance(proposals, Stop):
            return proposals
        candidates = self._candidates(proposals)
        if not candidates:
            return Stop.NO_CANDIDATES
        chosen = await self._select(candidates)
        if isinstance(chosen, Stop):
            return chosen
        self.read.append(chosen.hit)
        self.rejected.clear()
        if found_for := self.sources.get(chosen.hit.chunk.id):
            self.proposed[found_for] = f"read passage {len(self.read)}"
        return None

    async def _propose(self) -> list[str] | Stop:
        """Return the proposals (line 3); after an unusable reply, the question itself.

        "Sufficient" in a reply is ignored if the reply has new proposals, and before anything has been read.
        """
        question = self.attempt.question
        asked = await self.attempt.model.ask(
            "propose", ProposalsReply, tokens=400, passages=self._passages, asked=self._asked_before, question=question
        )
        if asked.value is None:
            return self._no_reply("proposals", asked, "the question itself is looked up") or [question]
        proposals = asked.value.asked
        if asked.value.thinking:
            self._log("thinking", asked.value.thinking)
        fresh = [text for text in proposals if text not in self.proposed]
        self.proposed |= dict.fromkeys(fresh, "")
        self._log("proposals", f"{len(proposals)}", None, [Step("proposal", text) for text in proposals])
        if asked.value.whole and not proposals and not self.read:
            return Stop.WHOLE
        if asked.value.sufficient and not fresh and self.read:
            return Stop.SUFFICIENT
        return proposals or Stop.NO_PROPOSALS

    def _candidates(self, proposals: list[str]) -> list[AtomHit]:
        """Return the candidates for the proposals (line 4), else atoms, else chunks for the question itself."""
        question, retrieval, settings = self.attempt.question, self.attempt.retrieval, self.attempt.settings
        found: list[AtomHit] = []
        self.sources = {}
        for text in proposals:
            near = [*retrieval.atoms(text, settings.atoms, settings.delta), *self._nearest(text)]
            self.sources = {one.hit.chunk.id: text for one in near} | self.sources
            found += near
        candidates, source = self._unread(found), "atoms near the proposals"
        if not candidates:
            candidates = self._unread(retrieval.atoms(question, settings.atoms, settings.delta))
            source = "fallback: atoms near the question"
        if not candidates:
            hits = retrieval.chunks(question, settings.atoms, settings.threshold)
            candidates = self._unread(list(map(_candidate, hits)))
            source = "fallback: chunks near the question"
        listed = [Step("candidate", _line(candidate), candidate.score) for candidate in candidates]
        self._log("candidates", f"{len(candidates)} {source}" if candidates else "none", None, listed)
        return candidates

    def _nearest(self, proposal: str) -> list[AtomHit]:
        """Return the chunks found for a proposal over all layers, each with its best matching atom."""
        settings = self.attempt.settings
        hits = self.attempt.retrieval.retrieve(proposal, settings.nearest) if settings.nearest else ()
        return [_candidate(hit) for hit in hits if hit.score >= settings.delta]

    def _unread(self, found: Sequence[AtomHit]) -> list[AtomHit]:
        """Return the best atom of each chunk that is neither read nor rejected, best first, without duplicates."""
        best: dict[str, AtomHit] = {}
        known = {hit.chunk.id for hit in self.read} | self.rejected.keys()
        for candidate in sorted(found, key=lambda candidate: -candidate.score):
            if candidate.hit.chunk.id not in known:
                best.setdefault(candidate.hit.chunk.id, candidate)
        distinct = {(normalize(one.text), one.hit.title): one for one in reversed(best.values())}
        return sorted(distinct.values(), key=lambda candidate: -candidate.score)

    async def _select(self, candidates: list[AtomHit]) -> AtomHit | Stop:
        """Return the selected candidate (lines 5 and 6); after an unusable reply, the nearest one."""
        question, listed, reply = self.attempt.question, render_candidates(candidates), selection_among(len(candidates))
        asked = await self.attempt.model.ask(
            "select", reply, tokens=60, passages=self._passages, open=self._open, candidates=listed, question=question
        )
        if asked.value is None and (stop := self._no_reply("selection", asked, "the nearest candidate is read")):
            return stop
        number = asked.value.number if asked.value else 1
        if number == 0:
            self._log("selected", "none")
            self.rejected |= {one.hit.chunk.id: one for one in candidates}
            return Stop.NOTHING_SELECTED
        chosen = candidates[number - 1]
        self._log("selected", _line(chosen), chosen.score)
        return chosen

    async def answer(self) -> Answer:
        """Return the answer (line 14); a wrongly selected chunk must not displace those found for the question."""
        beside = self._beside() if self.attempt.settings.beside else ()
        hits = tuple({hit.chunk.id: hit for hit in (*beside, *self.read)}.values())
        return await answer_from(self.attempt, hits, sought=list(self.proposed))

    def _beside(self) -> tuple[Hit, ...]:
        """Return the chunks found for the question itself; more if none was selected."""
        settings = self.attempt.settings
        wanted = settings.beside if self.read else max(settings.beside, settings.chunks)
        found = self.attempt.retrieval.retrieve(self.attempt.question, min(wanted, max(0, AT_ONCE - len(self.read))))
        why = "beside those chosen" if self.read else "for no chunk was chosen"
        listed = tuple(Step("passage", headline(hit), hit.score) for hit in found)
        self.attempt.trace.append(Step("beside", f"{len(found)} found by the question are read, {why}", None, listed))
        return found

    @property
    def _passages(self) -> str:
        """C_t for the prompt; long passages are reduced to sentences about the question and the proposals."""
        sought = "\n".join([self.attempt.question, *self.proposed])
        return render(self.read, self.attempt.settings.context_tokens, sought)

    @property
    def _asked_before(self) -> str:
        """The proposals so far with their results, and the rejected candidates, for the prompt."""
        if not self.proposed:
            return ""
        asked = [f"- {text} ({result or 'nothing found that helps'})" for text, result in self.proposed.items()]
        text = "\n".join(["", "Asked before:", *asked, ""])
        facts = [f"- ({headline(one.hit)}) {cut(one.text, _REJECTED_TOKENS)}" for one in self.rejected.values()]
        rejected = fence("\n".join(facts[:_REJECTED_SHOWN]), "rejected")
        return f"{text}Listed and of no help:\n{rejected}\n" if facts else text

    @property
    def _open(self) -> str:
        """The proposals for which no chunk was read, the newest last, for the prompt."""
        still = [f"- {text}" for text, result in self.proposed.items() if not result]
        return "\nLooked for:\n" + "\n".join(still[-_OPEN_SHOWN:]) + "\n" if still else ""

    def _no_reply(self, what: str, asked: Asked[Any], instead: str) -> Stop | None:
        """Log what is done without a usable reply; return `MODEL_FAILED` if there was no reply at all."""
        if asked.ending is CallEnding.FAILED:
            self._log("failed", f"{what}: the call failed ({asked.failure.reason if asked.failure else ''})")
            return Stop.MODEL_FAILED
        self._log("unusable", f"{what}: no usable reply in {asked.tries} tries; {instead}")
        return None

    def _log(self, kind: str, text: str, score: float | None = None, steps: Sequence[Step] = ()) -> None:
        self.steps.append(Step(kind, text, score, tuple(steps)))


def _line(candidate: AtomHit) -> str:
    return f"{candidate.text} ({headline(candidate.hit)})"


def _candidate(hit: Hit) -> AtomHit:
    """Return a chunk as a candidate: with its best atom, or without atoms, its summary or beginning."""
    gist = clipped(hit.chunk.summary or hit.chunk.text, _CHUNK_SHOWN)
    return AtomHit(hit.atoms[0] if hit.atoms else gist, hit.score, hit)
