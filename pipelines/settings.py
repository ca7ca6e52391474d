"""Settings: `strata.toml` in the knowledge base, the environment over it, options of the command line over both.

Each stage declares its own section beside its code. A variable is named `STRATA_` and the setting's path with two
underscores for the dot (`STRATA_CHUNK__MAX_TOKENS`); the customary names of `WELL_KNOWN` are read too.

What the file says that reaches beyond the knowledge base counts only where its owner has confirmed it (see
`pipelines.trust`): the environment and the command line are the user's own, the file may be somebody else's.
"""

from __future__ import annotations

import copy
import difflib
import json
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, SecretStr, ValidationError
from pydantic_settings import BaseSettings, EnvSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from pipelines.atomize.settings import AtomizeSettings
from pipelines.chunk.settings import ChunkSettings
from pipelines.core.errors import SettingsError, UnknownSetting
from pipelines.core.ids import digest
from pipelines.graph.settings import GraphSettings
from pipelines.llm.settings import EmbedSettings, LlmSettings
from pipelines.parse.settings import ParseSettings
from pipelines.sections import IngestSettings, RetrieveSettings
from pipelines.store.settings import StoreSettings
from pipelines.trust import Claim, at, claims_of, refuse_settings, sensitive_fields

FILE_NAME = "strata.toml"
PREFIX = "STRATA_"
WELL_KNOWN = {
    "OPENAI_API_KEY": "llm.api_key",
    "OPENAI_BASE_URL": "llm.base_url",
    "NEO4J_URI": "store.neo4j_uri",
    "NEO4J_USERNAME": "store.neo4j_user",
    "NEO4J_PASSWORD": "store.neo4j_password",
    "NEO4J_DATABASE": "store.neo4j_database",
}
READ_BY_QA = "qa"
"""The section that `qa.settings` adds; unknown to this layer, so passed over by it."""

Tree = dict[str, Any]


class Settings(BaseSettings):
    """All settings of a knowledge base."""

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


S = TypeVar("S", bound=Settings)


@dataclass(frozen=True, slots=True)
class Loaded(Generic[S]):
    """Settings in force, and for each path that is not a default the place it came from.

    `claims` are those of the knowledge base's own file that reach beyond it.
    """

    settings: S
    origins: Mapping[str, str]
    claims: tuple[Claim, ...] = ()


def load(kb: Path | None, options: Mapping[str, object] | None = None, model: type[S] = Settings) -> Loaded[S]:  # type: ignore[assignment]
    """Return the settings of the knowledge base at `kb` (None: of none), `options` by path ("chunk.max_tokens").

    Raises `UnknownSetting`, naming the nearest known one, and `SettingsError` for a value that cannot be, or one of
    the knowledge base's own that its owner has to confirm first.
    """
    loaded = read(kb, options, model)
    if kb is not None:
        refuse_settings(kb, loaded.claims)
    return loaded


def read(kb: Path | None, options: Mapping[str, object] | None = None, model: type[S] = Settings) -> Loaded[S]:  # type: ignore[assignment]
    """Return what `load` does, confirmed or not: to be shown, and not to be acted on."""
    place = "" if kb is None else str(kb / FILE_NAME)
    values: Tree = {}
    own: Tree = {}
    origins: dict[str, str] = {}
    for source, tree in _sources(kb, options or {}, model):
        if READ_BY_QA not in model.model_fields:
            tree.pop(READ_BY_QA, None)
        _refuse_unknown(tree, source, model)
        _merge(values, tree)
        origins |= dict.fromkeys(_leaves(tree), source)
        own = copy.deepcopy(tree) if source == place else own
    _keep_pairs(own, values, origins, place, model)
    try:
        settings = model(**values)
    except ValidationError as error:
        raise _explained(error, origins) from error
    return Loaded(settings, origins, claims_of(model, own, values, origins, place))


def _keep_pairs(own: Tree, values: Tree, origins: dict[str, str], place: str, model: type[Settings]) -> None:
    """Leave an address of the file the key that stands beside it: a customary variable is for another address."""
    for path, field in sensitive_fields(model):
        for secret in field.secrets if origins.get(path) == place else ():
            if at(own, secret) and origins[secret] in WELL_KNOWN:
                _merge(values, _nested({secret: at(own, secret)}))
                origins[secret] = place


