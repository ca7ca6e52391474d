"""AsciiDoc (as defined by Asciidoctor, and AsciiDoc.py before it), converted to HTML and read as such."""

from __future__ import annotations

import re
from pathlib import Path

from pipelines.core.document import Source
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.decode import decode
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import FileFormat, FileSample
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.asciidoc_blocks import AsciiDocBlocks
from pipelines.parse.web.asciidoc_text import AsciiDocText
from pipelines.parse.web.dom import parse_html_text
from pipelines.parse.web.walk import Walker

_NAMES = (".adoc", ".asciidoc")
_SIGNS = tuple(
    re.compile(sign, re.MULTILINE)
    for sign in (
        r"^={1,6} [^\s=]",
        r"^\[\[[\w:.-]++\]\]$",
        r"^\[(?:source|listing|verse|quote|cols|options|width|NOTE|TIP|WARNING|IMPORTANT|CAUTION)\b[^\[\]\n]*+\]$",
        r"^\|={3,}$",
        r"^[^\s.](?:[^:\n]|:(?!:\n))*+::\n[ \t]+\S",
        r"^(?:include|image|ifdef|ifndef)::[^\s\[]++\[",
        r"(?<![\w:/])(?:link|xref|footnote):[^\s\[\]:]*+\[",
        r"<<[\w:.-]++(?:,[^<>\n]*+)?>>",
    )
)
_LEAST_SIGNS = 2
"""Number of different signs that identify AsciiDoc: single ones occur in other texts too."""


class AsciiDocReader:
    """Reads AsciiDoc: sections, lists, examples, tables; an include is a reference."""

    formats = (
        FileFormat(
            "text/asciidoc",
            (*_NAMES, ".asc"),
            sniff=lambda sample: sample.is_text and _is_named(sample),
            guess=lambda sample: _shows_signs(sample.text),
            also=(".txt",),
        ),
    )
    name = "asciidoc"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        builder = DocumentBuilder(source, settings, self.name)
        lines = decode(path.read_bytes()).text.splitlines()
        html = AsciiDocBlocks(AsciiDocText(), builder.meta).html(lines)
        Walker(builder, furniture=False).walk(parse_html_text(html, source.uri))
        return builder.build()


def _is_named(sample: FileSample) -> bool:
    """Whether the file name is that of AsciiDoc; keys and signatures have the suffix .asc too."""
    return sample.suffix in _NAMES or (sample.suffix == ".asc" and _shows_signs(sample.text))


def _shows_signs(text: str) -> bool:
    return sum(sign.search(text) is not None for sign in _SIGNS) >= _LEAST_SIGNS
