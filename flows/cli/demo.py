"""`strata demo`: the example documents ingested, and four questions asked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.options import Set, settings_from

_SHIPPED = Path(__file__).parent / "examples"
EXAMPLES = _SHIPPED if _SHIPPED.is_dir() else Path(__file__).parents[2] / "examples" / "documents"
"""Beside this file in a wheel, in their folder in a checkout."""
QUESTIONS = (
    "What is the efficiency of the K80-250 pump at rated flow?",
    "Which way up must an eccentric reducer be mounted in a horizontal suction pipe?",
    "What does the 43 mm mechanical seal of the K65-200 in carbon and SiC cost?",
    "PT-300 压力变送器多久校准一次?",
)


def register(app: typer.Typer) -> None:
    app.command("demo")(demo)


def demo(
    kb: Annotated[Path, typer.Option("--kb", help="Where the knowledge base goes.")] = Path("demo-kb"),
    set: Set = None,
) -> None:
    """Ingest the example documents, then ask four questions, one of them in Chinese."""
    from flows.cli.answer_text import print_answer, tell_troubles
    from flows.cli.console import console, line
    from flows.cli.live_ingest import live_progress
    from flows.cli.printing import print_report
    from flows.ingest import ingest
    from pipelines.core.errors import FolderNotFound
    from qa import KnowledgeBase

    if not EXAMPLES.is_dir():
        raise FolderNotFound(str(EXAMPLES))
    settings = settings_from(kb, set)
    if settings.store.neo4j_uri:  # then the questions are answered from there
        settings = settings_from(kb, ["store.graph=neo4j", *(set or [])])
    with live_progress() as progress:
        report = ingest(EXAMPLES, kb, settings, progress=progress)
    print_report(report)
    with KnowledgeBase.open(kb, settings) as knowledge:
        for question in QUESTIONS:
            console().print()
            console().print(line((question, "bold")))
            answer = knowledge.ask(question)
            print_answer(answer)
            tell_troubles(answer)
    if browser := settings.store.browser:
        console().print()
        console().print(line(f"the graph in Neo4j Browser: {browser} (`make browse` opens it with style and queries)"))
    raise typer.Exit(report.exit_code)
