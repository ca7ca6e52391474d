"""Conversion of a tree of XML elements to blocks; iterative."""

from __future__ import annotations

from lxml import etree

from pipelines.core.document import ReferenceKind
from pipelines.core.table import Cell
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.web.dom import text_of

_TITLES = frozenset({"title", "titel", "heading", "head", "subtitle", "article-title", "refentrytitle"})
_SECTIONS = frozenset(
    "section sect1 sect2 sect3 sect4 sect5 chapter appendix part preface article book sec div body topic concept task"
    " reference glossary bibliography refentry refsection refsect1 refsect2 refsect3 simplesect abschnitt kapitel item"
    " entry channel feed".split()
)
_FRONT = frozenset(
    "info articleinfo bookinfo chapterinfo appendixinfo prefaceinfo partinfo sectioninfo sect1info refentryinfo refmeta"
    " front prolog teiheader".split()
)
"""Elements with information about a text (DocBook 4.5 and 5, Mallard, JATS, DITA, TEI)."""
_ABSTRACTS = frozenset({"abstract", "desc", "shortdesc"})
"""Elements of the front matter that are shown above the text, after its title."""
_JOINED = frozenset({"cmdsynopsis", "refnamediv"})
"""Elements written on one line: a command with its arguments, a name with its purpose (DocBook 5)."""
_PARAGRAPHS = _JOINED | frozenset(
    "para p simpara formalpara shortdesc abstract note warning caution tip important remark desc".split()
)
_ITEMS = frozenset("listitem li step member varlistentry callout".split())
_CODE = frozenset("programlisting screen codeblock literallayout synopsis pre".split())
_TABLES = frozenset("table informaltable tgroup simpletable".split())
_ROWS = frozenset("row tr strow sthead".split())
_CELLS = frozenset("entry td th stentry".split())
_ADDRESSES = ("href", "{http://www.w3.org/1999/xlink}href", "url", "src", "fileref")
_INLINE = frozenset(
    "emphasis b i u em strong xref link ulink ref sub sup subscript superscript code literal filename command"
    " bold italic phrase quote footnote anchor indexterm email uri span a tspan hi guilabel guibutton menuchoice"
    " keycap".split()
)
_BLOCKS = _TITLES | _SECTIONS | _PARAGRAPHS | _ITEMS | _CODE | _TABLES
_TECHNICAL = frozenset("id class style lang version space schemalocation nonamespaceschemalocation nsmap role".split())
_PROSE = 80
"""Minimum characters of an unknown element that is a paragraph rather than a field: a line."""
_LONGEST_SPAN = 1000
"""Maximum rows or columns of a span, as in HTML (4.9.11)."""
_LONGEST_FIELD = 200
"""Maximum characters of a field in a table; longer values are text."""


