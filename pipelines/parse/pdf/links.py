"""Links of a page tied to the items that they stand in, with the words that they cover."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pipelines.core.document import ReferenceKind
from pipelines.parse.lines import Rect
from pipelines.parse.pdf.merge import PageItem
from pipelines.parse.pdf.near import Near
from pipelines.parse.pdf.page import PageLink, PageWord
from pipelines.parse.pieces import Pointer

_MOST_ITEMS = 500
"""Items of a page among which the one next to a link is looked for."""


def with_links(items: Sequence[PageItem], links: Sequence[PageLink], words: Sequence[PageWord]) -> list[PageItem]:
    """Return the items with their links, one that runs over several lines once; a link in no item goes to the next."""
    found: dict[tuple[int, str], list[PageLink]] = {}
    if not items:
        return []
    homes = _Homes(items)
    for link in links:
        target = link.uri or f"#page={link.page}"
        found.setdefault((homes.of(link.rect), target), []).append(link)
    near = Near(words, lambda word: word.rect)
    pointers: dict[int, list[Pointer]] = {}
    for (number, target), group in found.items():
        kind = ReferenceKind.HYPERLINK if group[0].uri else ReferenceKind.CROSS_REFERENCE
        pointers.setdefault(number, []).append(Pointer(kind, target, _covered(group, near)))
    return [replace(item, pointers=(*item.pointers, *pointers.get(n, ()))) for n, item in enumerate(items)]


class _Homes:
    """The items of a page by place; a link in none of them belongs to the next, one of the first so many."""

    def __init__(self, items: Sequence[PageItem]) -> None:
        self._items = items
        self._near = Near(range(len(items)), lambda number: items[number].rect.grown(2))

    def of(self, rect: Rect) -> int:
        """Return the number of the item that holds most of a link."""
        items, near = self._items, self._near.at(rect)
        best = max(near, key=lambda number: rect.share_in(items[number].rect.grown(2)), default=0)
        if near and rect.share_in(items[best].rect.grown(2)) > 0:
            return best
        return min(range(min(len(items), _MOST_ITEMS)), key=lambda number: _distance(rect, items[number].rect))


def _distance(one: Rect, other: Rect) -> float:
    (x, y), (across, down) = one.middle, other.middle
    return abs(x - across) + abs(y - down)


def _covered(links: Sequence[PageLink], words: Near[PageWord]) -> str:
    areas = (link.rect.grown(0.5) for link in links)
    return " ".join(word.text for area in areas for word in words.at(area) if word.rect.share_in(area) > 0.5)
