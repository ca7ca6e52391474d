"""An answer on the terminal: text, numbered citations, and what was doubtful about it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from flows.cli.shown import line
from qa.answer import Answer, Citation, Ending

EXTRACTIVE = "Quoted from the documents (no language model was asked):"
NEAREST = "The nearest passages:"
_FOUND_SHOWN = 5
_LONGEST = 600
"""Characters of a quote that are shown."""


def render_answer(answer: Answer) -> RenderableType:
    """Return an answer for people to read."""
    return Group(*_parts(answer))


def _parts(answer: Answer) -> Iterator[RenderableType]:
    if answer.abstained:
        yield Text(answer.text, "bold yellow")
        if answer.citations:
            yield Text(NEAREST, "dim")
    elif answer.ending is not Ending.ANSWERED:
        yield from _nearest(answer)
        return
    else:
        yield from _answer(answer)
    yield from (_citation(citation) for citation in answer.citations)
    for conflict in answer.conflicts:
        yield line((f"! Sources disagree: {conflict}", "yellow"))
    if answer.dropped:
        yield line((f"Not taken over, for no source carries it: {'; '.join(answer.dropped)}", "dim"))
    if not answer.extractive:
        yield Text(_cost(answer), "dim")


def _nearest(answer: Answer) -> Iterator[RenderableType]:
    """What was found where there is no answer; why there is none is told on the standard error."""
    if answer.found:
        yield Text(NEAREST, "dim")
    for place in answer.found[:_FOUND_SHOWN]:
        pages = f", page {place.pages[0]}" if place.pages else ""
        yield line((f"    {place.uri}{pages}", "dim"))


def _answer(answer: Answer) -> Iterator[RenderableType]:
    if answer.extractive:
        yield Text(EXTRACTIVE, "dim")
    elif not answer.citations:
        yield Text("From the model's own knowledge; the documents were not read:", "yellow")
    if answer.short and not answer.extractive:
        yield Text(answer.short, "bold")
    for claim in answer.claims:
        if answer.extractive or claim.text != answer.short:
            marks = "".join(f" [{number}]" for number in claim.citations)
            yield Text(claim.text, "bold" if answer.extractive else "") + Text(marks, "cyan")
    yield Text("")


def _citation(citation: Citation) -> RenderableType:
    head = line((f"[{citation.number}] ", "cyan"), (citation.uri, "bold"))
    if citation.place:
        head += line(f", {citation.place}")
    if citation.superseded_by:
        head += line((f", superseded by {citation.superseded_by}", "yellow"))
    if citation.heading_path:
        head += line((f"  {' › '.join(citation.heading_path)}", "dim"))
    quote = citation.quote if len(citation.quote) <= _LONGEST else citation.quote[: _LONGEST - 1] + "…"
    body = Text(f"“{' '.join(quote.split())}”", "italic")
    if citation.context:
        body = Text(f"{citation.context}\n", "dim") + body
    return Group(head, Padding(body, (0, 0, 0, 4)))


def _cost(answer: Answer) -> str:
    usage = answer.usage
    money = f", {answer.dollars:.4f} dollars" if answer.dollars else ""
    tokens = usage.input_tokens + usage.output_tokens
    return f"{answer.strategy}: {usage.calls} calls, {tokens:,} tokens{money}, {answer.seconds:.1f} s"
