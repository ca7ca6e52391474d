"""The reader of XLSX and XLSM: a page for each sheet."""

from __future__ import annotations

from pathlib import Path

from pipelines.core.document import Source
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.office.ooxml import main_part
from pipelines.parse.office.package import Package
from pipelines.parse.office.properties import core_properties
from pipelines.parse.office.xlsx.page import SheetPage
from pipelines.parse.office.xlsx.workbook import read_workbook
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import signed
from pipelines.parse.settings import ParseSettings


class XlsxReader:
    """Reads the tables, charts, pictures, text boxes and comments of all sheets, hidden ones too."""

    formats = (
        signed("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".xlsx", also=(".xlsm",)),
        signed("application/vnd.ms-excel.sheet.macroenabled.12", ".xlsm"),
    )
    name = "xlsx"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        with Package(path, source.uri, settings) as package:
            builder = DocumentBuilder(source, settings, self.name, core_properties(package))
            workbook = read_workbook(package, main_part(package, "xl/workbook.xml"))
            for number, entry in enumerate(workbook.sheets, 1):
                SheetPage(package, workbook, entry, number, builder).write()
        return builder.build()
