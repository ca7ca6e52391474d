"""Questions over the whole ("what is this folder about", "which documents treat X", "list all alarms").

A model maps and reduces, as GraphRAG does with the summaries of communities (Edge et al. 2024): it notes what each
batch of documents and passages says about the question, and says what the points noted make together. What it reads of
a document is its summary, or those of its sections or chunks; each point is cited by the sentence that has most of it.
Without a model it is quoted: documents by their summary or first sentence, lists by all their rows or items.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pipelines.core.concurrent import gather
from pipelines.core.errors import SettingsError
from pipelines.core.ids import normalize
from pipelines.lang.arithmetic import unsupported
from pipelines.lang.profile import profile
from pipelines.lang.questions import question_language
from pipelines.lang.terms import terms
from pipelines.lang.word_lists import cue
from pipelines.llm.prompt import fence
from pipelines.llm.tokens import estimate_tokens
from pipelines.retrieve.evidence import EvidenceUnit, units
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.searches import Lexicon, Retrieval, WholeCorpus, opening_sentence, overview_text
from pipelines.retrieve.shown_passages import AT_ONCE, condensed, cut, headline
from qa.answer import Answer, Claim, Step
from qa.citations import CheckedClaims, Citer
from qa.model_calls import ModelCalls
from qa.prompts.reply_types import ClaimReply, NotedReply, SurveyReply
from qa.quoting.evidence_score import ScoredUnit, score_units
from qa.quoting.lists import is_item
from qa.quoting.question_terms import QuestionTerms, languages_of, read_question
from qa.quoting.quote_text import quote_text
from qa.settings import AnswerSettings
from qa.strategies.strategy import Attempt, answered, passage_steps, quoted_answer, without_answer

_BATCHES_AT_ONCE = 4
"""Batches that are read at the same time."""
_NOTES, _ANSWER = 600, 300
"""Tokens of the replies: points with a sentence each, and two sentences with numbers."""
_READ = 48
"""Passages that are looked at for what is asked: several of each of the documents that may treat it."""
_TREATS = 0.6
"""Share of what is asked that a sentence must cover, by the weights of its terms: what its heading alone has is enough
(`qa.quoting.evidence_score.ABOVE`), what only its chunk has is not (`CHUNK`)."""
_MOST = 60
"""Rows or items of a list that are quoted; how many more there are is told."""
_SUMMARY_TOKENS = 60
"""Tokens of a summary that are told of each document."""
_NEAREST = 5
"""Pieces of evidence among which a row or item is looked for: a sentence may speak of the list that is asked for."""


async def survey(question: str, retrieval: Retrieval, model: ModelCalls | None, settings: AnswerSettings) -> Answer:
    """Return what the documents say as a whole: by a model that maps and reduces, or quoted where there is none.

    Raises `SettingsError` for a retrieval that cannot tell what its documents are.
    """
    if not isinstance(retrieval, WholeCorpus):
        raise SettingsError("these searches know no documents as a whole", hint="another strategy than survey")
    if model is None:
        return quoted_survey(question, retrieval, retrieval, settings)
    return await _Survey(Attempt(question, retrieval, model, settings), retrieval).answer()


def _not_looked_at(corpus: WholeCorpus, settings: AnswerSettings) -> tuple[str, ...]:
    """What is to be said of a survey that leaves documents out: how many; nothing where it has them all."""
    left = len(corpus.documents) - settings.surveyed
    return (f"{left} more documents were not looked at.",) if left > 0 else ()


@dataclass(frozen=True, slots=True)
class _Read:
    """A document or passage as the model reads it, and the chunks that it tells of."""

    name: str
    text: str
    hits: tuple[Hit, ...]

    @property
    def tokens(self) -> int:
        return estimate_tokens(self.name) + estimate_tokens(self.text)


@dataclass(slots=True)
class _Survey:
    """A question over the whole under way: points are kept with the sentence that each is cited by."""

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
        question, settings = self.attempt.question, self.attempt.settings
        share = max(1, settings.context_tokens // AT_ONCE)
        for overview in self.corpus.overviews(self.corpus.documents[: settings.surveyed]):
            yield _Read(overview.title or overview.uri, cut(overview_text(overview), share), overview.hits)
        wanted = frozenset(terms(question))
        for hit in self.attempt.retrieval.retrieve(question, settings.hits):
            yield _Read(headline(hit), condensed(hit.chunk.text, share, wanted), (hit,))

    async def _note(self, batch: Sequence[_Read]) -> tuple[dict[str, EvidenceUnit], list[str]]:
        """The points that one batch has, and why others were not taken over."""
        lines = [f"[{number}] {one.name}: {one.text}" for number, one in enumerate(batch, 1)]
        shown, question = fence("\n\n".join(lines), "passages"), self.attempt.question
        asked = await self.attempt.model.ask("survey_note", NotedReply, room=_NOTES, passages=shown, question=question)
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

    def _source(self, text: str, stated: ClaimReply, batch: Sequence[_Read]) -> EvidenceUnit | None:
        """The sentence of what a point was noted of that has most of its terms; None where none has any.

        A figure of it has to stand in what was read, or in the question.
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
        """The answer that the points make together; all of them, in their order, where no reply can be used."""
        attempt, question = self.attempt, self.attempt.question
        lines = [f"{number}. {text}" for number, text in enumerate(points, 1)]
        shown = fence(cut("\n".join(lines), attempt.settings.context_tokens), "points")
        asked = await attempt.model.ask("survey", SurveyReply, room=_ANSWER, points=shown, question=question)
        numbers = dict.fromkeys(asked.value.points if asked.value else ())
        texts = list(points)
        chosen = [texts[number - 1] for number in numbers if 0 < number <= len(texts)] or texts
        citer = Citer(attempt.retrieval)
        claims = tuple(Claim(text, (citer.cite_unit(points[text]),)) for text in chosen)
        short = " ".join(asked.value.answer.split()) if asked.value else ""
        if unsupported(short, [question, str(len(claims)), *chosen]):
            short = ""
        attempt.trace.append(Step("answer", short or "from the points"))
        warnings = _not_looked_at(self.corpus, attempt.settings)
        answer = answered(attempt, short, CheckedClaims(claims, dropped), citer, read, warnings)
        return replace(answer, strategy="survey")


