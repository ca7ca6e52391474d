"""The tag collection of a corpus, and the mapping of a question's terms to it (PIKE-RAG 5.2.2, figure 7)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from pipelines.core.ids import normalize
from pipelines.core.knowledge import Tag, TagPair
from pipelines.lang.characters import CJK, CJK_RUN
from pipelines.lang.terms import terms
from pipelines.lang.word_lists import PHRASE_ENDS

_PART = re.compile(rf"[^\W_{CJK}]+|[{CJK}]+")


@dataclass(frozen=True, slots=True)
class TagCollection:
    """All tags of a corpus in order of id.

    `merged` maps the id of each merged spelling or abbreviation to the id of the tag that it was merged into.
    """

    tags: tuple[Tag, ...] = ()
    merged: Mapping[str, str] = field(default_factory=dict)


@lru_cache(maxsize=1 << 16)
def tag_form(text: str) -> str:
    """Return a form that all spellings of a term share: its stems, joined without separators.

    "Mechanical seals" and "mechanical-seal" have one form, and so have "P-101 A" and "P101A"; "P-101B" has another.
    """
    return "".join(map(_part_form, _PART.findall(normalize(text))))


@lru_cache(maxsize=1 << 18)
def _part_form(part: str) -> str:
    return part if CJK_RUN.match(part) else terms(part, stop=False)[0]


def collect_tags(borne: Mapping[tuple[str, str], int], short_forms: Iterable[tuple[str, str]] = ()) -> TagCollection:
    """Return the tag collection of all chunks; `borne` counts the chunks by tag text and class.

    Tags of one form are merged, and so are the name and abbreviation of each pair in `short_forms`. The most frequent
    spelling is the tag's text, the others are its aliases; the most frequent class is its class.
    """
    texts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    classes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    abbreviations = _Abbreviations(short_forms)
    for (text, tag_class), count in borne.items():
        form = abbreviations.expanded(tag_form(text) or normalize(text))
        texts[form][text] += count
        if tag_class:
            classes[form][tag_class] += count
    found = {form: _tag(counts, classes.get(form, Counter())) for form, counts in texts.items()}
    several = ((found[form].id, sorted(counts)) for form, counts in texts.items() if len(counts) > 1)
    merged = {id: into for into, spellings in several for id in map(Tag.make_id, spellings) if id != into}
    return TagCollection(tuple(sorted(found.values(), key=lambda tag: tag.id)), merged)


def _tag(texts: Counter[str], classes: Counter[str]) -> Tag:
    name = _commonest(texts)
    return Tag(Tag.make_id(name), name, _commonest(classes), tuple(sorted(set(texts) - {name})))


def _commonest(counts: Counter[str]) -> str:
    return min(counts, key=lambda text: (-counts[text], text), default="")


class _Abbreviations:
    """Maps forms of abbreviations to forms of names; an abbreviation of two names is omitted."""

    def __init__(self, short_forms: Iterable[tuple[str, str]]) -> None:
        long_by_short: dict[str, set[str]] = {}
        for long, short in short_forms:
            long_by_short.setdefault(tag_form(short), set()).add(tag_form(long))
        self._long = {short: min(longs) for short, longs in long_by_short.items() if len(longs) == 1}

    def expanded(self, form: str) -> str:
        return self._long.get(form, form)


def forms_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield each run of up to five words (2 to 6 characters in Chinese) with its form, longer runs first."""
    parts = [match.group() for match in _PART.finditer(normalize(text))]
    for size in range(min(5, len(parts)), 0, -1):
        for start in range(len(parts) - size + 1):
            run = " ".join(parts[start : start + size])
            yield run, tag_form(run)
    for part in parts:
        if CJK_RUN.match(part):
            yield from ((piece, piece) for size in range(6, 1, -1) for piece in _pieces(part, size))


def _pieces(run: str, size: int) -> list[str]:
    return [run[start : start + size] for start in range(len(run) - size + 1)]


class QueryTags:
    """Maps a question to tags of the collection: those it contains, and those of matching tag pairs.

    `by_form` maps the `tag_form` of each spelling of a tag to the tag's text.
    """

    def __init__(self, by_form: Mapping[str, str], pairs: Iterable[TagPair] = ()) -> None:
        self._by_form = by_form
        self._pairs: dict[str, list[TagPair]] = {}
        for pair in pairs:
            self._pairs.setdefault(tag_form(pair.query_term), []).append(pair)

    def map(self, question: str) -> tuple[TagPair, ...]:
        """Return the terms of a question with their tags, the highest weight first, each tag once.

        A tag that the question contains has weight 1, a tag of a pair the weight of the pair:
        `(TagPair("pump", "pump", 1.0), TagPair("rattling", "cavitation", 0.8))`.
        """
        found = {pair.corpus_tag: pair for pair in reversed([*self._named(question), *self._paired(question)])}
        return tuple(sorted(found.values(), key=lambda pair: (-pair.weight, pair.corpus_tag)))

    def _named(self, question: str) -> Iterator[TagPair]:
        """Yield the tags in the question that are not part of a longer one."""
        taken: list[str] = []
        for run, form in forms_in(question):
            tag = self._by_form.get(form)
            if tag is not None and run not in PHRASE_ENDS and not any(form in longer for longer in taken):
                taken.append(form)
                yield TagPair(run, tag, 1.0)

    def _paired(self, question: str) -> Iterator[TagPair]:
        for _, form in forms_in(question):
            yield from self._pairs.get(form, ())