class XmlWalker:
    """Appends the content of a tree. Unknown elements are treated as data: name, attributes and text."""

    def __init__(self, builder: DocumentBuilder) -> None:
        self._builder = builder
        self._items = 0
        self._sections = 0
        self._done: set[etree._Element] = set()
        self._not_records: set[etree._Element] = set()
        self._fronts: list[etree._Element] = []

    def walk(self, root: etree._Element) -> None:
        """Append the tree; information about the text (authors, revisions) comes last."""
        self._builder.meta("title", _title_of(root))
        self._walk(root)
        fronts, self._fronts = self._fronts, []
        for front in fronts:
            for child in _children(front):
                self._walk(child)

    def _walk(self, root: etree._Element) -> None:
        events = etree.iterwalk(root, events=("start", "end"))
        whole: etree._Element | None = None
        for event, element in events:
            if not isinstance(element.tag, str):
                continue
            if event == "start":
                if self._start(element):
                    whole = element
                    events.skip_subtree()
            else:
                if element is not whole:
                    self._leave(element)
                if element is not root:
                    self._append_text(element.tail)

    def _start(self, element: etree._Element) -> bool:
        """Begin an element; return whether it has been read completely."""
        name = _name(element)
        if element in self._done:
            self._done.discard(element)
            return True
        if name in _FRONT and self._sections and not self._items:
            self._append_front(element)
            return True
        if self._append_whole(element, name) or self._append_records(element):
            return True
        self._enter(element, name)
        return False

    def _append_front(self, front: etree._Element) -> None:
        """Append title and abstracts of the front matter; the rest is appended at the end of the document."""
        for element in _title_and_abstracts(front):
            self._walk(element)
            self._done.add(element)
        self._fronts.append(front)

    def _append_whole(self, element: etree._Element, name: str) -> bool:
        """Append an element that is a single block; return whether it is one."""
        if name in _TABLES and _is_table(element):
            self._table(element)
        elif name in _TITLES and self._sections:
            self._builder.heading(text_of(element), self._sections)
        elif name in _CODE:
            self._builder.code("".join(text for text in element.itertext() if isinstance(text, str)))
        elif self._is_prose(element, name):
            self._append_prose(element)
        else:
            return False
        return True

    def _enter(self, element: etree._Element, name: str) -> None:
        self._sections += name in _SECTIONS or self._sections == 0
        self._items += name in _ITEMS
        self._attributes(element, name)
        self._append_text(element.text)

    def _leave(self, element: etree._Element) -> None:
        name = _name(element)
        self._sections -= name in _SECTIONS
        self._items -= name in _ITEMS

    def _append_text(self, text: str | None) -> None:
        if text and text.strip():
            self._builder.paragraph(" ".join(text.split()))

    def _is_prose(self, element: etree._Element, name: str) -> bool:
        """Whether an element is one run of text, possibly with inline markup."""
        if not text_of(element):
            return False
        children = [_name(child) for child in _children(element)]
        own = any(text and text.strip() for text in _own_texts(element))
        if len(children) > 1 and not own and name not in _JOINED:
            return False
        if name in _PARAGRAPHS and not any(child in _ITEMS | _PARAGRAPHS | _CODE | _TABLES for child in children):
            return True
        if own and not any(_name(one) in _BLOCKS for one in element.iterdescendants()):
            return True
        return all(child in _INLINE for child in children)

    def _append_prose(self, element: etree._Element) -> None:
        text, name = text_of(element), _name(element)
        prose = name in _PARAGRAPHS | _ITEMS | _INLINE or len(text) > _PROSE or self._items
        attributes = _attribute_text(element)
        if not prose:
            text = f"{name}: {text}" + (f" ({attributes})" if attributes else "")
        added = self._builder.list_item(text, self._items) if self._items else self._builder.paragraph(text)
        if added:
            self._refer(element)

    def _attributes(self, element: etree._Element, name: str) -> None:
        attributes = _attribute_text(element)
        if attributes and name not in _ITEMS | _TABLES and self._builder.paragraph(f"{name}: {attributes}"):
            self._refer(element)

    def _refer(self, element: etree._Element) -> None:
        for child in element.iter() if self._is_prose(element, _name(element)) else [element]:
            target = next((child.get(name) for name in _ADDRESSES if child.get(name)), None)
            if target and isinstance(child.tag, str):
                kind = ReferenceKind.CROSS_REFERENCE if target.startswith("#") else ReferenceKind.HYPERLINK
                self._builder.reference(kind, target, text_of(child))

    # -- tables

    def _table(self, table: etree._Element) -> None:
        caption = next((child for child in table.iter() if _name(child) in ("title", "caption")), None)
        title = text_of(caption) if caption is not None else ""
        self._builder.caption(title)
        cells = _cells([row for row in table.iter() if _name(row) in _ROWS])
        self._builder.table(cells, caption=title)

    def _append_records(self, element: etree._Element) -> bool:
        """Append a run of flat elements of one name, beginning with `element`, as a table; return whether it is one."""
        if element in self._not_records:
            return False
        records = _run_of_records(element)
        rows = [fields for _, fields in records]
        columns = {key: place for place, key in enumerate(dict.fromkeys(key for row in rows for key in row))}
        if len(rows) < 2 or len(columns) < 2 or 2 * sum(map(len, rows)) < len(columns) * len(rows):
            self._not_records.update(one for one, _ in records)
            return False
        cells = [Cell(0, place, key, header=True) for key, place in columns.items()]
        for number, row in enumerate(rows, 1):
            cells += [Cell(number, columns[key], text) for key, text in row.items()]
        self._done.update(one for one, _ in records[1:])
        return self._builder.table(cells, caption=_name(element))


