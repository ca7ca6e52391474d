"""Links of a page tied to the items that they stand in, with the words that they cover."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pipelines.core.document import ReferenceKind
from pipelines.parse.lines import Rect
from pipelines.parse.pdf.items import Item, Pointer
from pipelines.parse.pdf.page import Link, Word


def with_links(items: Sequence[Item], links: Sequence[Link], words: Sequence[Word]) -> list[Item]:
    """Return the items with their links, one that runs over several lines once; a link in no item goes to the next."""
    found: dict[tuple[int, str], list[Link]] = {}
    if not items:
        return []
    for link in links:
        target = link.uri or f"#page={link.page}"
        found.setdefault((_home(link.rect, items), target), []).append(link)
    linked = list(items)
    for (number, target), group in found.items():
        kind = ReferenceKind.HYPERLINK if group[0].uri else ReferenceKind.CROSS_REFERENCE
        pointer = Pointer(kind, target, _covered(group, words))
        linked[number] = replace(linked[number], pointers=(*linked[number].pointers, pointer))
    return linked


def _home(rect: Rect, items: Sequence[Item]) -> int:
    shares = [rect.share_in(item.rect.grown(2)) for item in items]
    best = max(range(len(items)), key=lambda number: shares[number])
    if shares[best] > 0:
        return best
    return min(range(len(items)), key=lambda number: _distance(rect, items[number].rect))


def _distance(one: Rect, other: Rect) -> float:
    (x, y), (across, down) = one.middle, other.middle
    return abs(x - across) + abs(y - down)


def _covered(links: Sequence[Link], words: Sequence[Word]) -> str:
    covered = [word.text for link in links for word in words if word.rect.share_in(link.rect.grown(0.5)) > 0.5]
    return " ".join(covered)
