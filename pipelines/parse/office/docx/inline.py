"""Content of a Word paragraph: runs, fields, links, equations, revisions (ECMA-376 1, 17.3, 17.13, 17.16)."""

from __future__ import annotations

import re
from collections.abc import Callable

from pipelines.core.document import ReferenceKind
from pipelines.parse.office.characters import glyph, lowered, raised
from pipelines.parse.office.docx.numbering import NoteMark, WordField, WordParagraph, link_of
from pipelines.parse.office.docx.styles import as_int
from pipelines.parse.office.equations import to_latex
from pipelines.parse.office.ooxml import NAMESPACES, Element, Relationship, children, is_on, qualified, value
from pipelines.parse.pieces import Pointer

_CHECKED, _UNCHECKED = "☒", "☐"
_W = "{" + NAMESPACES["w"] + "}"
_RUN_PROPERTIES, _VANISH = f"{_W}rPr", f"{_W}vanish"
_SKIPPED = frozenset(
    f"{_W}{name}"
    for name in "del moveFrom pPr rPr sdtPr sdtEndPr annotationRef footnoteRef endnoteRef separator"
    " continuationSeparator delText delInstrText softHyphen rt proofErr".split()
)
_CHARACTERS = {f"{_W}tab": "\t", f"{_W}ptab": "\t", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}
_NOTES = {f"{_W}footnoteReference": "footnote", f"{_W}endnoteReference": "endnote", f"{_W}commentReference": "comment"}
_SCRIPTS = {"superscript": raised, "subscript": lowered}
_GRAPHICS = frozenset({f"{_W}drawing", f"{_W}pict", f"{_W}object"})
_EQUATION, _EQUATIONS = qualified("m:oMath"), qualified("m:oMathPara")
_MOST_NESTED_FIELDS = 20
"""Maximum nested fields whose results are collected: a field without an end contains all text that follows."""
_MOST_COMMENT_PIECES = 1000
"""Maximum pieces of the text that a comment refers to; only its beginning is shown."""
_NUMBER = re.compile(r"\d{1,3}(?:\.\d{1,3})*")


