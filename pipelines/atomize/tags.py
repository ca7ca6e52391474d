"""The corpus's tag collection: every tag once, with its other spellings and its class (PIKE-RAG figure 7)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from pipelines.core.ids import normalize
from pipelines.core.knowledge import ChunkTag, Tag, TagClass
from pipelines.lang.characters import CJK, CJK_RUN
from pipelines.lang.terms import terms

_PART = re.compile(rf"[^\W_{CJK}]+|[{CJK}]+")


@dataclass(frozen=True, slots=True)
class TagCollection:
    """All tags in order of id, and their classes.

    `merged` leads from the id of a tag as chunks bear it to the id of the one that stands for it; tags that stand for
    themselves are not in it.
    """

    tags: tuple[Tag, ...] = ()
    classes: tuple[TagClass, ...] = ()
    merged: Mapping[str, str] = field(default_factory=dict)


@lru_cache(maxsize=1 << 16)
def tag_form(text: str) -> str:
    """Return the form in which spellings of one term agree: stems without what divides them.

    "Mechanical seals" and "mechanical-seal" agree, "P-101 A" and "P101A" too; "P-101A" and "P-101B" do not.
    """
    parts = _PART.findall(normalize(text))
    return "".join(part if CJK_RUN.match(part) else terms(part, stop=False)[0] for part in parts)


def collect_tags(borne: Iterable[ChunkTag], short_forms: Iterable[tuple[str, str]] = ()) -> TagCollection:
    """Return the collection of the tags that chunks bear.

    Tags of one form are one, and so are a name and its abbreviation where `short_forms` has the two. The commonest
    spelling stands for the others, and the commonest class for all.
    """
    texts: dict[str, Counter[str]] = {}
    classes: dict[str, Counter[str]] = {}
    stems = _Merging(short_forms)
    for tag in borne:
        form = stems.of(tag_form(tag.text) or normalize(tag.text))
        texts.setdefault(form, Counter())[tag.text] += 1
        if tag.tag_class:
            classes.setdefault(form, Counter())[tag.tag_class] += 1
    found = {form: _tag(counts, classes.get(form, Counter())) for form, counts in texts.items()}
    merged = {id: tag.id for form, tag in found.items() for id in map(Tag.make_id, sorted(texts[form])) if id != tag.id}
    names = sorted({tag.tag_class for tag in found.values() if tag.tag_class})
    tags = tuple(sorted(found.values(), key=lambda tag: tag.id))
    return TagCollection(tags, tuple(TagClass(TagClass.make_id(name), name) for name in names), merged)


def _tag(texts: Counter[str], classes: Counter[str]) -> Tag:
    name = _commonest(texts)
    return Tag(Tag.make_id(name), name, _commonest(classes), tuple(sorted(set(texts) - {name})))


def _commonest(counts: Counter[str]) -> str:
    return min(counts, key=lambda text: (-counts[text], text), default="")


class _Merging:
    """Forms that are one because one is short for the other; an abbreviation of two names is of neither."""

    def __init__(self, short_forms: Iterable[tuple[str, str]]) -> None:
        long_by_short: dict[str, set[str]] = {}
        for long, short in short_forms:
            long_by_short.setdefault(tag_form(short), set()).add(tag_form(long))
        self._long = {short: min(longs) for short, longs in long_by_short.items() if len(longs) == 1}

    def of(self, form: str) -> str:
        return self._long.get(form, form)


def forms_in(text: str, longest: int = 5) -> Iterator[tuple[str, str]]:
    """Yield each run of up to `longest` words (of 2 to 6 characters in Chinese), the long ones first, with its form."""
    parts = [match.group() for match in _PART.finditer(normalize(text))]
    for size in range(min(longest, len(parts)), 0, -1):
        for start in range(len(parts) - size + 1):
            run = " ".join(parts[start : start + size])
            yield run, tag_form(run)
    for part in parts:
        if CJK_RUN.match(part):
            yield from ((piece, piece) for size in range(6, 1, -1) for piece in _pieces(part, size))


def _pieces(run: str, size: int) -> list[str]:
    return [run[start : start + size] for start in range(len(run) - size + 1)]
