"""A sheet as a page of a document: its name, its tables, its comments. Shared by XLSX, ODS and XLS."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pipelines.core.document import Page
from pipelines.parse.assemble import DocumentBuilder, Place
from pipelines.parse.office.grid import CellRange, SheetTable

# Names that programs give; they tell nothing and make no heading.
_DEFAULT_NAME = re.compile(
    r"(?:sheet|tabelle|feuil|feuille|hoja|foglio|planilha|blad|ark|arkusz|лист|工作表|シート|chart|diagramm)\s?\d*",
    re.IGNORECASE,
)
_TITLE_GAP = 3


def are_named(names: Iterable[str]) -> bool:
    """Whether somebody gave a name to a sheet; then all of them head what stands on them, else none does."""
    return any(not _DEFAULT_NAME.fullmatch(name.strip()) for name in names)


class SheetBuilder:
    """Appends what stands on one sheet; every piece knows the sheet's name and its cells."""

    def __init__(self, builder: DocumentBuilder, number: int, name: str) -> None:
        self.builder = builder
        self.number = number
        self.name = name

    def place(self, area: CellRange) -> Place:
        return Place(self.number, self.name, str(area))

    def page(self, *, hidden: bool = False, issue: str = "") -> None:
        self.builder.page(Page(self.number, self.name, issue=issue))
        if hidden:
            self.builder.remark(f"the sheet {self.name!r} is hidden")

    def heading(self) -> None:
        """Append the sheet's name as a heading."""
        self.builder.heading(self.name, 1, self.place(CellRange(0, 0, 0, 0)))

    def table(self, region: SheetTable, above: SheetTable | None = None) -> bool:
        """Append a table; a lone cell just above it is its caption too."""
        caption = above.cells[0].text if above is not None and _is_title(above, region) else ""
        return self.builder.table(region.cells, self.place(region.area), caption=caption)


def _is_title(above: SheetTable, region: SheetTable) -> bool:
    gap = region.area.top - above.area.bottom
    return len(above.cells) == 1 < len(region.cells) and 0 < gap <= _TITLE_GAP and above.area.left <= region.area.right
