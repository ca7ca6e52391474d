"""Dynamic XFA forms: the pages of such a PDF only ask to wait; labels are in a template, values in data, both XML.

The format is that of the XML Forms Architecture Specification 3.3 (Adobe, 2012); the values are bound to the fields by
their names (chapter 4). Scripts are not run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from lxml import etree

from pipelines.parse.office.ooxml import Element, parse_xml

_HIDDEN = frozenset(("hidden", "inactive", "invisible"))
_CONTAINERS = frozenset(("subform", "subformSet", "area", "pageSet", "pageArea", "exclGroup"))
_LINES = frozenset(("p", "div", "li", "br"))
_COLONS = ":： "


def texts_of_form(form: bytes, uri: str) -> Iterator[str]:
    """Return the texts of a form in the order of its template: the labels, and the fields of each subform as lines.

    What is hidden, which a script may show, only has its values.

    Args:
        form: the XML of the form (XDP), with its packets "template" and "datasets".
        uri: the name of the file, for errors.

    Returns:
        the texts, fields as "label: value"; none if there is no template.

    Raises:
        Malformed, TooLarge: the XML is broken, or exceeds the limits of the parser.
    """
    root = parse_xml(form, uri, "the XFA form")
    template, data = _child(root, "template"), _path(root, "datasets", "data")
    # The root of the data is that of the first subform, whatever its name is.
    first = next(iter(data), None) if data is not None else None
    subforms = _children(template, "subform") if template is not None else ()
    return chain.from_iterable(_texts(subform, first) for subform in subforms)


def _texts(container: Element, data: Element | None, *, hidden: bool = False) -> Iterator[str]:
    """Yield the texts of a subform whose values are the children of `data`; the parser limits the depth of subforms."""
    hidden = hidden or _is_hidden(container)
    fields: list[str] = []
    for child in container:
        kind = _name(child)
        if kind == "field":
            fields += _field(child, data, hidden)
            continue
        if fields and (kind == "draw" or kind in _CONTAINERS):
            yield "\n".join(fields)
            fields = []
        if kind == "draw" and not (hidden or _is_hidden(child)) and (text := _value(child)):
            yield text
        elif kind in _CONTAINERS:
            for instance in _instances(child, data):
                yield from _texts(child, instance, hidden=hidden)
    if fields:
        yield "\n".join(fields)


def _is_hidden(element: Element) -> bool:
    return element.get("presence") in _HIDDEN


def _instances(container: Element, data: Element | None) -> Sequence[Element | None]:
    """Return the data of each repetition of a container: that of its parent if it has no name or no data."""
    name = container.get("name")
    if not name or data is None or _name(container) != "subform":
        return [data]
    return _children(data, name) or [None]


def _field(field: Element, data: Element | None, hidden: bool) -> Iterator[str]:
    """Yield a field as a line, none if it is a button, or hidden and empty."""
    if _path(field, "ui", "button") is not None:
        return
    caption, value = _path(field, "caption"), _bound(field, data)
    label = _value(caption) if caption is not None and not _is_hidden(caption) else ""
    if not value and (not label or hidden or _is_hidden(field)):
        return
    label = " ".join(label.split()).rstrip(_COLONS) or field.get("name", "")
    yield f"{label}: {_shown(field, value)}" if value else label


def _bound(field: Element, data: Element | None) -> str:
    """Return the value of a field: that of its data, else of the template."""
    name, bind = field.get("name", ""), _path(field, "bind")
    match = bind.get("match", "once") if bind is not None else "once"
    if match == "dataRef" and bind is not None:
        # The path is relative to the subform's data: "$.address.city".
        name = bind.get("ref", "").removeprefix("$.").replace("[*]", "")
    node = data if match != "none" else None
    for step in name.split("."):
        node = _child(node, step) if node is not None else None
    stored = _text(node) if node is not None else ""
    return stored or _value(field)


def _shown(field: Element, value: str) -> str:
    """Return what a choice list shows for a stored value."""
    lists = _children(field, "items")
    if len(lists) != 2:
        return value
    shown, stored = sorted(lists, key=lambda items: items.get("save") == "1")
    return dict(zip(map(_text, stored), map(_text, shown), strict=False)).get(value, value)


def _value(element: Element) -> str:
    """Return the text in the `value` of an element."""
    value = _child(element, "value")
    content = next(iter(value), None) if value is not None else None
    return _text(content) if content is not None and _name(content) != "image" else ""


def _text(element: Element) -> str:
    """Return the text of an element; formatted text is XHTML, whose paragraphs are lines."""
    formatted = _name(element) == "exData"
    parts: list[str] = []
    for event, one in etree.iterwalk(element, events=("start", "end")):
        text = str((one.text if event == "start" else one.tail if one is not element else "") or "")
        parts.append("\n" if event == "end" and _name(one) in _LINES else "")
        parts.append(text.replace("\n", " ") if formatted else text)
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line)


def _path(element: Element, *names: str) -> Element | None:
    found: Element | None = element
    for name in names:
        found = _child(found, name) if found is not None else None
    return found


def _child(element: Element, name: str) -> Element | None:
    return next(iter(_children(element, name)), None)


def _children(element: Element, name: str) -> list[Element]:
    return [child for child in element if _name(child) == name]


def _name(element: Element) -> str:
    return str(etree.QName(element).localname)
