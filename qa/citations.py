"""Citations, and the claims of a model checked against the passages that it was shown: each is cited, or refused."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pipelines.core.ids import normalize
from pipelines.core.provenance import Span
from pipelines.lang.arithmetic import unsupported
from pipelines.lang.characters import locate
from pipelines.lang.terms import terms
from pipelines.lang.word_lists import named_codes
from pipelines.retrieve.evidence import EvidenceUnit, units
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.searches import Retrieval
from pipelines.retrieve.shown_passages import clipped
from pipelines.retrieve.table_rows import cells_of
from qa.answer import Citation, Claim, Found
from qa.prompts.reply_types import AnswerReply, ClaimReply

_SHORT = 40
"""Characters up to which a quote is shown with its whole sentence."""
_CARRIES = 0.6
"""Share of a claim's terms that a sentence must have to be cited for it where the quote given does not carry it."""


class Citer:
    """Numbers the cited spans from 1 in the order of their first citing; a span cited again keeps its number."""

    def __init__(self, retrieval: Retrieval) -> None:
        self._retrieval = retrieval
        self._citations: dict[tuple[str, Span], Citation] = {}

    @property
    def citations(self) -> tuple[Citation, ...]:
        """All citations so far, by number."""
        return tuple(self._citations.values())

    def cite(self, hit: Hit, span: Span, score: float = 0.0, context: str = "") -> int:
        """Return the number of the citation of `span`: characters of the document's text, inside the chunk of `hit`.

        `score` and `context` (the line that names the columns of a quoted row) are those of the citation.
        """
        key = (hit.document, span)
        if key not in self._citations:
            self._citations[key] = self._citation(hit, span, score, context)
        return self._citations[key].number

    def cite_unit(self, unit: EvidenceUnit, score: float | None = None) -> int:
        """Return the number of the citation of a sentence or row; without a score it has that of its chunk."""
        return self.cite(unit.hit, unit.span, unit.hit.score if score is None else score, unit.header)

    def _citation(self, hit: Hit, span: Span, score: float, context: str) -> Citation:
        chunk = hit.chunk
        start = chunk.provenance.span.start
        quote = chunk.text[span.start - start : span.end - start]
        place = self._retrieval.place(chunk, span)
        where = (place.page, place.label, place.cells, chunk.heading_path, place.boxes)
        source = (hit.document, hit.uri, hit.title, quote, chunk.id, span)
        return Citation(len(self._citations) + 1, *source, *where, round(score, 4), context, hit.superseded_by)


def found(hits: Collection[Hit]) -> tuple[Found, ...]:
    """Return the passages found as an answer lists them: where each stands, with its score, rounded."""
    return tuple(
        Found(hit.chunk.id, hit.uri, hit.chunk.provenance.pages(), round(hit.score, 4), hit.chunk.provenance.label)
        for hit in hits
    )


@dataclass(frozen=True, slots=True)
class CheckedClaims:
    """The claims that a source carries, and those that were refused, each as its reason and its text."""

    claims: tuple[Claim, ...] = ()
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Source:
    """A span of one passage, in the document's characters, and the sentences, items and rows that it touches."""

    hit: Hit
    span: Span
    units: Sequence[EvidenceUnit]

    @property
    def header(self) -> str:
        """The line that names the columns, where the span is a row."""
        return next((unit.header for unit in self.units if unit.header), "")

    @property
    def texts(self) -> list[str]:
        """All that stands there and above it: the text, of a row also its cells, merged ones too, and what heads it."""
        start = self.hit.chunk.provenance.span.start
        own = self.hit.chunk.text[self.span.start - start : self.span.end - start]
        rows = [unit for unit in self.units if unit.is_row]
        cells = [f"{name}: {cell}" for unit in rows for name, cell in unit.fields]
        above = [self.hit.chunk.context, self.hit.title, *self.hit.chunk.heading_path]
        return [own, *(text for unit in rows for text in (unit.text, unit.header, unit.heading)), *cells, *above]

    def cite(self, citer: Citer) -> int:
        return citer.cite(self.hit, self.span, self.hit.score, self.header)


