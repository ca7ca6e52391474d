"""The graph as retrieval reads it: nodes by number, edges as sparse rows, and names as they are compared.

All of it is arrays, which may be those of a file that is mapped: what a question does not ask for is not read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from pipelines.atomize.tags import tag_form
from pipelines.core.ids import normalize
from pipelines.lang.names import kind_words
from pipelines.lang.terms import stop_words, terms
from pipelines.retrieve.sparse_rows import Numbers, SparseRows, Weights
from pipelines.retrieve.strings import SortedMap, Strings
from pipelines.store.graph import HASH_BYTES

_WORD = re.compile(r"[^\W_]+")
_BRACKETS = re.compile(r"(?:(?<!\s)\s++)?[(（][^)）]{0,200}[)）]")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
INNER_NAME = 0.5
"""Weight of a name inside a longer one, in a question as in a chunk, against 1 for one that stands alone; not tuned."""
LONGEST_NAME = 8
"""Words of a name that is looked up in a question at most."""


_STRINGS, _ROWS = {"empty": Strings.of(())}, {"empty": SparseRows.empty()}
_NUMBERS, _TRIPLES = {"empty": np.zeros(0, np.int32)}, {"empty": np.zeros((0, 3), np.int32)}
_WEIGHTS, _FLAGS = {"empty": np.zeros(0, np.float32)}, {"empty": np.zeros(0, np.bool_)}
_HASHES = {"empty": np.zeros((0, HASH_BYTES), np.uint8)}
"""What a part is in the index of an empty graph."""


@dataclass(frozen=True)
class Index:
    """Chunks, documents, entities, tags and terms by number, each in order of id, and the edges between them.

    A field named `a_bs` has for each a the bs that it leads to: `chunk_entities` the entities that a chunk mentions,
    `entity_chunks` the chunks that mention an entity. Terms and keys are in order too, so that what a number is does
    not depend on what was read first.

    Of chunks: `document_of`, the `pages` where they begin (0: none), their `lengths` in terms. `language_of` is the
    place of a chunk's language in `languages`, which are in order of their share, the largest first ("" where it is not
    known). `rewritten` says whether a chunk's summary has words that are not its own. `postings` has for each of
    `terms` the chunks that hold it, stemmed as a word of the chunk's language, and how often; `backwards` are the terms
    in order of their letters from the last to the first. A chunk mentions also the
    entities whose names are inside a longer name in it (`inner_entities`), with less weight. `chunk_references` leads
    to the documents that a chunk refers to, `chunk_neighbours` to the chunks before and behind.

    Of documents: `superseded_by` is the newest document that replaces each, or -1; `title_documents` leads from a
    title as `name_key` folds it (`title_keys`) to documents, `term_documents` from a term to the documents that a
    reader may call by it (`document_words`).

    Of entities: `name_frequency` is the number of chunks in which the name stands, `name_terms` its terms;
    `relations` are the edges RELATED: the document that says so, head and tail, and `related_entities` leads along
    them both ways; `key_entities` leads from a folded name (`entity_keys`) to entities. `named_in_title` says of each
    entry of `entity_chunks` whether the title of the chunk's document is the entity's name.

    `tag_aliases` are the other spellings of each tag, one to a line; `form_tags` leads from the `tag_form` of a
    spelling (`tag_forms`) to tags.

    What the next index can take over from this one (`pipelines.retrieve.build_index`) is told by `digests`, what the
    graph said of each of its `owners`, "" of one that is to be read again, and `entity_hashes` and `tag_hashes`.
    """

    chunks: Strings = field(metadata=_STRINGS)
    documents: Strings = field(metadata=_STRINGS)
    uris: Strings = field(metadata=_STRINGS)
    titles: Strings = field(metadata=_STRINGS)
    media_types: Strings = field(metadata=_STRINGS)
    dates: Strings = field(metadata=_STRINGS)
    superseded_by: Numbers = field(metadata=_NUMBERS)
    document_of: Numbers = field(metadata=_NUMBERS)
    pages: Numbers = field(metadata=_NUMBERS)
    language_names: Strings = field(metadata=_STRINGS)
    language_of: Numbers = field(metadata=_NUMBERS)
    rewritten: NDArray[np.bool_] = field(metadata=_FLAGS)
    lengths: Weights = field(metadata=_WEIGHTS)
    entities: Strings = field(metadata=_STRINGS)
    entity_names: Strings = field(metadata=_STRINGS)
    entity_hashes: NDArray[np.uint8] = field(metadata=_HASHES)
    tag_ids: Strings = field(metadata=_STRINGS)
    tag_names: Strings = field(metadata=_STRINGS)
    tag_aliases: Strings = field(metadata=_STRINGS)
    tag_hashes: NDArray[np.uint8] = field(metadata=_HASHES)
    inner_entities: SparseRows = field(metadata=_ROWS)
    chunk_entities: SparseRows = field(metadata=_ROWS)
    entity_chunks: SparseRows = field(metadata=_ROWS)
    relations: Numbers = field(metadata=_TRIPLES)
    related_entities: SparseRows = field(metadata=_ROWS)
    chunk_references: SparseRows = field(metadata=_ROWS)
    tag_chunks: SparseRows = field(metadata=_ROWS)
    chunk_neighbours: SparseRows = field(metadata=_ROWS)
    document_chunks: SparseRows = field(metadata=_ROWS)
    named_in_title: NDArray[np.bool_] = field(metadata=_FLAGS)
    terms: Strings = field(metadata=_STRINGS)
    backwards: Numbers = field(metadata=_NUMBERS)
    postings: SparseRows = field(metadata=_ROWS)
    term_documents: SparseRows = field(metadata=_ROWS)
    name_terms: SparseRows = field(metadata=_ROWS)
    name_frequency: Numbers = field(metadata=_NUMBERS)
    entity_keys: Strings = field(metadata=_STRINGS)
    key_entities: SparseRows = field(metadata=_ROWS)
    title_keys: Strings = field(metadata=_STRINGS)
    title_documents: SparseRows = field(metadata=_ROWS)
    tag_forms: Strings = field(metadata=_STRINGS)
    form_tags: SparseRows = field(metadata=_ROWS)
    owners: Strings = field(metadata=_STRINGS)
    digests: Strings = field(metadata=_STRINGS)

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages of the chunks, that of most chunks first."""
        return tuple(self.language_names)

    @cached_property
    def has_summaries(self) -> bool:
        """Whether there are summaries in words that are not their chunks' own."""
        return bool(self.rewritten.any())

    @cached_property
    def vocabulary(self) -> Mapping[str, int]:
        """The number of each term."""
        return SortedMap(self.terms, int)

    @cached_property
    def entities_by_name(self) -> Mapping[str, tuple[int, ...]]:
        """The entities of each folded name."""
        return SortedMap(self.entity_keys, self.key_entities.numbers_of)

    @cached_property
    def documents_by_title(self) -> Mapping[str, tuple[int, ...]]:
        """The documents of each folded title."""
        return SortedMap(self.title_keys, self.title_documents.numbers_of)

    @cached_property
    def tags_by_form(self) -> Mapping[str, tuple[int, ...]]:
        """The tags of each form of a spelling."""
        return SortedMap(self.tag_forms, self.form_tags.numbers_of)

    @cached_property
    def tag_names_by_form(self) -> Mapping[str, str]:
        """The tag of each form of a spelling; of several the last."""
        tags, names = self.form_tags, self.tag_names  # not the index itself: it would hold itself in memory
        return SortedMap(self.tag_forms, lambda form: names[tags.columns_of(form)[-1]])

    @cached_property
    def reference_counts(self) -> Numbers:
        """How many chunks refer to each document."""
        return np.bincount(self.chunk_references.columns, minlength=len(self.documents)).astype(np.int32)

    @cached_property
    def tag_spellings(self) -> tuple[tuple[str, ...], ...]:
        """Each tag's name and its other spellings."""
        return tuple(
            (name, *aliases.splitlines()) for name, aliases in zip(self.tag_names, self.tag_aliases, strict=True)
        )

    @property
    def size(self) -> int:
        """The number of chunks."""
        return len(self.chunks)

    def chunk_number(self, chunk: str) -> int | None:
        """Return the number of a chunk, None for an unknown one."""
        place = self.chunks.place(chunk)
        return None if place < 0 else place

    def document_number(self, document: str) -> int:
        """Return the number of a document. Raises KeyError."""
        place = self.documents.place(document)
        if place < 0:
            raise KeyError(document)
        return place

    def tag_number(self, name: str) -> int | None:
        """Return the number of the tag of this name, of several the last; None where there is none."""
        tags = self.tags_by_form.get(tag_form(name), ())
        return next((tag for tag in reversed(tags) if self.tag_names[tag] == name), None)


