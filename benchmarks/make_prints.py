"""Makes PDF files with ground truth from the HTML pages of documentation packages, each page printed in a style.

    apt-get download apache2-doc debian-policy ...      (then: dpkg-deb -x FILE PACKAGES/NAME)
    python -m benchmarks.make_prints OUT PACKAGES/NAME ... [--seed 0] [--each 2]

A page is reduced to headings, paragraphs, lists, listings and tables, shortened to the surroundings of a table, and
printed by headless Chromium in a style chosen by the seed. The truth is taken from the same tree, in the format of
`../shared/tools/score_parse.py`; OUT has NAME.pdf and NAME.pdf.truth.json, for `benchmarks.pdf_pages`. Half of the
pages have merged cells, if the package has any. Equal arguments give equal sets.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from lxml import html
from lxml.etree import ParserError
from lxml.html import HtmlElement

from benchmarks.print_styles import STYLES

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_TEXTS = ("p", "li", "dt", "dd", "pre", "caption", "div", "td", "th")
_DROPPED = "script|style|nav|header|footer|form|button|svg|img|noscript|sup|iframe|object".split("|")
_ASIDE = {
    "nav",
    "sidebar",
    "sphinxsidebar",
    "navigation",
    "footer",
    "header",
    "toc",
    "toctree-wrapper",
    "related",
    "menu",
}
"""Words in classes and ids of elements that are not text of the page."""
_LONGEST = 9_000
"""Characters of a print: about four pages."""
_SHORTEST = 700
_MOST_ROWS, _MOST_COLUMNS, _MOST_CELL = 60, 9, 300


Cell = tuple[int, int, int, int, str, bool]
"""Row, column, rows, columns, text, and whether it is a header."""
Block = tuple[str, str | list[Cell]]
"""A tag with its text, or "table" with its cells."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("packages", nargs="+", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--each", type=int, default=2, help="pages of each package")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    dice = random.Random(arguments.seed)
    styles: list[str] = []
    for package in arguments.packages:
        for number, blocks in enumerate(_drawn(package, dice, arguments.each)):
            styles = styles or dice.sample(sorted(STYLES), len(STYLES))
            style = styles.pop()
            name = f"{package.name}-{number}-{style}.pdf"
            print_blocks(blocks, STYLES[style], arguments.out / name)
            (arguments.out / f"{name}.truth.json").write_text(
                json.dumps(truth_of(blocks), ensure_ascii=False, indent=1)
            )
            merged = sum(_is_merged(cell) for cells in _tables(blocks) for cell in cells)
            print(f"{name:50} {len(_tables(blocks))} tables, {merged} merged cells", flush=True)


