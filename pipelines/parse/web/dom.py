"""HTML parsing, and the role of elements in a page."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final, TypeAlias

from lxml import etree
from lxml import html as lxml_html

from pipelines.core.errors import TooLarge
from pipelines.parse.decode import decode
from pipelines.parse.office.characters import numeral

Element: TypeAlias = lxml_html.HtmlElement

# Level of each heading element (HTML 4.3.6).
HEADINGS: Final = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
DEEPEST: Final = len(HEADINGS)
VERBATIM: Final = frozenset({"pre", "xmp", "listing", "plaintext"})
LISTS: Final = frozenset({"ul", "ol", "menu", "dir", "dl"})
BLOCKS: Final = (
    frozenset(
        "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure"
        " footer form frameset header hgroup hr html legend li main nav noframes ol optgroup p section summary table"
        " tbody td tfoot th thead tr ul menu dir search".split()
    )
    | HEADINGS.keys()
    | VERBATIM
)
HIDDEN: Final = frozenset(
    "script style template noscript head title meta link base svg canvas audio video object embed applet map area"
    " select datalist option input textarea progress meter rp rt track source param col colgroup".split()
)
# Elements allowed in a head; any other one begins the body (HTML 13.2.6.4.4).
_IN_HEAD: Final = frozenset(
    "base basefont bgsound link meta title noscript noframes style script template head".split()
)
_INVISIBLE_STYLE: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_REPEATED: Final = ("katex-html", "MathJax_Preview", "mw-editsection")
"""Classes of formulas that are there a second time, and of MediaWiki's "[edit]" behind headings."""
_SKIPS: Final = re.compile(r"(?:^|[\s_-])skip")
"""Links to the text, for those who hear the page (WCAG 2.2, technique G1)."""
_OPENING: Final = "//@href | //@aria-controls | //@data-target | //@data-bs-target"
"""Attributes that name the element that a link or button shows, as an XPath expression."""
_OPENS: Final = ("aria-controls", "href", "data-target", "data-bs-target")
_DIALOGS: Final = frozenset({"dialog", "alertdialog", "menu", "listbox"})
_DECLARED: Final = re.compile(
    rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w.:-]+)|<\?xml[^>]+encoding\s*=\s*[\"']([\w.:-]+)", re.IGNORECASE
)
# A tag of this length has thousands of attributes, which take quadratic time.
_LONG_TAG: Final = re.compile(r"<[A-Za-z][^<>]{20000,}+")
_ATTRIBUTE: Final = re.compile(r"""[^\s"'=/]++(?:\s*+=\s*+(?>"[^"]*+"|'[^']*+'|[^\s"']++))?""")
_MOST_ATTRIBUTES: Final = 1000
"""Maximum attributes of an element: libxml2 compares each with all before it."""
_INTEGER: Final = re.compile(r"\s*(-?\d{1,9})")
_NUMERALS: Final = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman",
                    "loweralpha": "lowerLetter", "upperalpha": "upperLetter", "lowerroman": "lowerRoman",
                    "upperroman": "upperRoman"}  # fmt: skip
"""Notations by the attribute `type` of a list (HTML 4.4.5), and by its class in the HTML of docutils."""
_UNNUMBERED: Final = re.compile(r"list-style(?:-type)?\s*:\s*none", re.IGNORECASE)
_PAGE_END: Final = re.compile(r"</(?:body|html)\s{0,9}>", re.IGNORECASE)
"""End tags that libxml2 stops at; what follows them belongs to the body (HTML 13.2.6.4.19)."""
_XML_DECLARATION: Final = re.compile(r"^\s*<\?xml[^>]*\?>")


def parse_html(data: bytes, uri: str = "") -> Element:
    """Return the root element of `data`; the declared encoding is only a hint (`decode`).

    Raises `TooLarge` for a tree deeper than the parser's limit (2,048), beyond which it silently drops elements.
    """
    # The HTML standard (4.2.5.4) requires it in the first 1,024 bytes; some pages put scripts before it.
    declared = _DECLARED.search(data[:4096])
    name = next(group for group in declared.groups() if group).decode("ascii") if declared else ""
    return parse_html_text(decode(data, name).text, uri)


def parse_html_text(text: str, uri: str = "") -> Element:
    """Return the root element of `text`, an empty `html` element if there is none."""
    parser = lxml_html.HTMLParser(huge_tree=True, encoding="utf-8", remove_pis=True)
    # NUL would end the C string, and lone surrogates cannot be encoded.
    whole = _PAGE_END.sub("", _XML_DECLARATION.sub("", text.replace("\x00", ""), count=1))
    cleaned = _LONG_TAG.sub(_shortened, whole)
    root = etree.fromstring(cleaned.encode("utf-8", "replace") or b"<html/>", parser)
    if any("Excessive depth" in entry.message for entry in parser.error_log):
        raise TooLarge("elements nested too deep", ids=(uri,))
    if root is None:
        return lxml_html.fromstring("<html></html>")
    _end_head(root)
    _open_panels(root)
    _name_panels(root)
    return root


