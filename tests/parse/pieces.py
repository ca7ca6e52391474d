"""A document as (kind, level, text) lines, for assertions."""

from __future__ import annotations

from pipelines.core.document import Document


def pieces(document: Document) -> list[tuple[str, int, str]]:
    return [(block.kind.value, block.level, block.text) for block in document.blocks]


def texts(document: Document) -> list[str]:
    return [block.text for block in document.blocks]


def targets(document: Document) -> list[tuple[str, str, str]]:
    return [(reference.kind.value, reference.target, reference.evidence) for reference in document.references]


def assert_whole(document: Document) -> None:
    """Assert that every block is a slice of the text, in order, and every section is within the text."""
    end = 0
    for block in document.blocks:
        span = block.provenance.span
        assert span.slice(document.text) == block.text
        assert span.start >= end
        end = span.end
    assert all(section.span.end <= len(document.text) for section in document.sections)
