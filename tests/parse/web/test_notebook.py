"""Tests of Jupyter notebooks."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest

from pipelines.core.document import Document
from pipelines.core.outcome import Status
from tests.parse.conftest import ParseBytes
from tests.parse.pieces import pieces

Read = Callable[..., Document]
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
"""One transparent pixel."""


def notebook(*cells: dict[str, Any], **metadata: Any) -> str:
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def code(source: str, *outputs: dict[str, Any]) -> dict[str, Any]:
    return {"cell_type": "code", "source": source.splitlines(keepends=True), "outputs": list(outputs), "metadata": {}}


def test_texts_code_tables_and_figures_of_a_notebook_are_read(document_of: Read) -> None:
    table = "<table><tr><th>Part</th><th>Torque</th></tr>\n\n<tr><td>M8</td><td>25</td></tr></table>"
    document = document_of(
        "a.ipynb",
        notebook(
            {"cell_type": "markdown", "source": ["# Torques\n", "\n", "See **below**."]},
            code("print(frame)", {"output_type": "stream", "text": ["\x1b[31mready\x1b[0m\n"]}),
            code("frame", {"output_type": "execute_result", "data": {"text/html": table, "text/plain": "Part ..."}}),
            code("plot()", {"output_type": "display_data", "data": {"image/png": PNG, "text/plain": "<Figure 1>"}}),
            code("1 / 0", {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "division by zero"}),
            title="Bolts",
            authors=[{"name": "Ada"}],
        ),
    )
    assert pieces(document)[:5] == [
        ("title", 0, "Torques"),
        ("paragraph", 0, "See below."),
        ("code", 0, "print(frame)"),
        ("code", 0, "ready"),
        ("code", 0, "frame"),
    ]
    assert document.tables[0].grid() == [["Part", "Torque"], ["M8", "25"]]
    assert [figure.media_type for figure in document.figures] == ["image/png"]
    assert "ZeroDivisionError: division by zero" in document.text
    assert (document.title, document.metadata["author"]) == ("Bolts", "Ada")


def test_an_attached_picture_is_a_figure(document_of: Read) -> None:
    cell = {
        "cell_type": "markdown",
        "source": "![gauge](attachment:a.png)",
        "attachments": {"a.png": {"image/png": PNG}},
    }
    document = document_of("a.ipynb", notebook(cell))
    assert len(document.figures) == 1


def test_code_that_contains_a_fence_stays_whole(document_of: Read) -> None:
    assert ("code", 0, "a = '''\n```\n'''") in pieces(document_of("a.ipynb", notebook(code("a = '''\n```\n'''"))))


def test_an_invalid_output_is_noted_and_the_rest_is_read(document_of: Read) -> None:
    document = document_of("a.ipynb", notebook(code("print(1)", {"data": 1}, {"output_type": "stream", "text": "1"})))
    assert [text for _, _, text in pieces(document)] == ["print(1)", "1"]
    assert any("an output of a cell is invalid" in note for note in document.notes)


def test_worksheets_of_old_notebooks_are_read(document_of: Read) -> None:
    cells = [{"cell_type": "heading", "level": 2, "source": "Seal"}, {"cell_type": "code", "input": "x", "outputs": []}]
    told = json.dumps({"worksheets": [{"cells": cells}], "metadata": {}, "nbformat": 3})
    assert [text for _, _, text in pieces(document_of("a.ipynb", told))] == ["Seal", "x"]


@pytest.mark.parametrize("told", ['{"cells": 3}', '{"cells": [', '{"cells": [{"source": "x"}], "nbformat": 4}'])
def test_an_invalid_notebook_is_malformed(parse_bytes: ParseBytes, told: str) -> None:
    parsed = parse_bytes("a.ipynb", told)
    assert parsed.status is Status.MALFORMED
    assert "not a notebook" in parsed.reason


def test_encoded_data_in_json_is_omitted_and_counted(parse_bytes: ParseBytes) -> None:
    data = base64.b64encode(bytes(range(256)) * 8).decode()
    parsed = parse_bytes("a.json", json.dumps({"name": "Pump", "photo": data, "key": data[:40]}))
    assert parsed.document is not None
    assert f"photo: ({len(data)} characters of data)" in parsed.document.text
    assert data[:40] in parsed.document.text
    assert parsed.document.notes == ("strings that are data and no text, and are not read: 1",)
