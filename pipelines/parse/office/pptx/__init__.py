"""PowerPoint presentations: PPTX, Transitional and Strict."""

from pipelines.parse.office.pptx.reader import PptxReader

__all__ = ["PptxReader"]