class InlineReader:
    """Reads the paragraphs of one part in order; a field may extend over several paragraphs.

    `hidden` returns whether text in a character style, given by id, is hidden.
    """

    def __init__(self, links: dict[str, Relationship], hidden: Callable[[str], bool]) -> None:
        self._links = links
        self._hidden = hidden
        self._fields: list[WordField] = []
        self.comments: dict[str, str] = {}
        """The text that each comment refers to, by the comment's id."""
        self._log: list[str] = []
        self._open_comments: dict[str, int] = {}
        self._parts: list[str] = []
        self._content = WordParagraph()
        self._has_prose = False
        self._page_just_broken = False
        self._script: Callable[[str], str] | None = None

    def read(self, paragraph: Element) -> WordParagraph:
        """Return the content of a `w:p`."""
        self._parts, self._content, self._has_prose = [], WordParagraph(), False
        for child in children(paragraph):
            self._visit(child)
        content = self._content
        content.text = "".join(self._parts)
        content.formula = bool(content.text.strip()) and not self._has_prose
        if content.formula:
            content.text = content.text.replace("$", "").strip()
        return content

    # -- walking

    def _visit(self, element: Element) -> None:
        tag = element.tag
        if tag == _TEXT:
            self._write(element.text or "")
        elif tag == _RUN:
            self._run(element)
        elif tag in _CHARACTERS:
            self._write(_CHARACTERS[tag])
        elif tag in _SKIPPED:
            return
        elif tag in _NOTES:
            self._content.note_marks.append(NoteMark(_NOTES[tag], element.get(_ID, "")))
        elif tag in _GRAPHICS:
            self._graphic(element)
        elif tag in _SPECIAL:
            _SPECIAL[tag](self, element)
        else:
            self._visit_children(element)

    def _visit_children(self, element: Element) -> None:
        for child in children(element):
            self._visit(child)

    def _run(self, run: Element) -> None:
        properties = run.find(_RUN_PROPERTIES)
        if properties is None:
            self._visit_children(run)
        elif not self._is_hidden(properties):
            self._script = _SCRIPTS.get(value(properties, "w:vertAlign") or "")
            self._visit_children(run)
            self._script = None

    def _is_hidden(self, properties: Element) -> bool:
        if properties.find(_VANISH) is not None:
            return is_on(properties, "w:vanish")
        style = properties.find("w:rStyle", NAMESPACES)
        return style is not None and self._hidden(style.get(_VAL, ""))

    def _write(self, text: str) -> None:
        if self._fields and self._fields[-1].collecting:
            return
        self._append(text if self._script is None else self._script(text))
        if text.strip():
            self._has_prose, self._page_just_broken = True, False

    def _append(self, text: str) -> None:
        self._parts.append(text)
        for field in self._fields[-_MOST_NESTED_FIELDS:]:
            field.result.append(text)
        self._log.append(text)

    @property
    def _started(self) -> bool:
        return any(part.strip() for part in self._parts)

    # -- drawings, page breaks and equations

    def _graphic(self, element: Element) -> None:
        (self._content.after if self._started else self._content.before).append(element)

    def _break(self, element: Element) -> None:
        if element.get(f"{_W}type") == "page":
            self._turn_page()
            self._page_just_broken = True
        self._append("\n")

    def _rendered_page_break(self, element: Element) -> None:
        """Count a page break unless it follows an explicit break, which Word marks twice."""
        if not self._page_just_broken:
            self._turn_page()
        self._page_just_broken = False

    def _turn_page(self) -> None:
        if self._started:
            self._content.breaks_within += 1
        else:
            self._content.breaks_before += 1

    def _symbol(self, element: Element) -> None:
        self._write(glyph(element.get(f"{_W}font", ""), element.get(f"{_W}char", "")))

    def _equation(self, element: Element) -> None:
        latex = to_latex(element)
        if latex:
            inline = element.tag == _EQUATION
            self._append(f"${latex}$" if inline else f"\n${latex}$\n" if self._started else f"${latex}$\n")

    def _content_control(self, element: Element) -> None:
        box = element.find("w:sdtPr/w14:checkbox", NAMESPACES)
        if box is None:
            self._visit_children(element)
            return
        self._check_box(box.find("w14:checked", NAMESPACES), qualified("w14:val"))

    def _check_box(self, state: Element | None, attribute: str) -> None:
        on = state is not None and state.get(attribute, "1") in ("1", "true", "on")
        self._content.checked = self._content.checked or not self._started
        self._write(f"{_CHECKED if on else _UNCHECKED} ")

    def _ruby(self, element: Element) -> None:
        base = element.find("w:rubyBase", NAMESPACES)
        if base is not None:
            self._visit_children(base)

    # -- links and fields

    def _hyperlink(self, element: Element) -> None:
        start = len(self._parts)
        self._visit_children(element)
        evidence = "".join(self._parts[start:]).strip()
        link = self._links.get(element.get(qualified("r:id"), ""))
        anchor = element.get(f"{_W}anchor", "")
        if link is not None and link.external:
            target = f"{link.target}#{anchor}" if anchor else link.target
            self._link(ReferenceKind.HYPERLINK, target, evidence)
        elif anchor and evidence:
            self._link(ReferenceKind.CROSS_REFERENCE, evidence, evidence)

    def _link(self, kind: ReferenceKind, target: str, evidence: str) -> None:
        number = _NUMBER.search(evidence) if kind is ReferenceKind.CROSS_REFERENCE else None
        self._content.links.append(Pointer(kind, target, evidence, number.group() if number else ""))

    def _simple_field(self, element: Element) -> None:
        start = len(self._parts)
        self._visit_children(element)
        self._finish(WordField([element.get(f"{_W}instr", "")], result=self._parts[start:]))

    def _field_character(self, element: Element) -> None:
        kind = element.get(f"{_W}fldCharType")
        if kind == "begin":
            self._fields.append(WordField([], collecting=True))
            self._form_field(element)
        elif kind == "separate" and self._fields:
            self._fields[-1].collecting = False
        elif kind == "end" and self._fields:
            self._finish(self._fields.pop())

    def _form_field(self, element: Element) -> None:
        """Write the state of a check box or the selected entry of a list: such a field has no result."""
        self._fields[-1].collecting = False
        box = element.find("w:ffData/w:checkBox", NAMESPACES)
        if box is not None:
            state = box.find("w:checked", NAMESPACES)
            self._check_box(state if state is not None else box.find("w:default", NAMESPACES), _VAL)
        choices = [entry.get(_VAL, "") for entry in element.iterfind("w:ffData/w:ddList/w:listEntry", NAMESPACES)]
        chosen = as_int(value(element, "w:ffData/w:ddList/w:result")) or 0
        self._write("".join(choices[chosen : chosen + 1]))
        self._fields[-1].collecting = True

    def _instruction(self, element: Element) -> None:
        if self._fields:
            self._fields[-1].instruction.append(element.text or "")

    def _finish(self, field: WordField) -> None:
        if link := link_of(field):
            self._link(*link)

    # -- comments

    def _comment_start(self, element: Element) -> None:
        self._open_comments[element.get(_ID, "")] = len(self._log)

    def _comment_end(self, element: Element) -> None:
        id = element.get(_ID, "")
        if (start := self._open_comments.pop(id, None)) is not None:
            self.comments[id] = " ".join("".join(self._log[start : start + _MOST_COMMENT_PIECES]).split())


_TEXT, _RUN, _ID, _VAL = f"{_W}t", f"{_W}r", f"{_W}id", f"{_W}val"
_SPECIAL: dict[str, Callable[[InlineReader, Element], None]] = {
    f"{_W}br": InlineReader._break,
    f"{_W}lastRenderedPageBreak": InlineReader._rendered_page_break,
    f"{_W}sym": InlineReader._symbol,
    f"{_W}sdt": InlineReader._content_control,
    f"{_W}ruby": InlineReader._ruby,
    f"{_W}hyperlink": InlineReader._hyperlink,
    f"{_W}fldSimple": InlineReader._simple_field,
    f"{_W}fldChar": InlineReader._field_character,
    f"{_W}instrText": InlineReader._instruction,
    f"{_W}commentRangeStart": InlineReader._comment_start,
    f"{_W}commentRangeEnd": InlineReader._comment_end,
    _EQUATION: InlineReader._equation,
    _EQUATIONS: InlineReader._equation,
}
