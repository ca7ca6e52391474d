"""Less common markup languages, converted to HTML by pandoc: LaTeX, MediaWiki, Textile, Typst and more.

pandoc is the extra `pandoc` (160 MB), or a program on the PATH. Without it, these files are read as plain text with the
status PARTIAL, so that they are read again when pandoc is available.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

from pipelines.core.document import Source
from pipelines.core.errors import Malformed, MissingExtra, TooLarge
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.decode import decode
from pipelines.parse.limits import OUT_OF_TIME, READING, current_task, within_seconds
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import FileFormat, FileSample
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.dom import Element, parse_html_text, text_of
from pipelines.parse.web.markup import read_meta
from pipelines.parse.web.text import append_text
from pipelines.parse.web.walk import Walker

# pandoc must not read other files or fetch anything; formulas are kept as TeX, lines are not wrapped.
_OPTIONS = ("--sandbox", "--standalone", "--to=html5", "--mathml", "--wrap=none")
_HEAP = 4
"""Divisor of `limits.memory_mb` for the memory of pandoc; a book takes a tenth of that."""
_LATEX = re.compile(r"\A(?>\s+|%[^\n]*)*+\\(?:documentclass|documentstyle|RequirePackage|PassOptionsToPackage)\b")
_TEMPLATE = re.compile(r"\{\{([^{}]*)\}\}")
_ARGUMENT = re.compile(r"(?:\[\[[^\[\]]*+\]\]|[^|])++")
"""An argument of a template, between bars; the bar within a link is part of the link."""
_NESTED = 10
"""Maximum depth of nested templates; MediaWiki's own pages rarely exceed five."""
_WARNING = re.compile(r"^\[WARNING\] (.+)$", re.MULTILINE)


def _is_latex(sample: FileSample) -> bool:
    return _LATEX.search(sample.text) is not None


class PandocReader:
    """Reads the HTML that pandoc produces."""

    formats = (
        FileFormat("text/x-tex", (".tex", ".latex", ".ltx"), guess=_is_latex, also=(".txt",)),
        FileFormat("text/vnd.typst", (".typ",)),
        FileFormat("text/x-mediawiki", (".mediawiki", ".wiki", ".wikitext")),
        FileFormat("text/x-dokuwiki", (".dokuwiki",)),
        FileFormat("text/x-tikiwiki", (".tikiwiki",)),
        FileFormat("text/x-twiki", (".twiki",)),
        FileFormat("text/x-vimwiki", (".vimwiki",)),
        FileFormat("text/x-jira", (".jira", ".confluence")),
        FileFormat("text/x-creole", (".creole",)),
        FileFormat("text/x-textile", (".textile",)),
        FileFormat("text/x-t2t", (".t2t",)),
        FileFormat("text/x-muse", (".muse",)),
        FileFormat("text/x-djot", (".djot", ".dj")),
        FileFormat("text/x-pod", (".pod",)),
    )
    name = "pandoc"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        text = decode(path.read_bytes()).text
        builder = DocumentBuilder(source, settings, self.name)
        try:
            root = _to_html(text, _language(source.media_type), builder)
        except (MissingExtra, Malformed) as error:
            builder.left_out("markup", issue=f"read as plain text: {error.message} {error.hint}".strip())
            append_text(text, builder)
            return replace(builder.build(), again=isinstance(error, MissingExtra))
        read_meta(root, builder)
        for mark in root.iterfind(".//span[@data-cites]"):
            mark.text = "".join(mark.itertext()) or f"[{mark.get('data-cites')}]"
        Walker(builder, titled=not _append_title(root, builder), furniture=False).walk(root)
        return builder.build()


def _language(media_type: str) -> str:
    """Return pandoc's name for a media type."""
    name = media_type.removeprefix("text/").removeprefix("x-").removeprefix("vnd.")
    return "latex" if name == "tex" else name


def _to_html(text: str, language: str, builder: DocumentBuilder) -> Element:
    """Return a text as HTML; pandoc's warnings about omitted content become notes.

    Raises `MissingExtra`, `TooLarge` if the time is up, and `Malformed` if pandoc fails or returns no text.
    """
    clock, megabytes, uri = current_task().clock, builder.settings.limits.memory_mb // _HEAP, builder.source.uri
    command = [_program(), "+RTS", f"-M{megabytes}m", "-RTS", f"--from={language}", *_OPTIONS]
    command = within_seconds(command, READING * clock.limit_s - clock.spent)
    text = _with_templates(text) if language == "mediawiki" else text
    done = subprocess.run(command, input=text.encode("utf-8", "replace"), capture_output=True, check=False)
    messages = done.stderr.decode("utf-8", "replace")
    if done.returncode in OUT_OF_TIME:
        raise TooLarge(f"pandoc took {clock.reason}", ids=(uri,))
    root = parse_html_text(done.stdout.decode("utf-8"), uri)
    if done.returncode or not text_of(root.find("body")):
        raise Malformed(f"pandoc cannot read it: {' '.join(messages.split()) or 'no text'}", ids=(uri,))
    for warning in dict.fromkeys(_WARNING.findall(messages)):
        builder.remark(warning)
    return root


def _with_templates(text: str) -> str:
    """Replace MediaWiki's templates, innermost first, by their arguments: pandoc would drop both."""
    for _ in range(_NESTED):
        text, found = _TEMPLATE.subn(lambda match: _arguments(match[1]), text)
        if not found:
            break
    return text


def _arguments(inside: str) -> str:
    values = [part.partition("=") for part in _ARGUMENT.findall(inside)[1:]]
    return ", ".join(f"{name.strip()}: {value.strip()}" if sign else name.strip() for name, sign, value in values)


def _program() -> str:
    """Return the path of pandoc, from the extra or else the PATH. Raises `MissingExtra`."""
    try:
        from pypandoc import get_pandoc_path

        return str(get_pandoc_path())
    except (ImportError, OSError) as error:
        if (found := shutil.which("pandoc")) is not None:
            return found
        raise MissingExtra("pandoc", "reading its marks") from error


def _append_title(root: Element, builder: DocumentBuilder) -> bool:
    """Append the declared title, which pandoc puts above the text; return whether there is one."""
    titles = [one for one in root.iter("h1") if one.get("class") == "title"]
    for title in titles:
        builder.title(text_of(title))
        title.drop_tree()
    return bool(titles)
