"""The names of entities in an index: those inside longer ones, their terms, and the documents that bear them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pipelines.retrieve.index import INNER_NAME, name_key, word_ngrams
from pipelines.retrieve.sparse_rows import Entries, Numbers, SparseRows, rows_of
from pipelines.retrieve.strings import Strings


def names_around(keys: Strings, entities_of: SparseRows, inner: set[str]) -> NDArray[np.int32]:
    """Return the entities that have a key with one of `inner` in it, word by word."""
    by_word: dict[str, list[str]] = {}
    for one in inner:
        by_word.setdefault(one.partition(" ")[0], []).append(f" {one} ")
    found = [
        place
        for place, key in enumerate(keys if inner else ())
        if not by_word.keys().isdisjoint(words := key.split()) and _is_around(key, words, by_word)
    ]
    places = np.array(found, dtype=np.int32)
    return np.unique(entities_of.columns[entities_of.gather(places)[1]])


def _is_around(key: str, words: Sequence[str], by_word: Mapping[str, list[str]]) -> bool:
    padded = f" {key} "
    return any(one in padded for word in words for one in by_word.get(word, ()))


def inner_names(name: str, number: int, by_name: Mapping[str, tuple[int, ...]]) -> list[int]:
    """Return the entities whose names are part of this one's ("Mississippi" in "History of Mississippi")."""
    whole = name_key(name)
    found = {other for _, _, key in word_ngrams(whole) if key != whole for other in by_name.get(key, ())}
    return sorted(found - {number})


def with_inner_names(mentions: SparseRows, inner: SparseRows) -> SparseRows:
    """Return the entities that each chunk mentions, and with less weight those whose names are in theirs."""
    entry, place = inner.gather(mentions.columns)
    rows = mentions.rows()
    own = Entries(rows, mentions.columns, mentions.values)
    others = np.full(len(place), INNER_NAME, dtype=np.float32)
    return rows_of(own + Entries(rows[entry], inner.columns[place], others), mentions.size)


def own_mentions(chunk_entities: SparseRows) -> SparseRows:
    """Return what `with_inner_names` was given: the names that stand in each chunk by themselves."""
    alone = chunk_entities.values > INNER_NAME
    starts = np.concatenate(([0], np.cumsum(alone)))[chunk_entities.starts]
    return SparseRows(starts, chunk_entities.columns[alone], chunk_entities.values[alone])


def languages_of_names(entity_chunks: SparseRows, language_of: Numbers) -> Numbers:
    """Return the language of the first chunk that mentions each name; the first of all for one that none mentions."""
    found = np.zeros(entity_chunks.size, dtype=np.int32)
    mentioned = entity_chunks.counts() > 0
    found[mentioned] = language_of[entity_chunks.columns[entity_chunks.starts[:-1][mentioned]]]
    return found


def named_in_title(
    entity_chunks: SparseRows, document_of: Numbers, bearers: Entries, documents: int
) -> NDArray[np.bool_]:
    """Return for each entry of `entity_chunks` whether the chunk's document bears the name.

    `bearers` are pairs of an entity and a document whose title is one of its names.
    """
    of_entries = entity_chunks.rows() * np.int64(documents) + document_of[entity_chunks.columns]
    return np.isin(of_entries, bearers.rows * np.int64(documents) + bearers.columns)


def name_frequency(name_terms: SparseRows, entity_chunks: SparseRows, postings: SparseRows) -> Numbers:
    """Return in how many chunks each name stands; one of a single word also where it was not recognized as a name."""
    single = np.flatnonzero(name_terms.counts() == 1)
    found = entity_chunks.counts().copy()
    found[single] = np.maximum(found[single], postings.counts()[name_terms.columns[name_terms.starts[single]]])
    return found
