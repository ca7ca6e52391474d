"""A meter of operations: modules imported under it count what their code does, in characters and items touched.

Each module of the packages is rewritten while it is imported. Counted are: each turn of a loop or a comprehension;
what a slice, a sum of strings or lists copies; what `in` looks through; the text that a pattern is run over, from
where it begins to where its match ends, or to the end of the text where there is none; what a method of a string, list
or dictionary, a built-in function or a function of another library is given. Patterns count as linear here, because
they are held to it by themselves, and so do other libraries.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

_PACKAGES = ("pipelines", "qa", "evaluate")
_SIZED = (str, bytes, list, tuple, dict, set, frozenset)
_CHEAP = frozenset(
    (
        len,
        isinstance,
        issubclass,
        range,
        enumerate,
        zip,
        map,
        filter,
        reversed,
        iter,
        next,
        getattr,
        hasattr,
        id,
        bool,
        bisect_left,
        bisect_right,
    )
)
_CHEAP_METHODS = frozenset(("append", "add", "get", "items", "keys", "values", "setdefault", "discard", "clear"))


class Meter:
    """Counts operations; each way of touching something has its own method, called by the rewritten code."""

    def __init__(self) -> None:
        self.count = 0

    def turns(self, items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            self.count += 1
            yield item

    def turn(self) -> None:
        self.count += 1

    def slice(self, value: Any, part: slice) -> Any:
        found = value[part]
        self.count += 1 + _size(found)
        return found

    def add(self, one: Any, other: Any) -> Any:
        found = one + other
        self.count += 1 + (_size(found) if isinstance(found, (str, bytes, list, tuple)) else 0)
        return found

    def holds(self, one: Any, other: Any) -> bool:
        self.count += 1 + (len(other) if isinstance(other, (str, bytes, list, tuple)) else 0)
        return one in other

    def call(self, function: Callable[..., Any], *values: Any, **named: Any) -> Any:
        self.count += 1 + self._given(function, values)
        return function(*values, **named)

    def method(self, value: Any, name: str, *values: Any, **named: Any) -> Any:
        found = getattr(value, name)(*values, **named)
        self.count += 1
        if isinstance(value, re.Pattern):
            self.count += _run_over(values, found)
        elif isinstance(value, (str, bytes)):
            self.count += _read(value, name, values, found)
        elif isinstance(value, _SIZED):
            cheap = name in _CHEAP_METHODS or (name == "pop" and (not values or isinstance(value, dict)))
            self.count += sum(map(_size, values)) if name in {"extend", "update"} else 0 if cheap else len(value)
        else:
            self.count += self._given(getattr(value, name), values)
        return found

    def _given(self, function: object, values: Sequence[Any]) -> int:
        """Return the size of what a function outside the packages is given; those within them are counted inside."""
        plain = function.__func__ if isinstance(function, MethodType) else function
        module = getattr(plain, "__module__", "") or ""
        if module.split(".")[0] in _PACKAGES and isinstance(plain, (FunctionType, type)):
            return 0
        if any(plain is cheap for cheap in _CHEAP):
            return 0
        return sum(map(_size, values))


def _size(value: object) -> int:
    return len(value) if isinstance(value, _SIZED) else 0


def _run_over(values: Sequence[Any], found: object) -> int:
    """Return how much text a pattern was run over."""
    text = next((value for value in reversed(values) if isinstance(value, (str, bytes))), "")
    places = [value for value in values if isinstance(value, int)]
    start, end = (*places[:1], 0)[0], min((*places[1:2], len(text))[0], len(text))
    return max(0, (found.end() if isinstance(found, re.Match) else end) - start)


def _read(value: str | bytes, name: str, values: Sequence[Any], found: Any) -> int:
    """Return how much of a string, and of what it is given, a method of it reads or writes."""
    if name in {"startswith", "endswith"}:
        return sum(map(_size, values))
    if name == "join":
        return len(found)
    if name in {"find", "index", "rfind"} and len(values) > 1:
        return (found if found >= 0 else len(value)) - int(values[1])
    return len(value)


class _Rewriting(ast.NodeTransformer):
    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.slice, ast.Slice) or not isinstance(node.ctx, ast.Load):
            return node
        ends = [end or ast.Constant(None) for end in (node.slice.lower, node.slice.upper, node.slice.step)]
        return _metered("slice", node.value, ast.Call(ast.Name("slice", ast.Load()), ends, []))

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return _metered("add", node.left, node.right) if isinstance(node.op, ast.Add) else node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) > 1 or not isinstance(node.ops[0], (ast.In, ast.NotIn)):
            return node
        holds = _metered("holds", node.left, node.comparators[0])
        return holds if isinstance(node.ops[0], ast.In) else ast.UnaryOp(ast.Not(), holds)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and not node.func.attr.startswith("__"):
            name = ast.Constant(node.func.attr)
            return ast.Call(_of_meter("method"), [node.func.value, name, *node.args], node.keywords)
        if isinstance(node.func, ast.Name) and node.func.id not in {"super", "locals", "vars"}:
            return ast.Call(_of_meter("call"), [node.func, *node.args], node.keywords)
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        node.iter = _metered("turns", node.iter)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        if not node.is_async:
            node.iter = _metered("turns", node.iter)
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, ast.Expr(_metered("turn")))
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return node


def _of_meter(name: str) -> ast.expr:
    return ast.Attribute(ast.Name("__meter__", ast.Load()), name, ast.Load())


def _metered(name: str, *values: ast.expr) -> ast.expr:
    return ast.Call(_of_meter(name), list(values), [])


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        tree = _Rewriting().visit(ast.parse(self.get_data(self.path)))
        return compile(ast.fix_missing_locations(tree), self.path, "exec", dont_inherit=True)


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.split(".", maxsplit=1)[0] not in _PACKAGES:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


def install() -> Meter:
    """Have all modules of the packages that are imported from now on count; return what they count with."""
    meter = Meter()
    builtins.__meter__ = meter
    sys.meta_path.insert(0, _Finder())
    return meter
