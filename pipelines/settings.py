"""Settings from `strata.toml` in the knowledge base, environment variables, and the command line; later ones win.

Each stage declares its section in its own package. The variable of a setting is `STRATA_` and its path, with two
underscores for the dot (`STRATA_CHUNK__MAX_TOKENS`); the common names in `WELL_KNOWN` are read too.

Values of the file that affect more than the knowledge base must be confirmed by the user (see `pipelines.trust`),
because the file may come from a stranger, unlike the environment and the command line.
"""

from __future__ import annotations

import copy
import difflib
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import BaseModel, Field, ValidationError
from pydantic_settings import BaseSettings, EnvSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from pipelines.atomize.settings import AtomizeSettings
from pipelines.chunk.settings import ChunkSettings
from pipelines.core.errors import SettingsError, UnknownSetting
from pipelines.core.settings_section import paths, section_of, sensitive_fields
from pipelines.graph.settings import GraphSettings
from pipelines.llm.settings import EmbedSettings, LlmSettings
from pipelines.parse.settings import ParseSettings
from pipelines.sections import IngestSettings, RetrieveSettings
from pipelines.store.folder import KnowledgeBaseFolder, StoreSettings
from pipelines.trust import Permission, permissions_of, refuse_settings, value_in

PREFIX = "STRATA_"
WELL_KNOWN = {
    "OPENAI_API_KEY": "llm.api_key",
    "OPENAI_BASE_URL": "llm.base_url",
    "NEO4J_URI": "store.neo4j_uri",
    "NEO4J_USERNAME": "store.neo4j_user",
    "NEO4J_PASSWORD": "store.neo4j_password",
    "NEO4J_DATABASE": "store.neo4j_database",
}
"""Environment variables of other programs, and the settings with the same meaning."""

Tree = dict[str, Any]
"""Settings as nested mappings, as in TOML."""
_USER_OF_ADDRESS = re.compile(r"(?<=://)[^/@\s]{1,500}@")


class Settings(BaseSettings):
    """All settings for building a knowledge base.

    A program that uses it adds sections in a subclass. The value of `qa` is not checked here: `qa.settings.QaSettings`
    declares its fields.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        nested_model_default_partial_update=True,
    )

    ingest: IngestSettings = IngestSettings()
    parse: ParseSettings = ParseSettings()
    chunk: ChunkSettings = ChunkSettings()
    atomize: AtomizeSettings = AtomizeSettings()
    graph: GraphSettings = GraphSettings()
    embed: EmbedSettings = EmbedSettings()
    llm: LlmSettings = LlmSettings()
    store: StoreSettings = StoreSettings()
    retrieve: RetrieveSettings = RetrieveSettings()
    qa: Any = Field({}, description="settings of question answering, not used by the build")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Use only the arguments: `load` reads the other sources itself, to record the origin of each value."""
        return (init_settings,)

    def changed(self) -> dict[str, object]:
        """Return the values that differ from the defaults, by path ("chunk.max_tokens"), with masked secrets."""
        dumped = self.model_dump(mode="json", exclude_defaults=True)
        return {
            f"{section}.{name}": _masked(value) for section, values in dumped.items() for name, value in values.items()
        }


