"""Fixtures of a small folder and its knowledge base, which is built once per session."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pipelines import build
from tests.ingest.knowledge import write_folder


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder and its knowledge base, side by side; must not be changed."""
    place = tmp_path_factory.mktemp("made")
    build(write_folder(place / "folder"), place / "kb")
    return place


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made / "folder", tmp_path / "folder"))


@pytest.fixture
def kb(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made / "kb", tmp_path / "kb"))
