"""The rest of a question inside the documents that it names: "UN number" for "What UN number does Solvanol K have?".

A document says its name in few places. A chunk with the name is not the answer to everything about the thing: what the
question asks besides is to be found in the document as if it had been asked about it alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pipelines.lang.characters import UNSPACED_CHARACTER
from pipelines.lang.terms import forms, words
from pipelines.retrieve.index import Index
from pipelines.retrieve.query import AnalyzedQuery, documents_called

_LEAST = 0.15
"""Minimum share of a question's weight in the words that name a document: with 0 and 0.3, the same 543 of 566 questions
of `benchmarks/forms` are answered, with 0.5, and if no document is named, 536."""
_MOST = 4
"""Maximum documents that a question names: words in the names of more tell a kind of document. 1 and 8 answer the same
questions."""


@dataclass(frozen=True, slots=True)
class NamedDocuments:
    """Documents that the same words of a question name, and its `rest`.

    `documents` are their numbers in the index, `places` those of the words in `AnalyzedQuery.words`.
    """

    documents: tuple[int, ...]
    places: tuple[int, ...]
    words: str
    rest: str


def named_documents(query: AnalyzedQuery, index: Index) -> Iterator[NamedDocuments]:
    """Yield the documents of several chunks whose titles and file names have most of the question, by these words."""
    named = _words_by_document(query, index)
    sizes = np.bincount(index.document_of, minlength=len(index.documents))
    shares = {
        document: float(query.weights[sorted(places)].sum()) / query.ideal
        for document, places in named.items()
        if sizes[document] > 1
    }
    best = [document for document, share in shares.items() if share >= max(_LEAST, *shares.values())]
    groups: dict[frozenset[int], list[int]] = {}
    for document in sorted(best) if len(best) <= _MOST else ():
        groups.setdefault(named[document], []).append(document)
    for named_by, documents in groups.items():
        places = tuple(sorted(named_by))
        naming = [query.words[place].term for place in places]
        if len(naming) < len(query.words):
            yield NamedDocuments(tuple(documents), places, " ".join(naming), _without(query, frozenset(naming)))


def _words_by_document(query: AnalyzedQuery, index: Index) -> dict[int, frozenset[int]]:
    """Return the places of the words of a question that are in the name of each document.

    Words in the names of more than the square root of all documents tell none of them.
    """
    found: dict[int, set[int]] = {}
    for place, word in enumerate(query.words):
        documents = documents_called(word, index)
        for document in documents.tolist() if len(documents) ** 2 <= max(1, len(index.documents)) else ():
            found.setdefault(document, set()).add(place)
    return {document: frozenset(places) for document, places in found.items()}


def _without(query: AnalyzedQuery, terms: frozenset[str]) -> str:
    """Return the text of a question without the words that have one of these terms."""
    return " ".join(filter(None, (_rest_of(word, query.language, terms) for word in query.text.split())))


def _rest_of(word: str, language: str, terms: frozenset[str]) -> str:
    if UNSPACED_CHARACTER.search(word):
        for term in terms:
            word = word.replace(term, " ")
        return word.strip()
    return "" if any(not terms.isdisjoint(forms(one, language)) for one in words(word, language)) else word
