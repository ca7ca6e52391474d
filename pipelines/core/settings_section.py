"""Sections of the settings: what a section declares of its fields, and the ways to walk over them.

A section is a pydantic model. Beside its fields it may list in `neutral` those that change no result (how many
processes share the work), and in `sensitive` those by which a stranger's strata.toml could reach beyond its folder.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, SecretStr

from pipelines.core.ids import digest
from pipelines.core.plugin import names_code

_LOOPBACK = re.compile(r"[a-z][a-z0-9+.-]*://(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?(?:/.*)?")


@dataclass(frozen=True, slots=True)
class Sensitive:
    """What a field of a section can do that its user has to allow, where the value is in a file of somebody else.

    `does` ends a sentence about the value: "would be loaded and run as code". Every value that is not empty does so,
    but for those outside of `only`, where that is given; with `code`, a name of the form `module:attribute` does.

    Of an address, `secrets` are the paths of the settings that are sent there, and `variables` the variables of the
    environment that its client reads by itself. Of a secret, `address` is the field beside it that says where it goes.
    """

    does: str
    only: frozenset[str] = frozenset()
    secrets: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    address: str = ""
    code: bool = False

    def concerns(self, value: object) -> bool:
        """Whether this value does it."""
        if self.code and names_code(value):
            return True
        return value in self.only if self.only or self.code else bool(value)


class SettingsSection(BaseModel):
    """The base of a section: frozen, and without room for fields that it does not declare."""

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
    """Return the SHA-256 of a section's values but for the neutral ones: part of the key of what is made with them."""
    plain = section.model_dump(mode="json", warnings=False)
    for path in neutral_paths(type(section)):
        *outer, last = path.split(".")
        place = plain
        for name in outer:
            place = place[name]
        place.pop(last)
    return digest(json.dumps(plain, sort_keys=True).encode())


def value_at(settings: BaseModel, path: str) -> object:
    """Return the value at a path, a secret masked."""
    value: object = settings
    for name in path.split("."):
        value = getattr(value, name)
    return ("********" if value.get_secret_value() else "") if isinstance(value, SecretStr) else value


def is_loopback(address: str) -> bool:
    """Whether an address is a loopback address in its plain form, with nothing before the host."""
    return _LOOPBACK.fullmatch(address) is not None


def section_of(annotation: object) -> type[BaseModel] | None:
    """Return the model that a field's annotation names, None for the annotation of a plain value."""
    return annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else None


def _fields(model: type[BaseModel]) -> Iterator[tuple[str, type[BaseModel] | None]]:
    """The fields of a model, each with its own model where it is a section."""
    return ((name, section_of(field.annotation)) for name, field in model.model_fields.items())
