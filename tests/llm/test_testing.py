"""Tests that the package of fakes can be used outside of this repository, and of user-defined embedders."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from pipelines import Settings, build
from pipelines.core.errors import SettingsError, StoreMismatch
from pipelines.ingest.reindex import reindex
from pipelines.llm import testing
from pipelines.llm.embedder import Embedder
from pipelines.llm.embedders import open_embedder
from pipelines.llm.settings import EmbedSettings
from pipelines.llm.testing.contracts import EmbedderContract
from pipelines.resources import open_stores
from pipelines.settings import load, read
from pipelines.trust import confirm, links_of
from tests.ingest.knowledge import write_folder

OWN_EMBEDDER = '''
"""An embedder of letters: how often each stands in a text."""

import numpy as np

from pipelines.llm.embedder import EmbedderInfo, Side, embed_filled


class Letters:
    def __init__(self, settings):
        self.info = EmbedderInfo("letters", "latin", settings.dimension or 128)

    def embed(self, texts, side=Side.PASSAGE):
        return embed_filled(texts, self.info.dimension, self._counts)

    def close(self):
        """Nothing is held."""

    def _counts(self, texts):
        rows = np.zeros((len(texts), self.info.dimension), dtype=np.float32)
        for row, text in zip(rows, texts):
            for word in text.casefold().split():
                row[sum(map(ord, word)) % self.info.dimension] += 1
        return rows
'''


@pytest.fixture
def own_embedder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of an embedder class in a file of the user."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "my_embedders.py").write_text(OWN_EMBEDDER)
    monkeypatch.syspath_prepend(tmp_path / "own")
    monkeypatch.delitem(sys.modules, "my_embedders", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return "my_embedders:Letters"


class TestMine(EmbedderContract):
    @pytest.fixture
    def embedder(self, own_embedder: str) -> Embedder:
        return open_embedder(EmbedSettings(name=own_embedder))


def test_a_user_defined_embedder_needs_one_file_and_one_line_of_settings(own_embedder: str, tmp_path: Path) -> None:
    folder, kb = write_folder(tmp_path / "folder"), tmp_path / "kb"
    kb.mkdir()
    (kb / "strata.toml").write_text(f'[embed]\nname = "{own_embedder}"\n')
    with pytest.raises(SettingsError, match="code run"):
        load(kb)
    confirm(kb, read(kb, None, Settings).permissions, links_of(kb))
    settings = load(kb).settings
    assert build(folder, kb, settings).exit_code == 0
    with open_stores(kb, settings) as stores:
        assert stores.embedder.info.name == "letters"
        texts = [(one.text, vector) for batch in stores.vectors.records() for one, vector in
                 zip(batch.records, batch.vectors, strict=True)]  # fmt: skip
        for text, vector in texts:
            # The store keeps vectors as 16-bit floats, with 11 significant bits.
            assert np.allclose(stores.embedder.embed([text])[0], vector, atol=1e-3)


def test_reindexing_changes_to_a_user_defined_embedder_and_back(own_embedder: str, tmp_path: Path) -> None:
    kb = tmp_path / "kb"
    build(write_folder(tmp_path / "folder"), kb, Settings())
    assert reindex(kb, Settings.model_validate({"embed": {"name": own_embedder}})).after.startswith("letters")
    with pytest.raises(StoreMismatch, match="letters"):
        reindex(kb, Settings.model_validate({"embed": {"name": "wordllama"}}))
    (kb / "strata.toml").write_text(f'[embed]\nname = "{own_embedder}"\n')
    confirm(kb, read(kb, None, Settings).permissions, links_of(kb))
    back = reindex(kb, Settings.model_validate({"embed": {"name": "wordllama", "dimension": 256}}))
    assert (back.before.partition("-")[0], back.after.partition("-")[0]) == ("letters", "wordllama")


def test_a_knowledge_base_alone_cannot_load_a_user_defined_embedder(own_embedder: str, tmp_path: Path) -> None:
    settings = Settings.model_validate({"embed": {"name": own_embedder}})
    build(write_folder(tmp_path / "folder"), tmp_path / "kb", settings)
    sys.modules.pop("my_embedders")
    with pytest.raises(StoreMismatch, match="letters"), open_stores(tmp_path / "kb", Settings()):
        pass
    assert "my_embedders" not in sys.modules


@pytest.mark.parametrize(("name", "told"), [("no_such_module:Mine", "no_such_module"), ("json:dumps", "embed.name")])
def test_a_name_that_is_not_an_embedder_class_is_a_settings_error(name: str, told: str) -> None:
    with pytest.raises(SettingsError, match=told):
        open_embedder(EmbedSettings(name=name))


def test_the_example_of_the_package_runs() -> None:
    blocks = re.findall(r"(?:^ {4}.*\n|\n)+", inspect.cleandoc(testing.__doc__ or ""), re.MULTILINE)
    (code,) = (textwrap.dedent(block) for block in blocks if "LoopbackServer" in block)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
