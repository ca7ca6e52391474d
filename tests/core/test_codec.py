import msgspec
import pytest

from pipelines.core import codec
from pipelines.core.document import Block, BlockKind, Document, Source
from pipelines.core.provenance import Box, Provenance, Span
from pipelines.core.table import Cell, Table

SOURCE = Source("a/b.pdf", "application/pdf", 3, "00")
TABLE = Table("table:1", 1, 1, (Cell(0, 0, "过热", header=True),))
BLOCK = Block(
    "block:1", BlockKind.TABLE, "过热", Provenance("d", Span(0, 2), 1, boxes=(Box(1, 0, 0, 1, 1),)), table=TABLE
)
DOCUMENT = Document("d", SOURCE, "T", "过热", (BLOCK,), metadata={"b": "2", "a": "1"})


def test_a_document_survives_encoding_and_decoding() -> None:
    assert codec.decode(codec.encode(DOCUMENT), Document) == DOCUMENT


def test_the_order_of_a_mapping_does_not_change_the_bytes() -> None:
    other = Document("d", SOURCE, "T", "过热", (BLOCK,), metadata={"a": "1", "b": "2"})
    assert codec.encode(other) == codec.encode(DOCUMENT)


def test_bytes_of_another_type_are_rejected() -> None:
    with pytest.raises(msgspec.ValidationError):
        codec.decode(b"{}", Document)
