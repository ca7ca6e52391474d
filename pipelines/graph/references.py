"""Which document refers to which: what the parser found, and the names of documents found in the text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from pipelines.core.document import ReferenceKind
from pipelines.core.graph import Value
from pipelines.core.ids import content_id
from pipelines.graph.card import CardReference, DocumentCard
from pipelines.graph.library import Library, Resolution, points
from pipelines.graph.mentions import Hit
from pipelines.graph.names import Name, NameKind, fold_name, number_key
from pipelines.graph.settings import GraphSettings
from pipelines.lang.characters import CJK_CHARACTER
from pipelines.lang.organizations import REFERRED_BODIES

_BY_NAME = (ReferenceKind.MENTION, ReferenceKind.CITATION, ReferenceKind.CROSS_REFERENCE)
_COMMON_LEAST = 10
"""Documents that may name a title before it can count as common."""
_MOST_CANDIDATES = 3
_SHOWN = re.compile(r"table|figure|fig\.|tabelle|abbildung", re.IGNORECASE)
_BEGINS_SHOWN = re.compile(rf"\W*(?:{_SHOWN.pattern})", re.IGNORECASE)
"""A table or a figure has a number too, and is no section."""
_STANDARD = re.compile(rf"(?:{REFERRED_BODIES}|GBT?|GB/T)[\s/-]", re.IGNORECASE)
_FILE = re.compile(r"(?<=[^\s/])\.[A-Za-z]{2,5}$")


@dataclass(frozen=True, slots=True)
class Link:
    """One document refers to another. `section` is the id of the section, or of the chunk of the clause, that it names,
    `part` that part as written.

    `target` is empty where nothing was found, `wanted` then says what was looked for and `reason` why it was not
    found. `takes_place` is 1 where the text says that the source supersedes the target, -1 where the reverse.
    """

    source: str
    kind: ReferenceKind
    wanted: str
    evidence: str
    chunk: str
    start: int
    end: int
    target: str = ""
    section: str = ""
    part: str = ""
    how: str = ""
    reason: str = ""
    page: int | None = None
    takes_place: int = 0
    candidates: int = 1
    count: int = 1

    @property
    def unresolved_id(self) -> str:
        return content_id("unresolved", fold_name(self.wanted))

    def properties(self) -> dict[str, Value]:
        """Return what the edge of this link tells."""
        told: dict[str, Value] = {
            "kind": self.kind.value,
            "evidence": self.evidence,
            "chunk": self.chunk,
            "start": self.start,
            "end": self.end,
            "count": self.count,
        }
        if self.page is not None:
            told["page"] = self.page
        if self.candidates > 1:
            told["candidates"] = self.candidates
        within = "target_chunk" if self.section.startswith("chunk:") else "target_section"
        named = {"section": self.part, within: self.section, "how": self.how, "wanted": self.wanted}
        return told | {name: value for name, value in named.items() if value}


def explicit_links(card: DocumentCard, library: Library, named: bool) -> Iterator[Link]:
    """Yield the links of what the parser found in a document, those that lead nowhere too.

    `named` chooses between what stands there as a name in the text (mentions) and all the rest.
    """
    for reference in card.references:
        if (reference.kind in _BY_NAME) is not named:
            continue
        if reference.kind is ReferenceKind.CROSS_REFERENCE and not library.names.get(fold_name(reference.target)):
            continue  # a place in the same document
        resolution = library.resolve(reference, card)
        if resolution.documents:
            yield from _resolved(reference, resolution, card, library)
        elif resolution.reason and _expects_a_document(reference, resolution, library):
            yield _link(reference, card, reason=resolution.reason)


def _resolved(reference: CardReference, found: Resolution, card: DocumentCard, library: Library) -> Iterator[Link]:
    targets = [document for document in found.documents if document != card.document]
    if len(targets) > _MOST_CANDIDATES:
        yield _link(reference, card, reason=f"{len(targets)} documents have this name")
        return
    part = reference.section or found.anchor
    for target in targets:
        section = "" if _BEGINS_SHOWN.match(reference.evidence) else library.section(target, part)
        yield _link(reference, card, target, section, part, found.how, candidates=len(targets))


def _link(
    reference: CardReference, card: DocumentCard, target: str = "", section: str = "", part: str = "", how: str = "",
    reason: str = "", candidates: int = 1,
) -> Link:  # fmt: skip
    return Link(
        card.document, reference.kind, reference.target.strip(), reference.evidence, reference.chunk, reference.start,
        reference.end, target, section, part or reference.section, how, reason, reference.page, candidates=candidates,
    )  # fmt: skip


def _expects_a_document(reference: CardReference, found: Resolution, library: Library) -> bool:
    """Whether what was not found must be a document: a part number in the text ("PX-100") need not be one."""
    if reference.kind is not ReferenceKind.MENTION or reference.section or points(reference.evidence):
        return True
    target = reference.target.strip()
    if _STANDARD.match(target) or _FILE.search(target):
        return True
    letters = re.match(r"[^\W\d]+", number_key(target))
    return letters is not None and letters.group() in library.prefixes


def mention_links(card: DocumentCard, hits: Sequence[Hit], library: Library, common: frozenset[str]) -> Iterator[Link]:
    """Yield a link for each document that a text names by its number, file name or title."""
    for hit in hits:
        named = library.names.get(hit.name, [])
        documents = _of_revision(hit, [document for document, _ in named], library)
        if card.document in documents or not _is_meant(hit, [name for _, name in named], hit.name in common):
            continue
        targets = library.nearest(documents, card)
        if 0 < len(targets) <= _MOST_CANDIDATES:
            how = named[0][1].kind.value
            for target in targets:
                yield _mention(hit, card, target, library, how, len(targets))


def _is_meant(hit: Hit, names: Sequence[Name], is_common: bool) -> bool:
    """Whether a name in the text is a document's name, and not words that happen to be its title."""
    if hit.cue or hit.around.part:
        return True
    if is_common or all(name.weak for name in names):
        return False
    if any(name.kind is not NameKind.TITLE for name in names):
        return True
    if CJK_CHARACTER.search(hit.surface):
        return True
    written = " ".join(hit.surface.split())
    if any(written == " ".join(name.text.split()) for name in names):
        return not written.islower() and not written[1:].islower()
    return len(written.split()) >= 5


