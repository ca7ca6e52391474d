"""Quotes for questions about all documents: what each says, all rows or items of a list, or a summary of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pipelines.core.ids import normalize
from pipelines.lang.profile import profile
from pipelines.lang.questions import asks_for_documents, question_language
from pipelines.lang.terms import terms
from pipelines.lang.word_lists import cue
from pipelines.retrieve.evidence import EvidenceUnit, units
from pipelines.retrieve.evidence_score import ScoredUnit, score_units
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.list_items import is_item
from pipelines.retrieve.question_reading import languages_of, read_question
from pipelines.retrieve.question_terms import QuestionTerms
from pipelines.retrieve.quote_text import quote_text
from pipelines.retrieve.searches import Lexicon, Part, Retrieval, WholeCorpus, opening_sentence
from pipelines.retrieve.shown_passages import cut
from qa.answer import Answer, Claim, Step
from qa.citations import Citer
from qa.settings import AnswerSettings
from qa.strategies.strategy import passage_steps, quoted_answer

_PASSAGES = 48
"""Passages retrieved for a question: several for each relevant document."""
_MIN_COVER = 0.6
"""Minimum cover of a relevant sentence, by the weights of the question's terms: terms in its heading are enough
(`pipelines.retrieve.evidence_score.ABOVE`), terms elsewhere in its chunk are not (`CHUNK`)."""
_MAX_QUOTES = 60
"""Maximum quoted rows or items of a list."""
_SUMMARY_TOKENS = 60
"""Maximum tokens of a quoted summary."""
_NEAREST = 5
"""The list is searched among so many best units, since a sentence about the list may be better than its items."""


def not_surveyed(corpus: WholeCorpus, settings: AnswerSettings) -> tuple[str, ...]:
    """Return a warning about the number of documents omitted from the survey, if any."""
    left = len(corpus.documents) - settings.surveyed
    return (f"{left} more documents were not looked at.",) if left > 0 else ()


def is_about_documents(asked: QuestionTerms, lexicon: Lexicon, languages: Sequence[str]) -> bool:
    """Whether a question is about documents: "what is this folder about?", "which documents mention the CX-22?".

    `languages` are those of the passages found, the most frequent first.
    """
    if asks_for_documents(asked.text, asked.language):
        return True
    whole = cue("whole", asked.language)
    return whole.search(asked.text) is not None and not _read_subject(asked.text, lexicon, languages)[1]


def quoted_summary(
    asked: QuestionTerms, hits: Sequence[Hit], retrieval: Retrieval, corpus: WholeCorpus
) -> Answer | None:
    """Return the summaries of the parts of a document if a question asks to summarize one, by title or file name."""
    document = ""
    if cue("summarizes", "").search(asked.text):  # a file name tells no language
        document = next(iter(corpus.documents_named(asked.text)), "")
    if not document and cue("summarizes", asked.language).search(asked.text):
        document = _titled(asked, hits, retrieval.lexicon)
    if not document:
        return None
    citer = Citer(retrieval)
    (overview,) = corpus.overviews([document])
    claims = [
        Claim(f"{part.heading.rpartition(' > ')[2]}: {text}" if part.heading else text, (citer.cite_unit(unit),))
        for part in overview.parts
        if (unit := _summary_source(part)) is not None and (text := part.summary or " ".join(unit.text.split()))
    ]
    left = len(claims) - _MAX_QUOTES
    warnings = [f"The summary is not complete: {left} more sections follow."] if left > 0 else []
    answer = _quoted(asked.text, claims[:_MAX_QUOTES], citer, overview.hits, "sections of the document", warnings)
    return replace(answer, strategy="survey")


def _titled(asked: QuestionTerms, hits: Sequence[Hit], lexicon: Lexicon) -> str:
    """Return the first document found whose title and file name have all words of the question's subject, or ""."""
    asks = cue("summarizes", asked.language)
    bare = asks.sub(lambda match: " ".join(match.group().split()[1:-1]), asked.text)  # "what is ... about"
    _, subject = _read_subject(bare, lexicon, (asked.language, *languages_of(hits)))
    named = (hit for hit in hits if subject and subject <= frozenset(terms(f"{hit.title} {hit.uri}", asked.language)))
    return next((hit.document for hit in named), "")


def _summary_source(part: Part) -> EvidenceUnit | None:
    """Return the first sentence of a part that its summary quotes, else its opening sentence."""
    quoted = (unit for hit in part.hits for unit in units(hit, 0) if " ".join(unit.text.split()) in part.summary)
    return next((unit for unit in quoted if not unit.label), None) or opening_sentence(part.hits)


