"""Questions about all documents ("what is this folder about", "which documents treat X", "list all alarms").

A model maps and reduces, as in GraphRAG (Edge et al. 2024): it notes the points of each batch of documents and passages
about the question, and combines the points. Documents are represented by their summary, or by those of their sections
or chunks; each point is cited by the sentence with most of its terms. Without a model, the answer consists of quotes
(`qa.strategies.quoted_survey`).
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
from pipelines.retrieve.searches import Retrieval, WholeCorpus, overview_text
from pipelines.retrieve.shown_passages import AT_ONCE, condensed, cut, headline
from qa.answer import Answer, Claim, Step
from qa.citations import CheckedClaims, Citer
from qa.model_calls import ModelCalls
from qa.prompts.reply_types import ClaimReply, NotedReply, SurveyReply
from qa.settings import AnswerSettings
from qa.strategies.quoted_survey import not_surveyed, quoted_survey
from qa.strategies.strategy import Attempt, answered, without_answer

_BATCHES_AT_ONCE = 4
"""Concurrent batches."""
_NOTES, _ANSWER = 600, 300
"""Maximum tokens of the replies: points of one sentence each; two sentences with numbers of points."""


async def survey(question: str, retrieval: Retrieval, model: ModelCalls | None, settings: AnswerSettings) -> Answer:
    """Return an answer from all documents: by map and reduce with a model, or quoted without one.

    Raises `SettingsError` if the retrieval is not a `WholeCorpus`.
    """
    if not isinstance(retrieval, WholeCorpus):
        raise SettingsError("this retrieval cannot list its documents", hint="another strategy than survey")
    if model is None:
        return quoted_survey(question, retrieval, retrieval, settings)
    return await _Survey(Attempt(question, retrieval, model, settings), retrieval).answer()


@dataclass(frozen=True, slots=True)
class _Excerpt:
    """A document or passage for the prompt, and its chunks."""

    name: str
    text: str
    hits: tuple[Hit, ...]

    @property
    def tokens(self) -> int:
        return estimate_tokens(self.name) + estimate_tokens(self.text)


@dataclass(slots=True)
class _Survey:
    """A survey by a model; each point has the sentence that is cited for it."""

    attempt: Attempt
    corpus: WholeCorpus

    async def answer(self) -> Answer:
        batches = list(self._batches())
        points: dict[str, EvidenceUnit] = {}
        dropped: list[str] = []
        for found, refused in await gather(self._note, batches, _BATCHES_AT_ONCE):
            points |= found
            dropped += refused
        read = [hit for batch in batches for one in batch for hit in one.hits[:1]]
        listed = tuple(Step("point", text) for text in points)
        self.attempt.trace.append(Step("noted", f"{len(points)} points in {len(batches)} readings", None, listed))
        if not points:
            return without_answer(self.attempt, read, "nothing was noted", CheckedClaims((), tuple(dropped)))
        return await self._reduced(points, read, tuple(dropped))

    def _batches(self) -> Iterator[list[_Excerpt]]:
        """Yield the excerpts for each prompt."""
        batch: list[_Excerpt] = []
        room = self.attempt.settings.context_tokens
        for one in self._excerpts():
            if batch and one.tokens > room:
                yield batch
                batch, room = [], self.attempt.settings.context_tokens
            batch.append(one)
            room -= one.tokens
        if batch:
            yield batch

    def _excerpts(self) -> Iterator[_Excerpt]:
        """Yield the overviews of the documents, then the passages found for the question."""
        question, settings = self.attempt.question, self.attempt.settings
        share = max(1, settings.context_tokens // AT_ONCE)
        for overview in self.corpus.overviews(self.corpus.documents[: settings.surveyed]):
            yield _Excerpt(overview.title or overview.uri, cut(overview_text(overview), share), overview.hits)
        wanted = frozenset(terms(question))
        for hit in self.attempt.retrieval.retrieve(question, settings.hits):
            yield _Excerpt(headline(hit), condensed(hit.chunk.text, share, wanted), (hit,))

    async def _note(self, batch: Sequence[_Excerpt]) -> tuple[dict[str, EvidenceUnit], list[str]]:
        """Return the points of one batch, and the reasons why others were dropped."""
        lines = [f"[{number}] {one.name}: {one.text}" for number, one in enumerate(batch, 1)]
        shown, question = fence("\n\n".join(lines), "passages"), self.attempt.question
        asked = await self.attempt.model.ask(
            "survey_note", NotedReply, tokens=_NOTES, passages=shown, question=question
        )
        points: dict[str, EvidenceUnit] = {}
        dropped: list[str] = []
        for stated in asked.value.points if asked.value else ():
            text = " ".join(stated.text.split())
            unit = self._source(text, stated, batch) if text else None
            if unit is None:
                dropped.append(f"no source for it: {stated.text}")
            else:
                points[text] = unit
        return points, dropped

    def _source(self, text: str, stated: ClaimReply, batch: Sequence[_Excerpt]) -> EvidenceUnit | None:
        """Return the sentence with most terms of a point in its document, or None.

        All numbers of the point must be in the document, the excerpt or the question.
        """
        if not 0 < stated.passage <= len(batch):
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
        return best

    async def _reduced(self, points: dict[str, EvidenceUnit], read: Sequence[Hit], dropped: tuple[str, ...]) -> Answer:
        """Return the answer that combines the points; without a usable reply, all points in order."""
        attempt, question = self.attempt, self.attempt.question
        lines = [f"{number}. {text}" for number, text in enumerate(points, 1)]
        shown = fence(cut("\n".join(lines), attempt.settings.context_tokens), "points")
        asked = await attempt.model.ask("survey", SurveyReply, tokens=_ANSWER, points=shown, question=question)
        numbers = dict.fromkeys(asked.value.points if asked.value else ())
        texts = list(points)
        chosen = [texts[number - 1] for number in numbers if 0 < number <= len(texts)] or texts
        citer = Citer(attempt.retrieval)
        claims = tuple(Claim(text, (citer.cite_unit(points[text]),)) for text in chosen)
        short = " ".join(asked.value.answer.split()) if asked.value else ""
        if unsupported(short, [question, str(len(claims)), *chosen]):
            short = ""
        attempt.trace.append(Step("answer", short or "from the points"))
        warnings = not_surveyed(self.corpus, attempt.settings)
        answer = answered(attempt, short, CheckedClaims(claims, dropped), citer, read, warnings)
        return replace(answer, strategy="survey")
