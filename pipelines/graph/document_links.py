"""Links between documents: from the references that the parser found, and from their names found in the text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate

from pipelines.core.document import ReferenceKind
from pipelines.core.graph import PropertyValue
from pipelines.core.ids import content_id
from pipelines.graph.document_index import DocumentIndex, Resolution, points_at_document
from pipelines.graph.document_names import DocumentName, NameKind, fold_name, number_key
from pipelines.graph.document_profile import DocumentProfile, ProfileReference
from pipelines.graph.mentions import NameMention
from pipelines.graph.settings import GraphSettings
from pipelines.lang.characters import CJK_CHARACTER
from pipelines.lang.names import REFERRED_BODIES
from pipelines.lang.word_lists import any_of

_BY_NAME = (ReferenceKind.MENTION, ReferenceKind.CITATION, ReferenceKind.CROSS_REFERENCE)
_COMMON_LEAST = 10
"""Documents that may name a title before it can count as common."""
_TELLING = 5
"""Words of a title from which it is no chance to find them in this order, however they are written."""
_MOST_CANDIDATES = 3
"""Documents of one name that a reference may mean: more cannot be told apart, and are reported."""
_SHOWN = re.compile(any_of("table", "figure"), re.IGNORECASE)
_BEGINS_SHOWN = re.compile(rf"\W*(?:{_SHOWN.pattern})", re.IGNORECASE)
"""Tables and figures have numbers too: "table 4.2" names no section."""
_STANDARD = re.compile(rf"(?:{REFERRED_BODIES}|GBT?|GB/T)[\s/-]", re.IGNORECASE)
_FILE = re.compile(r"(?<=[^\s/])\.[A-Za-z]{2,5}$")


@dataclass(frozen=True, slots=True)
class DocumentLink:
    """A reference from one document to another.

    `section` is the id of the section that it names, or of the chunk with the clause; `part` is that part as written.

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
        return _unresolved_id(self.wanted)

    def properties(self) -> dict[str, PropertyValue]:
        """Return the properties of this link's edge in the graph."""
        told: dict[str, PropertyValue] = {
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


@lru_cache(1 << 14)  # a name that a corpus lacks is missing from many of its pages
def _unresolved_id(wanted: str) -> str:
    return content_id("unresolved", fold_name(wanted))


def explicit_links(profile: DocumentProfile, index: DocumentIndex, named: bool) -> Iterator[DocumentLink]:
    """Yield the links for the references that the parser found in a document, unresolved ones too.

    `named` chooses between what stands there as a name in the text (mentions) and all the rest.
    """
    for reference in profile.references:
        if (reference.kind in _BY_NAME) is not named:
            continue
        if reference.kind is ReferenceKind.CROSS_REFERENCE and not index.names.get(fold_name(reference.target)):
            continue  # a place in the same document
        resolution = index.resolve(reference, profile)
        if resolution.documents:
            yield from _resolved(reference, resolution, profile, index)
        elif resolution.reason and _expects_a_document(reference, resolution, index):
            yield _link(reference, profile, reason=resolution.reason)


def _resolved(
    reference: ProfileReference, found: Resolution, profile: DocumentProfile, index: DocumentIndex
) -> Iterator[DocumentLink]:
    targets = [document for document in found.documents if document != profile.document]
    if len(targets) > _MOST_CANDIDATES:
        yield _link(reference, profile, reason=f"{len(targets)} documents have this name")
        return
    part = reference.section or found.anchor
    for target in targets:
        section = "" if _BEGINS_SHOWN.match(reference.evidence) else index.section(target, part)
        yield _link(reference, profile, target, section, part, found.how, candidates=len(targets))


def _link(
    reference: ProfileReference, profile: DocumentProfile, target: str = "", section: str = "", part: str = "",
    how: str = "", reason: str = "", candidates: int = 1,
) -> DocumentLink:  # fmt: skip
    return DocumentLink(
        profile.document, reference.kind, reference.target.strip(), reference.evidence, reference.chunk,
        reference.start, reference.end, target, section, part or reference.section, how, reason, reference.page,
        candidates=candidates,
    )  # fmt: skip


def _expects_a_document(reference: ProfileReference, found: Resolution, index: DocumentIndex) -> bool:
    """Whether an unresolved name must be a document's: a part number in the text ("PX-100") need not be."""
    if reference.kind is not ReferenceKind.MENTION or reference.section or points_at_document(reference.evidence):
        return True
    target = reference.target.strip()
    if _STANDARD.match(target) or _FILE.search(target):
        return True
    letters = re.match(r"[^\W\d]+", number_key(target))
    return letters is not None and letters.group() in index.prefixes


def mention_links(
    profile: DocumentProfile, hits: Sequence[NameMention], index: DocumentIndex, common: frozenset[str]
) -> Iterator[DocumentLink]:
    """Yield a link for each document that a text names by its number, file name or title."""
    for hit in hits:
        named = index.names.get(hit.name, [])
        documents = _of_revision(hit, [document for document, _ in named], index)
        if profile.document in documents or not _is_meant(hit, [name for _, name in named], hit.name in common):
            continue
        targets = index.nearest(documents, profile)
        if 0 < len(targets) <= _MOST_CANDIDATES:
            how = named[0][1].kind.value
            for target in targets:
                yield _mention(hit, profile, target, index, how, len(targets))


def _is_meant(hit: NameMention, names: Sequence[DocumentName], is_common: bool) -> bool:
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
    return len(written.split()) >= _TELLING


def _of_revision(hit: NameMention, documents: Sequence[str], index: DocumentIndex) -> list[str]:
    """The documents of the revision that stands behind the name; all where none does or none has it."""
    wanted = hit.around.revision
    if not wanted:
        return list(documents)
    return [one for one in documents if index.profiles[one].revision.upper() == wanted] or list(documents)


def _mention(
    hit: NameMention, profile: DocumentProfile, target: str, index: DocumentIndex, how: str, candidates: int
) -> DocumentLink:
    around = hit.around
    section = "" if _SHOWN.search(around.before + around.behind) else index.section(target, around.part)
    return DocumentLink(
        profile.document, ReferenceKind.MENTION, hit.surface, around.before + hit.surface + around.behind, hit.chunk,
        hit.start - len(around.before), hit.end + len(around.behind), target, section, around.part,
        how, takes_place=around.takes_place, candidates=candidates,
    )  # fmt: skip


def common_names(hits: Iterable[Sequence[NameMention]], documents: int, settings: GraphSettings) -> frozenset[str]:
    """Return the names that occur in so many documents that they must be ordinary words of the domain."""
    counts = Counter(name for one in hits for name in {hit.name for hit in one})
    most = max(_COMMON_LEAST, settings.common_share * documents)
    return frozenset(name for name, count in counts.items() if count > most)


def document_links(
    profile: DocumentProfile, hits: Sequence[NameMention], index: DocumentIndex, common: frozenset[str]
) -> list[DocumentLink]:
    """Return the links of a document in order of place: explicit references before names, each place once."""
    kept: list[DocumentLink] = []
    for links in (
        explicit_links(profile, index, named=False),
        mention_links(profile, hits, index, common),
        explicit_links(profile, index, named=True),
    ):
        taken = _Taken((link.start, link.end) for link in kept)
        kept += [link for link in links if not taken.overlaps(link.start, link.end)]
    return sorted(_counted(kept), key=lambda link: (link.start, link.end, link.target))


class _Taken:
    """Places of a text that are taken, some perhaps inside others."""

    def __init__(self, places: Iterable[tuple[int, int]]) -> None:
        self._places = sorted(places)
        self._reach = list(accumulate((end for _, end in self._places), max))

    def overlaps(self, start: int, end: int) -> bool:
        """Whether some part of a place is taken; one without a character never is."""
        at = bisect_left(self._places, (end, 0))
        return start < end and at > 0 and self._reach[at - 1] > start


def _counted(links: Iterable[DocumentLink]) -> Iterable[DocumentLink]:
    """The links, those by name from one chunk to one target and section as one: the first, with their count."""
    found: dict[tuple[str, ...], DocumentLink] = {}
    counts: Counter[tuple[str, ...]] = Counter()
    for link in links:
        by_name = link.kind is ReferenceKind.MENTION
        end = link.target or link.unresolved_id
        key = (link.chunk, end, link.part if by_name else f"{link.kind.value}:{link.start}:{link.end}")
        found.setdefault(key, link)
        counts[key] += 1
    return (replace(link, count=counts[key]) if counts[key] > 1 else link for key, link in found.items())
