"""Citations; and the check of a model's claims against its passages: each claim is cited or dropped."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pipelines.core.ids import normalize
from pipelines.core.provenance import Span
from pipelines.lang.arithmetic import unsupported
from pipelines.lang.characters import locate
from pipelines.lang.terms import terms
from pipelines.lang.word_lists import named_codes
from pipelines.retrieve.evidence import EvidenceUnit, sentences_beside, units
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.searches import Retrieval
from pipelines.retrieve.shown_passages import clipped
from pipelines.retrieve.table_rows import cells_of
from qa.answer import Citation, Claim, Found
from qa.prompts.reply_types import AnswerReply, ClaimReply

_SHORT_QUOTE = 40
"""Shorter quotes are shown with their whole sentence."""
_MIN_SHARE = 0.6
"""Minimum share of a claim's terms in a sentence that is cited for it in place of an unsuitable quote."""


class Citer:
    """Numbers the cited spans from 1 in the order of their first citation."""

    def __init__(self, retrieval: Retrieval) -> None:
        self._retrieval = retrieval
        self._citations: dict[tuple[str, Span], Citation] = {}

    @property
    def citations(self) -> tuple[Citation, ...]:
        """All citations so far, by number."""
        return tuple(self._citations.values())

    def cite(self, hit: Hit, span: Span, score: float = 0.0, context: str = "") -> int:
        """Return the number of the citation of `span`, a span of the document's text within the chunk of `hit`.

        `score` and `context` (the header of a quoted table row) are those of a new citation.
        """
        key = (hit.document, span)
        if key not in self._citations:
            self._citations[key] = self._citation(hit, span, score, context)
        return self._citations[key].number

    def cite_unit(self, unit: EvidenceUnit, score: float | None = None) -> int:
        """Return the number of the citation of a sentence or row; its default score is that of its chunk."""
        return self.cite(unit.hit, unit.span, unit.hit.score if score is None else score, unit.header)

    def _citation(self, hit: Hit, span: Span, score: float, context: str) -> Citation:
        chunk = hit.chunk
        start = chunk.provenance.span.start
        quote = chunk.text[span.start - start : span.end - start]
        place = self._retrieval.place(chunk, span)
        where = (place.page, place.label, place.cells, chunk.heading_path, place.boxes)
        source = (hit.document, hit.uri, hit.title, quote, chunk.id, span)
        beside = sentences_beside(hit, span)
        return Citation(len(self._citations) + 1, *source, *where, round(score, 4), context, hit.superseded_by, *beside)


def found(hits: Collection[Hit]) -> tuple[Found, ...]:
    """Return the passages in the form listed in an answer."""
    return tuple(
        Found(hit.chunk.id, hit.uri, hit.chunk.provenance.pages(), round(hit.score, 4), hit.chunk.provenance.label)
        for hit in hits
    )


@dataclass(frozen=True, slots=True)
class CheckedClaims:
    """The supported claims, and the dropped ones as "reason: text"."""

    claims: tuple[Claim, ...] = ()
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Source:
    """A span of the document's text in a passage, and the evidence units that it overlaps."""

    hit: Hit
    span: Span
    units: Sequence[EvidenceUnit]

    @property
    def header(self) -> str:
        """The header if the span is a table row, else ""."""
        return next((unit.header for unit in self.units if unit.header), "")

    @property
    def texts(self) -> list[str]:
        """The text of the span, of its row with merged cells and header, and of the headings above."""
        start = self.hit.chunk.provenance.span.start
        own = self.hit.chunk.text[self.span.start - start : self.span.end - start]
        rows = [unit for unit in self.units if unit.is_row]
        cells = [f"{name}: {cell}" for unit in rows for name, cell in unit.fields]
        above = [self.hit.chunk.context, self.hit.title, *self.hit.chunk.heading_path]
        return [own, *(text for unit in rows for text in (unit.text, unit.header, unit.heading)), *cells, *above]

    def cite(self, citer: Citer) -> int:
        return citer.cite(self.hit, self.span, self.hit.score, self.header)