def _end_head(root: Element) -> None:
    """Move elements that begin the body out of the head: libxml2 keeps a `section` in a head without an end tag."""
    head = root.find("head")
    if head is None:
        return
    children = [child for child in head if isinstance(child.tag, str)]
    first = next((child for child in children if child.tag not in _IN_HEAD), None)
    if first is None:
        return
    body = root.find("body")
    if body is None:
        body = etree.SubElement(root, "body")
    moved = [first, *first.itersiblings()]
    for place, child in enumerate(moved):
        body.insert(place, child)
    if body.text and body.text.strip():
        moved[-1].tail = (moved[-1].tail or "") + body.text
        body.text = None


def _open_panels(root: Element) -> None:
    """Show the hidden elements that a link or button of the page shows: panels of tabs, folded sections; no dialogs."""
    hidden = root.xpath("//*[@id and (@hidden or @style)]")
    opened = {_own_id(target) for target in root.xpath(_OPENING)} if hidden else frozenset[str]()
    for element in hidden:
        if element.get("id") in opened and element.get("role") not in _DIALOGS:
            element.attrib.pop("hidden", None)
            element.set("style", _INVISIBLE_STYLE.sub("", element.get("style", "")))


def _name_panels(root: Element) -> None:
    """Begin each panel of tabs with the name of its tab as a heading, below the heading before the tabs."""
    level, tabs = 1, dict[str, tuple[str, int]]()
    for element in root.xpath("//*[@role='tab'] | //h1 | //h2 | //h3 | //h4 | //h5 | //h6"):
        level = HEADINGS.get(element.tag, level)
        if element.get("role") == "tab":
            target = next(filter(None, (_own_id(element.get(name, "")) for name in _OPENS)), "")
            tabs[target] = text_of(element), min(level + 1, DEEPEST)
    for panel in root.xpath("//*[@id]") if tabs else ():
        name, level = tabs.get(panel.get("id"), ("", 0))
        first = next(panel.iter(*HEADINGS), None)
        if name and (first is None or text_of(first) != name):
            heading = etree.Element(f"h{level}")
            heading.text, heading.tail, panel.text = name, panel.text, None
            panel.insert(0, heading)


def _own_id(target: str) -> str:
    """Return the id in "#id", or in the value of `aria-controls`."""
    return "" if "/" in target else target.rpartition("#")[2].strip()


def _shortened(tag: re.Match[str]) -> str:
    """Return the beginning of a tag, with at most `_MOST_ATTRIBUTES` attributes."""
    last = next(islice(_ATTRIBUTE.finditer(tag[0], 1), _MOST_ATTRIBUTES, None), None)
    return tag[0] if last is None else tag[0][: last.end()]


def is_hidden(element: Element) -> bool:
    """Whether an element is not shown to the reader."""
    if element.tag in HIDDEN or element.get("hidden") is not None:
        return True
    if _INVISIBLE_STYLE.search(element.get("style", "")):
        return True
    classes = element.get("class", "")
    repeated = bool(classes) and any(name in classes for name in _REPEATED)
    return repeated or _is_anchor_sign(element, classes)


def _is_anchor_sign(element: Element, classes: str) -> bool:
    """Whether an element is a link sign: the pilcrow after a heading, or the arrow after a footnote."""
    if element.tag != "a":
        return False
    if _SKIPS.search(classes) and element.get("href", "").startswith("#"):
        return True
    if "headerlink" in classes or "anchorjs" in classes or "footnote-backref" in classes:
        return True
    return len(element) == 0 and (element.text or "").strip() in ("¶", "§", "#", "🔗", "↩", "↩︎")


def text_of(element: Element) -> str:
    """Return all text of an element on one line."""
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


class ListNumbers:
    """Numbers the items of nested lists as browsers do (HTML 4.4.5 and 4.4.8)."""

    def __init__(self) -> None:
        self._open: list[tuple[Element, int]] = []
        """The open lists, each with the number of its next item."""

    def begin(self, element: Element) -> None:
        """Begin a list of any kind."""
        first = _integer(element.get("start"))
        if first is None:
            first = sum(child.tag == "li" for child in element) if "reversed" in element.attrib else 1
        self._open.append((element, first))

    def end(self) -> None:
        """End the innermost list."""
        self._open.pop()

    def take(self, item: Element) -> str:
        """Return the number of the next item with its point, "3. " or "c. "; empty outside of an ordered list."""
        if not self._open or self._open[-1][0].tag != "ol":
            return ""
        element, following = self._open[-1]
        value = _integer(item.get("value"))
        number = following if value is None else value
        self._open[-1] = element, number + (-1 if "reversed" in element.attrib else 1)
        if _UNNUMBERED.search(element.get("style", "")):
            return ""
        notations = (_NUMERALS.get(name) for name in (element.get("type", ""), *element.get("class", "").split()))
        return f"{numeral(number, next(filter(None, notations), ''))}. "


def _integer(text: str | None) -> int | None:
    match = _INTEGER.match(text or "")
    return int(match[1]) if match else None
