"""The parts of a page that belong to the site: its navigation, header and footer, path, menus, notes on cookies."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import Final

from pipelines.parse.web.dom import BLOCKS, HEADINGS, LISTS, VERBATIM, Element, text_of
from pipelines.parse.web.flow import is_layout, rows_of

_ROLES: Final = frozenset({"navigation", "search", "banner", "contentinfo"})
_WIDGETS: Final = frozenset({"alertdialog", "dialog", "menubar", "tablist", "toolbar"})
"""Roles of what a page is operated with (WAI-ARIA 1.2, 5.3.2 and 5.3.5), which may have headings of its own."""
_CLASSES: Final = re.compile(
    r"(?:^|[\s_-])(?:breadcrumbs?|no-?print|d-print-none|hidden-print|print:hidden)(?=$|[\s_-])"
)
"""The path to the page (Bootstrap, schema.org's BreadcrumbList), and what its author does not print (MediaWiki,
Bootstrap, Tailwind)."""
_CONSENT: Final = re.compile(
    r"(?:cookie|consent)[-_]?(?:banner|bar|box|consent|dialog|info|layer|message|modal|notice|overlay|popup)"
    r"|cookiebot|onetrust|tarteaucitron|usercentrics|cmpbox",
    re.IGNORECASE,
)
"""Ids and classes of notes on cookies, as the block list EasyList Cookie has them."""
_FEWEST_SECTIONS: Final = 3
"""Minimum links in a list of the page's sections; two may be notes that a text refers to."""
_STEPS: Final = frozenset("next prev previous up start home top first last contents toc index".split())
_FEWEST_STEPS, _LARGEST_STEPS, _LABEL = 2, 100, 12
"""Navigation blocks: minimum linked pages, maximum elements (DocBook's largest has 20), maximum characters of text for
each link ("Previous: ", in Texinfo's)."""
_LINKED, _FEWEST_LINKS = 0.5, 5
"""Minimum share of the text in links, and minimum links, of a cell with the site's menu (Kohlschütter et al. 2010,
Boilerplate Detection using Shallow Text Features, find a third in text blocks)."""


def is_furniture(element: Element) -> bool:
    """Whether a block belongs to the site rather than to the page, or lists the page's own sections."""
    tag, role = element.tag, element.get("role")
    if tag in ("nav", "search") or role in _ROLES:
        return not _holds(element, "h1", "h2")
    if role in _WIDGETS or _is_named(element):
        return tag not in ("html", "body") and not _holds(element, "h1", "main", "article")
    if tag in LISTS:
        return _is_contents(element)
    if tag not in ("header", "footer") or _holds(element, "h1", "h2"):
        return False
    around = element.iterancestors("main", "article", "section", "blockquote", "figure", "td")
    # A theme may wrap the whole page in a section, which then has the page's title.
    return all(parent.tag == "section" and _holds(parent, "h1", "h2") for parent in around)


def _is_contents(listed: Element) -> bool:
    """Whether all text of a list is in links to parts of the same page."""
    links = [link for link in listed.iter("a") if link.get("href", "").startswith("#")]
    return len(links) >= _FEWEST_SECTIONS and sum(map(_length, links)) == _length(listed)


def _length(element: Element) -> int:
    return len("".join(text_of(element).split()))


def _is_named(element: Element) -> bool:
    """Whether class or id say that a block is part of the site."""
    names = f"{element.get('class', '')} {element.get('id', '')}"
    return bool(_CLASSES.search(names) or _CONSENT.search(names))


def _holds(element: Element, *tags: str) -> bool:
    return next(element.iter(*tags), None) is not None


def navigation_parts(root: Element) -> frozenset[Element]:
    """Return the blocks and cells that only link other pages: those of a manual, and the site's menu."""
    return _navigation_blocks(root) | _menu_cells(root)


def before_main(root: Element) -> frozenset[Element]:
    """Return the blocks before the element with the main text (HTML 4.4.14), if it has the page's only title."""
    mains = root.xpath("//main | //*[@role='main']")
    if len(mains) != 1 or not _holds(mains[0], "h1") or len(list(islice(root.iter("h1"), 2))) != 1:
        return frozenset()
    around = [mains[0], *mains[0].iterancestors()]
    before = (one for element in around for one in element.itersiblings(preceding=True))
    return frozenset(one for one in before if one.tag in BLOCKS and one.tag != "head")


def _navigation_blocks(root: Element) -> frozenset[Element]:
    """Return the blocks that only link the pages of a manual: "Prev", "Up", "Next" and the titles of these pages.

    Such links are marked by `rel` (of the link, or of a `link` to the same address in the head; HTML 4.6.7; HTML 4.01,
    6.12) or by an `accesskey`; DocBook and Texinfo write both.
    """
    titles: dict[str, str] = {}
    for link in filter(_is_step, root.iter("link", "a")):
        titles[link.get("href", "")] = link.get("title", "") or titles.get(link.get("href", ""), "")
    if len(titles) < _FEWEST_STEPS:
        return frozenset()
    titles[""] = text_of(root.find("head/title"))
    counts: dict[Element, int] = {}
    for link in root.iter("a"):
        block = link.getparent() if link.get("href") in titles else None
        while block is not None and block not in counts:
            counts[block] = _pages_linked(block, titles)
            block = block.getparent() if counts[block] else None
    return frozenset(block for block, pages in counts.items() if pages >= _FEWEST_STEPS and block.tag in BLOCKS)


def _is_step(link: Element) -> bool:
    keyed = link.tag == "a" and link.get("accesskey") is not None
    return keyed or not _STEPS.isdisjoint(link.get("rel", "").lower().split())


def _pages_linked(block: Element, titles: Mapping[str, str]) -> int:
    """Return how many pages a small block links to; 0 if it contains more than links and their titles."""
    elements = list(islice(block.iter(), _LARGEST_STEPS))
    links = [one for one in elements if one.tag == "a" and one.get("href")]
    targets = {link.get("href", "") for link in links}
    if len(elements) == _LARGEST_STEPS or not targets <= titles.keys():
        return 0
    if any(one.tag in HEADINGS or one.tag in VERBATIM for one in elements):
        return 0
    labels = sum(len(text_of(link)) for link in links)
    most = labels + sum(map(len, titles.values())) + _LABEL * len(targets)
    return len(targets) if len(text_of(block)) - labels <= most else 0


def _menu_cells(root: Element) -> frozenset[Element]:
    """Return the cells of layout tables that have mostly links, beside one with more other text."""
    found: set[Element] = set()
    for table in root.iter("table"):
        cells = [cell for row in rows_of(table) for cell in row.iterchildren("td")]
        menus = [cell for cell in cells if _is_menu(cell)] if len(cells) > 1 else []
        if menus and is_layout(table):
            longest = max(map(_plain_length, cells))
            found.update(cell for cell in menus if _plain_length(cell) < longest)
    return frozenset(found)


def _is_menu(cell: Element) -> bool:
    linked = _link_lengths(cell)
    return len(linked) >= _FEWEST_LINKS and sum(linked) >= _LINKED * len(text_of(cell))


def _plain_length(cell: Element) -> int:
    """Return the number of characters outside of links."""
    return len(text_of(cell)) - sum(_link_lengths(cell))


def _link_lengths(cell: Element) -> list[int]:
    return [len(text_of(link)) for link in cell.iter("a") if link.get("href")]
