"""How the page of a parsed file looks: colours by kind of block, style sheet, and what follows the pointer."""

from __future__ import annotations

from types import MappingProxyType

from pipelines.core.document import BlockKind

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