def quoted_survey(question: str, retrieval: Retrieval, corpus: WholeCorpus, settings: AnswerSettings) -> Answer:
    """Return quotes from all documents.

    If the question is only about documents as such, these are each document's title with its summary or first sentence;
    if it asks for several things but not which documents treat them, the whole table or list with them; else the best
    sentence of each relevant document. `warnings` state what is omitted.
    """
    citer = Citer(retrieval)
    hits: Sequence[Hit] = retrieval.retrieve(question, _PASSAGES)
    asked, subject = _read_subject(question, retrieval.lexicon, languages_of(hits))
    if not subject:
        hits, claims = _documents(corpus, settings, citer)
        return _quoted(question, claims, citer, hits, "documents", not_surveyed(corpus, settings))
    relevant = [item for item in score_units(asked, hits, retrieval.lexicon) if _is_relevant(item, asked, subject)]
    listed = [] if asks_for_documents(question, asked.language) else _list_of(asked, relevant, corpus)
    best = {item.unit.hit.document: item.unit for item in reversed(relevant)}
    quotes = listed or sorted(best.values(), key=lambda unit: unit.rank)
    left = len(quotes) - _MAX_QUOTES
    others = {unit.hit.uri for unit in best.values()} - {unit.hit.uri for unit in quotes}
    warnings = [f"The list is not complete: {left} more entries are omitted."] if left > 0 else []
    if listed and others:
        warnings.append(f"The list may not be complete: {', '.join(sorted(others))} also mention it.")
    claims = []
    for unit in quotes[:_MAX_QUOTES]:
        lead = "" if listed else f"{unit.hit.title or unit.hit.uri}: "
        claims.append(Claim(lead + quote_text(unit, asked), (citer.cite_unit(unit),)))
    return _quoted(question, claims, citer, hits, "rows or items" if listed else "documents that treat it", warnings)


def _quoted(
    question: str, claims: Sequence[Claim], citer: Citer, hits: Sequence[Hit], what: str, warnings: Sequence[str]
) -> Answer:
    quotes = tuple(Step("quote", claim.text) for claim in claims)
    retrieved = Step("retrieved", f"{len(hits)} passages", None, passage_steps(hits))
    trace = (retrieved, Step("surveyed", f"{len(claims)} {what}", None, quotes))
    return quoted_answer(question, tuple(claims), citer, hits, trace, warnings)


def _read_subject(question: str, lexicon: Lexicon, languages: Sequence[str]) -> tuple[QuestionTerms, frozenset[str]]:
    """Return the question without words for documents and for treating, and the terms of its subject.

    Function words are not subject terms, and words for lists only if there are no others. Terms that are not in the
    corpus are omitted, unless all are missing.
    """
    language = question_language(question, languages)
    known = profile(language)
    text = cue("whole", language).sub(" ", question)
    if asks_for_documents(question, language):
        text = cue("treats", language).sub(" ", text)
    asked = read_question(text, lexicon, languages)
    bare = cue("lists", language).sub(" ", cue("several", language).sub(" ", asked.text))
    nameless = known.function_words | known.phrase_ends
    naming = [
        frozenset(term for term, word in one.words.items() if word not in nameless)
        for one in (read_question(bare, lexicon, languages), asked)
    ]
    found = naming[0] or naming[1]
    return asked, frozenset(term for term in found if lexicon.rarity(term) < 1) or found


def _is_relevant(item: ScoredUnit, asked: QuestionTerms, subject: frozenset[str]) -> bool:
    """Whether a sentence or row covers enough of the question."""
    weights = {term: asked.weights[term] for term in subject & asked.weights.keys()}
    covered, total = sum(weight * item.covers.get(term, 0.0) for term, weight in weights.items()), sum(weights.values())
    return not item.unit.label and total > 0 and covered >= _MIN_COVER * total


def _documents(corpus: WholeCorpus, settings: AnswerSettings, citer: Citer) -> tuple[list[Hit], list[Claim]]:
    """Return the first passage of each document, and its title with its summary or first sentence."""
    hits, claims = [], []
    for one in corpus.overviews(corpus.documents[: settings.surveyed]):
        hits.append(one.parts[0].hits[0])
        if (first := opening_sentence(one.hits)) is not None:
            summary = cut(one.summary, _SUMMARY_TOKENS) or " ".join(first.text.split())
            claims.append(Claim(f"{one.title or one.uri}: {summary}", (citer.cite_unit(first),)))
    return hits, claims


def _list_of(asked: QuestionTerms, relevant: Sequence[ScoredUnit], corpus: WholeCorpus) -> list[EvidenceUnit]:
    """Return all rows or items of the table or list with the best evidence, if any."""
    near = [item.unit for item in relevant[:_NEAREST] if item.unit.header or is_item(item.unit)]
    if not asked.several or not near:
        return []
    if near[0].header:
        return list(_rows(near[0], relevant, corpus))
    return [unit for unit in units(near[0].hit, 0) if is_item(unit)]


def _rows(best: EvidenceUnit, scored: Sequence[ScoredUnit], corpus: WholeCorpus) -> Iterator[EvidenceUnit]:
    """Yield all rows of the tables found that have the header of the best row."""
    header, seen = normalize(best.header), set[tuple[str, int]]()
    chunks = dict.fromkeys(item.unit.hit.chunk.id for item in scored if normalize(item.unit.header) == header)
    hits = {hit.chunk.id: hit for chunk in (best.hit.chunk.id, *chunks) for hit in corpus.whole_tables(chunk)}
    for unit in (unit for hit in hits.values() or (best.hit,) for unit in units(hit, 0)):
        place = (unit.hit.document, unit.span.start)
        if unit.header and not unit.label and normalize(unit.header) == header and place not in seen:
            seen.add(place)
            yield unit
