"""Edges between documents of equal content, and between the revisions of a document."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from pipelines.core.graph import CORPUS_OWNER, Edge, EdgeKind
from pipelines.graph.document_links import DocumentLink
from pipelines.graph.document_names import fold_name, is_weak, number_key, revision_order, without_revision
from pipelines.graph.document_profile import DocumentProfile


def document_edges(profiles: Sequence[DocumentProfile], links: Iterable[DocumentLink]) -> Iterator[Edge]:
    """Yield the SUPERSEDES edges, stated and by revision, and the SAME_CONTENT edges between documents."""
    for one in links:
        if one.takes_place and one.target:
            newer, older = (one.source, one.target) if one.takes_place > 0 else (one.target, one.source)
            properties = one.properties() | {"how": "stated"}
            yield Edge(newer, EdgeKind.SUPERSEDES, older, CORPUS_OWNER, "", properties)
    yield from _supersedes(profiles)
    yield from _same_content(profiles)


def _same_content(profiles: Iterable[DocumentProfile]) -> Iterator[Edge]:
    """Yield SAME_CONTENT edges from the first (by URI) of the documents with equal bytes or words to the others."""
    groups: dict[str, list[DocumentProfile]] = {}
    for profile in sorted(profiles, key=lambda profile: profile.uri):
        groups.setdefault(profile.text_digest or profile.digest, []).append(profile)
    for first, *others in groups.values():
        for other in others:
            same = "bytes" if other.digest == first.digest else "words"
            properties = {"evidence": f"the same {same}: {first.uri} and {other.uri}", "same": same}
            yield Edge(first.document, EdgeKind.SAME_CONTENT, other.document, CORPUS_OWNER, "", properties)


def _supersedes(profiles: Iterable[DocumentProfile]) -> Iterator[Edge]:
    """Yield a SUPERSEDES edge from each revision of a document to the previous one."""
    groups: dict[str, list[DocumentProfile]] = {}
    for profile in sorted(profiles, key=lambda profile: profile.uri):
        if revision_order(profile.revision) and (key := _revision_key(profile)):
            groups.setdefault(key, []).append(profile)
    for group in groups.values():
        revisions: dict[tuple[int, ...], DocumentProfile] = {}
        for profile in group:
            revisions.setdefault(revision_order(profile.revision), profile)
        for older, newer in pairwise(revisions[order] for order in sorted(revisions)):
            properties = {"evidence": f"revision {newer.revision} after {older.revision}", "how": "revision"}
            yield Edge(newer.document, EdgeKind.SUPERSEDES, older.document, CORPUS_OWNER, "", properties)


def _revision_key(profile: DocumentProfile) -> str:
    """Return the key that all revisions of a document share, or "" if it has none.

    The key is the number with the title, else a title that is not weak, else the path without the revision. A number in
    the title adds nothing: it may be known of one revision only, whose file is named by it.
    """
    title = fold_name(without_revision(profile.title))
    if profile.numbers and (is_weak(title) or number_key(profile.numbers[0]) not in number_key(title)):
        return f"{number_key(profile.numbers[0])} {title}"
    if title and not is_weak(title):
        return title
    stem = re.sub(r"[_-]+", " ", posixpath.splitext(profile.file_name)[0])
    folder = posixpath.dirname(profile.uri)
    return f"{folder}/{fold_name(without_revision(stem))}" if without_revision(stem) else ""
