"""Folders of documents that a benchmark writes, with questions to each: how many are answered rightly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pipelines import build
from pipelines.settings import load
from qa import KnowledgeBase
from qa.settings import QaSettings

Question = tuple[str, str]
"""A question, and the words of its answer: all parts between "&", each in one of the forms between "|"; or ""."""


def print_answered(
    folders: Iterable[Mapping[str, Any]], write: Callable[[Path, Mapping[str, Any]], None], what: str = ""
) -> None:
    """Write the documents of each folder, ask its `questions`, and print how many are answered rightly."""
    for folder in folders:
        with TemporaryDirectory() as temporary:
            source = Path(temporary) / "source"
            source.mkdir()
            write(source, folder)
            right, doubted = asked(Path(temporary), [tuple(one) for one in folder["questions"]])
        answerable = sum(bool(words) for _, words in folder["questions"])
        others = len(folder["questions"]) - answerable
        print(
            f"{folder['language']}{what}: {right} of {answerable}, refused or doubted {doubted} of {others}", flush=True
        )


def asked(folder: Path, questions: Sequence[Question]) -> tuple[int, int]:
    """Return how many questions over the folder's source are answered rightly, and refused or doubted rightly."""
    settings = load(None, {"ingest.workers": 1}, QaSettings).settings
    build(folder / "source", folder / "kb", settings)
    right = doubted = 0
    with KnowledgeBase.open(folder / "kb", settings) as knowledge:
        for question, words in questions:
            answer = knowledge.ask(question)
            if not words:
                doubted += answer.abstained or bool(answer.warnings)
            elif not answer.abstained:
                text = answer.text.lower()
                parts = (part.lower().split("|") for part in words.split("&"))
                right += all(any(one in text for one in part) for part in parts)
    return right, doubted
