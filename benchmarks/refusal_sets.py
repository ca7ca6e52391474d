"""The sets of questions for fitting and evaluating refusal (`benchmarks/refusal.py`), and their knowledge bases."""

from __future__ import annotations

import shutil
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluate.questions import read_passages
from evaluate.sets import build_passages
from pipelines.ingest.build import build
from pipelines.settings import load
from qa.settings import QaSettings

HERE = Path(__file__).parent.parent
DATA = HERE.parent / "shared" / "data"
WRITTEN = HERE / "benchmarks" / "unanswerable"
"""Sets written for this benchmark: `sets.toml`, questions, and our own documents."""


@dataclass(frozen=True, slots=True)
class AskedSet:
    """Questions of one corpus in one language. Sets with the same `corpus` are left out together.

    `role` is "fit", "unseen" (not used for fitting, evaluated if named) or "held out" (the same, evaluated last).
    `pages` are the names of the files of `documents` to read, by default all. Sets `written` for this benchmark have
    enough unanswerable questions: their answerable ones are not asked of reduced corpora.
    """

    name: str
    corpus: str
    language: str
    role: str
    questions: Path
    documents: Path
    pages: tuple[str, ...] = ()
    written: bool = False


def _shared(name: str, corpus: str, folder: str, documents: str, *, role: str = "fit", prefix: str = "") -> AskedSet:
    root = HERE / folder if folder == "examples" else DATA / folder
    language = name.partition("-")[2] or "en"
    return AskedSet(name, corpus, language, role, root / f"{prefix}questions.jsonl", root / documents)


SHARED = (
    _shared("examples", "examples", "examples", "documents"),
    *(
        _shared(f"multilingual-{code}", "multilingual", "multilingual", code, prefix=f"{code}_")
        for code in ("en", "de", "fr")
    ),
    _shared("musique", "musique", "multihop/musique", "corpus.jsonl"),
    _shared("hotpotqa", "hotpotqa", "multihop/hotpotqa", "corpus.jsonl"),
    _shared("industrial", "industrial", "industrial", "documents"),
    _shared("industrial2", "industrial2", "industrial2", "documents", role="unseen"),
    _shared("multilingual-zh", "multilingual", "multilingual", "zh", role="unseen", prefix="zh_"),
)


def read_sets(packages: Path | None) -> dict[str, AskedSet]:
    """Return all sets by name, without those with missing documents; packages are in the folder `packages`."""
    told = tomllib.loads((WRITTEN / "sets.toml").read_text(encoding="utf-8"))["set"]
    found = {one.name: one for one in (*SHARED, *(_written(one, packages) for one in told))}
    return {name: one for name, one in found.items() if one.documents.exists()}


def _written(told: Mapping[str, str], packages: Path | None) -> AskedSet:
    name, role = told["name"], "held out" if told["held_out"] else "fit"
    documents = HERE / told["documents"] if "documents" in told else WRITTEN / "documents" / name
    if package := told.get("package"):
        documents = (packages or Path("no-packages")) / package / told["folder"]
    questions, pages = WRITTEN / f"{name}.jsonl", tuple(told.get("pages", ()))
    return AskedSet(name, told["corpus"], told["language"], role, questions, documents, pages, written=True)


def made(one: AskedSet, keep: Path) -> Path:
    """Return the knowledge base of a set in `keep`, which is created if necessary."""
    kb, settings = keep / f"{one.name}-wordllama", load(None, {}, QaSettings).settings
    if kb.exists():
        return kb
    if one.documents.suffix == ".jsonl":
        build_passages(read_passages(one.documents), settings, kb)
        return kb
    with tempfile.TemporaryDirectory() as folder:
        for pattern in one.pages:
            for page in one.documents.glob(pattern):
                shutil.copy(page, folder)
        build(Path(folder) if one.pages else one.documents, kb, settings)
    return kb
