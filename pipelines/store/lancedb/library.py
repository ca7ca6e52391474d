"""Imports `lancedb` without the parts that a folder of tables never uses.

These were found with `python -X importtime`; they take more than half of the CPU time of the import, for which the
first answer of `strata ask` has to wait. `tests/store/lancedb/test_library.py` checks that they can still be used.
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
"""An HTTP client for catalogs, of which lancedb needs only the names of some types: defining its functions takes a
third of a second, and its 150 models as long."""
_CATALOG_MODELS = f"{_CATALOG_CLIENT}.models"
_DATA_FRAMES = "pandas"
_OVERRIDES = "overrides"
"""A package that checks each overridden method by parsing the byte code of its class; lancedb uses it on Python 3.11
only."""


_LEFT_OUT = set[str]()
"""Has pandas if it is left out (`leave_out_data_frames`)."""


def import_lancedb() -> Any:
    """Return the package `lancedb`."""
    os.environ.setdefault("LANCEDB_LOG", "error")  # it warns about every empty partition of an index
    if "lancedb" not in sys.modules:
        _import_empty(_CATALOG_CLIENT)
        _import_lazily(_CATALOG_MODELS)
    with _unchecked_overrides(), _without_data_frames():
        import lancedb

    return lancedb


def leave_out_data_frames() -> None:
    """Have `import_lancedb` prevent pyarrow from importing pandas if that is installed.

    For processes without data frames, such as a command: pyarrow supports them again only after a call of `to_pandas`.
    If pandas is already imported when lancedb is, the import is as usual.
    """
    _LEFT_OUT.add(_DATA_FRAMES)


def _import_empty(package: str) -> ModuleType | None:
    """Add a package to `sys.modules` without running its code, so that its submodules can be imported."""
    spec = None if package in sys.modules else find_spec(package)
    if spec is None:
        return None
    module = sys.modules[package] = module_from_spec(spec)
    return module


def _import_lazily(package: str) -> None:
    """Import a package with stand-ins for its classes; its code runs when one of them is used."""
    module = _import_empty(package)
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
    """The type of a stand-in for a class: calls and instance checks are passed to the class."""

    def __call__(cls, *args: Any, **named: Any) -> Any:
        return vars(cls)["defined"].__func__()(*args, **named)

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, vars(cls)["defined"].__func__())


@contextmanager
def _unchecked_overrides() -> Iterator[None]:
    """Disable the checks of overridden methods, as on Python 3.12."""
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
def _without_data_frames() -> Iterator[None]:
    """Make imports of pandas fail inside the context, if it is left out and not imported yet."""
    if _DATA_FRAMES not in _LEFT_OUT or _DATA_FRAMES in sys.modules:
        yield
        return
    finder = _NotFound(_DATA_FRAMES)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _NotFound(MetaPathFinder):
    """A finder that makes the import of one package fail."""

    def __init__(self, package: str) -> None:
        self._package = package

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name == self._package:
            raise ModuleNotFoundError(f"{name} is left out here", name=name)
        return None
