"""Task solving with knowledge-aware decomposition (PIKE-RAG 5.3.2, algorithm 1).

Each round proposes atomic questions in view of what has been read, looks them up among the atoms of the knowledge
base, selects the one atom that helps most and reads its chunk; then the question is answered from what was read, and
from the chunks that retrieval over all layers finds for the question itself: a decomposition that went astray costs
calls, not the answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from pipelines.core.ids import normalize
from pipelines.llm.ask import Asked, Ending
from pipelines.retrieve.hit import AtomHit, Hit
from qa.answer import Answer, Step
from qa.language import Language
from qa.ports import Knowledge
from qa.prompts.replies import ProposalsReply, SelectionReply, selection_among
from qa.reading import AT_ONCE, headline, render, render_candidates
from qa.strategies.compose import compose
from qa.strategies.settings import AnswerSettings

_CHUNK_SHOWN = 200
"""Characters of a chunk that stand for it among the candidates where no atom does."""


class Stop(StrEnum):
    """Why no further round was made."""

    SUFFICIENT = "what was read suffices"
    NO_PROPOSALS = "no proposals"
    NO_CANDIDATES = "no candidates"
    NOTHING_SELECTED = "nothing selected"
    MODEL_FAILED = "the model gave no reply"
    ROUND_LIMIT = "round limit"


@dataclass(slots=True)
class _Work:
    """One question under way: the context C_t, and the trace."""

    question: str
    knowledge: Knowledge
    language: Language
    settings: AnswerSettings
    context: list[Hit] = field(default_factory=list)
    proposed: list[str] = field(default_factory=list)
    trace: list[Step] = field(default_factory=list)

    @property
    def passages(self) -> str:
        """C_t as the model reads it; of what is too long, what speaks of the question and of the proposals so far."""
        return render(self.context, self.settings.context_tokens, "\n".join([self.question, *self.proposed]))


async def pike(question: str, knowledge: Knowledge, language: Language, settings: AnswerSettings) -> Answer:
    """Return the answer of algorithm 1.

    A call that the endpoint does not answer ends the rounds: what was read so far may suffice all the same.
    """
    work = _Work(question, knowledge, language, settings)
    stop: Stop | None = None
    for number in range(1, settings.rounds + 1):
        steps: list[Step] = []
        stop = await _round(work, steps)
        work.trace.append(Step("round", f"round {number}", None, tuple(steps)))
        if stop is not None:
            break
    work.trace.append(Step("stop", stop or Stop.ROUND_LIMIT))
    return await _answered(work)


async def _round(work: _Work, steps: list[Step]) -> Stop | None:
    """One turn of the loop: lines 3 to 12."""
    proposed = await _proposals(work, steps)
    if isinstance(proposed, Stop):
        return proposed
    candidates = _candidates(work, proposed, steps)
    if not candidates:
        return Stop.NO_CANDIDATES
    chosen = await _select(work, candidates, steps)
    if isinstance(chosen, Stop):
        return chosen
    work.context.append(chosen.hit)
    return None


async def _proposals(work: _Work, steps: list[Step]) -> list[str] | Stop:
    """Line 3. A reply that stays unusable is not "no more questions": the question itself is then looked up.

    A reply that says enough is known and asks for something new all the same has found something missing.
    """
    asked = await work.language.ask("propose", ProposalsReply, room=400, passages=work.passages, question=work.question)
    if asked.ending is Ending.FAILED:
        steps.append(Step("failed", f"proposals: {_problem(asked)}"))
        return Stop.MODEL_FAILED
    if asked.value is None:
        steps.append(Step("unusable", f"proposals: {_problem(asked)}; the question itself is looked up"))
        return [work.question]
    proposals = asked.value.asked
    if asked.value.thinking:
        steps.append(Step("thinking", asked.value.thinking))
    fresh = [text for text in proposals if text not in work.proposed]
    work.proposed += fresh
    steps.append(Step("proposals", f"{len(proposals)}", None, tuple(Step("proposal", text) for text in proposals)))
    if asked.value.sufficient and not fresh:
        return Stop.SUFFICIENT
    return proposals or Stop.NO_PROPOSALS


def _candidates(work: _Work, proposals: list[str], steps: list[Step]) -> list[AtomHit]:
    """Line 4, and where it finds nothing new: atoms by the question itself, then chunks by it."""
    knowledge, settings = work.knowledge, work.settings
    found = [atom for text in proposals for atom in knowledge.atoms(text, settings.atoms, settings.delta)]
    found += [hit for text in proposals for hit in _nearest(work, text)]
    candidates, source = _new(work, found), "atoms near the proposals"
    if not candidates:
        found = list(knowledge.atoms(work.question, settings.atoms, settings.delta))
        candidates, source = _new(work, found), "fallback: atoms near the question"
    if not candidates:
        hits = knowledge.chunks(work.question, settings.atoms, settings.threshold)
        candidates = _new(work, [AtomHit(_gist(hit), hit.score, hit) for hit in hits])
        source = "fallback: chunks near the question"
    listed = tuple(
        Step("candidate", f"{candidate.text} ({headline(candidate.hit)})", candidate.score) for candidate in candidates
    )
    steps.append(Step("candidates", f"{len(candidates)} {source}" if candidates else "none", None, listed))
    return candidates


def _nearest(work: _Work, proposal: str) -> list[AtomHit]:
    """The chunks that all layers and edges bring up for a proposal, each by its atom nearest to it."""
    hits = work.knowledge.retrieve(proposal, work.settings.nearest) if work.settings.nearest else ()
    return [
        AtomHit(hit.atoms[0] if hit.atoms else _gist(hit), hit.score, hit)
        for hit in hits
        if hit.score >= work.settings.delta
    ]


def _new(work: _Work, found: list[AtomHit]) -> list[AtomHit]:
    """The best atom of each chunk that has not been read yet, best first; of equal texts one."""
    best: dict[str, AtomHit] = {}
    read = {hit.chunk.id for hit in work.context}
    for candidate in sorted(found, key=lambda candidate: -candidate.score):
        if candidate.hit.chunk.id not in read:
            best.setdefault(candidate.hit.chunk.id, candidate)
    unlike = {(normalize(candidate.text), candidate.hit.title): candidate for candidate in reversed(best.values())}
    return sorted(unlike.values(), key=lambda candidate: -candidate.score)


async def _select(work: _Work, candidates: list[AtomHit], steps: list[Step]) -> AtomHit | Stop:
    """Lines 5 and 6. A reply that stays unusable is not "none": the nearest candidate is then read."""
    asked = await work.language.ask(
        "select",
        selection_among(len(candidates)),
        room=60,
        passages=work.passages,
        candidates=render_candidates(candidates),
        question=work.question,
    )
    if asked.ending is Ending.FAILED:
        steps.append(Step("failed", f"selection: {_problem(asked)}"))
        return Stop.MODEL_FAILED
    number = asked.value.number if asked.value else 1
    if asked.value is None:
        steps.append(Step("unusable", f"selection: {_problem(asked)}; the nearest candidate is read"))
    if number == 0:
        steps.append(Step("selected", "none"))
        return Stop.NOTHING_SELECTED
    chosen = candidates[number - 1]
    steps.append(Step("selected", f"{chosen.text} ({headline(chosen.hit)})", chosen.score))
    return chosen


async def _answered(work: _Work) -> Answer:
    """Line 14, from the chunks that the question itself finds and those chosen, as many as a prompt has room for.

    What the question finds comes first, so that a chunk chosen wrongly adds to it and does not take its place.
    """
    wanted = work.settings.beside if work.context else max(work.settings.beside, work.settings.chunks)
    beside = work.knowledge.retrieve(work.question, min(wanted, max(0, AT_ONCE - len(work.context))))
    reason = "beside those chosen" if work.context else "for no chunk was chosen"
    listed = tuple(Step("passage", headline(hit), hit.score) for hit in beside)
    work.trace.append(Step("beside", f"{len(beside)} found by the question are read, {reason}", None, listed))
    hits = tuple({hit.chunk.id: hit for hit in (*beside, *work.context)}.values())
    trace, sought = tuple(work.trace), tuple(work.proposed)
    return await compose(
        "pike", work.question, hits, work.knowledge, work.language, work.settings, trace, sought=sought
    )


def _problem(asked: Asked[ProposalsReply] | Asked[SelectionReply]) -> str:
    if asked.ending is Ending.FAILED and asked.failure:
        return f"the call failed ({asked.failure.reason})"
    return f"no usable reply in {asked.tries} tries"


def _gist(hit: Hit) -> str:
    text = hit.chunk.summary or " ".join(hit.chunk.text.split())
    return text if len(text) <= _CHUNK_SHOWN else text[: _CHUNK_SHOWN - 1] + "…"
