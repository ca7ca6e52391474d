"""A parsed file as one self-contained page: its blocks, and their boxes over pictures of the pages."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Callable
from html import escape
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from pipelines.core.document import Block, BlockKind, Document
from pipelines.core.safe_output import content_security_policy
from pipelines.parse.page_picture import draw_page
from pipelines.parse.parsed import Parsed, Picture
from pipelines.parse.settings import ParseSettings

COLOURS = MappingProxyType(
    {
        BlockKind.TITLE: "#b3261e",
        BlockKind.HEADING: "#d1580f",
        BlockKind.PARAGRAPH: "#1b6ac9",
        BlockKind.LIST_ITEM: "#0f8a7e",
        BlockKind.TABLE: "#7b3fc4",
        BlockKind.FIGURE: "#2e8b2e",
        BlockKind.CODE: "#555555",
        BlockKind.FORMULA: "#a8267c",
        BlockKind.CAPTION: "#8a6d00",
        BlockKind.FOOTNOTE: "#6b7a00",
        BlockKind.NOTE: "#6b7a00",
        BlockKind.PAGE_HEADER: "#999999",
        BlockKind.PAGE_FOOTER: "#999999",
    }
)
STYLE = """
:root{color-scheme:light}*{box-sizing:border-box}
body{font:15px/1.5 system-ui,sans-serif;margin:0;color:#1d1d1f;background:#f3f3f5}
header{padding:14px 24px;background:#fff;border-bottom:1px solid #ddd}
h1{font-size:20px;line-height:1.25;margin:0 0 4px}.meta{color:#666;font-size:13px}.issue{color:#b3261e}
.legend{margin-top:6px;font-size:12px;color:#444}
.legend span{margin-right:14px;white-space:nowrap}
.legend i{display:inline-block;width:9px;height:9px;border-radius:2px;background:var(--c);margin-right:5px}
.all{display:flex;align-items:flex-start}
nav{position:sticky;top:0;flex:0 0 250px;max-height:100vh;overflow:auto;padding:16px 8px 16px 24px;font-size:13px}
nav a{display:block;color:#333;text-decoration:none;padding:2px 6px;border-radius:4px;overflow:hidden;
text-overflow:ellipsis;white-space:nowrap}nav a:hover{background:#e4e4ea}
main{flex:1;min-width:0}
.page{display:flex;gap:22px;padding:14px 24px 22px;align-items:flex-start;border-bottom:1px solid #ddd}
.sheet{position:sticky;top:10px;flex:0 0 48%;background:#fff;box-shadow:0 1px 4px #0003}
.sheet img{display:block;width:100%}
.box{position:absolute;border:1.5px solid var(--c);border-radius:3px;cursor:pointer;box-sizing:content-box;
margin:-4px;padding:2.5px;
background:color-mix(in srgb,var(--c) 8%,transparent)}
.box:hover,.box.on{background:color-mix(in srgb,var(--c) 26%,transparent)}
.blocks{flex:1;min-width:0}.block:not(.table){max-width:62em}.blocks>.meta{margin-bottom:6px}
.block{position:relative;border-left:3px solid var(--c);background:#fff;margin:0 0 5px;padding:4px 12px;
overflow-wrap:anywhere;white-space:pre-wrap;scroll-margin:80px}
.block.on{outline:2px solid var(--c)}
.kind{position:absolute;right:0;top:0;font:11px/1.6 system-ui,sans-serif;color:#fff;background:var(--c);padding:0 6px;
opacity:0;pointer-events:none}.block:hover>.kind,.block.on>.kind{opacity:1}
.title{font-size:22px;font-weight:650;line-height:1.25}.heading{font-weight:650;margin-top:12px}
.h1{font-size:19px}.h2{font-size:17px}.h3{font-size:16px}
.code{font:13px/1.45 ui-monospace,monospace}
.caption,.footnote,.note,.page_header,.page_footer{font-size:13px;color:#555}
.table{overflow-x:auto}table{border-collapse:collapse;white-space:normal;font-size:13px;margin:3px 0}
td,th{border:1px solid #ccc;padding:2px 7px;overflow-wrap:normal;vertical-align:top;text-align:left}
td{white-space:pre-line}
th{background:#f0ecf8}caption{text-align:left;color:#666;padding-bottom:3px}
.block img{max-width:100%;max-height:420px}.block details{color:#555;font-size:13px}
@media(max-width:1100px){nav{display:none}}@media(max-width:760px){.page{display:block}.sheet{position:relative}}
"""
SCRIPT = """
for(const e of document.querySelectorAll('[data-b]')){
const all=()=>document.querySelectorAll('[data-b="'+e.dataset.b+'"]');
e.onmouseenter=()=>all().forEach(x=>x.classList.add('on'));
e.onmouseleave=()=>all().forEach(x=>x.classList.remove('on'));
if(e.classList.contains('box'))e.onclick=()=>document.querySelector('.block[data-b="'+e.dataset.b+'"]')
?.scrollIntoView({behavior:'smooth',block:'center'});}
"""
_MOST_PAGES = 200
"""Drawn pages; 200 are some 20 MB in the browser."""
_MOST_ENTRIES = 400
"""Headings in the list beside the page; a longer list helps nobody."""


def to_html(parsed: Parsed, path: Path, settings: ParseSettings | None = None) -> str:
    """Return a page that shows `parsed`, made of the file at `path`: boxes over the pages, kind and text beside.

    Pages of PDF files and pictures are drawn, those of other formats only listed; `settings` has the passwords.
    """
    document = parsed.document
    title = document.title if document else path.name
    body = _document(parsed, document, path, settings or ParseSettings()) if document else ""
    return (
        f'<!DOCTYPE html><html lang="{escape(document.language) if document else ""}"><head><meta charset="utf-8">'
        f"{content_security_policy(STYLE, [SCRIPT], placed=True)}<title>{escape(title)}</title>"
        f"<style>{STYLE}</style></head><body>"
        f"<header><h1>{escape(title)}</h1>{_summary(parsed)}</header>{body}<script>{SCRIPT}</script></body></html>"
    )


def _summary(parsed: Parsed) -> str:
    document = parsed.document
    facts = [parsed.status.value, parsed.reason]
    if document is not None:
        format = PurePosixPath(document.source.name).suffix.lstrip(".").upper() or document.source.media_type
        facts += [format, f"read by {document.engine}", document.language]
        counted = (("blocks", document.blocks), ("tables", document.tables), ("figures", document.figures))
        facts += [f"{len(things)} {name if len(things) != 1 else name[:-1]}" for name, things in counted]
        facts += list(document.notes)
    legend = _legend(document) if document is not None else ""
    return f'<div class="meta">{escape(" · ".join(fact for fact in facts if fact))}</div>{legend}'


def _legend(document: Document) -> str:
    """Return the colours of the kinds that the document has, the commonest first, with how often."""
    counted = Counter(block.kind for block in (*document.blocks, *document.furniture))
    entries = "".join(
        f'<span style="--c:{COLOURS[kind]}"><i></i>{_name(kind)} {count}</span>'
        for kind, count in counted.most_common()
    )
    return f'<div class="legend">{entries}</div>'


def _name(kind: BlockKind) -> str:
    return kind.value.replace("_", " ")


def _outline(document: Document) -> str:
    """Return the list of headings, each leading to its block; nothing for fewer than three."""
    kinds = (BlockKind.TITLE, BlockKind.HEADING)
    headings = [(place, block) for place, block in enumerate(document.blocks) if block.kind in kinds][:_MOST_ENTRIES]
    entries = "".join(
        # Pixels of indent; the first 120 characters of a heading tell which it is.
        f'<a href="#b{place}" style="padding-left:{6 + 12 * max(0, block.level - 1)}px">{escape(block.text[:120])}</a>'
        for place, block in headings
    )
    return f"<nav>{entries}</nav>" if len(headings) > 2 else ""


def _document(parsed: Parsed, document: Document, path: Path, settings: ParseSettings) -> str:
    pictures = {picture.digest: picture for picture in parsed.pictures}
    draw = _drawer(document, path, settings)
    numbers = dict.fromkeys(block.provenance.page for block in (*document.blocks, *document.furniture))
    numbers |= dict.fromkeys(page.number for page in document.pages)
    ordered = sorted(numbers, key=lambda number: (number is None, number or 0))
    pages = "".join(_page(document, number, draw, pictures) for number in ordered)
    return f'<div class="all">{_outline(document)}<main>{pages}</main></div>'


def _page(document: Document, number: int | None, draw: Callable[[int], bytes], pictures: dict[str, Picture]) -> str:
    blocks = [(place, block) for place, block in enumerate(document.blocks) if block.provenance.page == number]
    aside = [(-1 - place, block) for place, block in enumerate(document.furniture) if block.provenance.page == number]
    image = draw(number) if number is not None and number <= _MOST_PAGES else b""
    sheet = _sheet(number or 0, image, list(enumerate(document.blocks)) + aside) if image else ""
    shown = {} if image and document.source.media_type.startswith("image/") else pictures
    listed = "".join(_block(place, block, shown) for place, block in blocks + aside)
    return f'<section class="page">{sheet}<div class="blocks">{_page_title(document, number)}{listed}</div></section>'


def _page_title(document: Document, number: int | None) -> str:
    page = next((page for page in document.pages if page.number == number), None)
    if page is None:
        return ""
    label = f" ({escape(page.label)})" if page.label else ""
    issue = f' <span class="issue">{escape(page.issue)}</span>' if page.issue else ""
    source = "" if page.text_source == "native" else f", text: {escape(page.text_source)}"
    return f'<div class="meta">page {page.number}{label}{source}{issue}</div>'


def _sheet(number: int, image: bytes, blocks: list[tuple[int, Block]]) -> str:
    source = base64.b64encode(image).decode()
    boxes = "".join(
        _box(place, block, box.left, box.top, box.right, box.bottom)
        for place, block in blocks
        for box in block.provenance.boxes
        if box.page == number
    )
    return f'<div class="sheet"><img alt="page {number}" src="data:image/png;base64,{source}">{boxes}</div>'


def _box(place: int, block: Block, left: float, top: float, right: float, bottom: float) -> str:
    # 600 characters: as much as a tool tip shows.
    tip = escape(f"{block.kind.value}: {block.text[:600]}", quote=True)
    area = f"left:{left:.2%};top:{top:.2%};width:{right - left:.2%};height:{bottom - top:.2%}"
    return f'<div class="box" data-b="{place}" title="{tip}" style="--c:{COLOURS[block.kind]};{area}"></div>'


def _block(place: int, block: Block, pictures: dict[str, Picture]) -> str:
    content = _content(block, pictures)
    if not content:  # a figure without words, which the picture of the page shows
        return ""
    name = _name(block.kind) + (f" {block.level}" if block.level else "")
    kind = block.kind.value + (f" h{block.level}" if block.kind is BlockKind.HEADING else "")
    # Pixels for each level.
    indent = f"margin-left:{20 * (block.level - 1)}px;" if block.kind is BlockKind.LIST_ITEM else ""
    return (
        f'<div class="block {kind}" id="b{place}" data-b="{place}" style="--c:{COLOURS[block.kind]};{indent}">'
        f'<span class="kind">{name}</span>{content}</div>'
    )


def _content(block: Block, pictures: dict[str, Picture]) -> str:
    if block.table is not None:
        return block.table.to_html()
    picture = pictures.get(block.figure.digest) if block.figure is not None else None
    if picture is None or not picture.media_type.startswith("image/"):
        return escape(block.text)
    data = base64.b64encode(picture.data).decode()
    image = f'<img alt="" src="data:{escape(picture.media_type, quote=True)};base64,{data}">'
    words = f"<details><summary>text in the picture</summary>{escape(block.text)}</details>" if block.text else ""
    return image + words


def _drawer(document: Document, path: Path, settings: ParseSettings) -> Callable[[int], bytes]:
    """Return what draws a page as PNG; nothing for formats that have no pages to look at."""
    source = document.source
    return lambda number: draw_page(path, source.media_type, number, settings.passwords_for(source.uri))
