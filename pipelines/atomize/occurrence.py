"""Whether and where a text says something: the checks that need no model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from functools import cached_property

from pipelines.atomize.content import Content
from pipelines.core.ids import normalize
from pipelines.core.provenance import Span
from pipelines.lang.characters import CJK, CJK_CHARACTER
from pipelines.lang.numbers import FIGURE
from pipelines.lang.terms import terms

_SHORT_FORM = re.compile(r"[(（]([A-Z][A-Za-z0-9]{1,7})[)）]")
_ENDS_NAME = re.compile(r"[()（）\n]")
_SHORTEST_LONG, _LONGEST_LONG = 3, 80
"""Characters of what an abbreviation in brackets stands for."""
_BY = re.compile(r"\bby(?:\s+[\w-]+){0,4}\s+$", re.IGNORECASE)
_NEAR_BY = 60
"""Characters before a name in which a "by" is looked for."""
_LAST_NAME = 3
_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)
_ASKING = frozenset(
    terms(
        "name called type kind sort many number year date time day place located person people country city town"
        " company organization thing part role describe mean"
    )
)


class Saying:
    """A chunk as something to be checked against: what it says itself, and what it stands under."""

    def __init__(self, content: Content) -> None:
        self.content = content
        self._text = content.chunk.text
        self._lower = _folded(self._text)
        self._start = content.chunk.provenance.span.start

    def places(self, surface: str) -> list[Span]:
        """Return where the chunk names something, by these words or else by an alias of them."""
        for form in (surface, _ARTICLE.sub("", surface), *self._aliases(surface)):
            found = self._find(form)
            if found:
                return found
        return []

    def evidence(self, heads: Sequence[Span], tails: Sequence[Span]) -> Span:
        """Return the first sentence that names both, or the stretch between the nearest two that name one each."""
        pairs = ((self._sentence(head), self._sentence(tail)) for head in heads for tail in tails)
        spans = (Span(min(one.start, other.start), max(one.end, other.end)) for one, other in pairs)
        return min(spans, key=lambda span: (len(span), span.start))

    def in_one_sentence(self, heads: Sequence[Span], tails: Sequence[Span]) -> bool:
        return not {self._sentence(head) for head in heads}.isdisjoint(self._sentence(tail) for tail in tails)

    def is_subject(self, name: str) -> bool:
        """Whether the whole chunk is about a name: it is in the title, a heading or the first sentence."""
        first = next((one for one in self.content.sentences if one.prose), None)
        return self.stands_under(name) or (first is not None and normalize(name) in normalize(first.text))

    def follows_by(self, places: Sequence[Span]) -> bool:
        """Whether "by" and at most a few words stand before one of the places."""
        before = (self._text[: place.start - self._start] for place in places)
        return any(_BY.search(text[-_NEAR_BY:]) for text in before)

    def _sentence(self, place: Span) -> Span:
        return next((one.span for one in self.content.sentences if one.span.overlaps(place)), place)

    def stands_under(self, name: str) -> bool:
        """Whether the title or a heading above the chunk holds a name."""
        form = normalize(name)
        return any(form in part for _, part in self.content.path)

    def has_numbers_of(self, text: str) -> bool:
        """Whether every number in `text` stands in the chunk or in what it stands under."""
        return {_figure(number) for number in FIGURE.findall(text)} <= self._numbers

    def share_of_terms(self, text: str, beside: Iterable[str] = ()) -> float:
        """Return the share of the terms of `text` that occur in the chunk or in what it stands under.

        Terms of the names `beside` do not count, nor do words with which any question can be put; 1 where nothing
        is left.
        """
        form = normalize(text)
        named = {term for name in beside if name in form for term in terms(name)}
        wanted = set(terms(text)) - named - _ASKING
        return _share(wanted, self.terms)

    def best_place(self, text: str) -> tuple[float, str]:
        """Return the share of the terms of `text` that the best two neighbouring sentences have, and these sentences.

        The better one with and without the terms of the document's title: sentences may call what they are all about
        by its name or by a pronoun.
        """
        wanted = set(terms(text)) - _ASKING
        both = (wanted, wanted - set(terms(self.content.document.title)))
        return max((_share(own, place), said) for own in both for place, said in self._places)

    def says(self, relation: str, evidence: Span) -> bool:
        """Whether a word of a relation stands in its evidence, or it has none but "is", "has" and the like."""
        wanted = set(terms(relation))
        own = evidence.shifted(-self._start).slice(self._text)
        return not wanted or not wanted.isdisjoint(terms(own))

    @cached_property
    def _places(self) -> list[tuple[frozenset[str], str]]:
        """Each two neighbouring sentences with their terms, the chunk's context before them."""
        said = [sentence.text for sentence in self.content.sentences] or [self._text]
        pairs = zip(said, [*said[1:], ""], strict=True)
        places = ["\n".join((self.content.chunk.context, *pair)) for pair in pairs]
        return [(frozenset(terms(place)), place) for place in places]

    @cached_property
    def terms(self) -> frozenset[str]:
        return frozenset(terms(self._around))

    @cached_property
    def _around(self) -> str:
        chunk = self.content.chunk
        return "\n".join((*(part for part, _ in self.content.path), chunk.context, chunk.text))

    @cached_property
    def _numbers(self) -> frozenset[str]:
        return frozenset(_figure(number) for number in FIGURE.findall(self._around))

    @cached_property
    def _short_forms(self) -> dict[str, str]:
        """Abbreviations in brackets by what stands before them, and the other way round."""
        found: dict[str, str] = {}
        end = 0
        for match in _SHORT_FORM.finditer(self._text):
            before = _ENDS_NAME.split(self._text[max(end, match.start() - _LONGEST_LONG - 1) : match.start()])[-1]
            if len(before) >= _SHORTEST_LONG:
                short, end = match.group(1), match.end()
                long = " ".join(before.split()[-len(short) :])
                found[normalize(long)] = short
                found[normalize(short)] = long
        return found

    def _aliases(self, surface: str) -> list[str]:
        """Return what else may stand for a name: its abbreviation, and for the title's own name its last word."""
        form = normalize(surface)
        short = self._short_forms.get(form)
        last = surface.split()[-1:] if form == normalize(self.content.document.title) else []
        return [*([short] if short else []), *(word for word in last if word[0].isupper() and len(word) >= _LAST_NAME)]

    def _find(self, form: str) -> list[Span]:
        wanted = _folded(" ".join(form.split()))
        if not wanted:
            return []
        pattern = r"\s+".join(map(re.escape, wanted.split()))
        left = "" if CJK_CHARACTER.match(wanted) else rf"(?<![^\W_{CJK}])"
        right = "" if CJK_CHARACTER.match(wanted[-1]) else rf"(?![^\W_{CJK}])"
        matches = re.finditer(f"{left}{pattern}{right}", self._lower)
        return [Span(*match.span()).shifted(self._start) for match in matches]


def _share(wanted: Set[str], held: Set[str]) -> float:
    return len(wanted & held) / len(wanted) if wanted else 1.0


def _folded(text: str) -> str:
    """Lower case of the same length, so that places stay places."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _figure(number: str) -> str:
    return number.replace(",", "").rstrip(".")
