"""The styles for printing with `benchmarks.make_prints`: tables as in books, standards and data sheets."""

from __future__ import annotations

_PAGE = """
@page { size: A4; margin: 22mm 20mm; @bottom-center { content: counter(page); font: 9pt serif } }
body { font: 10.5pt/1.35 "Liberation Serif"; margin: 0 }
p, ul, dl, pre, table { margin: 0 0 6pt } dt { font-weight: normal } dd { margin-left: 20pt }
table { border-collapse: collapse; font-size: 92% } td, th { padding: 2.5pt 6pt; vertical-align: top; text-align: left }
pre { font: 8.5pt "Liberation Mono"; white-space: pre-wrap } .caption { font-style: italic }
h1 { font-size: 20pt } h2 { font-size: 16pt } h3 { font-size: 13.5pt } h4 { font-size: 12pt } h5, h6 { font-size: 11pt }
h1, h2, h3, h4, h5, h6 { margin: 10pt 0 5pt; break-after: avoid }
"""

STYLES = {
    "grid": _PAGE + "td, th { border: .75pt solid #444 }",
    "rules": _PAGE + "td, th { border-bottom: .5pt solid #999 } table { border-top: 1pt solid #000; width: 100% }",
    "book": _PAGE
    + "table { border-top: 1.2pt solid #000; border-bottom: 1.2pt solid #000 }"
    + "tr:first-child > * { border-bottom: .6pt solid #000 }",
    "bare": _PAGE + "td, th { padding: 2pt 12pt 2pt 0 }",
    "light": _PAGE + "th { font-weight: normal; font-style: italic } td, th { padding: 3pt 14pt 3pt 0 }"
    "h1, h2, h3, h4 { font-weight: normal; font-family: 'Liberation Sans' }",
    "centred": _PAGE + "td, th { text-align: center; border-bottom: .4pt solid #bbb } table { margin: auto }",
    "zebra": _PAGE
    + "body { font: 9.5pt/1.4 'Liberation Sans' } tr:nth-child(even) > * { background: #e6ecf3 } table { width: 100% }",
    "bars": _PAGE
    + "body { font: 10pt/1.3 'DejaVu Sans' } th { background: #1f3a5f; color: white } td { border: .4pt solid #ccc }",
    "tiles": _PAGE
    + "table { border-collapse: separate; border-spacing: 1.5pt } td { background: #eee } th { background: #cdb }",
    "columns": _PAGE
    + "body { font: 8.5pt/1.3 'Liberation Serif'; columns: 2; column-gap: 18pt; text-align: justify }"
    + "td, th { border-bottom: .5pt solid #777; padding: 2pt 3pt } h1 { font-size: 15pt } h2 { font-size: 12pt }"
    + "h3 { font-size: 10.5pt } h4 { font-size: 9.5pt }",
    "landscape": _PAGE
    + "@page { size: A4 landscape } body { font: 9.5pt/1.3 'DejaVu Sans' } table { width: 100%; font-size: 88% }"
    + "th { background: #ddd } td, th { border-bottom: .4pt dotted #888 }",
    "sheet": _PAGE
    + "body { font: 8.5pt/1.3 'Liberation Sans' } td, th { border: .5pt solid #667; vertical-align: middle;"
    + " text-align: center } td:first-child { text-align: left } th { background: #d5dce6 } table { width: 100% }",
    "partly": _PAGE
    + "body { font: 9pt/1.35 'Liberation Sans' } td, th { border-bottom: .4pt solid #888; vertical-align: middle }"
    + "table { border-top: 1pt solid #333; width: 100% }",
    "families": _PAGE
    + "td, th { padding: 1.5pt 9pt 1.5pt 0 } th { border-bottom: .8pt solid #000 }"
    + "td[rowspan], td[rowspan] ~ td, td[colspan] { border-top: .5pt solid #333 }",
    "stripes": _PAGE
    + "body { font: 9pt/1.3 'DejaVu Sans' } td, th { padding: 3pt 8pt; vertical-align: middle }"
    + "tr:nth-child(odd) > * { background: #eef2e6 } th, td[rowspan] { background: #fff } table { width: 100% }",
    "open": _PAGE + "td, th { padding: 1.5pt 14pt 1.5pt 0; vertical-align: middle } tr:first-child > * { color: #225 }",
    "uprights": _PAGE
    + "body { font: 9pt/1.3 'Liberation Sans Narrow' } td, th { border-left: .4pt solid #888; vertical-align: middle }"
    + "th { border-bottom: .8pt solid #000 } table { border-bottom: .8pt solid #000 }",
    "shaded": _PAGE
    + "body { font: 9.5pt/1.4 'Liberation Serif' } td[rowspan], td[colspan] { background: #dde } th { color: #036 }"
    + "td, th { padding: 2.5pt 10pt; text-align: center }",
    "dense": _PAGE
    + "body { font: 7.5pt/1.15 'DejaVu Sans Condensed' } td, th { padding: .8pt 4pt; border-bottom: .3pt solid #aaa }"
    + "th { text-align: center; border-bottom: .6pt solid #000 } td + td { text-align: right }",
}
"""Style sheets by name: with and without lines and colours, one and two columns, left-aligned and centred."""
