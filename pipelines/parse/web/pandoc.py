"""Markup languages of the few by way of pandoc, which makes HTML of them: LaTeX, MediaWiki, Textile, Typst and more.

pandoc is the extra `pandoc` (160 MB), or one on the PATH. Without it such files are read as plain text and are PARTIAL,
so that the next ingest that finds one reads them again.
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

# It may read no other file and fetch nothing; formulas keep their TeX, lines their length.
_OPTIONS = ("--sandbox", "--standalone", "--to=html5", "--mathml", "--wrap=none")
_HEAP = 4
"""Part of `limits.memory_mb` that pandoc may fill; a book takes a tenth of that."""
_LATEX = re.compile(r"\A(?>\s+|%[^\n]*)*+\\(?:documentclass|documentstyle|RequirePackage|PassOptionsToPackage)\b")
_TEMPLATE = re.compile(r"\{\{([^{}]*)\}\}")
_GIVEN = re.compile(r"(?:\[\[[^\[\]]*+\]\]|[^|])++")
"""What stands between bars; the bar of a link belongs to the link."""
_NESTED = 10
"""Templates within one another; MediaWiki's own pages seldom go beyond five."""
_WARNING = re.compile(r"^\[WARNING\] (.+)$", re.MULTILINE)


def _is_latex(sample: FileSample) -> bool:
    return _LATEX.search(sample.text) is not None


class PandocReader:
    """Reads what pandoc turns into HTML, as a page of it."""

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
    """How pandoc calls a format: as its media type ends."""
    name = media_type.removeprefix("text/").removeprefix("x-").removeprefix("vnd.")
    return "latex" if name == "tex" else name


def _to_html(text: str, language: str, builder: DocumentBuilder) -> Element:
    """Return a text as a page of HTML; what pandoc says that it left out is remarked.

    Raises `MissingExtra`, `TooLarge` out of time, and `Malformed` for what it cannot read or makes nothing of.
    """
    clock, megabytes, uri = current_task().clock, builder.settings.limits.memory_mb // _HEAP, builder.source.uri
    command = [_program(), "+RTS", f"-M{megabytes}m", "-RTS", f"--from={language}", *_OPTIONS]
    command = within_seconds(command, READING * clock.limit_s - clock.spent)
    text = _with_templates(text) if language == "mediawiki" else text
    done = subprocess.run(command, input=text.encode("utf-8", "replace"), capture_output=True, check=False)
    said = done.stderr.decode("utf-8", "replace")
    if done.returncode in OUT_OF_TIME:
        raise TooLarge(f"pandoc took {clock.reason}", ids=(uri,))
    root = parse_html_text(done.stdout.decode("utf-8"), uri)
    if done.returncode or not text_of(root.find("body")):
        raise Malformed(f"pandoc cannot read it: {' '.join(said.split()) or 'no text'}", ids=(uri,))
    for warning in dict.fromkeys(_WARNING.findall(said)):
        builder.remark(warning)
    return root


def _with_templates(text: str) -> str:
    """Keep what MediaWiki's templates are given, the innermost first: pandoc drops them whole."""
    for _ in range(_NESTED):
        text, found = _TEMPLATE.subn(lambda match: _given(match[1]), text)
        if not found:
            break
    return text


def _given(inside: str) -> str:
    values = [part.partition("=") for part in _GIVEN.findall(inside)[1:]]
    told = [f"{name.strip()}: {value.strip()}" if sign else name.strip() for name, sign, value in values]
    return ", ".join(told)


def _program() -> str:
    """Return the path of pandoc: the extra's, else the one on the PATH. Raises `MissingExtra`."""
    try:
        from pypandoc import get_pandoc_path

        return str(get_pandoc_path())
    except (ImportError, OSError) as error:
        if (found := shutil.which("pandoc")) is not None:
            return found
        raise MissingExtra("pandoc", "reading its marks") from error


def _append_title(root: Element, builder: DocumentBuilder) -> bool:
    """Append the title that the text declares, which pandoc sets above everything; whether there is one."""
    titles = [one for one in root.iter("h1") if one.get("class") == "title"]
    for title in titles:
        builder.title(" ".join("".join(title.itertext()).split()))
        title.drop_tree()
    return bool(titles)
