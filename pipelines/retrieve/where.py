"""A filter as the atlas applies it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pipelines.core.ids import normalize
from pipelines.retrieve.index import Atlas, Weights
from pipelines.store.vector import Filter


def spelled_out(where: Filter, atlas: Atlas) -> Filter:
    """Return the filter with every spelling of its tags: a chunk bears a tag as its document writes it."""
    wanted = {normalize(tag) for tag in where.tags}
    same = (each for each in atlas.tag_spellings if not wanted.isdisjoint(map(normalize, each)))
    return replace(where, tags=tuple(sorted({*where.tags, *(spelling for each in same for spelling in each)})))


def allowed(where: Filter, atlas: Atlas) -> Weights | None:
    """Return 1 for each chunk that the filter lets through, else 0; None where it confines nothing."""
    if where == Filter():
        return None
    documents = np.array([_passes(where, number, atlas) for number in range(len(atlas.documents))], dtype=bool)
    chunks = documents[atlas.document_of]
    if where.pages:
        chunks &= np.isin(atlas.page, where.pages)
    if where.tags:
        chunks &= _tagged(where, atlas)
    return chunks.astype(np.float32)


def _passes(where: Filter, document: int, atlas: Atlas) -> bool:
    uri, date = atlas.uris[document], atlas.dates[document]
    return (
        (not where.documents or uri in where.documents or atlas.documents[document] in where.documents)
        and (not where.folders or uri.startswith(tuple(folder.rstrip("/") + "/" for folder in where.folders)))
        and (not where.media_types or atlas.media_types[document] in where.media_types)
        and (not where.since or date >= where.since)
        and (not where.until or (date != "" and date <= where.until + "~"))
    )


def _tagged(where: Filter, atlas: Atlas) -> np.ndarray:
    wanted = np.array([number for number, name in enumerate(atlas.tag_names) if name in where.tags], dtype=np.int32)
    found = np.zeros(atlas.size, dtype=bool)
    _, places = atlas.tagged.gather(wanted)
    found[atlas.tagged.columns[places]] = True
    return found
