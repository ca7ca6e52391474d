"""Questions over the whole ("what is this folder about", "which documents treat X", "list all alarms"): map and reduce.

A model notes what each batch of documents and passages says about the question (map), and says what the points noted
make together (reduce), as GraphRAG does with the summaries of communities (Edge et al. 2024). What it reads of a
document is its summary, or those of its sections or chunks; each point is cited by the sentence that has most of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pipelines.core.concurrent import gather
from pipelines.core.errors import SettingsError
from pipelines.lang.arithmetic import unsupported
from pipelines.lang.terms import terms
from pipelines.llm.prompt import fence
from pipelines.llm.tokens import estimate_tokens
from pipelines.retrieve.evidence import EvidenceUnit, units
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.overview import WholeCorpus, said
from pipelines.retrieve.shown_passages import AT_ONCE, condensed, cut, headline
from qa.answer import Answer, Claim, Step
from qa.check.claims import CheckedClaims
from qa.check.quotes import Citer
from qa.model_calls import ModelCalls
from qa.ports import Retrieval
from qa.prompts.reply_types import ClaimReply, NotedReply, SurveyReply
from qa.settings import AnswerSettings
from qa.strategies.answering import answered, without_answer
from qa.strategies.strategy import Attempt
from qa.strategies.survey_quotes import not_looked_at, quoted_survey

_BATCHES_AT_ONCE = 4
"""Batches that are read at the same time."""
_NOTES, _ANSWER = 600, 300
"""Tokens of the replies: points with a sentence each, and two sentences with numbers."""


@dataclass(frozen=True, slots=True)
class _Read:
    """A document or passage as the model reads it, and the chunks that it tells of."""

    name: str
    text: str
    hits: tuple[Hit, ...]

    @property
    def tokens(self) -> int:
        return estimate_tokens(self.name) + estimate_tokens(self.text)


@dataclass(frozen=True, slots=True)
class _Point:
    """A point noted, with the sentence that it is cited by."""

    text: str
    unit: EvidenceUnit


async def survey(question: str, retrieval: Retrieval, model: ModelCalls | None, settings: AnswerSettings) -> Answer:
    """Return what the documents say as a whole: by a model that maps and reduces, or quoted where there is none.

    Raises `SettingsError` for a retrieval that cannot tell what its documents are.
    """
    if not isinstance(retrieval, WholeCorpus):
        raise SettingsError("these searches know no documents as a whole", hint="another strategy than survey")
    if model is None:
        return quoted_survey(question, retrieval, retrieval, settings)
    return await _Survey(Attempt(question, retrieval, model, settings), retrieval).answer()


@dataclass(slots=True)
class _Survey:
    """A question over the whole under way."""

    attempt: Attempt
    corpus: WholeCorpus

    async def answer(self) -> Answer:
        batches = list(self._batches())
        noted = await gather(self._note, batches, _BATCHES_AT_ONCE)
        read = [hit for batch in batches for one in batch for hit in one.hits[:1]]
        points = list({point.text: point for found_in in noted for point in found_in[0]}.values())
        dropped = tuple(reason for found_in in noted for reason in found_in[1])
        listed = tuple(Step("point", point.text) for point in points)
        self.attempt.trace.append(Step("noted", f"{len(points)} points in {len(batches)} readings", None, listed))
        if not points:
            return without_answer(self.attempt, read, "nothing was noted", CheckedClaims((), dropped))
        return await self._reduced(points, read, dropped)

    def _batches(self) -> Iterator[list[_Read]]:
        """All that is read, in as many prompts as it needs."""
        batch: list[_Read] = []
        room = self.attempt.settings.context_tokens
        for one in self._reads():
            if batch and one.tokens > room:
                yield batch
                batch, room = [], self.attempt.settings.context_tokens
            batch.append(one)
            room -= one.tokens
        if batch:
            yield batch

    def _reads(self) -> Iterator[_Read]:
        """The documents by what they say, then the passages that the question finds."""
        attempt = self.attempt
        share = max(1, attempt.settings.context_tokens // AT_ONCE)
        for overview in self.corpus.overviews(self.corpus.documents[: attempt.settings.surveyed]):
            yield _Read(overview.title or overview.uri, cut(said(overview), share), overview.hits)
        wanted = frozenset(terms(attempt.question))
        for hit in attempt.retrieval.retrieve(attempt.question, attempt.settings.hits):
            yield _Read(headline(hit), condensed(hit.chunk.text, share, wanted), (hit,))

    async def _note(self, batch: Sequence[_Read]) -> tuple[list[_Point], list[str]]:
        """The points that one batch has, and why others were not taken over."""
        lines = [f"[{number}] {one.name}: {one.text}" for number, one in enumerate(batch, 1)]
        shown = fence("\n\n".join(lines), "passages")
        question = self.attempt.question
        asked = await self.attempt.model.ask("survey_note", NotedReply, room=_NOTES, passages=shown, question=question)
        points: list[_Point] = []
        dropped: list[str] = []
        for stated in asked.value.points if asked.value else ():
            point = self._cited(stated, batch)
            if point is None:
                dropped.append(f"no source for it: {stated.text}")
            else:
                points.append(point)
        return points, dropped

    def _cited(self, stated: ClaimReply, batch: Sequence[_Read]) -> _Point | None:
        """A point with the sentence of what it was noted of that has most of its terms; None where none has any.

        A figure of it has to stand in what was read, or in the question.
        """
        text = " ".join(stated.text.split())
        if not text or not 0 < stated.passage <= len(batch):
            return None
        read = batch[stated.passage - 1]
        if unsupported(text, [read.text, read.name, self.attempt.question, *(hit.chunk.text for hit in read.hits)]):
            return None
        best, most = None, 0
        for hit in read.hits:
            wanted = set(terms(text, hit.chunk.language))
            for unit in units(hit, 0):
                shared = 2 * len(wanted & unit.own) + len((wanted - unit.own) & unit.above) - unit.label
                if shared > most:
                    best, most = unit, shared
        return _Point(text, best) if best is not None else None

    async def _reduced(self, points: Sequence[_Point], read: Sequence[Hit], dropped: tuple[str, ...]) -> Answer:
        """The answer that the points make together; all of them, in their order, where no reply can be used."""
        attempt = self.attempt
        lines = [f"{number}. {point.text}" for number, point in enumerate(points, 1)]
        shown = fence(cut("\n".join(lines), attempt.settings.context_tokens), "points")
        asked = await attempt.model.ask("survey", SurveyReply, room=_ANSWER, points=shown, question=attempt.question)
        numbers = asked.value.points if asked.value else []
        chosen = [points[number - 1] for number in dict.fromkeys(numbers) if 0 < number <= len(points)] or list(points)
        citer = Citer(attempt.retrieval)
        claims = tuple(Claim(point.text, (citer.cite_unit(point.unit),)) for point in chosen)
        short = " ".join(asked.value.answer.split()) if asked.value else ""
        if unsupported(short, [attempt.question, str(len(claims)), *(claim.text for claim in claims)]):
            short = ""
        attempt.trace.append(Step("answer", short or "from the points"))
        warnings = not_looked_at(self.corpus, attempt.settings)
        answer = answered(attempt, short, CheckedClaims(claims, dropped), citer, read, warnings)
        return replace(answer, strategy="survey")