def _masked(value: object) -> object:
    """Return a JSON value with masked user names and passwords of URLs."""
    if isinstance(value, dict):
        return {name: _masked(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return list(map(_masked, value))
    return _USER_OF_ADDRESS.sub("***@", value) if isinstance(value, str) else value


S = TypeVar("S", bound=Settings)


@dataclass(frozen=True, slots=True)
class Loaded(Generic[S]):
    """The effective settings and their origins.

    `origins` maps the path of each setting that was set to its origin: the file, "environment", a variable of
    `WELL_KNOWN` or "command line". `permissions` are those that the knowledge base's own file asks for.
    """

    settings: S
    origins: Mapping[str, str]
    permissions: tuple[Permission, ...] = ()


def load(kb: Path | None, options: Mapping[str, object] | None = None, model: type[S] = Settings) -> Loaded[S]:  # type: ignore[assignment]
    """Return the settings of the knowledge base at `kb`; `options` are values by path that override all others.

    If `kb` is None, no file is read. Raises `UnknownSetting` with the most similar known setting, and `SettingsError`
    for an invalid value, or a value in the knowledge base's file that must be confirmed first.

        settings = load(Path("kb"), {"chunk.max_tokens": 300}).settings
    """
    loaded = read(kb, options, model)
    if kb is not None:
        refuse_settings(kb, loaded.permissions)
    return loaded


def read(kb: Path | None, options: Mapping[str, object] | None = None, model: type[S] = Settings) -> Loaded[S]:  # type: ignore[assignment]
    """Return the same as `load`, but without requiring confirmation: to show the settings, not to use them."""
    file = "" if kb is None else str(KnowledgeBaseFolder(kb).settings)
    values: Tree = {}
    own: Tree = {}
    origins: dict[str, str] = {}
    for origin, tree in _sources(kb, options or {}, model):
        _refuse_unknown(tree, origin, model)
        _merge(values, tree)
        origins |= dict.fromkeys(_paths_in(tree), origin)
        own = copy.deepcopy(tree) if origin == file else own
    _keep_pairs(own, values, origins, file, model)
    try:
        settings = model(**values)
    except ValidationError as error:
        raise _explained(error, origins) from error
    return Loaded(settings, origins, permissions_of(model, own, values, origins, file))


def _sources(kb: Path | None, options: Mapping[str, object], model: type[Settings]) -> Iterator[tuple[str, Tree]]:
    """Yield the origin and the values of each source; later ones override earlier ones."""
    if kb is not None and (file := KnowledgeBaseFolder(kb).settings).is_file():
        yield str(file), _read_toml(file)
    for variable, path in WELL_KNOWN.items():
        if os.environ.get(variable):
            yield variable, _nested({path: os.environ[variable]})
    _refuse_unknown_variables(model)
    yield "environment", EnvSettingsSource(model)()
    yield "command line", _nested(options)


def _keep_pairs(own: Tree, values: Tree, origins: dict[str, str], file: str, model: type[Settings]) -> None:
    """Keep the key in the file for an address in the file: the key of a well-known variable is for another address."""
    for path, field in sensitive_fields(model):
        for secret in field.secrets if origins.get(path) == file else ():
            if value_in(own, secret) and origins[secret] in WELL_KNOWN:
                _merge(values, _nested({secret: value_in(own, secret)}))
                origins[secret] = file


def _read_toml(path: Path) -> Tree:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not TOML: {error}") from error


def _nested(flat: Mapping[str, object]) -> Tree:
    """Return values by path as a tree: {"chunk.max_tokens": 300} becomes {"chunk": {"max_tokens": 300}}."""
    tree: Tree = {}
    for path, value in flat.items():
        *outer, last = path.split(".")
        place = tree
        for name in outer:
            place = place.setdefault(name, {})
        place[last] = value
    return tree


def _merge(into: Tree, tree: Tree) -> None:
    for name, value in tree.items():
        if isinstance(value, dict) and isinstance(into.get(name), dict):
            _merge(into[name], value)
        else:
            into[name] = value


def _paths_in(tree: Tree, prefix: str = "") -> Iterator[str]:
    """Yield the paths of all values and branches."""
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _paths_in(value, f"{prefix}{name}.")
        yield prefix + name


def _refuse_unknown(tree: Tree, origin: str, model: type[BaseModel], prefix: str = "") -> None:
    for name, value in tree.items():
        field = model.model_fields.get(name)
        if field is None:
            raise UnknownSetting(prefix + name, origin, _nearest(prefix + name, list(model.model_fields), prefix))
        inner = section_of(field.annotation)
        if inner is not None and isinstance(value, dict):
            _refuse_unknown(value, origin, inner, f"{prefix}{name}.")


def _refuse_unknown_variables(model: type[Settings]) -> None:
    known = [(PREFIX + path.replace(".", "__")).upper() for path in paths(model)]
    sections = {(PREFIX + name).upper() for name in model.model_fields}
    for variable in sorted(os.environ):
        name = variable.upper()
        if not name.startswith(PREFIX) or name in known or name in sections:
            continue
        if any(name.startswith(f"{path}__") for path in known):  # a key of a mapping
            continue
        nearest = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        raise UnknownSetting(variable, "environment", nearest[0] if nearest else "")


def _nearest(key: str, siblings: list[str], prefix: str) -> str:
    candidates = [prefix + name for name in siblings] + ([] if prefix else list(paths(Settings)))
    matches = difflib.get_close_matches(key, candidates, n=1, cutoff=0.5)
    return matches[0] if matches else ""


class _Shape(NamedTuple):
    """A kind of value that is not a single one, with an example for the command line and one for strata.toml."""

    name: str
    json: str
    toml: str


_LIST = _Shape("a list", """'["ONE", "TWO"]'""", '["ONE", "TWO"]')
_SHAPES = {
    "dict_type": _Shape("a table of names with values", """'{"NAME": "VALUE"}'""", '{ "NAME" = "VALUE" }'),
    "tuple_type": _LIST,
    "list_type": _LIST,
    "frozen_set_type": _LIST,
    "set_type": _LIST,
}
"""By the type of an error of pydantic."""


def _explained(error: ValidationError, origins: Mapping[str, str]) -> SettingsError:
    """Return the first error of pydantic as a `SettingsError` with the setting and the origin of its value."""
    first = error.errors()[0]
    path = ".".join(str(part) for part in first["loc"])
    origin = next((origins[key] for key in (path, path.rsplit(".", 1)[0]) if key in origins), "the defaults")
    shape = _SHAPES.get(first["type"])
    if shape is None:
        return SettingsError(f"{path} in {origin}: {first['msg']}", ids=(path,))
    section, _, name = path.rpartition(".")
    written = f"{name} = {shape.toml} in [{section}]" if origin.endswith(".toml") else f"{path}={shape.json}"
    return SettingsError(f"{path} in {origin}: not {shape.name}", ids=(path,), hint=f"for example {written}")
