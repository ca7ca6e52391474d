"""An answer on the terminal: progress of the model, text with citations, warnings, and the trace as a tree."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
from rich.console import Group, RenderableType
from rich.live import Live
from rich.padding import Padding
from rich.text import Text
from rich.tree import Tree

from flows.cli.printing import console, line
from flows.cli.stdio import say_error
from pipelines.llm.ask import listening
from pipelines.llm.reply_schema import readable
from qa.answer import Answer, Citation, Ending, Step

EXTRACTIVE = "Quoted from the documents (no language model was asked):"
NEAREST = "The nearest passages:"
_FOUND_SHOWN = 5
_LONGEST = 600
"""Maximum characters of a quote that are shown."""
_TRACE_STYLES = {
    "selected": "green", "quote": "green", "claim": "green", "dropped": "red", "failed": "red", "unusable": "yellow",
    "stop": "bold", "candidate": "dim", "passage": "dim",
}  # fmt: skip
_STEPS_SHOWN = 12
"""Maximum steps shown below a step; the number of others is printed."""


def print_answer(answer: Answer, trace: bool = False) -> None:
    """Print an answer as text, and with `trace` its steps."""
    console().print(render_answer(answer))
    if trace:
        console().print(trace_tree(answer))


def as_json(answer: Answer) -> dict[str, object]:
    """Return an answer as printed by `--json`."""
    return {**msgspec.to_builtins(answer), "abstained": answer.abstained}


def print_warnings(answer: Answer) -> None:
    """Print the warnings of an answer, and why there is none, to standard error, one per line."""
    for warning in answer.warnings:
        say_error(warning)
    if answer.ending.exit_code:
        say_error(answer.text, answer.hint)


def render_answer(answer: Answer) -> RenderableType:
    """Return an answer as text for a console."""
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
        yield line((f"Dropped, because no source supports it: {'; '.join(answer.dropped)}", "dim"))
    if not answer.extractive:
        yield Text(_cost(answer), "dim")


def _nearest(answer: Answer) -> Iterator[RenderableType]:
    """Yield the retrieved passages if there is no answer; standard error gives the reason."""
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
    before, after = (Text(" ".join(text.split()), "dim") for text in (citation.before, citation.after))
    body = Text(" ").join(filter(None, (before, Text(f"“{' '.join(quote.split())}”", "italic"), after)))
    if citation.context:
        body = Text(f"{citation.context}\n", "dim") + body
    return Group(head, Padding(body, (0, 0, 0, 4)))


def _cost(answer: Answer) -> str:
    usage = answer.usage
    money = f", {answer.dollars:.4f} dollars" if answer.dollars else ""
    tokens = usage.input_tokens + usage.output_tokens
    return f"{answer.strategy}: {usage.calls} calls, {tokens:,} tokens{money}, {answer.seconds:.1f} s"


def trace_tree(answer: Answer) -> Tree:
    """Return the trace as a tree: proposals, candidates with scores, selections, and why it stopped."""
    tree = Tree(Text(f"{answer.strategy}: {answer.question}", "bold"))
    for step in answer.trace:
        _grow(tree, step)
    return tree


def _grow(tree: Tree, step: Step) -> None:
    branch = tree.add(_step_label(step))
    for inner in step.steps[:_STEPS_SHOWN]:
        _grow(branch, inner)
    if len(step.steps) > _STEPS_SHOWN:
        branch.add(Text(f"and {len(step.steps) - _STEPS_SHOWN} more", "dim"))


def _step_label(step: Step) -> Text:
    style = _TRACE_STYLES.get(step.kind, "")
    label = Text()
    if step.score is not None:
        label.append(f"{step.score:.2f} ", "cyan")
    if step.kind != "round":
        label.append(f"{step.kind}: " if step.text else step.kind, style or "bold")
    label.append(step.text, style)
    return label


_DOING = {
    "propose": "Which questions would help?",
    "select": "Which of the facts found helps most?",
    "answer": "Reading the passages",
    "cot": "Thinking",
    "follow_up": "What to ask next?",
    "follow_up_answer": "Answering a simpler question",
    "conclude": "Concluding",
    "rewrite": "Understanding the question",
    "terms": "Finding the documents' terms for it",
}


@contextmanager
def streamed(quiet: bool) -> Iterator[None]:
    """Show the model's tasks and its text as it arrives, transiently, on standard error (a terminal)."""
    err = console(stderr=True)
    if quiet or not err.is_terminal:
        yield
        return
    with Live(console=err, transient=True, refresh_per_second=8) as live, listening(_AnswerDisplay(live)):
        yield


class _AnswerDisplay:
    """The steps so far, and the text of the current one."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._steps: list[str] = []
        self._reply = ""

    def __call__(self, role: str, piece: str) -> None:
        if not piece:
            self._steps.append(_DOING.get(role, role))
            self._reply = ""
        self._reply += piece
        shown = Text("\n".join(self._steps[-4:]) + " …\n", "dim") + Text(readable(self._reply))
        self._live.update(shown)
