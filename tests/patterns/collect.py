"""Every pattern of the packages: those that modules and classes hold, and those written in calls of `re`."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

_PACKAGES = ("pipelines", "qa", "evaluate", "serve", "flows")
_CALLS = ("compile", "match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")
_ONCE = frozenset(("match", "fullmatch"))


@dataclass(frozen=True, slots=True)
class Found:
    """A pattern and where it is written.

    `anchored` holds for one that is only ever matched against the start of a string, and so never runs from another.
    """

    where: str
    pattern: re.Pattern[Any]
    anchored: bool


@dataclass(frozen=True, slots=True)
class Made:
    """A call of `re` whose pattern is made when it runs."""

    where: str
    source: str


@cache
def modules() -> tuple[ModuleType, ...]:
    """Return all modules of the packages, imported."""
    found: list[ModuleType] = []
    for package in map(importlib.import_module, _PACKAGES):
        found.append(package)
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            found.append(importlib.import_module(info.name))
    return tuple(found)


def collect() -> tuple[list[Found], list[Made]]:
    """Return the patterns of all modules, and the calls whose patterns are made at run time."""
    used = _uses()
    held = {}
    for module in modules():
        for name, pattern in _held(module):
            uses = used[_key(module, name.removeprefix(f"{module.__name__}.").partition("[")[0].rpartition(".")[2])]
            held.setdefault(id(pattern), Found(name, pattern, uses <= {"once"}))
    found, made = list(held.values()), []
    for module in modules():
        for call in _calls(module):
            if isinstance(call, Found):
                found.append(call)
            else:
                made.append(call)
    return found, made


def _key(module: ModuleType, name: str) -> str:
    """Return what a name is known by: a private one by its module, another wherever it is used."""
    return f"{module.__name__}.{name}" if name.startswith("_") else name


def _held(module: ModuleType) -> Iterator[tuple[str, re.Pattern[Any]]]:
    for name, value in vars(module).items():
        if inspect.isclass(value) and value.__module__ == module.__name__:
            for inner, one in vars(value).items():
                yield from _within(f"{module.__name__}.{name}.{inner}", one)
        elif not inspect.ismodule(value) and not name.startswith("__"):
            yield from _within(f"{module.__name__}.{name}", value)


def _within(name: str, value: object) -> Iterator[tuple[str, re.Pattern[Any]]]:
    if isinstance(value, re.Pattern):
        yield name, value
    elif isinstance(value, (tuple, list, frozenset, set)):
        for number, one in enumerate(value):
            yield from _within(f"{name}[{number}]", one)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _within(f"{name}[{key}]", key)
            yield from _within(f"{name}[{key}]", one)
    elif hasattr(type(value), "__dataclass_fields__"):
        for inner in type(value).__dataclass_fields__:
            yield from _within(f"{name}.{inner}", getattr(value, inner, None))


def _uses() -> defaultdict[str, set[str]]:
    """Return for each name how it is used: "once" where it is matched at the start of a string, else "anywhere"."""
    uses: defaultdict[str, set[str]] = defaultdict(set)
    for module in modules():
        called: set[int] = set()
        for node in ast.walk(ast.parse(_source(module))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                name = _name(node.func.value)
                if name:
                    called.add(id(node.func.value))
                    once = node.func.attr in _ONCE and len(node.args) == 1
                    uses[_key(module, name)].add("once" if once else "anywhere")
            elif isinstance(node, (ast.Name, ast.Attribute)) and id(node) not in called:
                name = _name(node)
                if name and isinstance(getattr(node, "ctx", None), ast.Load):
                    uses[_key(module, name)].add("anywhere")
    return uses


def _source(module: ModuleType) -> str:
    return Path(module.__file__ or "").read_text("utf-8")


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


def _calls(module: ModuleType) -> Iterator[Found | Made]:
    source = _source(module)
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        for node in ast.walk(function):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            if _name(node.func.value) != "re" or node.func.attr not in _CALLS:
                continue
            where = f"{module.__name__}.{function.name}"
            try:
                pattern = _compiled(module, node)
            except NameError:
                yield Made(where, ast.get_source_segment(source, node.args[0]) or "")
            else:
                yield Found(where, pattern, node.func.attr in _ONCE)


def _compiled(module: ModuleType, call: ast.Call) -> re.Pattern[Any]:
    """Compile the pattern of a call, with names looked up in its module; raise NameError where it has others."""
    flags = [keyword.value for keyword in call.keywords if keyword.arg == "flags"]
    places = {"compile": 1, "match": 2, "fullmatch": 2, "search": 2, "findall": 2, "finditer": 2, "split": 3}
    place = places.get(getattr(call.func, "attr", ""), 4)
    flags += call.args[place : place + 1]
    value, flag = (_value(module, node) for node in (call.args[0], flags[0] if flags else ast.Constant(0)))
    return value if isinstance(value, re.Pattern) else re.compile(value, flag)


def _value(module: ModuleType, node: ast.expr) -> Any:
    code = compile(ast.fix_missing_locations(ast.Expression(node)), module.__name__, "eval")
    return eval(code, {"__builtins__": {}, **vars(module)}, {})
