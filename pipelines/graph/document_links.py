"""Links between documents: from the references found by the parser and from document names found in the text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from pipelines.core.document import ReferenceKind
from pipelines.core.graph import PropertyValue
from pipelines.core.ids import content_id
from pipelines.graph.document_index import DocumentIndex, Resolution, points_at_document
from pipelines.graph.document_names import (
    DocumentName,
    NameKind,
    fold_name,
    number_key,
)
from pipelines.graph.document_profile import DocumentProfile, ProfileReference
from pipelines.graph.mentions import NameMention
from pipelines.graph.settings import GraphSettings
from pipelines.lang.characters import CJK_CHARACTER
from pipelines.lang.names import REFERRED_BODIES
from pipelines.lang.word_lists import any_of

_BY_NAME = (ReferenceKind.MENTION, ReferenceKind.CITATION, ReferenceKind.CROSS_REFERENCE)
_COMMON_LEAST = 10
"""Maximum documents that mention a name which is never treated as common."""
_TELLING = 5
"""Minimum words of a title that is matched in any case: so many in this order are not a coincidence."""
_MOST_CANDIDATES = 3
"""Maximum documents that one reference is linked to; with more, it is reported as ambiguous."""
_SHOWN = re.compile(any_of("table", "figure"), re.IGNORECASE)
_BEGINS_SHOWN = re.compile(rf"\W*(?:{_SHOWN.pattern})", re.IGNORECASE)
"""Tables and figures have numbers too: "table 4.2" does not name a section."""
_STANDARD = re.compile(rf"(?:{REFERRED_BODIES}|GBT?|GB/T)[\s/-]", re.IGNORECASE)
_FILE = re.compile(r"(?<=[^\s/])\.[A-Za-z]{2,5}$")


class DocumentLink(NamedTuple):
    """A reference from one document to another.

    `section` is the id of the named section, or of the chunk with the named clause; `part` is its name as written. If
    no document was found, `target` is empty and `reason` says why; `wanted` is the name that was looked up.
    `takes_place` is 1 if the text says that the source supersedes the target, -1 for the reverse, else 0.
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
    times: int = 1

    @property
    def unresolved_id(self) -> str:
        return _unresolved_id(self.wanted)

    def properties(self) -> dict[str, PropertyValue]:
        """Return the properties of this link's edge in the graph."""
        properties: dict[str, PropertyValue] = {
            "kind": self.kind.value,
            "evidence": self.evidence,
            "chunk": self.chunk,
            "start": self.start,
            "end": self.end,
            "count": self.times,
        }
        if self.page is not None:
            properties["page"] = self.page
        if self.candidates > 1:
            properties["candidates"] = self.candidates
        within = "target_chunk" if self.section.startswith("chunk:") else "target_section"
        named = {"section": self.part, within: self.section, "how": self.how, "wanted": self.wanted}
        return properties | {name: value for name, value in named.items() if value}


@lru_cache(1 << 14)  # many pages refer to the same missing document
def _unresolved_id(wanted: str) -> str:
    return content_id("unresolved", fold_name(wanted))


def explicit_links(profile: DocumentProfile, index: DocumentIndex, named: bool) -> Iterator[DocumentLink]:
    """Yield the links for the references that the parser found in a document, including unresolved ones.

    `named` selects either the references by a name in the text or all others (hyperlinks, attachments, replies).
    """
    for reference in profile.references:
        if (reference.kind in _BY_NAME) is not named:
            continue
        if reference.kind is ReferenceKind.CROSS_REFERENCE and not index.named(fold_name(reference.target)):
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
    """Whether an unresolved name is certainly that of a document; "PX-100" may be the number of a part."""
    if reference.kind is not ReferenceKind.MENTION or reference.section or points_at_document(reference.evidence):
        return True
    target = reference.target.strip()
    if _STANDARD.match(target) or _FILE.search(target):
        return True
    letters = re.match(r"[^\W\d]+", number_key(target))
    return letters is not None and index.begins_number(letters.group())


def mention_links(
    profile: DocumentProfile, hits: Sequence[NameMention], index: DocumentIndex, common: frozenset[str]
) -> Iterator[DocumentLink]:
    """Yield a link for each document whose number, file name or title occurs in the text."""
    for hit in hits:
        named = index.named(hit.name)
        documents = _of_revision(hit, _of_number(hit, [document for document, _ in named], index), index)
        if profile.document in documents or not _is_meant(hit, [name for _, name in named], hit.name in common):
            continue
        targets = index.nearest(documents, profile)
        if 0 < len(targets) <= _MOST_CANDIDATES:
            how = named[0][1].kind.value
            for target in targets:
                yield _mention(hit, profile, target, index, how, len(targets))


def _is_meant(hit: NameMention, names: Sequence[DocumentName], is_common: bool) -> bool:
    """Whether a name in the text refers to a document, and is not just ordinary words that equal its title."""
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


def _of_number(hit: NameMention, documents: Sequence[str], index: DocumentIndex) -> list[str]:
    """Return the documents that the number after the name leaves: a title may be shared by a series of documents.

    "Service Bulletin SB-12" does not name the document "Service Bulletin SB-15", whose title without its number it has.
    """
    wanted = number_key(hit.around.number)
    if not wanted:
        return list(documents)

    def is_other(document: str) -> bool:
        numbers = {number_key(number) for number in index.profiles[document].numbers}
        return bool(numbers) and wanted not in numbers and number_key(hit.surface) not in numbers

    return [one for one in documents if not is_other(one)]


def _of_revision(hit: NameMention, documents: Sequence[str], index: DocumentIndex) -> list[str]:
    """Return the documents with the revision given after the name; all if there is none or no document has it."""
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


def common_names(found: Iterable[Iterable[str]], documents: int, settings: GraphSettings) -> frozenset[str]:
    """Return the names that occur in more than `common_share` of the documents: ordinary words of the domain.

    `found` has the distinct names in each document.
    """
    counts = Counter(name for one in found for name in one)
    most = max(_COMMON_LEAST, settings.common_share * documents)
    return frozenset(name for name, count in counts.items() if count > most)


def document_links(
    profile: DocumentProfile, hits: Sequence[NameMention], index: DocumentIndex, common: frozenset[str]
) -> list[DocumentLink]:
    """Return the links of a document in reading order; at overlapping places, explicit references take precedence."""
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
    """Spans of a text that already have a link; they may overlap."""

    def __init__(self, places: Iterable[tuple[int, int]]) -> None:
        self._places = sorted(places)
        self._reach = list(accumulate((end for _, end in self._places), max))

    def overlaps(self, start: int, end: int) -> bool:
        """Whether a span overlaps a taken one; an empty span never does."""
        at = bisect_left(self._places, (end, 0))
        return start < end and at > 0 and self._reach[at - 1] > start


def _counted(links: Iterable[DocumentLink]) -> Iterable[DocumentLink]:
    """Return the links, with mentions of one target and section in the same chunk joined into the first and counted."""
    found: dict[tuple[str, ...], DocumentLink] = {}
    counts: Counter[tuple[str, ...]] = Counter()
    for link in links:
        by_name = link.kind is ReferenceKind.MENTION
        end = link.target or link.unresolved_id
        key = (link.chunk, end, link.part if by_name else f"{link.kind.value}:{link.start}:{link.end}")
        found.setdefault(key, link)
        counts[key] += 1
    return (link._replace(times=counts[key]) if counts[key] > 1 else link for key, link in found.items())
