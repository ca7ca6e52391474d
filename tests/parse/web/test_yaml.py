"""YAML: values with their key paths, comments, documents, aliases, and what is no YAML."""

from collections.abc import Callable

import pytest

from pipelines.core.document import Document
from pipelines.core.outcome import Status
from tests.parse.conftest import ParseBytes
from tests.parse.pieces import assert_whole, pieces, texts

Read = Callable[..., Document]


def test_values_are_below_their_keys_and_lists_of_mappings_are_tables(document_of: Read) -> None:
    document = document_of(
        "gateway.yaml",
        "site: Halifax\nplcs:\n  - name: line 1\n    address: 10.30.2.10\n  - name: line 2\n    address: 10.30.2.11\n"
        "opcua:\n  port: 4840\n  tls: {min: 1.2}\ntags: [a, b]\nactive: yes\n",
    )
    assert pieces(document) == [
        ("paragraph", 0, "site: Halifax"),
        ("heading", 1, "plcs"),
        ("table", 0, document.tables[0].to_text()),
        ("heading", 1, "opcua"),
        ("paragraph", 0, "port: 4840"),
        ("heading", 2, "opcua.tls"),
        ("paragraph", 0, "min: 1.2"),
        ("heading", 1, "tags"),
        ("list_item", 1, "a"),
        ("list_item", 1, "b"),
        ("paragraph", 0, "active: yes"),
    ]
    assert document.tables[0].grid() == [["name", "address"], ["line 1", "10.30.2.10"], ["line 2", "10.30.2.11"]]
    assert_whole(document)


def test_comments_are_behind_their_values_or_before_their_part(document_of: Read) -> None:
    document = document_of(
        "a.yml",
        "# Gateway of hall 2\nsite: Halifax  # main plant\nlimits: {high: 16, low: 2}  # bar\n# Kept for audits\n"
        "days: 400\nname: 'P-4 # A'\nnote: |\n  # no comment\n  Check it.\n# end\n",
    )
    assert texts(document) == [
        "Gateway of hall 2",
        "site: Halifax (main plant)",
        "limits",
        "high: 16\nlow: 2 (bar)",
        "Kept for audits",
        "days: 400\nname: P-4 # A\nnote: # no comment\nCheck it.",
        "end",
    ]


def test_aliases_and_merged_mappings_are_written_out(document_of: Read) -> None:
    document = document_of("a.yaml", "base: &b\n  unit: bar\n  high: 16\npump:\n  <<: *b\n  unit: psi\ncopy: *b\n")
    assert texts(document)[2:] == ["pump", "high: 16\nunit: psi", "copy", "unit: bar\nhigh: 16"]


def test_all_documents_of_a_file_are_read(document_of: Read) -> None:
    assert texts(document_of("a.yaml", "a: 1\n---\n- x\n- y\n---\nalone\n")) == ["a: 1", "x", "y", "alone"]


@pytest.mark.parametrize("template", ["a: {{ value }}\n  b: c\n", "{% if x %}\nkey: 1\n{% endif %}\n"])
def test_a_template_is_read_as_code(template: str, document_of: Read) -> None:
    document = document_of("a.yaml", template)
    assert {block.kind.value for block in document.blocks} == {"code"}
    assert document.text.split() == template.split()


@pytest.mark.parametrize(
    "text",
    [
        "[" * 5000 + "]" * 5000,
        "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
        + "".join(f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12)),
    ],
    ids=["deep", "multiplied"],
)
def test_deep_nesting_and_aliases_that_multiply_are_too_large(text: str, parse_bytes: ParseBytes) -> None:
    assert parse_bytes("a.yaml", text.encode()).status is Status.TOO_LARGE


def test_an_alias_inside_what_it_names_ends(document_of: Read) -> None:
    assert "b: *a" in document_of("a.yaml", "a: &a\n  b: *a\n").text
