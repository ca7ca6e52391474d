from __future__ import annotations

import sys
from pathlib import Path
from typing import Protocol, runtime_checkable

import pytest

from pipelines.core.errors import SettingsError
from pipelines.core.settings_section import import_by_name, load_by_name, names_code


@runtime_checkable
class Greeter(Protocol):
    def greet(self) -> str: ...

    def part(self) -> str: ...


@pytest.fixture(autouse=True)
def own_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_greeters.py").write_text(
        "class Polite:\n"
        "    def __init__(self, name): self.name = name\n"
        "    def greet(self): return f'hello {self.name}'\n"
        "    def part(self): return 'bye'\n"
        "class Curt:\n"
        "    def greet(self): return 'hey'\n"
        "ANSWER = 42\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "my_greeters", raising=False)


def test_a_class_is_instantiated_with_its_arguments() -> None:
    assert load_by_name("my_greeters:Polite", Greeter, "Ann").greet() == "hello Ann"


def test_an_object_is_imported_without_calling_it() -> None:
    assert import_by_name("my_greeters:ANSWER") == 42


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("no_such_module:Polite", "No module named 'no_such_module'"),
        ("my_greeters:Nobody", "has no attribute 'Nobody'"),
        ("my_greeters", "cannot load"),
        (":Polite", "Empty module name"),
        ("my_greeters:Curt", "not a Greeter, it lacks part"),
        ("my_greeters:ANSWER", "not callable"),
        ("my_greeters:Polite", "missing 1 required positional argument"),
    ],
)
def test_an_object_that_cannot_be_loaded_is_an_error_naming_the_setting(name: str, told: str) -> None:
    with pytest.raises(SettingsError, match=told) as raised:
        load_by_name(name, Greeter, setting="greet.by")
    assert raised.value.message.startswith("greet.by: ")


def test_built_in_names_name_no_code() -> None:
    assert not names_code("lancedb")
    assert names_code("my.stores:Vectors")
