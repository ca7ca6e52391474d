"""Base class of settings sections, iteration over their fields, and import of code that a setting names.

A section is a pydantic model. It lists in `neutral` the fields that change no result (such as the number of processes),
and in `sensitive` the fields by which an untrusted strata.toml could reach beyond its folder.

A setting names user code as `module:attribute`: readers, embedders, stores, strategies. This is the only module of
Strata that imports a module by name. Python must be able to find it: installed, or in a folder of PYTHONPATH.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from pipelines.core.errors import SettingsError
from pipelines.core.ids import digest, normalize

T = TypeVar("T")
_LOOPBACK = re.compile(r"[a-z][a-z0-9+.-]*://(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?(?:/.*)?")


def names_code(value: object) -> bool:
    """Whether a setting's value has the form `module:attribute`, and is not a built-in name."""
    return isinstance(value, str) and ":" in value


def import_by_name(name: str, setting: str = "") -> object:
    """Return the object that `module:attribute` names.

    `setting` is the path of the setting that names it ("store.vectors"), for the error message. Raises `SettingsError`
    if the module or the attribute does not exist.
    """
    module, _, attribute = name.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise _cannot(name, setting, str(error)) from error


def load_by_name(name: str, protocol: type[T], *arguments: object, setting: str = "") -> T:
    """Call the class or factory `module:attribute` with `arguments`; return the object, which must match `protocol`.

    `protocol` is a runtime-checkable protocol or a class. Raises `SettingsError` if there is no such class, it does not
    accept these arguments, or the object lacks a method of the protocol.

        load_by_name("my_stores:MyVectors", VectorStore, folder, 256, setting="store.vectors")
    """
    factory = import_by_name(name, setting)
    if not callable(factory):
        raise _cannot(name, setting, "it is not callable")
    try:
        made = factory(*arguments)
    except TypeError as error:
        raise _cannot(name, setting, str(error)) from error
    if not isinstance(made, protocol):
        raise _cannot(name, setting, f"it is not a {protocol.__name__}{_lacking(made, protocol)}")
    return made


def _lacking(made: object, protocol: type) -> str:
    public = [name for name in vars(protocol) if not name.startswith("_") and not hasattr(made, name)]
    return f", it lacks {', '.join(public)}" if public else ""


def _cannot(name: str, setting: str, why: str) -> SettingsError:
    place = f"{setting}: " if setting else ""
    return SettingsError(f"{place}cannot load {name!r}: {why}", ids=(name,))


@dataclass(frozen=True, slots=True)
class Sensitive:
    """The effect of a field that the user must allow if the value comes from somebody else's file.

    `does` completes a sentence about the value: "would be loaded and run as code". Every non-empty value has the
    effect; with `only`, just these values; with `code`, also a name of the form `module:attribute`.

    For an address, `secrets` are the paths of the settings that are sent there, and `variables` the environment
    variables that its client reads by itself. For a secret, `address` is the neighbouring field that says where it is
    sent.
    """

    does: str
    only: frozenset[str] = frozenset()
    secrets: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    address: str = ""
    code: bool = False

    def concerns(self, value: object) -> bool:
        """Whether this value has the effect."""
        if self.code and names_code(value):
            return True
        return value in self.only if self.only or self.code else bool(value)