def _drawn(package: Path, dice: random.Random, count: int) -> list[list[Block]]:
    """Return shortened pages of a package, alternately with and without merged cells as long as there are both."""
    paths = sorted(path for path in package.rglob("*") if ".htm" in path.name and path.is_file())
    dice.shuffle(paths)
    kinds: dict[bool, list[list[Block]]] = {True: [], False: []}
    # Enough pages to draw from; reading all pages of a large package would take long.
    for path in paths[:400]:
        blocks = page_blocks(path)
        if blocks and (merged := any(_is_merged(cell) for cells in _tables(blocks) for cell in cells)) is not None:
            kinds[merged].append(blocks)
        if all(len(kind) >= count for kind in kinds.values()):
            break
    found = [blocks for pair in zip(kinds[True][: count // 2], kinds[False], strict=False) for blocks in pair]
    rest = [blocks for kind in (kinds[False], kinds[True]) for blocks in kind if blocks not in found]
    return (found + rest)[:count]


def page_blocks(path: Path) -> list[Block]:
    """Return the surroundings of a table of a page, or nothing if no table can be printed with its truth."""
    try:
        tree = html.fromstring(path.read_bytes())
    except (ParserError, ValueError):
        return []
    body = tree.find("body")
    blocks = list(_blocks(body)) if body is not None else []
    tables = [number for number, (kind, _) in enumerate(blocks) if kind == "table"]
    merged = [n for n in tables if any(_is_merged(cell) for cell in blocks[n][1] if not isinstance(cell, str))]
    if not tables:
        return []
    begin = max((n for n in range((merged or tables)[0]) if blocks[n][0] in _HEADINGS), default=0)
    kept: list[Block] = []
    for block in blocks[begin:]:
        if _length([*kept, block]) > _LONGEST:
            break
        kept.append(block)
    return kept if _tables(kept) and _length(kept) > _SHORTEST else []


def _blocks(element: HtmlElement) -> Iterator[Block]:
    """Yield the blocks of a tree; a layout table is replaced by its contents."""
    for child in element:
        tag = child.tag if isinstance(child.tag, str) else ""
        told = f"{child.get('class', '')} {child.get('id', '')} {child.get('role', '')}".lower()
        if not tag or tag in _DROPPED or _ASIDE & set(told.split()):
            continue
        if tag == "table":
            cells = _cells(child)
            if cells:
                if caption := _text(child.find("caption")):
                    yield "caption", caption
                yield "table", cells
            elif child.find(".//table") is not None or len(child.findall(".//tr")) == 1:
                yield from _blocks(child)
        elif tag == "pre":
            if text := child.text_content().strip("\n"):
                yield "pre", text[:2000]
        elif tag in _HEADINGS or (tag in _TEXTS and not _has_blocks(child)):
            if text := _text(child).strip("¶ "):
                yield (tag if tag in (*_HEADINGS, "li", "dt", "dd") else "p"), text
        else:
            if tag in _TEXTS and (text := " ".join((child.text or "").split())):
                yield (tag if tag in ("li", "dt", "dd") else "p"), text
            yield from _blocks(child)


def _has_blocks(element: HtmlElement) -> bool:
    return any(child.tag in (*_HEADINGS, "p", "ul", "ol", "dl", "table", "pre", "div") for child in element.iter()
               if child is not element)  # fmt: skip


def _text(element: HtmlElement | None) -> str:
    return "" if element is None else " ".join(element.text_content().split())


def _cells(table: HtmlElement) -> list[Cell]:
    """Return the cells of a table, or nothing if they do not tile it or it contains more than words."""
    if any(table.find(f".//{tag}") is not None for tag in ("table", *_HEADINGS)):
        return []
    rows = [row for row in table.iter("tr") if any(_text(cell) for cell in row.iterchildren("td", "th"))]
    cells: list[Cell] = []
    taken: set[tuple[int, int]] = set()
    for number, row in enumerate(rows):
        column = 0
        for cell in row.iterchildren("td", "th"):
            while (number, column) in taken:
                column += 1
            down, across = (int(told) if (told := cell.get(name, "1")).isdigit() else 1 for name in _SPANS)
            places = {(number + y, column + x) for y in range(down) for x in range(across)}
            if not places or taken & places or number + down > len(rows):
                return []
            taken |= places
            cells.append((number, column, down, across, _text(cell), cell.tag == "th"))
            column += across
    width = 1 + max((column for _, column in taken), default=0)
    whole = len(taken) == width * len(rows) and _starts_everywhere(cells, len(rows), width)
    small = 2 < len(rows) <= _MOST_ROWS and 1 < width <= _MOST_COLUMNS and all(len(c[4]) < _MOST_CELL for c in cells)
    return cells if whole and small else []


_SPANS = ("rowspan", "colspan")


def _starts_everywhere(cells: Sequence[Cell], rows: int, columns: int) -> bool:
    """Whether a cell with text begins in each row and column; others would not be visible on a print."""
    filled = [cell for cell in cells if cell[4]]
    return {cell[0] for cell in filled} == set(range(rows)) and {cell[1] for cell in filled} == set(range(columns))


def _is_merged(cell: Cell | str) -> bool:
    return not isinstance(cell, str) and max(cell[2:4]) > 1


def _tables(blocks: Sequence[Block]) -> list[list[Cell]]:
    return [content for _, content in blocks if not isinstance(content, str)]


def _length(blocks: Sequence[Block]) -> int:
    return sum(len(c) if isinstance(c, str) else sum(len(cell[4]) for cell in c) for _, c in blocks)


def truth_of(blocks: Sequence[Block]) -> dict[str, object]:
    told: list[dict[str, object]] = []
    tables: list[dict[str, object]] = []
    for tag, content in blocks:
        if isinstance(content, str):
            kind = "section_header" if tag in _HEADINGS else "text"
            told.append({"kind": kind, "text": " ".join(content.split())})
            continue
        told.append({"kind": "table", "index": len(tables)})
        keys = ("row", "col", "rows", "cols", "text", "header")
        cells = [dict(zip(keys, cell, strict=True)) for cell in content]
        tables.append({"rows": max(c[0] + c[2] for c in content), "cols": max(c[1] + c[3] for c in content),
                       "cells": cells})  # fmt: skip
    headings = [{"text": text, "level": int(tag[1])} for tag, text in blocks if tag in _HEADINGS]
    return {"blocks": told, "headings": headings, "tables": tables, "pictures": 0, "pages": None}


def print_blocks(blocks: Sequence[Block], style: str, path: Path) -> None:
    print_page(f"<!doctype html><meta charset=utf-8><style>{style}</style><body>{''.join(map(_html, blocks))}", path)


def print_page(page: str, path: Path) -> None:
    """Print an HTML page as PDF by Chromium."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "page.html"
        source.write_text(page, "utf-8")
        command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
                   "--no-pdf-header-footer", f"--print-to-pdf={path}", source.as_uri()]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True, timeout=120)


def _html(block: Block) -> str:
    tag, content = block
    if isinstance(content, str):
        inner = escape(content)
        return {"li": f"<ul><li>{inner}</ul>", "caption": f"<p class=caption>{inner}</p>"}.get(
            tag, f"<{tag}>{inner}</{tag}>"
        )
    rows: dict[int, list[str]] = {}
    for row, _, down, across, text, header in content:
        name = "th" if header else "td"
        spans = (f" rowspan={down}" if down > 1 else "") + (f" colspan={across}" if across > 1 else "")
        rows.setdefault(row, []).append(f"<{name}{spans}>{escape(text)}</{name}>")
    return "<table>" + "".join(f"<tr>{''.join(row)}</tr>" for row in rows.values()) + "</table>"


if __name__ == "__main__":
    main()
