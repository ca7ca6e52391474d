"""A small folder and its knowledge base, ingested once for all tests that begin with one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pipelines import build
from tests.ingest.knowledge import write_folder


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder and a knowledge base of it, side by side, not to be changed."""
    place = tmp_path_factory.mktemp("made")
    build(write_folder(place / "folder"), place / "kb")
    return place


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made / "folder", tmp_path / "folder"))


@pytest.fixture
def kb(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made / "kb", tmp_path / "kb"))