def _title_of(root: etree._Element) -> str:
    """Return the title of a text, from its own children or its front matter."""
    children = [one for one in _children(root) if _name(one) in _TITLES | _FRONT]
    shown = ([one] if _name(one) in _TITLES else _title_and_abstracts(one) for one in children)
    return next((text_of(one) for ones in shown for one in ones if _name(one) in _TITLES), "")


def _title_and_abstracts(front: etree._Element) -> list[etree._Element]:
    """Return the title in front matter, and its abstracts. A title above paragraphs belongs to a licence or remark."""
    inner = [one for one in front.iter() if _name(one) in _TITLES and not _is_within(one, _ABSTRACTS)]
    prose = _PARAGRAPHS - _ABSTRACTS
    titles = [one for one in inner if not any(_name(following) in prose for following in one.itersiblings())]
    return titles[:1] + [one for one in front.iter() if _name(one) in _ABSTRACTS]


def _run_of_records(element: etree._Element) -> list[tuple[etree._Element, dict[str, str]]]:
    """Return the run of flat elements of one name that begins with `element`, with their fields."""
    found: list[tuple[etree._Element, dict[str, str]]] = []
    one: etree._Element | None = element
    while one is not None and one.tag == element.tag and (fields := _fields(one)):
        found.append((one, fields))
        one = one.getnext()
    return found


def _cells(rows: list[etree._Element]) -> list[Cell]:
    cells: list[Cell] = []
    taken: set[tuple[int, int]] = set()
    for number, row in enumerate(rows):
        header = _name(row) == "sthead" or any(_name(parent) == "thead" for parent in row.iterancestors())
        column = 0
        for entry in (entry for entry in row if _name(entry) in _CELLS):
            while (number, column) in taken:
                column += 1
            height, width = _spans(entry)
            height = min(height, len(rows) - number)
            cells.append(Cell(number, column, text_of(entry), height, width, header or _name(entry) == "th"))
            places = range(column, column + width)
            taken.update((below, place) for below in range(number, number + height) for place in places)
            column += width
    return cells


def _fields(element: etree._Element) -> dict[str, str]:
    """Return the attributes and leaf elements of a flat element; nothing for any other, or if a value is prose."""
    fields = dict(_attributes(element))
    for child in _children(element):
        if len(child) or _name(child) in fields:
            return {}
        fields[_name(child)] = text_of(child) or ", ".join(value for _, value in _attributes(child))
    if not len(element) and (text := text_of(element)):
        fields[_name(element)] = text
    return {} if any(len(value) > _LONGEST_FIELD for value in fields.values()) else fields


def _is_table(element: etree._Element) -> bool:
    return any(_name(row) in _ROWS for row in element.iter())


def _spans(entry: etree._Element) -> tuple[int, int]:
    """Return height and width of a cell; HTML gives the rows that it spans, CALS the additional ones."""
    height = _number(entry.get("rowspan")) or _number(entry.get("morerows")) + 1
    return max(1, min(height, _LONGEST_SPAN)), max(1, min(_number(entry.get("colspan")), _LONGEST_SPAN))


def _number(value: str | None) -> int:
    # Larger numbers, of six digits or more, are an attack.
    return int(value) if value and value.isdecimal() and len(value) < 6 else 0


def _own_texts(element: etree._Element) -> list[str | None]:
    """Return the texts of an element outside its children."""
    return [element.text, *(child.tail for child in element)]


def _children(element: etree._Element) -> list[etree._Element]:
    return [child for child in element if isinstance(child.tag, str)]


def _name(element: etree._Element) -> str:
    return _local(element.tag).lower() if isinstance(element.tag, str) else ""


def _local(tag: str) -> str:
    return tag.rsplit("}", 1)[-1]


def _attributes(element: etree._Element) -> list[tuple[str, str]]:
    """Return the non-empty attributes, by local name."""
    return [(_local(str(name)), str(value)) for name, value in element.attrib.items() if str(value).strip()]


def _attribute_text(element: etree._Element) -> str:
    pairs = [(name, value) for name, value in _attributes(element) if name.lower() not in _TECHNICAL]
    return ", ".join(f"{name}={value}" for name, value in pairs)


def _is_within(element: etree._Element, names: frozenset[str]) -> bool:
    parent = element.getparent()
    return parent is not None and _name(parent) in names
