"""OpenDocument files (OpenDocument 1.3, part 2): parts, metadata, and styles of paragraphs and lists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pipelines.core.document import Source
from pipelines.core.errors import Encrypted, Malformed
from pipelines.parse.lookalikes import Look, Lookalikes
from pipelines.parse.office.characters import numeral
from pipelines.parse.office.ooxml import Element, local, parse_xml, read_xml
from pipelines.parse.office.package import Package
from pipelines.parse.reader import FileFormat, FileSample, signed
from pipelines.parse.settings import UNPROTECTED_HINT, ParseSettings

_ODF = "urn:oasis:names:tc:opendocument:xmlns:"
NAMESPACES = {
    "office": _ODF + "office:1.0",
    "text": _ODF + "text:1.0",
    "table": _ODF + "table:1.0",
    "draw": _ODF + "drawing:1.0",
    "style": _ODF + "style:1.0",
    "svg": _ODF + "svg-compatible:1.0",
    "fo": _ODF + "xsl-fo-compatible:1.0",
    "presentation": _ODF + "presentation:1.0",
    "chart": _ODF + "chart:1.0",
    "xlink": "http://www.w3.org/1999/xlink",
    "dc": "http://purl.org/dc/elements/1.1/",
    "math": "http://www.w3.org/1998/Math/MathML",
}
_MANIFEST = "META-INF/manifest.xml"
_NAMES = {
    "title": "title",
    "initial-creator": "author",
    "creator": "modified_by",
    "subject": "subject",
    "description": "description",
    "keyword": "keywords",
    "creation-date": "created",
    "date": "modified",
    "language": "language",
    "generator": "application",
}


def qualified(name: str) -> str:
    """Return a name such as "text:p" in the notation of lxml, "{namespace}p"."""
    prefix, _, local = name.partition(":")
    return f"{{{NAMESPACES[prefix]}}}{local}"


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """An OpenDocument file; `styles` is the root of its styles part, or of the content if there is no such part."""

    package: Package
    body: Element
    content: Element
    styles: Element
    metadata: dict[str, str]


_FLAT_TYPE = "-flat-xml"
_BODIES = {"graphics": "drawing"}
"""Names of the element with the content that differ from the name of the type."""
_FLAT = re.compile(r"<office:document\s[^<>]*office:mimetype=[\"']([\w./-]{1,100})[\"']")


def formats_of(kind: str, suffix: str) -> tuple[FileFormat, FileFormat]:
    """Return the formats of a kind ("text", "spreadsheet", "presentation"): zipped, and flat (a single XML file)."""
    media_type, flat = f"application/vnd.oasis.opendocument.{kind}", f".f{suffix.removeprefix('.')}"

    def is_flat(sample: FileSample) -> bool:
        found = _FLAT.search(sample.text)
        return found is not None and found[1] == media_type

    return signed(media_type, suffix), FileFormat(media_type + _FLAT_TYPE, (flat,), sniff=is_flat, also=(".xml",))


class _FlatFile(Package):
    """A flat file: it has no parts."""

    def __init__(self, uri: str) -> None:
        self.uri, self._members, self.damaged = uri, {}, []


@contextmanager
def open_document(path: Path, source: Source, settings: ParseSettings) -> Iterator[OpenDocument]:
    """Yield a file, zipped or flat. Raises `Encrypted` if it has a password, `Malformed` if the content is missing."""
    if source.media_type.endswith(_FLAT_TYPE):
        root = parse_xml(path.read_bytes(), source.uri)
        yield _from_roots(_FlatFile(source.uri), source, root, root, root.find(qualified("office:meta")))
        return
    with Package(path, source.uri, settings) as package:
        if b"encryption-data" in package.find(_MANIFEST):
            raise Encrypted("the document is protected by a password", ids=(package.uri,), hint=UNPROTECTED_HINT)
        content = parse_xml(package.read("content.xml"), package.uri, "content.xml")
        styles = read_xml(package, "styles.xml")
        yield _from_roots(
            package, source, content, content if styles is None else styles, read_xml(package, "meta.xml")
        )


def _from_roots(
    package: Package, source: Source, content: Element, styles: Element, metadata: Element | None
) -> OpenDocument:
    kind = source.media_type.removesuffix(_FLAT_TYPE).rpartition(".")[2]
    body = next(content.iter(qualified(f"office:{_BODIES.get(kind, kind)}")), None)
    if body is None:
        raise Malformed(f"the content has no {kind}", ids=(source.uri,))
    return OpenDocument(package, body, content, styles, _metadata(metadata))


def _metadata(root: Element | None) -> dict[str, str]:
    found: dict[str, str] = {}
    for element in root.iter() if root is not None else ():
        name, text = _NAMES.get(local(element), ""), (element.text or "").strip()
        if name and text:
            found[name] = f"{found[name]}, {text}" if name == "keywords" and name in found else text
    found.setdefault("author", found.get("modified_by", ""))
    return found


_FORMS = {"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
LEVELS = 10
"""Levels of headings and lists in LibreOffice."""
_DEFAULT_SIZE = 12.0
"""Points: the default of LibreOffice."""
_MOST_BASE_STYLES = 20
"""Maximum styles based on one another; a longer chain is a cycle."""
_HEADING = re.compile(r"heading (\d{1,2})", re.IGNORECASE)
_CODE = re.compile(r"preformatted|source|code", re.IGNORECASE)
_STYLE, _SPAN = qualified("text:style-name"), qualified("text:span")


@dataclass(frozen=True, slots=True)
class _Style:
    name: str
    parent: str
    outline: int
    bold: bool | None = None
    size: float = 0.0


@dataclass(frozen=True, slots=True)
class ListLevel:
    """The numbering of a list level; `form` is a notation, or empty for bullets and levels without a number."""

    form: str = ""
    before: str = ""
    after: str = ""
    start: int = 1
    shown: int = 1
    """Number of levels that are displayed: 2 for "2.1"."""


class OdfStyles:
    """The styles of a document by name, including automatic ones."""

    def __init__(self, *roots: Element) -> None:
        self._styles: dict[str, _Style] = {}
        self._lists: dict[str, list[ListLevel]] = {}
        self.hidden_tables: set[str] = set()
        self.outline: list[ListLevel] = []
        for root in roots:
            self._load(root)

    def _load(self, root: Element) -> None:
        for style in root.iter(qualified("style:style")):
            name = style.get(qualified("style:name"), "")
            self._styles[name] = _Style(
                style.get(qualified("style:display-name")) or name,
                style.get(qualified("style:parent-style-name"), ""),
                _number(style.get(qualified("style:default-outline-level")), 0),
                *_weight_and_size(style),
            )
            self._hide(style, name)
        for levels in root.iter(qualified("text:list-style")):
            self._lists[levels.get(qualified("style:name"), "")] = _levels(levels)
        for levels in root.iter(qualified("text:outline-style")):
            self.outline = _levels(levels)

    def _hide(self, style: Element, name: str) -> None:
        properties = style.find(qualified("style:table-properties"))
        if properties is not None and properties.get(qualified("table:display")) == "false":
            self.hidden_tables.add(name)

    def is_title(self, name: str) -> bool:
        return any(style.name.strip().lower() in ("title", "titel", "titre") for style in self._chain(name))

    def is_code(self, name: str) -> bool:
        return any(_CODE.search(style.name) for style in self._chain(name))

    def is_caption(self, name: str) -> bool:
        """Whether a style is "Caption", or derived from it ("Illustration", "Table")."""
        return any(style.name.strip().lower() == "caption" for style in self._chain(name))

    def heading_level(self, name: str) -> int:
        """Return the outline level of a style, own or inherited, 0 if it has none.

        Without a level, it is that of the built-in style "Heading 2", which files name in English in any language.
        """
        return next((level for style in self._chain(name) if (level := style.outline or _named_level(style.name))), 0)

    def look(self, *names: str) -> Look:
        """Return the type size and weight of text in nested styles, given from the innermost."""
        chain = [style for name in names for style in self._chain(name)]
        bold = next((style.bold for style in chain if style.bold is not None), False)
        return Look(next((style.size for style in chain if style.size), _DEFAULT_SIZE), bold)

    def level(self, list_style: str, depth: int) -> ListLevel:
        """Return the numbering of a list at `depth`, from 1."""
        levels = self._lists.get(list_style, [])
        return levels[depth - 1] if 0 < depth <= len(levels) else ListLevel()

    def _chain(self, name: str) -> Iterator[_Style]:
        for _ in range(_MOST_BASE_STYLES):
            style = self._styles.get(name)
            if style is None:
                if name:
                    yield _Style(name.replace("_20_", " "), "", 0)
                return
            yield style
            name = style.parent


def marker(levels: list[ListLevel], counts: list[int], depth: int) -> str:
    """Return the displayed number of an item ("2.1."), empty for a bullet; `counts` are by level, outermost first."""
    level = levels[depth - 1] if depth <= len(levels) else ListLevel()
    if not level.form:
        return ""
    first = max(0, depth - level.shown)
    numbers = [
        numeral(counts[at], levels[at].form or "decimal") for at in range(first, depth) if counts[at] or at == depth - 1
    ]
    return f"{level.before}{'.'.join(numbers)}{level.after}".strip()


def _named_level(style: str) -> int:
    match = _HEADING.fullmatch(style.strip())
    return int(match[1]) if match else 0


def _weight_and_size(style: Element) -> tuple[bool | None, float]:
    """Return whether a style is bold (None if it does not say) and its size in points (0 if it sets none)."""
    properties = style.find(qualified("style:text-properties"))
    if properties is None:
        return None, 0.0
    weight, size = (properties.get(qualified(f"fo:{name}"), "") for name in ("font-weight", "font-size"))
    points = size.removesuffix("pt")
    # 600 is semi-bold (CSS Fonts 3, 3.2).
    bold = weight == "bold" or (weight.isdigit() and int(weight) >= 600) if weight else None
    return bold, float(points) if size.endswith("pt") and points.replace(".", "", 1).isdigit() else 0.0


def _levels(element: Element) -> list[ListLevel]:
    levels = [ListLevel() for _ in range(LEVELS)]
    for item in element:
        at = _number(item.get(qualified("text:level")), 0)
        if 0 < at <= LEVELS and local(item) in ("list-level-style-number", "outline-level-style"):
            levels[at - 1] = ListLevel(
                _FORMS.get(item.get(qualified("style:num-format"), ""), ""),
                item.get(qualified("style:num-prefix"), ""),
                item.get(qualified("style:num-suffix"), ""),
                _number(item.get(qualified("text:start-value")), 1),
                _number(item.get(qualified("text:display-levels")), 1),
            )
    return levels


def _number(text: str | None, default: int) -> int:
    # No list has numbers of more than six digits.
    return int(text) if text is not None and text.isdigit() and len(text) < 7 else default


class OdfLooks(Lookalikes):
    """Collects the paragraphs of the body text until one of them has a heading style."""

    def __init__(self, styles: OdfStyles) -> None:
        super().__init__()
        self._styles = styles

    def see(self, paragraph: Element, style: str, text: str, position: int) -> None:
        """Record a paragraph, which is the piece at `position`; those in frames, notes and lists are ignored."""
        parent = paragraph.getparent()
        if not self.told and parent is not None and local(parent) in ("text", "section"):
            self.add(position, text, self._look(paragraph, style))

    def _look(self, paragraph: Element, style: str) -> Look:
        spans = [span.get(_STYLE, "") for span in paragraph.iter(_SPAN) if (span.text or "").strip()]
        bare = [paragraph.text, *(child.tail for child in paragraph)]
        looks = [self._styles.look(span, style) for span in spans]
        if not spans or any((text or "").strip() for text in bare):
            looks.append(self._styles.look(style))
        return Look(max(look.size for look in looks), all(look.bold for look in looks))