def check(question: str, reply: AnswerReply, passages: Sequence[Hit], citer: Citer) -> CheckedClaims:
    """Return the claims of a reply that the passages support, each with the number of its citation.

    A claim is supported by its quote if this is in a passage and has the claim's numbers (except those of the question
    and of headings), else by the sentence with most of its terms and all its numbers. A table row includes its header,
    and supports a claim that equals one of its cells. Other claims, and quotes that are in no passage, are dropped. If
    a reply has no claims, its short answer is checked instead.
    """
    claims: list[Claim] = []
    dropped: list[str] = []
    for stated in reply.claims or [ClaimReply(text=reply.answer)]:
        text = " ".join((stated.text or stated.quote).split())
        if not text:
            continue
        quoted = _found_in(stated.quote, [*_named(stated.passage, passages), *passages])
        if quoted is None and stated.quote.strip() and _cell(stated.quote, question, passages) is None:
            dropped.append(f"quote not in the source: {clipped(stated.quote)}")
        candidates = _candidates(text, question, stated.passage, quoted, passages)
        source, reason = _first_supporting(text, question, candidates)
        if source is None:
            dropped.append(f"{reason}: {clipped(text)}")
        else:
            claims.append(Claim(text, (source.cite(citer),)))
    return CheckedClaims(tuple(claims), tuple(dropped))


def cite_literal(text: str, question: str, passages: Sequence[Hit], citer: Citer) -> tuple[int, ...]:
    """Return the citation of `text` if it is literally in a passage: of a table cell, or else of the first occurrence.

    Among equal cells, the one whose row and header have most terms of the question is cited.
    """
    source = _cell(text, question, passages) or _found_in(text, passages)
    return (source.cite(citer),) if source else ()


def _candidates(
    text: str, question: str, named: int, quoted: _Source | None, passages: Sequence[Hit]
) -> Iterator[_Source]:
    """Yield the possible sources of a claim: its quote, an equal cell, the best sentences."""
    yield from filter(None, (quoted, _cell(text, question, passages)))
    yield from filter(None, (_best_sentence(text, _named(named, passages)), _best_sentence(text, passages)))


def _first_supporting(text: str, question: str, candidates: Iterable[_Source]) -> tuple[_Source | None, str]:
    """Return the first candidate with the claim's numbers, else None and why the first one was rejected."""
    reason = ""
    for source in candidates:
        wrong = unsupported(text, [*source.texts, question])
        if not wrong:
            return source, ""
        reason = reason or f"{', '.join(wrong)} not in the source"
    return None, reason or "no source for it"


def _named(passage: int, passages: Sequence[Hit]) -> Sequence[Hit]:
    """Return the passage with this number, from 1, or nothing, since models miscount."""
    return passages[passage - 1 : passage] if passage > 0 else ()


def _found_in(quote: str, passages: Sequence[Hit]) -> _Source | None:
    for passage in passages:
        span = locate(quote, passage.chunk.text)
        if span is not None:
            return _widened(passage, span.shifted(passage.chunk.provenance.span.start))
    return None


def _widened(passage: Hit, span: Span) -> _Source:
    """Return the source of a quote, widened to its sentence or row if it is short or inside a row."""
    touched = [unit for unit in units(passage, 0) if unit.span.overlaps(span)]
    around = next((unit for unit in touched if unit.span.covers(span)), None)
    if around is not None and (len(span) < _SHORT_QUOTE or around.is_row):
        span = around.span
    return _Source(passage, span, touched)


def _cell(text: str, question: str, passages: Sequence[Hit]) -> _Source | None:
    """Return the row with a cell equal to `text`, and with most terms of the question if there are several."""
    wanted = normalize(text.strip(" ."))
    best, most = None, -1
    for passage in passages if wanted else ():
        asked = set(terms(question, passage.chunk.language))
        for unit in (unit for unit in units(passage, 0) if unit.is_row):
            cells = (*cells_of(unit.text), *(cell for _, cell in unit.fields))
            shared = len(asked & (unit.own | unit.above))
            if shared > most and wanted in map(normalize, cells):
                best, most = _Source(passage, unit.span, [unit]), shared
    return best


def _best_sentence(claim: str, passages: Sequence[Hit]) -> _Source | None:
    """Return the sentence or row with most terms of the claim, if they are enough, else None.

    A row must also have all codes of the claim, since the other rows make similar statements about other things.
    """
    best, share = None, _MIN_SHARE
    codes = {term for code in named_codes(claim) for term in terms(code)}
    for passage in passages:
        wanted = set(terms(claim, passage.chunk.language))
        around = set(terms(passage.chunk.context, passage.chunk.language))
        for unit in units(passage, 0):
            if unit.is_row and codes - (unit.own | unit.above | around):
                continue
            beside = (wanted - unit.own) & (around | unit.above)
            covered = len(wanted & unit.own) + 0.5 * len(beside)
            if wanted & unit.own and covered >= share * len(wanted):
                best = _Source(passage, unit.span, [unit])
                share = covered / len(wanted) + 1e-9
    return best
