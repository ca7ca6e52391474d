"""Tests that a vector table is only read from files inside the knowledge base."""

from __future__ import annotations

import shutil
from pathlib import Path

import lancedb
import pytest

from pipelines import build
from pipelines.core.errors import StoreMismatch
from pipelines.store.lancedb.store import refuse_elsewhere
from qa import KnowledgeBase
from tests.ingest.knowledge import write_folder

QUESTION = "How often is the bearing oil changed?"
REMOTE_URL = "s3://bucket.of.a.stranger/"


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    build(write_folder(tmp_path / "folder"), tmp_path / "kb")
    return tmp_path / "kb"


def chunks_of(kb: Path) -> Path:
    return next((kb / "vectors").glob("*/chunk.lance"))


def move_files_of_table(kb: Path, address: str) -> Path:
    """Replace the table of chunks by a clone whose files are at another address, as Lance's shallow clones are."""
    table = chunks_of(kb)
    real = table.parent.parent / "a-name-as-long-as-an-address-would-be.lance"
    shutil.move(table, real)
    lancedb.connect(str(table.parent)).clone_table("chunk", str(real))
    for manifest in (table / "_versions").glob("*.manifest"):
        manifest.write_bytes(
            manifest.read_bytes().replace(str(real).encode(), address.ljust(len(str(real)), "x").encode())
        )
    return real


@pytest.mark.parametrize("address", [REMOTE_URL, ""])
def test_a_table_with_files_outside_the_knowledge_base_is_not_opened(address: str, kb: Path) -> None:
    move_files_of_table(kb, address)
    with KnowledgeBase.open(kb) as knowledge, pytest.raises(StoreMismatch, match="outside the knowledge base"):
        knowledge.ask(QUESTION)


def test_a_table_inside_the_knowledge_base_is_opened_after_many_writes(kb: Path) -> None:
    (kb.parent / "folder" / "more.md").write_text("# More\n\nThe valve is closed by hand.\n")
    build(kb.parent / "folder", kb)
    refuse_elsewhere(chunks_of(kb))
    with KnowledgeBase.open(kb) as knowledge:
        assert knowledge.ask(QUESTION).claims


@pytest.mark.parametrize("damage", [b"", b"LANC", b"\xff" * 12 + b"LANC", b"\xff" * 40 + b"\x00" * 12 + b"LANC"])
def test_a_damaged_manifest_is_refused(damage: bytes, kb: Path) -> None:
    for path in (chunks_of(kb) / "_versions").glob("*.manifest"):
        path.write_bytes(damage)
    with pytest.raises(StoreMismatch, match="damaged"):
        refuse_elsewhere(chunks_of(kb))