NO_INDEX = Index(**{part.name: part.metadata["empty"] for part in fields(Index)})
"""The index of an empty graph."""


def name_key(text: str) -> str:
    """Return a name in words without accents, one blank between them: "Kenjirō" and "kenjiro" are one."""
    plain = normalize(text)
    return " ".join(_WORD.findall(plain if plain.isascii() else "".join(map(_without_accents, plain))))


def _without_accents(letter: str) -> str:
    """A Latin letter without its accents; letters of other scripts keep theirs."""
    first = unicodedata.normalize("NFKD", letter)[:1]
    return first if first.isascii() and first.isalpha() else letter


@lru_cache(maxsize=64)
def common_keys(*languages: str) -> frozenset[str]:
    """Return the words of languages that name nothing, as names are looked up: "Más" may be a heading."""
    return frozenset(name_key(word) for language in languages for word in stop_words(language))


def title_keys(title: str, language: str = "") -> Iterator[str]:
    """Yield the folded names in a title: all of it, without what is in brackets, and up to its first comma.

    What has stop words of `language` alone is no name.
    """
    bare = _BRACKETS.sub("", title).strip()
    for form in dict.fromkeys((title, bare, bare.partition(",")[0])):
        key = name_key(form)
        if len(key) > 1 and not common_keys(language).issuperset(key.split()):
            yield key


def document_words(title: str, uri: str, media_type: str, language: str = "") -> list[str]:
    """Return the terms by which a reader may call a document: those of its title, its file name and its kind."""
    file = uri.rsplit("/", 1)[-1].rpartition(".")[0] if "." in uri else ""
    said = f"{title} {_CAMEL.sub(' ', file)} {kind_words(media_type, language)}"
    return list(dict.fromkeys(terms(said, language)))


def word_ngrams(text: str, longest: int = LONGEST_NAME) -> Iterator[tuple[int, int, str]]:
    """Yield all n-grams of up to `longest` words as (first word, end, key), the longest first."""
    words = name_key(text).split()
    for size in range(min(longest, len(words)), 0, -1):
        for start in range(len(words) - size + 1):
            yield start, start + size, " ".join(words[start : start + size])