def names_only_documents(question: str, lexicon: Lexicon, languages: Sequence[str]) -> bool:
    """Return whether a question names documents as documents and nothing else: "what is this folder about?".

    `languages` are those of the passages that it finds, the commonest first.
    """
    whole = cue("whole", question_language(question, languages))
    return whole.search(question) is not None and not _read_question(question, lexicon, languages)[1]


def quoted_survey(question: str, retrieval: Retrieval, corpus: WholeCorpus, settings: AnswerSettings) -> Answer:
    """Return what the documents say as a whole, quoted.

    A question that names nothing but documents is answered by each document's title with its summary or first
    sentence; one that asks for several things by the whole table or list where they stand; any other by the documents
    that treat what it names. What was left out is told in `warnings`.
    """
    citer = Citer(retrieval)
    hits: Sequence[Hit] = retrieval.retrieve(question, _READ)
    asked, subject = _read_question(question, retrieval.lexicon, languages_of(hits))
    if not subject:
        hits, claims = _documents(corpus, settings, citer)
        return _quoted(question, claims, citer, hits, "documents", _not_looked_at(corpus, settings))
    treating = [item for item in score_units(asked, hits, retrieval.lexicon) if _treats(item, asked, subject)]
    listed = _list_of(asked, treating, corpus)
    best = {item.unit.hit.document: item.unit for item in reversed(treating)}
    quotes = listed or sorted(best.values(), key=lambda unit: unit.rank)
    left = len(quotes) - _MOST
    others = {unit.hit.uri for unit in best.values()} - {unit.hit.uri for unit in quotes}
    warnings = [f"The list is not complete: {left} more belong to it."] if left > 0 else []
    if listed and others:
        warnings.append(f"The list may not be complete: {', '.join(sorted(others))} speak of it too.")
    claims = []
    for unit in quotes[:_MOST]:
        lead = "" if listed else f"{unit.hit.title or unit.hit.uri}: "
        claims.append(Claim(lead + quote_text(unit, asked), (citer.cite_unit(unit),)))
    return _quoted(question, claims, citer, hits, "rows or items" if listed else "documents that treat it", warnings)


