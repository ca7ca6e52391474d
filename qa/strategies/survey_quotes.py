"""A survey without a model, quoted: documents by their summary or first sentence, lists by all their rows or items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipelines.core.ids import normalize
from pipelines.lang.profile import profile
from pipelines.lang.questions import question_language
from pipelines.lang.word_lists import cue
from pipelines.retrieve.evidence import EvidenceUnit, units
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.overview import DocumentOverview, WholeCorpus, opening
from pipelines.retrieve.shown_passages import cut
from qa.answer import Answer, Claim, Step
from qa.check.quotes import Citer
from qa.ports import Lexicon, Retrieval
from qa.quoting.lists import is_item
from qa.quoting.question import QuestionTerms, languages_of, read_question
from qa.quoting.tell import tell
from qa.quoting.weigh import Weighed, weigh
from qa.settings import AnswerSettings
from qa.strategies.strategy import passage_steps, quoted_answer

_READ = 48
"""Passages that are looked at for what is asked: several of each of the documents that may treat it."""
_TREATS = 0.6
"""Share of what is asked that a sentence must cover, by the weights of its terms: what its heading alone has is enough
(`qa.quoting.weigh.ABOVE`), what only its chunk has is not (`CHUNK`)."""
_MOST = 60
"""Rows or items of a list that are quoted; how many more there are is told."""
_SUMMARY_TOKENS = 60
"""Tokens of a summary that are told of each document."""
_NEAREST = 5
"""Pieces of evidence among which a row or item is looked for: a sentence may speak of the list that is asked for."""


def names_only_documents(question: str, lexicon: Lexicon, languages: Sequence[str]) -> bool:
    """Return whether a question names documents as documents and nothing else: "what is this folder about?".

    `languages` are those of the passages that it finds, the commonest first.
    """
    whole = cue("whole", question_language(question, languages))
    return whole.search(question) is not None and not _read(question, lexicon, languages)[1]


def quoted_survey(question: str, retrieval: Retrieval, corpus: WholeCorpus, settings: AnswerSettings) -> Answer:
    """Return what the documents say as a whole, quoted.

    A question that names nothing but documents is answered by each document's title with its summary or first
    sentence; one that asks for several things by the whole table or list where they stand; any other by the documents
    that treat what it names. What was left out is told in `warnings`.
    """
    hits = retrieval.retrieve(question, _READ)
    asked, subject = _read(question, retrieval.lexicon, languages_of(hits))
    if not subject:
        return _documents(question, retrieval, corpus, settings)
    treating = [item for item in weigh(asked, hits, retrieval.lexicon) if _treats(item, asked, subject)]
    citer = Citer(retrieval)
    if not treating:
        return quoted_answer(question, (), citer, hits, _trace("documents that treat it", hits, ()))
    listed = _list_of(asked, treating, corpus)
    best = {item.unit.hit.document: item.unit for item in reversed(treating)}
    quotes = listed or sorted(best.values(), key=lambda unit: unit.rank)
    left = len(quotes) - _MOST
    others = {unit.hit.uri for unit in best.values()} - {unit.hit.uri for unit in quotes}
    warnings = [f"The list is not complete: {left} more belong to it."] if left > 0 else []
    if listed and others:
        warnings.append(f"The list may not be complete: {', '.join(sorted(others))} speak of it too.")
    claims = tuple(_claim(unit, asked, citer, titled=not listed) for unit in quotes[:_MOST])
    what = "rows or items" if listed else "documents that treat it"
    return quoted_answer(question, claims, citer, hits, _trace(what, hits, claims), warnings)


def _read(question: str, lexicon: Lexicon, languages: Sequence[str]) -> tuple[QuestionTerms, frozenset[str]]:
    """The question without the words for documents, and the terms that name what it is about.

    These are no words that name nothing, and no words for lists unless there are no others; of them those that the
    corpus has, if it has any.
    """
    language = question_language(question, languages)
    known = profile(language)
    asked = read_question(cue("whole", language).sub(" ", question), lexicon, languages)
    bare = read_question(_without_cues(asked.text, language), lexicon, languages)
    naming = [
        frozenset(term for term, word in one.said.items() if word not in known.function_words | known.phrase_ends)
        for one in (bare, asked)
    ]
    terms = naming[0] or naming[1]
    return asked, frozenset(term for term in terms if lexicon.rarity(term) < 1) or terms


def _without_cues(question: str, language: str) -> str:
    for name in ("several", "lists"):
        question = cue(name, language).sub(" ", question)
    return question


def _treats(item: Weighed, asked: QuestionTerms, subject: frozenset[str]) -> bool:
    """Whether a sentence or row covers enough of what is asked."""
    total = sum(asked.weights[term] for term in subject & asked.weights.keys())
    covered = sum(asked.weights[term] * item.covers.get(term, 0.0) for term in subject & asked.weights.keys())
    return not item.unit.label and total > 0 and covered >= _TREATS * total


def _documents(question: str, retrieval: Retrieval, corpus: WholeCorpus, settings: AnswerSettings) -> Answer:
    """Each document by its title with its summary or first sentence."""
    citer = Citer(retrieval)
    overviews = corpus.overviews(corpus.documents[: settings.surveyed])
    claims = tuple(claim for one in overviews for claim in _told(one, citer))
    hits = [one.parts[0].hits[0] for one in overviews]
    return quoted_answer(
        question, claims, citer, hits, _trace("documents", hits, claims), not_looked_at(corpus, settings)
    )


def not_looked_at(corpus: WholeCorpus, settings: AnswerSettings) -> tuple[str, ...]:
    """Return what is to be said of a survey that leaves documents out: how many; nothing where it has them all."""
    left = len(corpus.documents) - settings.surveyed
    return (f"{left} more documents were not looked at.",) if left > 0 else ()


def _told(one: DocumentOverview, citer: Citer) -> Iterator[Claim]:
    first = opening(one.hits)
    if first is None:
        return
    said = cut(one.summary, _SUMMARY_TOKENS) or " ".join(first.text.split())
    yield Claim(f"{one.title or one.uri}: {said}", (citer.cite_unit(first),))


def _list_of(asked: QuestionTerms, treating: Sequence[Weighed], corpus: WholeCorpus) -> list[EvidenceUnit]:
    """All rows of the table, or all items of the list, where good evidence stands; none where there is none."""
    near = [item.unit for item in treating[:_NEAREST] if item.unit.header or is_item(item.unit)]
    if not asked.several or not near:
        return []
    if near[0].header:
        return list(_rows(near[0], treating, corpus))
    return [unit for unit in units(near[0].hit, 0) if is_item(unit)]


def _rows(best: EvidenceUnit, weighed: Sequence[Weighed], corpus: WholeCorpus) -> Iterator[EvidenceUnit]:
    """The rows of all tables found that have the header of the best row, each whole."""
    header, told = normalize(best.header), set[tuple[str, int]]()
    chunks = dict.fromkeys(item.unit.hit.chunk.id for item in weighed if normalize(item.unit.header) == header)
    hits = {hit.chunk.id: hit for chunk in (best.hit.chunk.id, *chunks) for hit in corpus.whole_tables(chunk)}
    for hit in hits.values() or (best.hit,):
        for unit in units(hit, 0):
            place = (hit.document, unit.span.start)
            if unit.header and not unit.label and normalize(unit.header) == header and place not in told:
                told.add(place)
                yield unit


def _claim(unit: EvidenceUnit, asked: QuestionTerms, citer: Citer, titled: bool) -> Claim:
    said = tell(unit, asked)
    return Claim(f"{unit.hit.title or unit.hit.uri}: {said}" if titled else said, (citer.cite_unit(unit),))


def _trace(what: str, hits: Sequence[Hit], claims: Sequence[Claim]) -> tuple[Step, ...]:
    told = tuple(Step("quote", claim.text) for claim in claims)
    return (
        Step("retrieved", f"{len(hits)} passages", None, passage_steps(hits)),
        Step("surveyed", f"{len(claims)} {what}", None, told),
    )
