"""Tests of parsing scores on real documents with ground truth, which are stored beside the repository."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from pipelines.core.outcome import Status
from pipelines.parse.json_view import to_json
from pipelines.parse.parse import parse, source_of
from pipelines.parse.settings import OcrSettings, ParseSettings

SHARED = Path(__file__).parents[3].parent / "shared"
SETTINGS = ParseSettings(ocr=OcrSettings(engine="none"))
SUFFIXES = (".docx", ".pptx", ".xlsx", ".xlsm", ".csv", ".ods", ".odt", ".odp")

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the scored documents are not beside the repository")


@pytest.fixture(scope="module")
def scorer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("score_parse", SHARED / "tools" / "score_parse.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["score_parse"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("folder", "floors"),
    [
        ("docx", {"order": 0.95, "headings": 0.95, "levels": 0.95, "tables": 0.88, "spans": 0.9}),
        ("pptx", {"text": 0.97, "order": 0.95, "headings": 0.95, "levels": 0.95, "tables": 0.93, "spans": 0.9}),
        ("xlsx", {"text": 0.95, "tables": 0.9, "spans": 0.9}),
        ("csv", {"text": 0.95, "tables": 0.9}),
        ("odf", {"text": 0.9, "tables": 0.9, "spans": 0.9}),
    ],
)
def test_a_format_reaches_its_minimum_scores(scorer: ModuleType, folder: str, floors: dict[str, float]) -> None:
    figures: dict[str, list[float]] = {name: [] for name in floors}
    for truth in sorted((SHARED / "data" / "documents" / folder).glob("*.truth.json")):
        path = truth.with_name(truth.name.removesuffix(".truth.json"))
        if path.suffix not in SUFFIXES:
            continue
        parsed = parse(path, source_of(path, path.name), SETTINGS)
        scores = scorer.score(json.loads(truth.read_text()), json.loads(to_json(parsed, scored=True)))
        for name in floors:
            if scores[name] is not None:
                figures[name].append(scores[name])
    means = {name: sum(values) / len(values) for name, values in figures.items()}
    assert {name: mean for name, mean in means.items() if mean < floors[name]} == {}


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def test_every_quote_is_on_its_page() -> None:
    industrial = SHARED / "data" / "industrial"
    missing = []
    for line in (industrial / "questions.jsonl").read_text("utf-8").splitlines():
        for cited in json.loads(line)["sources"]:
            path = industrial / "documents" / cited["file"]
            if path.suffix in SUFFIXES and _bare(cited["quote"]) not in _bare(_page(path, cited["page"])):
                missing.append((path.name, cited["quote"]))
    assert missing == []


def _page(path: Path, page: int | str | None) -> str:
    parsed = parse(path, source_of(path, path.name), SETTINGS)
    assert parsed.status is Status.INDEXED
    assert parsed.document is not None
    return "\n".join(
        block.text
        for block in parsed.document.blocks
        if page is None or page in (block.provenance.page, block.provenance.label)
    )