def _quoted(
    question: str, claims: Sequence[Claim], citer: Citer, hits: Sequence[Hit], what: str, warnings: Sequence[str]
) -> Answer:
    told = tuple(Step("quote", claim.text) for claim in claims)
    retrieved = Step("retrieved", f"{len(hits)} passages", None, passage_steps(hits))
    trace = (retrieved, Step("surveyed", f"{len(claims)} {what}", None, told))
    return quoted_answer(question, tuple(claims), citer, hits, trace, warnings)


def _read_question(question: str, lexicon: Lexicon, languages: Sequence[str]) -> tuple[QuestionTerms, frozenset[str]]:
    """The question without the words for documents, and the terms that name what it is about.

    These are no words that name nothing, and no words for lists unless there are no others; of them those that the
    corpus has, if it has any.
    """
    language = question_language(question, languages)
    known = profile(language)
    asked = read_question(cue("whole", language).sub(" ", question), lexicon, languages)
    bare = cue("lists", language).sub(" ", cue("several", language).sub(" ", asked.text))
    nameless = known.function_words | known.phrase_ends
    naming = [
        frozenset(term for term, word in one.said.items() if word not in nameless)
        for one in (read_question(bare, lexicon, languages), asked)
    ]
    found = naming[0] or naming[1]
    return asked, frozenset(term for term in found if lexicon.rarity(term) < 1) or found


def _treats(item: ScoredUnit, asked: QuestionTerms, subject: frozenset[str]) -> bool:
    """Whether a sentence or row covers enough of what is asked."""
    weights = {term: asked.weights[term] for term in subject & asked.weights.keys()}
    covered, total = sum(weight * item.covers.get(term, 0.0) for term, weight in weights.items()), sum(weights.values())
    return not item.unit.label and total > 0 and covered >= _TREATS * total


def _documents(corpus: WholeCorpus, settings: AnswerSettings, citer: Citer) -> tuple[list[Hit], list[Claim]]:
    """Each document by its title with its summary or first sentence, and its first passage."""
    hits, claims = [], []
    for one in corpus.overviews(corpus.documents[: settings.surveyed]):
        hits.append(one.parts[0].hits[0])
        if (first := opening_sentence(one.hits)) is not None:
            said_of_it = cut(one.summary, _SUMMARY_TOKENS) or " ".join(first.text.split())
            claims.append(Claim(f"{one.title or one.uri}: {said_of_it}", (citer.cite_unit(first),)))
    return hits, claims


def _list_of(asked: QuestionTerms, treating: Sequence[ScoredUnit], corpus: WholeCorpus) -> list[EvidenceUnit]:
    """All rows of the table, or all items of the list, where good evidence stands; none where there is none."""
    near = [item.unit for item in treating[:_NEAREST] if item.unit.header or is_item(item.unit)]
    if not asked.several or not near:
        return []
    if near[0].header:
        return list(_rows(near[0], treating, corpus))
    return [unit for unit in units(near[0].hit, 0) if is_item(unit)]


def _rows(best: EvidenceUnit, scored: Sequence[ScoredUnit], corpus: WholeCorpus) -> Iterator[EvidenceUnit]:
    """The rows of all tables found that have the header of the best row, each whole."""
    header, told = normalize(best.header), set[tuple[str, int]]()
    chunks = dict.fromkeys(item.unit.hit.chunk.id for item in scored if normalize(item.unit.header) == header)
    hits = {hit.chunk.id: hit for chunk in (best.hit.chunk.id, *chunks) for hit in corpus.whole_tables(chunk)}
    for unit in (unit for hit in hits.values() or (best.hit,) for unit in units(hit, 0)):
        place = (unit.hit.document, unit.span.start)
        if unit.header and not unit.label and normalize(unit.header) == header and place not in told:
            told.add(place)
            yield unit
