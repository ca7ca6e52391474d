"""Tests that a foreign knowledge base has no effect outside of it until the user confirms its settings."""

from __future__ import annotations

import json
import os
import shutil
import stat
import types
from collections.abc import Iterator
from pathlib import Path
from typing import get_args, get_origin

import pytest
from pydantic import BaseModel, SecretStr

from pipelines import Settings, build
from pipelines.core.errors import CallFailed, SettingsError
from pipelines.core.settings_section import is_loopback, sensitive_fields
from pipelines.llm.embedder import EmbedderInfo
from pipelines.llm.fastembed import DEFAULT_MODEL
from pipelines.llm.local_model import LocalServer
from pipelines.llm.settings import LlmSettings
from pipelines.llm.testing.loopback import LoopbackServer
from pipelines.resources import EMBEDDER
from pipelines.settings import load, read
from pipelines.store.embedded_store import EmbeddedStore
from pipelines.store.folder import KnowledgeBaseFolder
from pipelines.trust import confirm, links_of, record_path, withdraw
from qa import KnowledgeBase
from qa.settings import QaSettings
from tests.conftest import Strata
from tests.ingest.knowledge import write_folder

KEY = "sk-of-the-user"
REMOTE = '[llm]\nbase_url = "http://models.example/v1"\n'
# Settings with text that a knowledge base may contain without confirmation, and the reason; all others are sensitive.
HARMLESS = {
    "ingest.include": "patterns of names inside the folder that the user names",
    "ingest.exclude": "the same",
    "parse.languages": "names of languages",
    "parse.passwords": "open the files of the folder, and go nowhere",
    "parse.ocr.when": "one of three words",
    "parse.pdf.layout": "one of three words",
    "chunk.by": "one of two words",
    "atomize.tag_classes": "names of classes",
    "graph.keep_apart": "names of entities",
    "graph.merge": "names of entities",
    "graph.schema.entity_types": "words of the schema",
    "graph.schema.relation_types": "words of the schema",
    "graph.schema.patterns": "words of the schema",
    "embed.model": "a name that is told to the endpoint, or looked up in fastembed's list",
    "llm.model": "a name that is told to the endpoint",
    "llm.models": "the same",
    "llm.prices": "figures",
    "llm.api_version": "a word of the address that is asked about",
    "store.neo4j_user": "a name that is told to the address",
    "store.neo4j_password": "goes to the address that the user names, or to the file's own, which is asked about",
    "store.neo4j_database": "a name that is told to the address",
}


@pytest.fixture(autouse=True)
def own_configuration(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path_factory.mktemp("configuration")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(place))
    return place


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("made")
    build(write_folder(place / "folder"), place / "kb")
    return place / "kb"


@pytest.fixture
def kb(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "kb"))


@pytest.fixture
def recorder() -> Iterator[LoopbackServer]:
    with LoopbackServer(lambda _: "{}") as server:
        yield server


def wants(kb: Path, toml: str) -> Path:
    (kb / "strata.toml").write_text(toml)
    return kb


def allow(kb: Path) -> None:
    confirm(kb, read(kb, None, QaSettings).permissions, links_of(kb))


