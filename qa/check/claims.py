"""The claims of a model, checked against the passages that it was shown: each is cited by a source, or refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pipelines.core.provenance import Span
from pipelines.lang.sentences import sentences
from pipelines.lang.terms import terms
from pipelines.retrieve.hit import Hit
from qa.answer import Claim
from qa.check.arithmetic import unsupported
from qa.check.citations import Citer
from qa.check.quotes import locate, whole_sentence
from qa.prompts.reply_types import AnswerReply, ClaimReply

_CARRIES = 0.6
"""Share of a claim's terms that a sentence must have to be cited for it where the quote given does not carry it."""


@dataclass(frozen=True, slots=True)
class CheckedClaims:
    """The claims that a source carries, and those that were refused, each as its reason and its text."""

    claims: tuple[Claim, ...] = ()
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Source:
    """A span of one passage, in the document's characters."""

    hit: Hit
    span: Span

    @property
    def text(self) -> str:
        start = self.hit.chunk.provenance.span.start
        return self.hit.chunk.text[self.span.start - start : self.span.end - start]


def check(question: str, reply: AnswerReply, passages: Sequence[Hit], citer: Citer) -> CheckedClaims:
    """Return the claims of a reply that the passages carry, each with the number of its citation.

    A claim is carried by the quote given for it, where that is in a passage and has the claim's numbers (those of the
    question and of the headings need no quote); else by the sentence of the passages that has most of its terms and
    all its numbers. A claim that neither carries is refused, and so is a quote that is in no passage. Of a reply
    without claims the short answer is checked in their place.
    """
    claims: list[Claim] = []
    dropped: list[str] = []
    for stated in reply.claims or [ClaimReply(text=reply.answer)]:
        text = " ".join((stated.text or stated.quote).split())
        if not text:
            continue
        quoted = _quoted(stated, passages)
        if quoted is None and stated.quote.strip():
            dropped.append(f"quote not in the source: {_short(stated.quote)}")
        source, reason = _sound(text, question, _candidates(text, stated.passage, quoted, passages))
        if source is None:
            dropped.append(f"{reason}: {_short(text)}")
        else:
            claims.append(Claim(text, (citer.cite(source.hit, source.span, source.hit.score),)))
    return CheckedClaims(tuple(claims), tuple(dropped))


def carries(text: str, passages: Sequence[Hit], citer: Citer) -> tuple[int, ...]:
    """Return the citation of the first passage that has `text` word for word, none where none has."""
    source = _found_in(text, passages)
    return (citer.cite(source.hit, source.span, source.hit.score),) if source else ()


def _candidates(text: str, named: int, quoted: _Source | None, passages: Sequence[Hit]) -> Iterator[_Source]:
    """Yield what may carry a claim: the quote given for it, the best sentence of the passage named, the best of all."""
    if quoted is not None:
        yield quoted
    for place in dict.fromkeys((named if 0 < named <= len(passages) else 0, 0)):
        carrying = _carrying(text, place, passages)
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
    for hit in passages:
        span = locate(quote, hit.chunk.text)
        if span is not None:
            return _Source(hit, whole_sentence(span, hit.chunk.text).shifted(hit.chunk.provenance.span.start))
    return None


def _carrying(claim: str, named: int, passages: Sequence[Hit]) -> _Source | None:
    """The sentence that says most of what the claim says, if it says enough of it; of all passages where 0 is named."""
    best, share = None, _CARRIES
    for hit in passages[named - 1 : named] if named else passages:
        language = hit.chunk.language
        wanted = set(terms(claim, language))
        around = set(terms(" ".join((hit.title, *hit.chunk.heading_path, hit.chunk.context)), language))
        for span in sentences(hit.chunk.text):
            said = set(terms(span.slice(hit.chunk.text), language))
            covered = len(wanted & said) + 0.5 * len((wanted - said) & around)
            if wanted & said and covered >= share * len(wanted):
                best = _Source(hit, span.shifted(hit.chunk.provenance.span.start))
                share = covered / len(wanted) + 1e-9
    return best


def _wrong_numbers(claim: str, question: str, source: _Source) -> str:
    chunk = source.hit.chunk
    sources = [source.text, question, chunk.context, source.hit.title, *chunk.heading_path]
    wrong = unsupported(claim, sources)
    return f"{', '.join(wrong)} not in the source" if wrong else ""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else line[:159] + "…"
