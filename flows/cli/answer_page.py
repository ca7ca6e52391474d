"""An answer as one self-contained HTML page: text, citations with their quotes, and the foldable trace."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from pipelines.core.safe_output import content_security_policy
from qa.answer import Answer, Citation, Ending, Step

_STYLE = """
:root { color-scheme: light dark; --text: #1c1e21; --back: #ffffff; --quote: #f5f7fa; --quiet: #5c6470; --warn: #9a3412;
  --good: #2f6f4f; --link: #1c5d8c }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e8ea; --back: #15181b; --quote: #1d2125; --quiet: #a3acb3; --warn: #f0a27d; --good: #86cfa6;
    --link: #8cc2ea }
}
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; color: var(--text);
  background: var(--back); overflow-wrap: anywhere }
a { color: var(--link) }
h1 { font-size: 1.4rem } h2 { font-size: 1.05rem; margin-top: 2rem }
blockquote { margin: .3rem 0; padding: .2rem .8rem; border-left: 3px solid #4477aa; background: var(--quote);
  white-space: pre-wrap }
.note { color: var(--quiet) } .warn { color: var(--warn) }
.score { color: var(--good); font-variant-numeric: tabular-nums }
.place { color: var(--quiet) } li.cite { margin-bottom: .8rem }
details { margin-left: 1rem } .leaf { margin-left: 2.1rem }
.selected, .quote, .claim { color: var(--good) } .dropped, .unusable { color: var(--warn) } .kind { font-weight: 600 }
sup a { text-decoration: none }
"""


def answer_page(answer: Answer) -> str:
    """Return the page of an answer as HTML."""
    parts = [
        "<!doctype html><html><head><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        content_security_policy(_STYLE),
        f"<title>{escape(answer.question)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{escape(answer.question)}</h1>",
        f"<p class='note'>{escape(_note(answer))}</p>",
        *_answer(answer),
        *_list("Sources disagree", answer.conflicts),
        *_citations(answer),
        *_list("Claimed by the model, not in the sources", answer.dropped),
        "<h2>Trace</h2>",
        *(_step(step) for step in answer.trace),
        "</body></html>",
    ]
    return "\n".join(parts)


def _note(answer: Answer) -> str:
    usage = answer.usage
    what = "quoted from the documents, without a model" if answer.extractive else f"{usage.calls} model calls"
    return f"{answer.strategy}: {what}, {answer.seconds:.1f} s"


def _answer(answer: Answer) -> Iterable[str]:
    yield from (f"<p class='warn'>{escape(warning)}</p>" for warning in answer.warnings)
    if answer.ending is not Ending.ANSWERED or not answer.claims:
        yield f"<p><strong>{escape(answer.text)}</strong></p>"
        if answer.hint:
            yield f"<p class='note'>{escape(answer.hint)}</p>"
        return
    if answer.short and not answer.extractive:
        yield f"<p><strong>{escape(answer.short)}</strong></p>"
    for claim in answer.claims:
        marks = "".join(f"<sup><a href='#c{number}'>[{number}]</a></sup>" for number in claim.citations)
        yield f"<p>{escape(claim.text)}{marks}</p>"


def _citations(answer: Answer) -> Iterable[str]:
    if not answer.citations:
        return
    yield f"<h2>{'Sources' if answer.ending is Ending.ANSWERED else 'Nearest passages'}</h2><ol>"
    for citation in answer.citations:
        yield f"<li class='cite' id='c{citation.number}'>{_citation(citation)}</li>"
    yield "</ol>"


def _citation(citation: Citation) -> str:
    place = escape(", ".join(part for part in (citation.uri, citation.place) if part))
    path = escape(" › ".join(citation.heading_path))
    header = f"<div class='note'>{escape(citation.context)}</div>" if citation.context else ""
    before, after = (f"<span class='note'>{escape(text)}</span>" for text in (citation.before, citation.after))
    newer = (
        f" <span class='warn'>superseded by {escape(citation.superseded_by)}</span>" if citation.superseded_by else ""
    )
    return (
        f"<span class='place'>{place}</span>{newer}<br><span class='note'>{path}</span>"
        f"{header}<blockquote>{before} <b>{escape(citation.quote)}</b> {after}</blockquote>"
    )


def _list(title: str, lines: tuple[str, ...]) -> Iterable[str]:
    if lines:
        yield f"<h2 class='warn'>{title}</h2><ul>"
        yield from (f"<li>{escape(line)}</li>" for line in lines)
        yield "</ul>"


def _step(step: Step) -> str:
    score = f"<span class='score'>{step.score:.2f}</span> " if step.score is not None else ""
    kind = "" if step.kind == "round" else f"<span class='kind'>{escape(step.kind)}</span> "
    line = f"{score}{kind}<span class='{escape(step.kind)}'>{escape(step.text)}</span>"
    if not step.steps:
        return f"<div class='leaf'>{line}</div>"
    inner = "".join(_step(below) for below in step.steps)
    return f"<details{' open' if step.kind == 'round' else ''}><summary>{line}</summary>{inner}</details>"