def check(question: str, reply: AnswerReply, passages: Sequence[Hit], citer: Citer) -> CheckedClaims:
    """Return the claims of a reply that the passages carry, each with the number of its citation.

    A claim is carried by the quote given for it, where that is in a passage and has the claim's numbers (those of the
    question and of the headings need no quote); else by the sentence of the passages that has most of its terms and
    all its numbers. A row of a table has the words and numbers of its header too, and carries a claim that is no more
    than one of its cells. A claim that none carries is refused, and so is a quote that is in no passage. Of a reply
    without claims the short answer is checked in their place.
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
        source, reason = _sound(text, question, _candidates(text, question, stated.passage, quoted, passages))
        if source is None:
            dropped.append(f"{reason}: {clipped(text)}")
        else:
            claims.append(Claim(text, (source.cite(citer),)))
    return CheckedClaims(tuple(claims), tuple(dropped))


def carries(text: str, question: str, passages: Sequence[Hit], citer: Citer) -> tuple[int, ...]:
    """Return the citation of the first passage that has `text` word for word, none where none has.

    Of the cells that are equal to `text` that one counts whose row and header say most of the question.
    """
    source = _cell(text, question, passages) or _found_in(text, passages)
    return (source.cite(citer),) if source else ()


def _candidates(
    text: str, question: str, named: int, quoted: _Source | None, passages: Sequence[Hit]
) -> Iterator[_Source]:
    """Yield what may carry a claim: its quote, the cell that it is, the best sentence."""
    yield from filter(None, (quoted, _cell(text, question, passages)))
    yield from filter(None, (_carrying(text, _named(named, passages)), _carrying(text, passages)))


def _sound(text: str, question: str, candidates: Iterable[_Source]) -> tuple[_Source | None, str]:
    """Return the first candidate that has the claim's numbers; where none has, why the first was refused."""
    reason = ""
    for source in candidates:
        wrong = unsupported(text, [*source.texts, question])
        if not wrong:
            return source, ""
        reason = reason or f"{', '.join(wrong)} not in the source"
    return None, reason or "no source for it"


def _named(passage: int, passages: Sequence[Hit]) -> Sequence[Hit]:
    """The passage of a number, from 1, none where there is none of it: models miscount."""
    return passages[passage - 1 : passage] if passage > 0 else ()


def _found_in(quote: str, passages: Sequence[Hit]) -> _Source | None:
    for passage in passages:
        span = locate(quote, passage.chunk.text)
        if span is not None:
            return _whole(passage, span.shifted(passage.chunk.provenance.span.start))
    return None


def _whole(passage: Hit, span: Span) -> _Source:
    """A quote with what it touches, widened to its sentence or row where it is short or inside a row."""
    touched = [unit for unit in units(passage, 0) if unit.span.overlaps(span)]
    around = next((unit for unit in touched if unit.span.covers(span)), None)
    if around is not None and (len(span) < _SHORT or around.is_row):
        span = around.span
    return _Source(passage, span, touched)


def _cell(text: str, question: str, passages: Sequence[Hit]) -> _Source | None:
    """The row one of whose cells is `text`; of several the one that says most of the question with its header."""
    wanted = normalize(text.strip(" ."))
    best, most = None, -1
    for passage in passages if wanted else ():
        asked = set(terms(question, passage.chunk.language))
        for unit in (unit for unit in units(passage, 0) if unit.is_row):
            cells = (*cells_of(unit.text), *(cell for _, cell in unit.fields))
            said = len(asked & (unit.own | unit.above))
            if said > most and wanted in map(normalize, cells):
                best, most = _Source(passage, unit.span, [unit]), said
    return best


def _carrying(claim: str, passages: Sequence[Hit]) -> _Source | None:
    """The sentence or row that says most of what the claim says, if it says enough of it.

    A row has to have all codes of the claim too, for those beside it say the same of other things.
    """
    best, share = None, _CARRIES
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