class SettingsSection(BaseModel):
    """Base class of a section: frozen, without undeclared fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    neutral: ClassVar[frozenset[str]] = frozenset()
    sensitive: ClassVar[Mapping[str, Sensitive]] = {}


def paths(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """Yield the path of every setting below `model` ("chunk.max_tokens"), in order of declaration."""
    for name, inner in _fields(model):
        if inner is None:
            yield prefix + name
        else:
            yield from paths(inner, f"{prefix}{name}.")


def neutral_paths(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """Yield the paths below `model` that a section lists as neutral."""
    neutral: frozenset[str] = getattr(model, "neutral", frozenset())
    for name, inner in _fields(model):
        if name in neutral:
            yield prefix + name
        elif inner is not None:
            yield from neutral_paths(inner, f"{prefix}{name}.")


def sensitive_fields(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, Sensitive]]:
    """Yield path and declaration of every setting below `model` that a section lists as sensitive."""
    declared: Mapping[str, Sensitive] = getattr(model, "sensitive", {})
    for name, inner in _fields(model):
        if name in declared:
            yield prefix + name, declared[name]
        elif inner is not None:
            yield from sensitive_fields(inner, f"{prefix}{name}.")


def fingerprint(section: BaseModel) -> str:
    """Return the SHA-256 of a section's values except the neutral ones, for the keys of artifacts."""
    return _fingerprint(_Identity(section))


@dataclass(frozen=True, slots=True, eq=False)
class _Identity:
    """A frozen section compared by identity, so that the cache need not hash its values."""

    section: BaseModel

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and self.section is other.section

    def __hash__(self) -> int:
        return id(self.section)


@lru_cache(maxsize=64)  # a run needs the fingerprints of the same sections for every file
def _fingerprint(identity: _Identity) -> str:
    section = identity.section
    plain = section.model_dump(mode="json", warnings=False)
    for path in neutral_paths(type(section)):
        *outer, last = path.split(".")
        place = plain
        for name in outer:
            place = place[name]
        place.pop(last)
    return digest(json.dumps(plain, sort_keys=True).encode())


def value_at(settings: BaseModel, path: str) -> object:
    """Return the value of a setting by its path; secrets are masked."""
    value: object = settings
    for name in path.split("."):
        value = getattr(value, name)
    return ("********" if value.get_secret_value() else "") if isinstance(value, SecretStr) else value


def is_loopback(address: str) -> bool:
    """Whether an address is a plain loopback address, without user name or password before the host."""
    return _LOOPBACK.fullmatch(address) is not None


def section_of(annotation: object) -> type[BaseModel] | None:
    """Return the model that a field's annotation names, None for a plain value."""
    return annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else None


def _fields(model: type[BaseModel]) -> Iterator[tuple[str, type[BaseModel] | None]]:
    """Yield the fields of a model, each with its model if it is a section."""
    return ((name, section_of(field.annotation)) for name, field in model.model_fields.items())


class GraphSchema(BaseModel):
    """The allowed entities and relations of the distilled layer: the section `[graph.schema]`, used by all stages.

    An empty tuple allows everything. Names are compared in normalized form.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    entity_types: tuple[str, ...] = Field((), description="allowed entity types; empty: any")
    relation_types: tuple[str, ...] = Field((), description="allowed relation types; empty: any")
    patterns: tuple[tuple[str, str, str], ...] = Field(
        (), description="the allowed (head type, relation type, tail type); empty: any"
    )

    @property
    def confines(self) -> bool:
        """Whether the schema restricts anything."""
        return bool(self.entity_types or self.relation_types or self.patterns)

    @property
    def kinds(self) -> tuple[str, ...]:
        """All entity types that it names, including those of patterns."""
        ends = [end for head, _, tail in self.patterns for end in (head, tail)]
        return _distinct((*self.entity_types, *ends))

    @property
    def relations(self) -> tuple[str, ...]:
        """All relation types that it names, including those of patterns."""
        return _distinct((*self.relation_types, *(relation for _, relation, _ in self.patterns)))

    def allows_entity(self, kind: str) -> bool:
        return not self.entity_types or normalize(kind) in map(normalize, self.entity_types)

    def allows_relation(self, head: str, relation: str, tail: str) -> bool:
        """Whether an entity of type `head` may have this relation to one of type `tail`."""
        if self.relation_types and normalize(relation) not in map(normalize, self.relation_types):
            return False
        wanted = tuple(map(normalize, (head, relation, tail)))
        return not self.patterns or any(tuple(map(normalize, pattern)) == wanted for pattern in self.patterns)


def _distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(normalize(name), name)
    return tuple(found.values())
