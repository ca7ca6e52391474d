"""Titles of XML: in the front matter of a text, of the whole in data; printed numbers of sections."""

from __future__ import annotations

from itertools import islice
from typing import Final

from lxml import etree

from pipelines.parse.web.dom import text_of
from pipelines.parse.web.xml_names import Node, XmlNames, attributes_of, children_of, name_of
from pipelines.parse.web.xml_targets import own_label

_NUMBERS: Final = ("label", "num", "number", "n")
"""Attributes with the printed number of a section."""
_ABSTRACTS: Final = ("abstract", "desc", "shortdesc")
"""Elements of the front matter that are shown above the text."""
TOP: Final = 50
"""Elements at the beginning of a document that may have its title or code: those of a header."""


def name_of_data(root: Node, names: XmlNames) -> str:
    """Return the name of the whole in data, which may be that of the only child of the root."""
    whole = root
    while len(whole) == 1 and children_of(whole):
        whole = whole[0]
    leaves = (one for one in islice(root.iter(etree.Element), TOP) if not len(one))
    titles = (text_of(one) for one in leaves if name_of(one) == "title")
    return (own_label(whole, names) if len(whole) else "") or next(titles, "")


def title_and_abstracts(front: Node, names: XmlNames) -> list[Node]:
    """Return the title in front matter, and its abstracts. A title above paragraphs belongs to a licence or remark."""
    titles: list[Node] = []
    abstracts: list[Node] = []
    for element in front.iter(etree.Element):
        role, parent = names.role(element), element.getparent()
        if name_of(element) in _ABSTRACTS:
            abstracts.append(element)
        elif role == "title" and not titles and parent is not None and _is_title(element, names.role(parent), names):
            titles.append(element)
    return titles + abstracts


def _is_title(title: Node, owner: str, names: XmlNames) -> bool:
    above_prose = any(names.role(one) in ("paragraph", "labelled") for one in title.itersiblings())
    return owner != "link" and not above_prose and not any(name_of(one) in _ABSTRACTS for one in title.iterancestors())


def printed_number(section: Node | None) -> str:
    """Return the number of a section that an attribute gives, with a space after it, or ''."""
    values = attributes_of(section) if section is not None else []
    return next((f"{value} " for name, value in values if name.lower() in _NUMBERS), "")
