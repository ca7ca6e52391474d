"""The claims of a model, checked against the passages that it was shown: each is cited by a source, or refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pipelines.core.ids import normalize
from pipelines.core.provenance import Span
from pipelines.lang.arithmetic import unsupported
from pipelines.lang.terms import terms
from pipelines.lang.word_lists import named_codes
from pipelines.retrieve.evidence import EvidenceUnit, units
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.table_rows import cells_of
from qa.answer import Claim
from qa.check.quotes import Citer, locate
from qa.prompts.reply_types import AnswerReply, ClaimReply

_SHORT = 40
"""Characters up to which a quote is shown with its whole sentence."""
_CARRIES = 0.6
"""Share of a claim's terms that a sentence must have to be cited for it where the quote given does not carry it."""


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
        """All that stands there: the text, of a row also its other cells, merged ones too, and what heads it."""
        start = self.hit.chunk.provenance.span.start
        own = self.hit.chunk.text[self.span.start - start : self.span.end - start]
        return [own, *(text for unit in self.units if unit.is_row for text in _row_texts(unit))]

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
        quoted = _quoted(stated, passages)
        if quoted is None and stated.quote.strip() and _cell(stated.quote, question, passages) is None:
            dropped.append(f"quote not in the source: {_short(stated.quote)}")
        source, reason = _sound(text, question, _candidates(text, question, stated.passage, quoted, passages))
        if source is None:
            dropped.append(f"{reason}: {_short(text)}")
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
    if quoted is not None:
        yield quoted
    cell = _cell(text, question, passages)
    if cell is not None:
        yield cell
    for place in dict.fromkeys((named if 0 < named <= len(passages) else 0, 0)):
        carrying = _carrying(text, passages[place - 1 : place] if place else passages)
        if carrying is not None:
            yield carrying


def _sound(text: str, question: str, candidates: Iterable[_Source]) -> tuple[_Source | None, str]:
    """Return the first candidate that has the claim's numbers; where none has, why the first was refused."""
    reason = ""
    for source in candidates:
        wrong = _wrong_numbers(text, question, source)
        if not wrong:
            return source, ""
        reason = reason or wrong
    return None, reason or "no source for it"


def _quoted(stated: ClaimReply, passages: Sequence[Hit]) -> _Source | None:
    """The quote where it stands: in the passage named, or else in another, for models miscount."""
    named = passages[stated.passage - 1 : stated.passage] if stated.passage > 0 else ()
    return _found_in(stated.quote, [*named, *passages])


def _found_in(quote: str, passages: Sequence[Hit]) -> _Source | None:
    for passage in passages:
        span = locate(quote, passage.chunk.text)
        if span is not None:
            return _whole(passage, span.shifted(passage.chunk.provenance.span.start))
    return None


def _whole(passage: Hit, span: Span) -> _Source:
    """A quote with what it touches; a short one, and one inside a row, is widened to its sentence or row."""
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
        for unit in units(passage, 0):
            cells = (*cells_of(unit.text), *(cell for _, cell in unit.fields))
            if unit.is_row and wanted in map(normalize, cells):
                said = len(asked & (unit.own | unit.above))
                if said > most:
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


def _row_texts(unit: EvidenceUnit) -> tuple[str, ...]:
    return (unit.text, unit.header, unit.heading, *(f"{name}: {cell}" for name, cell in unit.fields))


def _wrong_numbers(claim: str, question: str, source: _Source) -> str:
    chunk = source.hit.chunk
    sources = [*source.texts, question, chunk.context, source.hit.title, *chunk.heading_path]
    wrong = unsupported(claim, sources)
    return f"{', '.join(wrong)} not in the source" if wrong else ""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else line[:159] + "…"
