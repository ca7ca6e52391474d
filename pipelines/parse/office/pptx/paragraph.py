"""Text of DrawingML: paragraphs with level, bullet or number, and links; table cells (ECMA-376 1, 21.1.2 and 3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pipelines.core.table import Cell
from pipelines.parse.office.characters import lowered, numeral, raised
from pipelines.parse.office.equations import to_latex
from pipelines.parse.office.ooxml import NAMESPACES, Element, children, local, qualified

_PARAGRAPH = qualified("a:p")
_BULLETS = ("buNone", "buChar", "buAutoNum", "buBlip")
_NOTATIONS = {"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman",
          "arabic": "decimal"}  # fmt: skip
_ENDINGS = {"Period": "{}.", "ParenR": "{})", "ParenBoth": "({})", "Plain": "{}"}
_LEVELS = 9
"""Levels of a list (ECMA-376 1, 21.1.2.4.13 to 21)."""
_LONGEST_SPAN = 1_000
"""Maximum rows or columns that a cell may span; more is an attack."""


@dataclass(frozen=True, slots=True)
class SlideLink:
    """A link in a run: the relationship of its target, the action, and the linked text."""

    relationship: str
    action: str
    evidence: str


@dataclass(slots=True)
class Paragraph:
    """A paragraph; `level` counts from 1, `bullet` marks a list item, `marker` is its number, if any."""

    text: str
    level: int = 1
    bullet: bool = False
    marker: str = ""
    formula: bool = False
    links: list[SlideLink] = field(default_factory=list)


def paragraphs(body: Element, inherited: Sequence[Element] = ()) -> Iterator[Paragraph]:
    """Yield the paragraphs with text; `inherited` are list styles (such as `a:lstStyle`), the nearest first."""
    own = body.find("a:lstStyle", NAMESPACES)
    styles = [own, *inherited] if own is not None else list(inherited)
    counts: list[int] = [0] * _LEVELS
    for element in body.iterfind("a:p", NAMESPACES):
        paragraph = _read_paragraph(element)
        if not paragraph.text.strip():
            continue
        bullet = _bullet(element, paragraph.level, styles)
        kind = "" if bullet is None else local(bullet)
        paragraph.bullet = kind in ("buChar", "buAutoNum", "buBlip")
        paragraph.marker = _marker(bullet, counts, paragraph.level)
        yield paragraph


def plain_text(body: Element) -> str:
    """Return the text of a body, one paragraph per line."""
    return "\n".join(_read_paragraph(element).text for element in body.iter(_PARAGRAPH)).strip()


def _read_paragraph(element: Element) -> Paragraph:
    level = element.find("a:pPr", NAMESPACES)
    depth = level.get("lvl", "0") if level is not None else "0"
    paragraph = Paragraph("", min(int(depth), _LEVELS - 1) + 1 if depth.isdigit() else 1)
    parts: list[str] = []
    for child in children(element):
        _collect(child, parts, paragraph)
    paragraph.text = "".join(parts)
    if paragraph.formula:
        paragraph.text = paragraph.text.replace("$", "")
    return paragraph


def _collect(element: Element, parts: list[str], paragraph: Paragraph) -> None:
    name = local(element)
    if name in ("r", "fld"):
        text = "".join(child.text or "" for child in element.iterfind("a:t", NAMESPACES))
        parts.append(_with_script(element, text.replace("\v", "\n")))
        if text.strip():
            paragraph.formula = False
        link = element.find("a:rPr/a:hlinkClick", NAMESPACES)
        if link is not None:
            paragraph.links.append(SlideLink(link.get(qualified("r:id"), ""), link.get("action", ""), text.strip()))
    elif name == "br":
        parts.append("\n")
    elif name in ("oMath", "oMathPara"):
        paragraph.formula = not "".join(parts).strip()
        parts.append(f"${to_latex(element)}$")
    elif name == "m":
        for child in children(element):
            _collect(child, parts, paragraph)


def _with_script(run: Element, text: str) -> str:
    properties = run.find("a:rPr", NAMESPACES)
    baseline = properties.get("baseline", "0") if properties is not None else "0"
    if baseline.startswith("-"):
        return lowered(text)
    return text if baseline.strip("0%") == "" else raised(text)


def _bullet(element: Element, level: int, styles: Sequence[Element]) -> Element | None:
    """Return the bullet's element, own or of the nearest style that sets one."""
    own = element.find("a:pPr", NAMESPACES)
    candidates = [own, *(style.find(f"a:lvl{level}pPr", NAMESPACES) for style in styles)]
    for properties in candidates:
        for child in properties if properties is not None else ():
            if local(child) in _BULLETS:
                return child
    return None


def _marker(bullet: Element | None, counts: list[int], level: int) -> str:
    """Count a numbered paragraph and return its number; any other paragraph ends the list of its level."""
    for below in range(level, _LEVELS):
        counts[below] = 0
    if bullet is None or local(bullet) != "buAutoNum":
        counts[level - 1] = 0
        return ""
    start = bullet.get("startAt", "1")
    counts[level - 1] = counts[level - 1] + 1 if counts[level - 1] else int(start) if start.isdigit() else 1
    kind = bullet.get("type", "arabicPeriod")
    for form, notation in _NOTATIONS.items():
        if kind.startswith(form):
            return _ENDINGS.get(kind.removeprefix(form), "{}.").format(numeral(counts[level - 1], notation))
    return f"{counts[level - 1]}."


def table_cells(table: Element) -> tuple[list[Cell], list[SlideLink]]:
    """Return the cells of an `a:tbl` and their links; the first row is a header if the table's properties say so."""
    cells: list[Cell] = []
    links: list[SlideLink] = []
    properties = table.find("a:tblPr", NAMESPACES)
    headed = properties is not None and properties.get("firstRow") in ("1", "true")
    for row, element in enumerate(table.iterfind("a:tr", NAMESPACES)):
        for column, cell in enumerate(element.iterfind("a:tc", NAMESPACES)):
            if _is_covered(cell):
                continue
            body = cell.find("a:txBody", NAMESPACES)
            lines = list(paragraphs(body)) if body is not None else []
            text = "\n".join(f"${line.text}$" if line.formula else line.text.strip() for line in lines)
            links += [link for line in lines for link in line.links]
            cells.append(Cell(row, column, text, _span(cell, "rowSpan"), _span(cell, "gridSpan"), headed and row == 0))
    return cells, links


def _is_covered(cell: Element) -> bool:
    """Whether a cell is merged into the one to its left or above it."""
    return cell.get("hMerge") in ("1", "true") or cell.get("vMerge") in ("1", "true")


def _span(cell: Element, name: str) -> int:
    text = cell.get(name, "1")
    return min(max(1, int(text)), _LONGEST_SPAN) if text.isdigit() else 1
