"""The keyless default: the sentences themselves that answer best, quoted, or that the documents do not say."""

from __future__ import annotations

from collections.abc import Sequence

from pipelines.lang.asked import asked_for
from pipelines.lang.quantities import Kind, gives
from pipelines.retrieve.hit import Hit
from qa.answer import NOT_IN_DOCUMENTS, Answer, Claim, Ending, Step
from qa.check.citations import Citer, found
from qa.language import Language
from qa.ports import Knowledge
from qa.quoting.choose import choose, worth_quoting
from qa.quoting.confidence import Facts, confidence, facts
from qa.quoting.conflicts import rivals, told
from qa.quoting.query import Query, read_query
from qa.quoting.tell import tell
from qa.quoting.weigh import Weighed, weigh
from qa.strategies.settings import AnswerSettings

_CAUSE = "root cause reason"
_WIDE, _SUBJECTS = 5, 2
"""How much farther causes are looked for, and in how many documents: those of the best passages."""
_SHOWN = 6
"""Candidate sentences that the trace lists."""


async def extractive(
    question: str, knowledge: Knowledge, language: Language | None, settings: AnswerSettings
) -> Answer:
    """Return quoted sentences as the answer; asks no model even where there is one."""
    hits = find(question, knowledge, settings.hits)
    return quoted("extractive", question, hits, knowledge, settings)


def find(question: str, knowledge: Knowledge, limit: int) -> tuple[Hit, ...]:
    """Return what retrieval finds; where a reason is asked for, also the causes that the best documents name."""
    hits = knowledge.retrieve(question, limit)
    if Kind.REASON not in asked_for(question):
        return hits
    best = {hit.document for hit in hits[:_SUBJECTS]}
    known = {hit.chunk.id for hit in hits}
    causes = [hit for hit in knowledge.retrieve(f"{question} {_CAUSE}", _WIDE * limit) if hit.document in best]
    return (*hits, *(hit for hit in causes if hit.chunk.id not in known and _names_cause(hit)))


def _names_cause(hit: Hit) -> bool:
    return gives(frozenset({Kind.REASON}), "\n".join((*hit.chunk.heading_path, hit.chunk.text)))


def quoted(
    name: str,
    question: str,
    hits: Sequence[Hit],
    knowledge: Knowledge,
    settings: AnswerSettings,
    trace: tuple[Step, ...] = (),
    led_to: Sequence[Weighed] = (),
) -> Answer:
    """Return the sentences of `hits` that answer best, or that the documents do not say.

    `led_to` are sentences of other chunks that these lead on to; they are quoted behind, and decide nothing.
    """
    query = read_query(question, knowledge.lexicon)
    weighed = weigh(query, hits, knowledge.lexicon)
    chosen = choose(query, weighed, settings.quotes)
    evidence = facts(query, weighed, chosen)
    sure = confidence(evidence)
    citer = Citer(knowledge)
    quotes = [*worth_quoting(query, chosen, weighed), *led_to]
    claims = tuple(_claim(item, query, citer) for item in quotes)
    refused = sure < settings.refuse_below
    return Answer(
        question,
        NOT_IN_DOCUMENTS if refused else "\n".join(claim.text for claim in claims),
        name,
        () if refused else claims,
        citer.citations,
        ending=Ending.NOT_IN_DOCUMENTS if refused else Ending.ANSWERED,
        extractive=True,
        short="" if refused else claims[0].text,
        confidence=round(sure, 3),
        found=found(_in_order(hits, weighed)),
        conflicts=() if refused else told(query, rivals(query, weighed)),
        trace=(*trace, *_trace(hits, query, weighed, quotes, evidence, sure)),
    )


def _claim(item: Weighed, query: Query, citer: Citer) -> Claim:
    number = citer.cite(item.unit.hit, item.unit.span, item.score, item.unit.header)
    return Claim(tell(item.unit, query), (number,))


def _in_order(hits: Sequence[Hit], weighed: Sequence[Weighed]) -> list[Hit]:
    """The hit with the best sentence, then the others as retrieval has them: each for what those before it lack."""
    best = weighed[0].unit.hit.chunk.id if weighed else ""
    return sorted(hits, key=lambda hit: hit.chunk.id != best)


def _trace(
    hits: Sequence[Hit],
    query: Query,
    weighed: Sequence[Weighed],
    chosen: Sequence[Weighed],
    evidence: Facts,
    sure: float,
) -> tuple[Step, ...]:
    terms = sorted(query.weights, key=lambda term: -query.weights[term])
    asked = f"; a value of kind {', '.join(sorted(query.wants))}" if query.wants else ""
    passages = tuple(Step("passage", f"{hit.uri}: {' > '.join(hit.chunk.heading_path)}", hit.score) for hit in hits)
    candidates = tuple(Step("candidate", _line(item), item.score) for item in weighed[:_SHOWN])
    told = ", ".join(f"{name} {getattr(evidence, name):.2f}" for name in Facts.__slots__)
    return (
        Step("asked for", ", ".join(terms) + asked),
        Step("retrieved", f"{len(hits)} passages", None, passages),
        Step("sentences", f"{len(weighed)} weighed", None, candidates),
        Step("selected", f"{len(chosen)}", None, tuple(Step("quote", _line(item), item.score) for item in chosen)),
        Step("confidence", told, sure),
    )


def _line(item: Weighed) -> str:
    text = " ".join(item.unit.text.split())
    return f"{text if len(text) <= 160 else text[:159] + '…'} ({item.unit.hit.uri})"
