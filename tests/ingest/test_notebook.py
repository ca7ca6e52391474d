"""Library calls in a thread whose event loop runs, as in a notebook."""

from __future__ import annotations

from pathlib import Path

from flows.ingest import ingest
from pipelines import build
from pipelines.ingest.dry_run import FolderDiff, diff, estimate_ingest
from pipelines.settings import Settings
from qa import KnowledgeBase


async def test_a_knowledge_base_is_built_compared_and_asked_where_a_loop_runs(folder: Path, tmp_path: Path) -> None:
    kb = tmp_path / "kb"
    assert build(folder, kb).documents == {"indexed": 3}
    assert diff(folder, kb) == FolderDiff()
    assert estimate_ingest(folder, kb, Settings()).lines == ()
    with KnowledgeBase.open(kb) as knowledge:
        assert knowledge.ask("What does the pump P-101A deliver?").citations


async def test_the_function_of_the_command_line_works_there_too(folder: Path, tmp_path: Path) -> None:
    assert ingest(folder, tmp_path / "kb", flow=False).documents == {"indexed": 3}
