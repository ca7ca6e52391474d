"""How `lancedb` is imported: without the parts that a folder of tables never uses.

What is left out was found by `python -X importtime`; in processor seconds that is more than half of the import, and the
first answer of `strata ask` waits for it. `tests/store/lancedb/test_library.py` holds that all of it is still there
for whoever asks.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any

_CATALOG_CLIENT = "lance_namespace_urllib3_client"
"""A client of catalogs over HTTP, of which lancedb needs the names of some types alone: to define its calls takes a
third of a second, and its 150 models as long."""
_CATALOG_MODELS = f"{_CATALOG_CLIENT}.models"
_DATA_FRAMES = "pandas"
_OVERRIDES = "overrides"
"""A package that looks for the base of each overridden method in the byte code of its class; lancedb takes it on Python
3.11 alone."""


def import_lancedb() -> Any:
    """Return the package `lancedb`."""
    os.environ.setdefault("LANCEDB_LOG", "error")  # it warns of every empty partition of an index
    if "lancedb" not in sys.modules:
        _leave_out(_CATALOG_CLIENT)
        _define_later(_CATALOG_MODELS)
    with _unchecked_overrides():
        import lancedb

    return lancedb


def import_without_data_frames() -> None:
    """Import `lancedb` and have pyarrow not import pandas, as it does where that is installed.

    For a process that has no data frames, such as a command: in it, pyarrow takes them again only after a call of
    `to_pandas`. Nothing is changed where pandas has been imported before.
    """
    if _DATA_FRAMES in sys.modules:
        import_lancedb()
    else:
        with _not_found(_DATA_FRAMES):
            import_lancedb()


def _leave_out(package: str) -> ModuleType | None:
    """Have the modules of a package be found without what the package itself imports."""
    spec = None if package in sys.modules else find_spec(package)
    if spec is None:
        return None
    module = sys.modules[package] = module_from_spec(spec)
    return module


def _define_later(package: str) -> None:
    """Have the classes of a package be there by name, and be defined when one of them is used."""
    module = _leave_out(package)
    loader = module.__spec__.loader if module is not None and module.__spec__ is not None else None
    if module is None or loader is None:
        return
    stand_ins = dict[str, type]()

    def defined(name: str) -> Any:
        if "__getattr__" in vars(module):
            del module.__getattr__
            loader.exec_module(module)
        return getattr(module, name)

    def stand_in(name: str) -> type:
        if name.startswith("_"):
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return stand_ins.setdefault(name, _StandIn(name, (), {"defined": staticmethod(lambda: defined(name))}))

    module.__getattr__ = stand_in  # type: ignore[method-assign]


class _StandIn(type):
    """The name of a class; what is done with it is done with the class."""

    def __call__(cls, *args: Any, **named: Any) -> Any:
        return vars(cls)["defined"].__func__()(*args, **named)

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, vars(cls)["defined"].__func__())


@contextmanager
def _unchecked_overrides() -> Iterator[None]:
    """Have lancedb define its classes as it does on Python 3.12, where nothing is looked for."""
    if sys.version_info >= (3, 12) or {_OVERRIDES, "lancedb"} & sys.modules.keys():
        yield
        return
    plain = ModuleType(_OVERRIDES)
    vars(plain).update(override=lambda method: method, EnforceOverrides=object)
    sys.modules[_OVERRIDES] = plain
    try:
        yield
    finally:
        del sys.modules[_OVERRIDES]


@contextmanager
def _not_found(package: str) -> Iterator[None]:
    """Have a package not be found meanwhile."""
    finder = _NotFound(package)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _NotFound(MetaPathFinder):
    """Finds nothing, and keeps the others from looking for one package."""

    def __init__(self, package: str) -> None:
        self._package = package

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name == self._package:
            raise ModuleNotFoundError(f"{name} is left out here", name=name)
        return None
