"""Word documents: DOCX, Transitional and Strict."""

from pipelines.parse.office.docx.reader import DocxReader

__all__ = ["DocxReader"]