def fingerprint(section: BaseModel) -> str:
    """Return the digest of a section's values but for those that it or a part of it names in `neutral`.

    What is neutral changes no result: how many processes share the work, how long one may take.
    """
    plain = section.model_dump(mode="json", warnings=False)
    for path in neutral_paths(type(section)):
        *outer, last = path.split(".")
        place = plain
        for name in outer:
            place = place[name]
        place.pop(last)
    return digest(json.dumps(plain, sort_keys=True).encode())


def neutral_paths(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """Yield the paths of what moves no fingerprint."""
    neutral: frozenset[str] = getattr(model, "neutral", frozenset())
    for name, field in model.model_fields.items():
        inner = field.annotation
        if name in neutral:
            yield prefix + name
        elif isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from neutral_paths(inner, f"{prefix}{name}.")


def paths(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """Yield the path of every setting of `model`, in order of declaration."""
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from paths(inner, f"{prefix}{name}.")
        else:
            yield prefix + name


def value_at(settings: BaseModel, path: str) -> object:
    """Return the value at a path, a secret masked."""
    value: object = settings
    for name in path.split("."):
        value = getattr(value, name)
    return ("********" if value.get_secret_value() else "") if isinstance(value, SecretStr) else value


def _sources(kb: Path | None, options: Mapping[str, object], model: type[Settings]) -> Iterator[tuple[str, Tree]]:
    if kb is not None and (kb / FILE_NAME).is_file():
        yield str(kb / FILE_NAME), _read_toml(kb / FILE_NAME)
    for variable, path in WELL_KNOWN.items():
        if os.environ.get(variable):
            yield variable, _nested({path: os.environ[variable]})
    _refuse_unknown_variables(model)
    yield "environment", EnvSettingsSource(model)()
    yield "command line", _nested(options)


def _read_toml(path: Path) -> Tree:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not TOML: {error}") from error


def _nested(flat: Mapping[str, object]) -> Tree:
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


def _leaves(tree: Tree, prefix: str = "") -> Iterator[str]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{prefix}{name}.")
        yield prefix + name


def _refuse_unknown(tree: Tree, place: str, model: type[BaseModel], prefix: str = "") -> None:
    for name, value in tree.items():
        field = model.model_fields.get(name)
        if field is None:
            raise UnknownSetting(prefix + name, place, _nearest(prefix + name, list(model.model_fields), prefix))
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel) and isinstance(value, dict):
            _refuse_unknown(value, place, field.annotation, f"{prefix}{name}.")


def _refuse_unknown_variables(model: type[Settings]) -> None:
    known = {(PREFIX + path.replace(".", "__")).upper(): path for path in paths(model)}
    sections = {(PREFIX + name).upper() for name in model.model_fields} | {f"{PREFIX}{READ_BY_QA}".upper()}
    for variable in sorted(os.environ):
        name = variable.upper()
        if not name.startswith(PREFIX) or name in known or name in sections:
            continue
        if any(name.startswith(f"{prefix}__") for prefix in known):  # a key of a mapping
            continue
        if name.startswith(f"{PREFIX}{READ_BY_QA}__".upper()) and READ_BY_QA not in model.model_fields:
            continue
        nearest = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
        raise UnknownSetting(variable, "environment", nearest[0] if nearest else "")


def _nearest(key: str, siblings: list[str], prefix: str) -> str:
    candidates = [prefix + name for name in siblings] + ([] if prefix else list(paths(Settings)))
    matches = difflib.get_close_matches(key, candidates, n=1, cutoff=0.5)
    return matches[0] if matches else ""


def _explained(error: ValidationError, origins: Mapping[str, str]) -> SettingsError:
    first = error.errors()[0]
    path = ".".join(str(part) for part in first["loc"])
    place = next((origins[key] for key in (path, path.rsplit(".", 1)[0]) if key in origins), "the defaults")
    return SettingsError(f"{path} in {place}: {first['msg']}", ids=(path,))
