"""The links of all documents; those that a change of the corpus cannot have changed are kept from the last linking.

The links of a document depend on its own profile, on the names in its text, on which names are common, and on what it
looks up in the index of the documents. A document is linked again if it has changed, or if it has looked up a mark (see
`DocumentIndex`) of a document that has changed, came or went, or a name that has become common or rare. If the set of
names has changed, all documents are linked again, because all texts are searched for the names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipelines.core import codec
from pipelines.core.ids import content_id
from pipelines.core.outcome import each
from pipelines.graph.document_index import DocumentIndex
from pipelines.graph.document_links import DocumentLink, common_names, document_links
from pipelines.graph.document_profile import DocumentProfile
from pipelines.graph.mentions import NameMatcher, NameMention, TextOf, find_mentions
from pipelines.graph.settings import GraphSettings
from pipelines.store.artifact import ArtifactStore

STAGE = "links"
"""Stage of the artifact with the links of all documents, which contains text of each."""
_VERSION = "1"
"""To be raised when a change in the code finds other links for the same profiles and mentions."""
CACHE_KEY = content_id(STAGE, _VERSION).partition(":")[2]
"""The only key of the stage."""
_MARK_BYTES = 8
"""64 bits of a digest: two of a million marks are equal with a chance of 1 in 30 million, and a document that has the
wrong one is linked again."""

Marks = NDArray[np.int64]
"""Digests of marks."""


class _Links(NamedTuple):
    """What is kept of a document: digests of its profile, its marks and the marks looked up; the names in its text."""

    state: bytes
    marks: bytes
    asked: bytes
    names: tuple[str, ...]
    links: tuple[DocumentLink, ...]


class _Kept(NamedTuple):
    """The stored form; `search` identifies the set of names and whether texts are searched for them."""

    search: str
    common: tuple[str, ...]
    documents: dict[str, _Links]


def corpus_links(
    profiles: Sequence[DocumentProfile],
    index: DocumentIndex,
    text_of: TextOf,
    settings: GraphSettings,
    cache: ArtifactStore | None,
) -> list[DocumentLink]:
    """Return the links of all documents, in the order of the profiles.

    Args:
        profiles: the profiles of the documents of `index`.
        index: the documents.
        text_of: returns the chunks of a document.
        settings: the section `[graph]`.
        cache: stores the links and the mentions, see `pipelines.graph.link.link`.

    Raises:
        DocumentsFailed: the mentions or references of some documents could not be computed.
    """
    matcher = NameMatcher(index.names) if settings.mentions else None
    search = matcher.digest if matcher else ""
    before = _read(cache, search)
    states = {profile.document: _state(profile) for profile in profiles} if cache else {}
    same = {document: one for document, one in before.documents.items() if one.state == states.get(document)}

    def found_in(some: Sequence[DocumentProfile]) -> dict[str, Sequence[NameMention]]:
        hits = each(
            "mentions",
            some,
            attrgetter("document"),
            lambda profile: find_mentions(profile, matcher, text_of, cache) if matcher else (),
        )
        return {profile.document: found for profile, found in zip(some, hits, strict=True)}

    hits = found_in([profile for profile in profiles if profile.document not in same])
    names = {document: tuple(sorted({hit.name for hit in found})) for document, found in hits.items()}
    names |= {document: one.names for document, one in same.items()}
    common = common_names(names.values(), len(profiles), settings)
    kept = _unaffected(same, before, index, common)
    hits |= found_in([profile for profile in profiles if profile.document in same.keys() - kept.keys()])

    def linked(profile: DocumentProfile) -> _Links:
        document = profile.document
        if document in kept:
            return kept[document]
        index.asked.clear()
        links = document_links(profile, hits[document], index, common)
        asked = _digests(index.asked).tobytes() if cache else b""
        return _Links(states.get(document, b""), b"", asked, names[document], tuple(links))

    links = each("references", profiles, attrgetter("document"), linked)
    if cache is not None and len(kept) < max(len(profiles), len(before.documents)):
        by_document = {
            profile.document: one._replace(marks=one.marks or _digests(index.marks[profile.document]).tobytes())
            for profile, one in zip(profiles, links, strict=True)
        }
        cache.remove(STAGE, CACHE_KEY)
        cache.put(STAGE, CACHE_KEY, codec.pack(_Kept(search, tuple(sorted(common)), by_document)))
    return [link for one in links for link in one.links]


def _read(cache: ArtifactStore | None, search: str) -> _Kept:
    """Return what was kept by the last linking, nothing if texts were searched for other names then."""
    data = cache.get(STAGE, CACHE_KEY) if cache else None
    kept = codec.unpack(data, _Kept) if data is not None else None
    return kept if kept is not None and kept.search == search else _Kept(search, (), {})


def kept_documents(cache: ArtifactStore) -> frozenset[str]:
    """Return the ids of the documents whose links are kept, that is, of which the artifact contains text."""
    data = cache.get(STAGE, CACHE_KEY)
    return frozenset(codec.unpack(data, tuple[str, tuple[str, ...], dict[str, codec.Raw]])[2]) if data else frozenset()


def _unaffected(
    same: Mapping[str, _Links], before: _Kept, index: DocumentIndex, common: frozenset[str]
) -> dict[str, _Links]:
    """Return those of the unchanged documents whose links cannot have changed."""
    if not same:
        return {}
    moved = [np.frombuffer(one.marks, np.int64) for document, one in before.documents.items() if document not in same]
    moved += [_digests(marks) for document, marks in index.marks.items() if document not in same]
    moved.append(_digests(index.marks_of_names(common.symmetric_difference(before.common))))
    asked = [np.frombuffer(one.asked, np.int64) for one in same.values()]
    document_of = np.repeat(np.arange(len(asked)), [len(marks) for marks in asked])
    affected = np.zeros(len(asked), np.bool_)
    affected[document_of[np.isin(np.concatenate(asked), np.concatenate(moved))]] = True
    pairs = zip(same.items(), affected.tolist(), strict=True)
    return {document: one for (document, one), is_hit in pairs if not is_hit}


def _state(profile: DocumentProfile) -> bytes:
    """Return a digest of what the links of a document use of its own profile."""
    return hashlib.sha256(codec.pack(replace(profile, entities=(), tags=()))).digest()


def _digests(marks: Iterable[str]) -> Marks:
    joined = b"".join(
        hashlib.blake2b(mark.encode("utf-8", "surrogatepass"), digest_size=_MARK_BYTES).digest() for mark in marks
    )
    return np.unique(np.frombuffer(joined, np.int64))
