"""Tests of loading settings: precedence, origins, and errors."""

from pathlib import Path

import pytest
from pydantic import BaseModel

from pipelines.core.errors import SettingsError, UnknownSetting
from pipelines.core.settings_section import fingerprint, neutral_paths, paths, value_at
from pipelines.settings import Settings, load
from qa.settings import QaSettings

pytestmark = pytest.mark.usefixtures("all_defaults")


def kb_with(folder: Path, toml: str) -> Path:
    (folder / "strata.toml").write_text(toml)
    return folder


def test_without_a_file_or_variables_the_defaults_are_used() -> None:
    loaded = load(None)
    assert loaded.settings == Settings()
    assert loaded.origins == {}


def test_the_file_is_read_and_is_the_origin_of_its_values(tmp_path: Path) -> None:
    loaded = load(kb_with(tmp_path, "[chunk]\nmax_tokens = 500\n"))
    assert loaded.settings.chunk.max_tokens == 500
    assert loaded.origins["chunk.max_tokens"].endswith("strata.toml")


def test_the_environment_overrides_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATA_CHUNK__MAX_TOKENS", "510")
    loaded = load(kb_with(tmp_path, "[chunk]\nmax_tokens = 500\n"))
    assert loaded.settings.chunk.max_tokens == 510
    assert loaded.origins["chunk.max_tokens"] == "environment"


def test_changed_settings_are_listed_with_masked_secrets() -> None:
    options = {"chunk.max_tokens": 500, "llm.api_key": "sk-1234", "llm.base_url": "https://ann:pass@llm.example/v1"}
    assert load(None, options).settings.changed() == {
        "chunk.max_tokens": 500,
        "llm.api_key": "**********",
        "llm.base_url": "https://***@llm.example/v1",
    }


def test_credentials_in_a_url_within_a_list_are_masked() -> None:
    told = load(None, {"ingest.include": ["https://ann:pass@files.example/**"]}).settings.changed()
    assert told == {"ingest.include": ["https://***@files.example/**"]}


def test_options_override_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATA_CHUNK__MAX_TOKENS", "510")
    loaded = load(tmp_path, {"chunk.max_tokens": 520})
    assert loaded.settings.chunk.max_tokens == 520
    assert loaded.origins["chunk.max_tokens"] == "command line"


def test_the_variables_of_openai_and_neo4j_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1")
    monkeypatch.setenv("NEO4J_URI", "bolt://localhost:7687")
    settings = load(None).settings
    assert settings.llm.configured
    assert settings.llm.base_url == "http://localhost:1/v1"
    assert settings.store.neo4j_uri == "bolt://localhost:7687"


def test_an_unknown_key_suggests_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UnknownSetting) as caught:
        load(kb_with(tmp_path, "[chunk]\nmax_token = 5\n"))
    assert caught.value.nearest == "chunk.max_tokens"
    assert "strata.toml" in str(caught.value)


def test_an_unknown_section_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownSetting) as caught:
        load(kb_with(tmp_path, "[chunks]\nmax_tokens = 5\n"))
    assert caught.value.nearest == "chunk"


def test_an_unknown_variable_suggests_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATA_CHUNK__MAX_TOKNES", "5")
    with pytest.raises(UnknownSetting) as caught:
        load(None)
    assert caught.value.nearest == "STRATA_CHUNK__MAX_TOKENS"


def test_an_invalid_value_is_reported_with_setting_and_file(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"chunk\.max_tokens in .*strata\.toml"):
        load(kb_with(tmp_path, '[chunk]\nmax_tokens = "many"\n'))


def test_a_file_that_is_not_toml_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="not TOML"):
        load(kb_with(tmp_path, "[chunk\n"))


def test_the_qa_section_is_only_validated_by_qa_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kb = kb_with(tmp_path, "[qa.answer]\nanything = 1\n")
    monkeypatch.setenv("STRATA_QA__ANSWER__HITS", "3")
    assert load(kb).settings == Settings(qa={"answer": {"anything": 1}})
    with pytest.raises(UnknownSetting, match=r"qa\.answer\.anything"):
        load(kb, model=QaSettings)
    assert load(None, model=QaSettings).settings.qa.answer.hits == 3


def test_a_secret_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    settings = load(None).settings
    assert "sk-secret" not in repr(settings)
    assert value_at(settings, "llm.api_key") == "********"


def sections() -> list[tuple[str, type[BaseModel]]]:
    return [
        (name, field.annotation) for name, field in Settings.model_fields.items() if isinstance(field.annotation, type)
    ]


@pytest.mark.parametrize("name", ["parse", "chunk", "atomize"])
def test_every_field_of_a_stage_changes_its_fingerprint_unless_neutral(name: str) -> None:
    section = getattr(Settings(), name)
    before = fingerprint(section)
    neutral = tuple(neutral_paths(type(section)))
    for path in paths(type(section)):
        if not path.startswith(neutral):
            assert fingerprint(_changed(section, path.split("."))) != before, path


def test_a_neutral_field_does_not_change_the_fingerprint() -> None:
    section = Settings().parse
    limits = section.limits.model_copy(update={"cpu_s": 1.0})
    assert fingerprint(section.model_copy(update={"limits": limits})) == fingerprint(section)


def _changed(section: BaseModel, path: list[str]) -> BaseModel:
    """The section with another value at a path; values are not validated, so that bounds do not matter."""
    first, *rest = path
    value = getattr(section, first)
    other = _changed(value, rest) if rest else _other(value)
    return section.model_copy(update={first: other})


def _other(value: object) -> object:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return value + "x"
    if isinstance(value, tuple):
        return (*value, "x")
    if isinstance(value, dict):
        return {**value, "x": "y"}
    raise AssertionError(f"no other value for {value!r}")


def test_every_setting_has_a_description() -> None:
    missing = [path for path in paths(Settings) if not _description(path)]
    assert missing == []


def _description(path: str) -> str:
    model: type[BaseModel] = Settings
    *outer, last = path.split(".")
    for name in outer:
        annotation = model.model_fields[name].annotation
        assert isinstance(annotation, type)
        model = annotation
    return model.model_fields[last].description or ""
