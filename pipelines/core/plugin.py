"""Classes and functions that a setting names as `module:attribute`: users' own readers, embedders, stores, strategies.

The one place of Strata that imports a module by its name. The module is found as Python finds any other: installed, or
in a folder of PYTHONPATH.
"""

from __future__ import annotations

from importlib import import_module
from typing import TypeVar

from pipelines.core.errors import SettingsError

T = TypeVar("T")


def names_code(value: object) -> bool:
    """Whether a setting's value has the form `module:attribute`, rather than that of a built-in name."""
    return isinstance(value, str) and ":" in value


def import_by_name(name: str, setting: str = "") -> object:
    """Return what stands in a module under an attribute's name, from `module:attribute`.

    `setting` is the path of the setting that names it ("store.vectors"), told in the error. Raises `SettingsError`
    where the module or the attribute is not there.
    """
    module, _, attribute = name.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise _cannot(name, setting, str(error)) from error


def load_by_name(name: str, protocol: type[T], *arguments: object, setting: str = "") -> T:
    """Return what the class or factory `module:attribute` makes of `arguments`; it must fit `protocol`.

    `protocol` is a runtime-checkable protocol or a class. Raises `SettingsError` where there is no such class, it does
    not take these arguments, or what it makes lacks a method of the protocol.

        load_by_name("my_stores:MyVectors", VectorStore, folder, 256, setting="store.vectors")
    """
    factory = import_by_name(name, setting)
    if not callable(factory):
        raise _cannot(name, setting, "it is no class")
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
