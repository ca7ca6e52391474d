"""reStructuredText, read by way of its HTML. The only user of docutils."""

from __future__ import annotations

import re
from pathlib import Path

from pipelines.core.document import Source
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.decode import decode
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import FileFormat
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.dom import parse_html_text
from pipelines.parse.web.walk import Walker

_SIGN = re.compile(r"^\.\. (?:[a-z-]+::|_[^:\n]+:)", re.MULTILINE)
# A document must not make us read other files, fetch anything, run code or stop at its mistakes.
_SETTINGS = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "_disable_config": True,
    "report_level": 5,
    "halt_level": 5,
    "doctitle_xform": False,
    "initial_header_level": 1,
    "embed_stylesheet": False,
    "stylesheet_path": "",
    "syntax_highlight": "none",
    "math_output": "LaTeX",
    "smart_quotes": False,
    "line_length_limit": 1_000_000,
    "traceback": True,
}
_CODE_DIRECTIVE = re.compile(r"^([ \t]*)\.\. (?:code-block|sourcecode|highlight|literalinclude)::", re.MULTILINE)
_ROLE = re.compile(
    r":(?:ref|doc|term|class|func|meth|mod|py:\w+|file|guilabel|menuselection|kbd|abbr|numref):`([^`<]*+)[^`]*`"
)
_UNKNOWN_DIRECTIVE = re.compile(
    r"^([ \t]*)\.\. (?:toctree|versionadded|versionchanged|deprecated|seealso|only|index|automodule|autoclass|tabs?"
    r"|item|mermaid|graphviz|plantuml|glossary|rst-class|tabularcolumns)::[ \t]*+(.*+)\n(?:[ \t]+:[\w-]+:.*\n)*",
    re.MULTILINE,
)


class RstReader:
    """Reads reStructuredText; directives that only Sphinx knows keep their text."""

    formats = (
        FileFormat(
            "text/x-rst", (".rst", ".rest"), guess=lambda sample: bool(_SIGN.search(sample.text)), also=(".txt",)
        ),
    )
    name = "rst"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        builder = DocumentBuilder(source, settings, self.name)
        html = _to_html(_plain_directives(decode(path.read_bytes()).text))
        Walker(builder, furniture=False).walk(parse_html_text(html, source.uri))
        return builder.build()


def _to_html(text: str) -> str:
    from docutils.core import publish_parts

    parts = publish_parts(text, writer="html5", settings_overrides=_SETTINGS)
    return str(parts["html_body"])


def _plain_directives(text: str) -> str:
    """Turn what docutils does not know into what it does: a box of code, a box of text, a word in its quotes."""
    text = _CODE_DIRECTIVE.sub(r"\1.. code::", text)
    text = _ROLE.sub(r"\1", text)
    return _UNKNOWN_DIRECTIVE.sub(r"\1\2", text)
