"""What a model claims, checked against what it was shown: nothing stands that no source carries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pipelines.core.provenance import Span
from pipelines.lang.sentences import sentences
from pipelines.lang.terms import terms
from pipelines.retrieve.hit import Hit
from qa.answer import Claim
from qa.check.citations import Citer
from qa.check.figures import unsupported
from qa.check.quotes import locate, whole_sentence
from qa.prompts.replies import AnswerReply, ClaimReply

_CARRIES = 0.6
"""Share of a claim's terms that a sentence must have to be cited for it where the quote given was none."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The claims that hold, and what was refused, each with its reason."""

    claims: tuple[Claim, ...] = ()
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Evidence:
    """A span of one passage, in the document's characters."""

    hit: Hit
    span: Span

    @property
    def text(self) -> str:
        start = self.hit.chunk.provenance.span.start
        return self.hit.chunk.text[self.span.start - start : self.span.end - start]


def check(question: str, reply: AnswerReply, passages: Sequence[Hit], citer: Citer) -> Checked:
    """Return the claims of a reply whose quotes are in the passages and whose numbers are in the quotes.

    A quote that is in no passage is dropped. A claim whose quote does not carry it is cited by a sentence of the
    passages that does, and dropped where none does. With no claims at all the short answer itself is looked for.
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
        evidence, reason = _sound(text, question, _candidates(text, stated.passage, quoted, passages))
        if evidence is None:
            dropped.append(f"{reason}: {_short(text)}")
        else:
            claims.append(Claim(text, (citer.cite(evidence.hit, evidence.span, evidence.hit.score),)))
    return Checked(tuple(claims), tuple(dropped))


def carries(text: str, passages: Sequence[Hit], citer: Citer) -> tuple[int, ...]:
    """Return the citation of the first passage that has `text` word for word, none where none has."""
    evidence = _found_in(text, passages)
    return (citer.cite(evidence.hit, evidence.span, evidence.hit.score),) if evidence else ()


def _candidates(text: str, named: int, quoted: _Evidence | None, passages: Sequence[Hit]) -> Iterator[_Evidence]:
    """Yield what may carry a claim: what was quoted for it, the best of the passage named, the best of all."""
    if quoted is not None:
        yield quoted
    for place in dict.fromkeys((named if 0 < named <= len(passages) else 0, 0)):
        carrying = _carrying(text, place, passages)
        if carrying is not None:
            yield carrying


def _sound(text: str, question: str, candidates: Iterable[_Evidence]) -> tuple[_Evidence | None, str]:
    """Return the first that has the claim's numbers, or what was wrong with the first of all."""
    reason = ""
    for evidence in candidates:
        wrong = _wrong_numbers(text, question, evidence)
        if not wrong:
            return evidence, ""
        reason = reason or wrong
    return None, reason or "no source for it"


def _quoted(stated: ClaimReply, passages: Sequence[Hit]) -> _Evidence | None:
    """The quote where it stands: in the passage named, or else in another, for models miscount."""
    named = passages[stated.passage - 1 : stated.passage] if stated.passage > 0 else ()
    return _found_in(stated.quote, [*named, *passages])


def _found_in(quote: str, passages: Sequence[Hit]) -> _Evidence | None:
    for hit in passages:
        span = locate(quote, hit.chunk.text)
        if span is not None:
            return _Evidence(hit, whole_sentence(span, hit.chunk.text).shifted(hit.chunk.provenance.span.start))
    return None


def _carrying(claim: str, named: int, passages: Sequence[Hit]) -> _Evidence | None:
    """The sentence that says most of what the claim says, if it says enough of it; of all passages where 0 is named."""
    wanted = set(terms(claim))
    chosen = passages[named - 1 : named] if named else passages
    best, share = None, _CARRIES
    for hit in chosen:
        around = set(terms(" ".join((hit.title, *hit.chunk.heading_path, hit.chunk.context))))
        for span in sentences(hit.chunk.text):
            said = set(terms(span.slice(hit.chunk.text)))
            covered = len(wanted & said) + 0.5 * len((wanted - said) & around)
            if wanted & said and covered >= share * len(wanted):
                best = _Evidence(hit, span.shifted(hit.chunk.provenance.span.start))
                share = covered / len(wanted) + 1e-9
    return best


def _wrong_numbers(claim: str, question: str, evidence: _Evidence) -> str:
    chunk = evidence.hit.chunk
    sources = [evidence.text, question, chunk.context, evidence.hit.title, *chunk.heading_path]
    wrong = unsupported(claim, sources)
    return f"{', '.join(wrong)} not in the source" if wrong else ""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else line[:159] + "…"
