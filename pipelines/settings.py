"""Settings: `strata.toml` in the knowledge base, the environment over it, options of the command line over both.

Each stage declares its own section beside its code. A variable is named `STRATA_` and the setting's path with two
underscores for the dot (`STRATA_CHUNK__MAX_TOKENS`); the customary names of `WELL_KNOWN` are read too.

What the file says that reaches beyond the knowledge base counts only where its owner has confirmed it (see
`pipelines.trust`): the environment and the command line are the user's own, the file may be somebody else's.
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
from typing import Any, Generic, TypeVar

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
"""The variables by which other programs know the same things, and the settings they stand for."""

Tree = dict[str, Any]
"""Settings as nested mappings, as TOML has them."""
_USER_OF_ADDRESS = re.compile(r"(?<=://)[^/@\s]{1,500}@")


class Settings(BaseSettings):
    """All settings that building a knowledge base takes.

    A program on top adds sections by a model that inherits from this one. `qa` is kept as it was written, for
    `qa.settings.QaSettings`, which declares what is in it.
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
    qa: Any = Field({}, description="settings of question answering, which building does not look at")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only what is passed: `load` reads the other sources itself, to know where each value came from."""
        return (init_settings,)

    def changed(self) -> dict[str, object]:
        """Return what is not the default, by path ("chunk.max_tokens"). Secrets are masked, in addresses too."""
        told = self.model_dump(mode="json", exclude_defaults=True)
        return {
            f"{section}.{name}": _masked(value) for section, values in told.items() for name, value in values.items()
        }


def _masked(value: object) -> object:
    """A value as JSON has it, without users and passwords in the addresses that stand anywhere in it."""
    if isinstance(value, dict):
        return {name: _masked(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return list(map(_masked, value))
    return _USER_OF_ADDRESS.sub("***@", value) if isinstance(value, str) else value


S = TypeVar("S", bound=Settings)


@dataclass(frozen=True, slots=True)
class Loaded(Generic[S]):
    """Settings in force, and where they came from.

    `origins` has, for the path of each setting that is not a default, the file, "environment", a variable of
    `WELL_KNOWN` or "command line". `permissions` are what the knowledge base's own file asks for beyond it.
    """

    settings: S
    origins: Mapping[str, str]
    permissions: tuple[Permission, ...] = ()


def load(kb: Path | None, options: Mapping[str, object] | None = None, model: type[S] = Settings) -> Loaded[S]:  # type: ignore[assignment]
    """Return the settings of the knowledge base at `kb`; `options` are by path, and stronger than all else.

    With `kb` None, no file is read. Raises `UnknownSetting`, naming the nearest known one, and `SettingsError` for a
    value that cannot be, or one of the knowledge base's own that its owner has to confirm first.

        settings = load(Path("kb"), {"chunk.max_tokens": 300}).settings
    """
    loaded = read(kb, options, model)
    if kb is not None:
        refuse_settings(kb, loaded.permissions)
    return loaded


def read(kb: Path | None, options: Mapping[str, object] | None = None, model: type[S] = Settings) -> Loaded[S]:  # type: ignore[assignment]
    """Return what `load` does, confirmed or not: to be shown, and not to be acted on."""
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
    """What each source says, from the weakest to the strongest, under the name of its origin."""
    if kb is not None and (file := KnowledgeBaseFolder(kb).settings).is_file():
        yield str(file), _read_toml(file)
    for variable, path in WELL_KNOWN.items():
        if os.environ.get(variable):
            yield variable, _nested({path: os.environ[variable]})
    _refuse_unknown_variables(model)
    yield "environment", EnvSettingsSource(model)()
    yield "command line", _nested(options)


def _keep_pairs(own: Tree, values: Tree, origins: dict[str, str], file: str, model: type[Settings]) -> None:
    """Leave an address of the file the key that stands beside it: a customary variable is for another address."""
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
    """Values by path as a tree: {"chunk.max_tokens": 300} is {"chunk": {"max_tokens": 300}}."""
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
    """The path of every value and of every branch."""
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


def _explained(error: ValidationError, origins: Mapping[str, str]) -> SettingsError:
    """The first error of pydantic as one that names the setting and where its value came from."""
    first = error.errors()[0]
    path = ".".join(str(part) for part in first["loc"])
    origin = next((origins[key] for key in (path, path.rsplit(".", 1)[0]) if key in origins), "the defaults")
    return SettingsError(f"{path} in {origin}: {first['msg']}", ids=(path,))
