"""Task solving with knowledge-aware decomposition (PIKE-RAG 5.3.2, algorithm 1).

Each round proposes atomic questions in view of what has been read, looks them up among the atoms of the knowledge
base, selects the one atom that helps most and reads its chunk. Then the question is answered from what was read.
`pike` is the algorithm as it is printed; `pike-graph` adds what retrieval over the layers of the graph finds. Both go
on where the printed one gives up for the first time: nothing proposed, or nothing selected, is asked about once more,
in view of what was asked and rejected.
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
"""Characters of a chunk that stand for it among the candidates where no atom does."""
_OPEN_SHOWN, _REJECTED_SHOWN, _REJECTED_TOKENS = 6, 8, 30
"""Open questions, and rejected facts, that a prompt shows at most; tokens of one of these."""


class Stop(StrEnum):
    """Why no further round was made."""

    SUFFICIENT = "what was read suffices"
    WHOLE = "it is a question over the whole"
    NO_PROPOSALS = "no proposals"
    NO_CANDIDATES = "no candidates"
    NOTHING_SELECTED = "nothing selected"
    MODEL_FAILED = "the model gave no reply"
    ROUND_LIMIT = "round limit"


_DEAD_ENDS = frozenset({Stop.NO_PROPOSALS, Stop.NOTHING_SELECTED})


async def pike(question: str, retrieval: Retrieval, model: ModelCalls, settings: AnswerSettings) -> Answer:
    """Return the answer of algorithm 1, from the chunks that it chose alone.

    A call that the endpoint does not answer ends the rounds: what was read so far may suffice all the same.
    """
    return await decompose(Attempt(question, retrieval, model, settings), nearest=0, beside=0)


async def decompose(attempt: Attempt, nearest: int, beside: int, whole: Solve | None = None) -> Answer:
    """Return the answer of algorithm 1 with what retrieval over all layers finds.

    `nearest` chunks that it finds for each proposal are candidates too, and `beside` chunks that it finds for the
    question itself are read beside those chosen: a decomposition that went astray costs calls, not the answer. A
    question over all documents, as the model sees it, is given to `whole`.
    """
    decomposition = _Decomposition(attempt, nearest, beside)
    await in_rounds(attempt.settings.rounds, decomposition.round, attempt.trace, Stop.ROUND_LIMIT)
    if whole is not None and decomposition.over_whole:
        answer = await whole(attempt.question, attempt.retrieval, attempt.model, attempt.settings)
        if answer.ending is Ending.ANSWERED:
            return replace(answer, trace=(*attempt.trace, *answer.trace))
    return await decomposition.answer()


@dataclass(slots=True)
class _Decomposition:
    """A question under way: `read` is the context C_t, `steps` are those of this round.

    `proposed` has all proposals so far with what came of them, empty for one that is still open; `sources` the
    proposal by which each candidate of this round was found, by chunk; `rejected` the candidates that were listed and
    of no help since something was read last.
    """

    attempt: Attempt
    nearest: int = 0
    beside: int = 0
    read: list[Hit] = field(default_factory=list)
    proposed: dict[str, str] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    rejected: dict[str, AtomHit] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    tried_again: bool = False
    over_whole: bool = False

    async def round(self, number: int) -> Stop | None:
        """One turn of the loop, lines 3 to 12; returns why it was the last, None where it was not."""
        self.steps = []
        stop: Stop | None = await self._round()
        if stop in _DEAD_ENDS and not self.tried_again:
            self.tried_again = True
            self._tell("again", f"{stop}; asked once more")
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
        found_for = self.sources.get(chosen.hit.chunk.id)
        if found_for is not None:
            self.proposed[found_for] = f"read passage {len(self.read)}"
        return None

    async def _propose(self) -> list[str] | Stop:
        """Line 3. A reply that stays unusable does not mean "no more questions": the question itself is looked up.

        A reply that says that enough is known and asks for something new all the same has found something missing;
        and before anything was read nothing can be enough.
        """
        question = self.attempt.question
        asked = await self.attempt.model.ask(
            "propose", ProposalsReply, room=400, passages=self._passages, asked=self._asked_before, question=question
        )
        if asked.value is None:
            return self._no_reply("proposals", asked, "the question itself is looked up") or [question]
        proposals = asked.value.asked
        if asked.value.thinking:
            self._tell("thinking", asked.value.thinking)
        fresh = [text for text in proposals if text not in self.proposed]
        self.proposed |= dict.fromkeys(fresh, "")
        self._tell("proposals", f"{len(proposals)}", None, [Step("proposal", text) for text in proposals])
        if asked.value.whole and not proposals and not self.read:
            self.over_whole = True
            return Stop.WHOLE
        if asked.value.sufficient and not fresh and self.read:
            return Stop.SUFFICIENT
        return proposals or Stop.NO_PROPOSALS

    def _candidates(self, proposals: list[str]) -> list[AtomHit]:
        """Line 4, and where it finds nothing new: atoms by the question itself, then chunks by it."""
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
            candidates = self._unread([AtomHit(_gist(hit), hit.score, hit) for hit in hits])
            source = "fallback: chunks near the question"
        listed = [Step("candidate", _line(candidate), candidate.score) for candidate in candidates]
        self._tell("candidates", f"{len(candidates)} {source}" if candidates else "none", None, listed)
        return candidates

    def _nearest(self, proposal: str) -> list[AtomHit]:
        """The chunks that retrieval over all layers finds for a proposal, each by its atom nearest to it."""
        hits = self.attempt.retrieval.retrieve(proposal, self.nearest) if self.nearest else ()
        near = [hit for hit in hits if hit.score >= self.attempt.settings.delta]
        return [AtomHit(hit.atoms[0] if hit.atoms else _gist(hit), hit.score, hit) for hit in near]

    def _unread(self, found: Sequence[AtomHit]) -> list[AtomHit]:
        """The best atom of each chunk that has neither been read nor rejected, best first; of equal texts one."""
        best: dict[str, AtomHit] = {}
        known = {hit.chunk.id for hit in self.read} | self.rejected.keys()
        for candidate in sorted(found, key=lambda candidate: -candidate.score):
            if candidate.hit.chunk.id not in known:
                best.setdefault(candidate.hit.chunk.id, candidate)
        unlike = {(normalize(one.text), one.hit.title): one for one in reversed(best.values())}
        return sorted(unlike.values(), key=lambda candidate: -candidate.score)

    async def _select(self, candidates: list[AtomHit]) -> AtomHit | Stop:
        """Lines 5 and 6. A reply that stays unusable does not mean "none": the nearest candidate is read."""
        question, listed, reply = self.attempt.question, render_candidates(candidates), selection_among(len(candidates))
        asked = await self.attempt.model.ask(
            "select", reply, room=60, passages=self._passages, open=self._open, candidates=listed, question=question
        )
        if asked.value is None and (stop := self._no_reply("selection", asked, "the nearest candidate is read")):
            return stop
        number = asked.value.number if asked.value else 1
        if number == 0:
            self._tell("selected", "none")
            self.rejected |= {one.hit.chunk.id: one for one in candidates}
            return Stop.NOTHING_SELECTED
        chosen = candidates[number - 1]
        self._tell("selected", _line(chosen), chosen.score)
        return chosen

    async def answer(self) -> Answer:
        """Line 14, from the chunks chosen and those that are read beside them, as many as a prompt has room for.

        What the question itself finds comes first, so that a chunk chosen wrongly adds to it and does not take its
        place.
        """
        beside = self._beside() if self.beside else ()
        hits = tuple({hit.chunk.id: hit for hit in (*beside, *self.read)}.values())
        return await answer_from(self.attempt, hits, sought=list(self.proposed))

    def _beside(self) -> tuple[Hit, ...]:
        """What retrieval finds for the question itself; more where no chunk was chosen."""
        wanted = self.beside if self.read else max(self.beside, self.attempt.settings.chunks)
        room = max(0, AT_ONCE - len(self.read))
        found = self.attempt.retrieval.retrieve(self.attempt.question, min(wanted, room))
        told = f"{len(found)} found by the question are read, "
        told += "beside those chosen" if self.read else "for no chunk was chosen"
        listed = tuple(Step("passage", headline(hit), hit.score) for hit in found)
        self.attempt.trace.append(Step("beside", told, None, listed))
        return found

    @property
    def _passages(self) -> str:
        """C_t as the model reads it; of what is too long, what speaks of the question and of the proposals so far."""
        sought = "\n".join([self.attempt.question, *self.proposed])
        return render(self.read, self.attempt.settings.context_tokens, sought)

    @property
    def _asked_before(self) -> str:
        """The proposals so far with what came of them, and the facts that were listed and are of no help."""
        if not self.proposed:
            return ""
        asked = "\n".join(f"- {text} ({came or 'nothing found that helps'})" for text, came in self.proposed.items())
        told = f"\nAsked before:\n{asked}\n"
        if not self.rejected:
            return told
        facts = [f"- ({headline(one.hit)}) {cut(one.text, _REJECTED_TOKENS)}" for one in self.rejected.values()]
        return f"{told}Listed and of no help:\n{fence(chr(10).join(facts[:_REJECTED_SHOWN]), 'rejected')}\n"

    @property
    def _open(self) -> str:
        """The proposals that no chunk was read for, the newest last."""
        still = [f"- {text}" for text, came in self.proposed.items() if not came]
        return "\nLooked for:\n" + "\n".join(still[-_OPEN_SHOWN:]) + "\n" if still else ""

    def _no_reply(self, what: str, asked: Asked[Any], instead: str) -> Stop | None:
        """Tell what is done without a reply that can be used; where there is none at all, no further round is made."""
        if asked.ending is CallEnding.FAILED:
            self._tell("failed", f"{what}: the call failed ({asked.failure.reason if asked.failure else ''})")
            return Stop.MODEL_FAILED
        self._tell("unusable", f"{what}: no usable reply in {asked.tries} tries; {instead}")
        return None

    def _tell(self, kind: str, text: str, score: float | None = None, steps: Sequence[Step] = ()) -> None:
        self.steps.append(Step(kind, text, score, tuple(steps)))


def _line(candidate: AtomHit) -> str:
    return f"{candidate.text} ({headline(candidate.hit)})"


def _gist(hit: Hit) -> str:
    """What stands for a chunk without atoms: its summary, or its beginning."""
    return clipped(hit.chunk.summary or hit.chunk.text, _CHUNK_SHOWN)
