"""Tests of the error classes: pickling, the tree in the docstring, retries and exit codes."""

import pickle
import re

import pytest

from pipelines.core import errors
from pipelines.core.errors import StrataError
from pipelines.core.outcome import Failure

SPECIAL = {
    "UnknownSetting": ("chunk.max_token", "strata.toml", "chunk.max_tokens"),
    "MissingExtra": ("ocr", "reading scans"),
    "FolderNotFound": ("/nowhere",),
    "KnowledgeBaseNotFound": ("kb",),
    "DocumentsFailed": ((Failure("document:1", "link", "it broke"),),),
}


def family(root: type[StrataError]) -> list[type[StrataError]]:
    own = [cls for cls in root.__subclasses__() if cls.__module__ == errors.__name__]
    return [root, *(inner for cls in own for inner in family(cls))]


def drawn() -> list[tuple[str, int]]:
    lines = re.findall(r"^( +)([A-Z]\w+)$", errors.__doc__ or "", re.MULTILINE)
    return [(name, len(indent) // 2 - 2) for indent, name in lines]


def depth(cls: type[StrataError]) -> int:
    return len([base for base in cls.__mro__ if issubclass(base, StrataError)]) - 1


@pytest.mark.parametrize("cls", family(StrataError), ids=lambda cls: cls.__name__)
def test_an_error_survives_pickling(cls: type[StrataError]) -> None:
    error = cls(*SPECIAL.get(cls.__name__, ("it broke",)))
    error.ids = (*error.ids, "document:1")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is cls
    assert str(copy) == str(error)
    assert copy.__dict__ == error.__dict__


def test_the_error_tree_in_the_docstring_matches_the_classes() -> None:
    assert drawn() == [(cls.__name__, depth(cls)) for cls in family(StrataError)]


def test_only_transient_errors_are_retryable() -> None:
    retryable = {cls.__name__ for cls in family(StrataError) if cls.retryable}
    assert retryable == {"SourceUnreachable", "StoreUnavailable", "RateLimited", "CallTimedOut"}


def test_exit_codes_are_between_one_and_seven() -> None:
    assert {cls.exit_code for cls in family(StrataError)} <= set(range(1, 8))