def _of_revision(hit: Hit, documents: Sequence[str], library: Library) -> list[str]:
    """The documents of the revision that stands behind the name; all where none does or none has it."""
    wanted = hit.around.revision
    if not wanted:
        return list(documents)
    return [one for one in documents if library.cards[one].revision.upper() == wanted] or list(documents)


def _mention(hit: Hit, card: DocumentCard, target: str, library: Library, how: str, candidates: int) -> Link:
    around = hit.around
    section = "" if _SHOWN.search(around.before + around.behind) else library.section(target, around.part)
    return Link(
        card.document, ReferenceKind.MENTION, hit.surface, around.before + hit.surface + around.behind, hit.chunk,
        hit.start - len(around.before), hit.end + len(around.behind), target, section, around.part,
        how, takes_place=around.takes_place, candidates=candidates,
    )  # fmt: skip


def common_names(hits: Iterable[Sequence[Hit]], documents: int, settings: GraphSettings) -> frozenset[str]:
    """Return the names that so many documents hold that they must be words of the trade."""
    counts = Counter(name for one in hits for name in {hit.name for hit in one})
    most = max(_COMMON_LEAST, settings.common_share * documents)
    return frozenset(name for name, count in counts.items() if count > most)


def document_links(card: DocumentCard, hits: Sequence[Hit], library: Library, common: frozenset[str]) -> list[Link]:
    """Return the links of a document in order: what it points at, then what it names, each place once."""
    kept: list[Link] = []
    for links in (
        explicit_links(card, library, named=False),
        mention_links(card, hits, library, common),
        explicit_links(card, library, named=True),
    ):
        taken = sorted((link.start, link.end) for link in kept)
        kept += [link for link in links if not _overlaps(link, taken)]
    return sorted(_counted(kept), key=lambda link: (link.start, link.end, link.target))


def _overlaps(link: Link, taken: Sequence[tuple[int, int]]) -> bool:
    at = bisect_left(taken, (link.end, 0))
    return link.start < link.end and any(end > link.start for _, end in taken[max(0, at - 3) : at])


def _counted(links: Iterable[Link]) -> Iterable[Link]:
    """Of the links by name from one chunk to one target and section the first, with the number of them all."""
    found: dict[tuple[str, ...], Link] = {}
    counts: Counter[tuple[str, ...]] = Counter()
    for link in links:
        by_name = link.kind is ReferenceKind.MENTION
        end = link.target or link.unresolved_id
        key = (link.chunk, end, link.part if by_name else f"{link.kind.value}:{link.start}:{link.end}")
        found.setdefault(key, link)
        counts[key] += 1
    return (replace(link, count=counts[key]) if counts[key] > 1 else link for key, link in found.items())
