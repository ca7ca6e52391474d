"""The content of a knowledge base after an attack: its entries, its answers, and occurrences of a secret."""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from pathlib import Path

from pipelines.resources import open_stores
from pipelines.settings import Settings
from qa import KnowledgeBase


def entries(kb: Path) -> dict[str, str]:
    """Return the status of every file in the catalog, by URI."""
    with open_stores(kb, Settings()) as stores:
        return {entry.uri: entry.status.value for entry in stores.catalog.entries()}


def ask_all(kb: Path, questions: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the cited URIs of the answer to each question; none if it abstains."""
    with KnowledgeBase.open(kb, None) as knowledge:
        answers = [knowledge.ask(question) for question in questions]
    return [() if answer.abstained else tuple(citation.uri for citation in answer.citations) for answer in answers]


def holds(kb: Path, secret: bytes) -> tuple[str, ...]:
    """Return the files and nodes of a knowledge base that contain the secret."""
    found = [str(path.relative_to(kb)) for path in sorted(kb.rglob("*")) if path.is_file() and _contains(path, secret)]
    with open_stores(kb, Settings()) as stores:
        for node in stores.graph.nodes():
            if secret.decode() in repr(node.properties):
                found.append(f"node {node.id}")
    return tuple(found)


def _contains(path: Path, secret: bytes) -> bool:
    if not path.stat().st_size:
        return False
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return data.find(secret) >= 0
