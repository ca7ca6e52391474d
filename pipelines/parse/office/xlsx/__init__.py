"""Excel workbooks: XLSX and XLSM, Transitional and Strict."""

from pipelines.parse.office.xlsx.reader import XlsxReader

__all__ = ["XlsxReader"]