def test_an_api_key_is_not_sent_to_an_endpoint_of_an_untrusted_knowledge_base(
    kb: Path, recorder: LoopbackServer, strata: Strata, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    wants(kb, f'[llm]\nbase_url = "{recorder.url}"\ntries = 1\n')
    code, out, err = strata("ask", "How often is the bearing oil changed?", "--kb", kb)
    assert (code, out, recorder.calls) == (2, "", [])
    assert err.count("\n") == 1
    for told in ("llm.base_url", recorder.url, f"strata config trust {kb}"):
        assert told in err
    assert strata("config", "trust", kb)[0] == 0
    strata("ask", "How often is the bearing oil changed?", "--kb", kb)
    assert {call.key for call in recorder.calls} == {KEY}


@pytest.mark.parametrize(
    "toml",
    [
        REMOTE,
        '[llm]\nbase_url = "http://127.0.0.1@models.example/v1"\n',
        '[llm]\napi_key = "sk-of-a-stranger"\n',
        '[llm]\ngguf = "/home/other/model.gguf"\n',
        '[llm]\nrecord = "/home/other/.bashrc"\n',
        '[embed]\nname = "openai"\nbase_url = "https://models.example/v1"\n',
        '[embed]\nname = "openai"\napi_key = "sk-of-a-stranger"\n',
        '[embed]\nname = "fastembed"\n',
        '[embed]\nname = "a.stranger:Embedder"\n',
        '[embed]\npath = "/home/other"\n',
        '[parse]\nengines = { "text/plain" = "a.stranger:Reader" }\n',
        '[parse.ocr]\nengine = "paddleocr"\n',
        '[parse.ocr]\nmodels = "/home/other"\n',
        '[store]\nneo4j_uri = "bolt://graphs.example:7687"\n',
    ],
)
@pytest.mark.parametrize("model", [Settings, QaSettings])
def test_settings_with_effects_outside_the_knowledge_base_need_confirmation(
    toml: str, model: type[Settings], tmp_path: Path
) -> None:
    wants(tmp_path, toml)
    with pytest.raises(SettingsError, match=r"strata\.toml") as caught:
        load(tmp_path, None, model)
    assert caught.value.exit_code == 2
    assert "strata config trust" in caught.value.hint
    allow(tmp_path)
    load(tmp_path, None, model)


def test_every_entry_point_refuses_an_untrusted_knowledge_base(kb: Path, strata: Strata) -> None:
    wants(kb, REMOTE)
    with pytest.raises(SettingsError):
        KnowledgeBase.open(kb)
    with pytest.raises(SettingsError):
        build(kb.parent, kb)
    a_file = kb.parent / "a.txt"
    a_file.write_text("A text.")
    for words in (["status"], ["parse", a_file], ["ingest", kb.parent, "--no-flow"], ["forget", "x"], ["fsck"]):
        assert strata(*words, "--kb", kb)[0] == 2


def test_settings_passed_by_a_caller_need_no_confirmation(kb: Path) -> None:
    wants(kb, REMOTE)
    with KnowledgeBase.open(kb, QaSettings()) as knowledge:
        assert knowledge.ask("How often is the bearing oil changed?").claims


def test_a_local_model_needs_confirmation_only_if_the_user_has_a_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wants(tmp_path, '[llm]\nbase_url = "http://localhost:11434/v1"\n[store]\nneo4j_uri = "bolt://127.0.0.1:7687"\n')
    assert load(tmp_path).settings.llm.configured
    for variable in ("OPENAI_API_KEY", "STRATA_EMBED__API_KEY", "AZURE_OPENAI_AD_TOKEN", "NEO4J_PASSWORD"):
        with monkeypatch.context() as patched:
            patched.setenv(variable, KEY)
            with pytest.raises(SettingsError):
                load(tmp_path)


def test_settings_of_the_user_need_no_confirmation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert load(tmp_path, {"llm.base_url": "https://models.example/v1"}).settings.llm.base_url
    wants(tmp_path, REMOTE)
    monkeypatch.setenv("OPENAI_BASE_URL", "https://mine.example/v1")
    assert load(tmp_path).settings.llm.base_url == "https://mine.example/v1"
    wants(tmp_path, '[parse]\nengines = { "text/plain" = "a.stranger:Reader" }\n')
    monkeypatch.setenv("STRATA_PARSE__ENGINES", '{"text/html": "of.mine:Reader"}')
    with pytest.raises(SettingsError, match="text/plain"):
        load(tmp_path)


def test_a_key_in_the_file_is_only_used_for_the_address_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wants(tmp_path, '[llm]\nbase_url = "http://127.0.0.1:1/v1"\napi_key = "local"\n')
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    loaded = load(tmp_path)
    assert loaded.settings.llm.api_key == SecretStr("local")
    assert loaded.origins["llm.api_key"].endswith("strata.toml")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:2/v1")
    assert load(tmp_path).settings.llm.api_key == SecretStr(KEY)


def test_a_changed_value_a_copied_folder_and_a_withdrawal_need_a_new_confirmation(tmp_path: Path) -> None:
    kb = tmp_path / "kb"
    kb.mkdir()
    allow(wants(kb, REMOTE))
    wants(kb, REMOTE + "[chunk]\nmax_tokens = 500\n")
    load(kb)
    for changed in (REMOTE.replace("example", "example.org"), REMOTE + '[embed]\nname = "fastembed"\n'):
        with pytest.raises(SettingsError):
            load(wants(kb, changed))
    wants(kb, REMOTE)
    with pytest.raises(SettingsError):
        load(Path(shutil.copytree(kb, tmp_path / "copy")))
    assert withdraw(kb)
    with pytest.raises(SettingsError):
        load(kb)


def test_confirmations_are_stored_privately_without_keys(tmp_path: Path, own_configuration: Path) -> None:
    allow(wants(tmp_path, '[llm]\napi_key = "sk-of-a-stranger"\n'))
    assert record_path().is_relative_to(own_configuration)
    assert stat.S_IMODE(record_path().stat().st_mode) == 0o600
    assert stat.S_IMODE(record_path().parent.stat().st_mode) == 0o700
    assert "stranger" not in record_path().read_text()
    assert list(json.loads(record_path().read_text())) == [str(tmp_path.resolve())]


def test_config_commands_show_trust_list_and_distrust(kb: Path, strata: Strata) -> None:
    wants(kb, REMOTE + 'api_key = "sk-of-a-stranger"\n')
    shown = strata("config", "--kb", kb, "--changed")  # shown, but without effect
    assert shown[0] == 0
    assert "models.example" in shown[1]
    code, out, _ = strata("config", "trust", kb)
    assert (code, "llm.base_url = 'http://models.example/v1'" in out, "stranger" in out) == (0, True, False)
    assert strata("config", "trusted")[1].splitlines() == ["knowledge base", f"{kb.resolve()}"]
    assert strata("status", "--kb", kb)[0] == 0
    assert strata("config", "distrust", kb)[0] == 0
    assert strata("config", "trusted")[1] == "knowledge base\n"
    assert strata("status", "--kb", kb)[0] == 2


def test_control_characters_in_a_setting_are_escaped_in_the_terminal(tmp_path: Path, strata: Strata) -> None:
    wants(tmp_path, '[llm]\nbase_url = "http://x.example/\\u001b]0;owned\\u0007\\u202e"\n')
    for words in (["status", "--kb", tmp_path], ["config", "trust", tmp_path]):
        _, out, err = strata(*words)
        assert not {"\x1b", "\x07", "\u202e"} & set(out + err)


@pytest.mark.parametrize("name", ["strata.db.lock", "trace.jsonl", "replies.db", "vectors", "prompts/answer.md"])
def test_a_link_out_of_an_untrusted_knowledge_base_is_not_followed(name: str, kb: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("of the user")
    (kb / name).parent.mkdir(exist_ok=True)
    if (kb / name).is_dir():
        shutil.rmtree(kb / name)
    (kb / name).unlink(missing_ok=True)
    (kb / name).symlink_to(precious)
    with pytest.raises(SettingsError, match=name):
        build(write_folder(tmp_path / "folder"), kb)
    with pytest.raises(SettingsError, match=name):
        KnowledgeBase.open(kb)
    assert precious.read_text() == "of the user"


def test_a_confirmed_link_is_followed(kb: Path, tmp_path: Path) -> None:
    shutil.move(kb / "vectors", tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", kb / "vectors")
    allow(kb)
    with KnowledgeBase.open(kb) as knowledge:
        assert knowledge.ask("How often is the bearing oil changed?").claims


@pytest.mark.parametrize(
    ("address", "here"),
    [
        ("http://127.0.0.1:1/v1", True),
        ("http://localhost", True),
        ("http://[::1]:8080/", True),
        ("bolt://localhost:7687", True),
        ("http://localhost.example/", False),
        ("http://localhost@example/", False),
        ("http://127.0.0.1:1@example/", False),
        ("http://example#http://localhost", False),
        ("http://example/?http://localhost/", False),
        ("http://[x", False),
        ("localhost", False),
        ("", False),
    ],
)
def test_loopback_addresses_are_distinguished_from_similar_ones(address: str, here: bool) -> None:
    assert is_loopback(address) is here


def test_an_embedder_named_only_in_the_catalog_is_not_downloaded(kb: Path) -> None:
    catalog = EmbeddedStore.open(KnowledgeBaseFolder(kb).database)
    EMBEDDER.write(catalog.catalog, EmbedderInfo("fastembed", DEFAULT_MODEL, 384))
    catalog.close()
    with pytest.raises(SettingsError, match="cannot be loaded") as caught, KnowledgeBase.open(kb) as knowledge:
        knowledge.ask("How often is the bearing oil changed?")
    assert "--set embed.name=fastembed" in caught.value.hint


def test_no_module_of_the_working_directory_is_loaded_to_serve_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    (tmp_path / "dataclasses.py").write_text(f"open({str(tmp_path / 'owned')!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CallFailed, match="cannot be served"):
        LocalServer(LlmSettings(gguf=str(tmp_path / "model.gguf")))
    assert not (tmp_path / "owned").exists()


def test_every_textual_setting_is_declared_sensitive_or_listed_as_harmless() -> None:
    textual = {path for path, annotation in _annotations(QaSettings) if _holds_text(annotation)}
    declared = {path for path, _ in sensitive_fields(QaSettings)}
    assert textual - declared == HARMLESS.keys()
    assert declared <= textual


def _annotations(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from _annotations(inner, f"{prefix}{name}.")
        else:
            yield prefix + name, inner


def _holds_text(annotation: object) -> bool:
    if isinstance(annotation, type) and get_origin(annotation) is None:
        return not issubclass(annotation, bool | int | float)
    assert get_origin(annotation) is not types.UnionType, annotation
    return any(isinstance(part, str) or part is Ellipsis or _holds_text(part) for part in get_args(annotation))
