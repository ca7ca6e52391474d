"""Grounding: whether and where a chunk supports the statements of a model, checked without a model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from functools import cached_property

from pipelines.atomize.distiller import ChunkContent
from pipelines.core.ids import normalize
from pipelines.core.provenance import Span
from pipelines.lang.characters import CJK, CJK_CHARACTER
from pipelines.lang.numbers import FIGURE
from pipelines.lang.terms import terms
from pipelines.lang.word_lists import cue_words

_SHORT_FORM = re.compile(r"[(（]([A-Z][A-Za-z0-9]{1,7})[)）]")
_ENDS_NAME = re.compile(r"[()（）\n]")
_SHORTEST_LONG, _LONGEST_LONG = 3, 80
"""Minimum and maximum characters of the long form before an abbreviation in brackets."""
_AGENT = re.compile(r"\bby(?:\s+[\w-]+){0,4}\s+$", re.IGNORECASE)
_AGENT_WINDOW = 60
"""Characters before a name that are searched for "by"."""
_LAST_NAME = 3
"""Minimum characters of a last name that stands for a full name."""
_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)


class Grounding:
    """Checks texts against a chunk: its own text, its table context, and the title and headings above it.

    All spans, given and returned, are in the document's text.
    """

    def __init__(self, content: ChunkContent) -> None:
        self.content = content
        self._text = content.chunk.text
        self._lower = _folded(self._text)
        self._start = content.chunk.provenance.span.start

    def occurrences(self, surface: str) -> list[Span]:
        """Return the spans of a name in the chunk, or else of the name without its article, or of its alias.

        Case and white space are ignored. Empty if the chunk does not contain the name.
        """
        for form in (surface, _ARTICLE.sub("", surface), *self._aliases(surface)):
            found = self._find(form)
            if found:
                return found
        return []

    def named(self, surface: str, occurrence: Span) -> str:
        """Return a name in the form of one of its `occurrences`: without its article if the text has none there."""
        bare = _ARTICLE.sub("", surface)
        written = occurrence.slice(self.content.document.text)
        return bare if normalize(bare) == normalize(written) else surface

    def evidence(self, heads: Sequence[Span], tails: Sequence[Span]) -> Span:
        """Return the shortest span of complete sentences that contains a head and a tail, the first of several."""
        pairs = ((self._sentence(head), self._sentence(tail)) for head in heads for tail in tails)
        spans = (Span(min(one.start, other.start), max(one.end, other.end)) for one, other in pairs)
        return min(spans, key=lambda span: (len(span), span.start))

    def in_one_sentence(self, heads: Sequence[Span], tails: Sequence[Span]) -> bool:
        """Whether a sentence contains a head and a tail."""
        return not {self._sentence(head) for head in heads}.isdisjoint(self._sentence(tail) for tail in tails)

    def is_topic(self, name: str) -> bool:
        """Whether a name is the topic of the chunk: it is in the title, a heading or the first sentence."""
        first = next((one for one in self.content.sentences if one.prose), None)
        return self.in_headings(name) or (first is not None and normalize(name) in normalize(first.text))

    def is_agent(self, occurrences: Sequence[Span]) -> bool:
        """Whether an occurrence is the agent of a passive: "by" precedes it, with at most four words between."""
        before = (self._text[: one.start - self._start] for one in occurrences)
        return any(_AGENT.search(text[-_AGENT_WINDOW:]) for text in before)

    def _sentence(self, span: Span) -> Span:
        return next((one.span for one in self.content.sentences if one.span.overlaps(span)), span)

    def in_headings(self, name: str) -> bool:
        """Whether the title or a heading above the chunk contains the name."""
        form = normalize(name)
        return any(form in part for _, part in self.content.path)

    def has_numbers_of(self, text: str) -> bool:
        """Whether every number in `text` occurs in the chunk or its headings."""
        return {_plain_number(number) for number in FIGURE.findall(text)} <= self._numbers

    def term_overlap(self, text: str, beside: Iterable[str] = ()) -> float:
        """Return the share (0 to 1) of the terms of `text` that occur in the chunk or its headings.

        Generic terms and the terms of the names `beside` are ignored; 1 if no others remain.
        """
        form = normalize(text)
        named = {term for name in beside if name in form for term in self.terms_of(name)}
        wanted = self.terms_of(text) - named - self._generic
        return _share(wanted, self.terms)

    def best_window(self, text: str) -> tuple[float, str]:
        """Return the highest share of the terms of `text` in two neighbouring sentences, and these sentences' text.

        It is the maximum of the shares with and without the terms of the document's title, because a sentence may refer
        to the document's subject by name or by a pronoun.
        """
        wanted = self.terms_of(text) - self._generic
        both = (wanted, wanted - self.terms_of(self.content.document.title))
        return max((_share(own, found), window) for own in both for found, window in self._windows)

    def states(self, relation: str, evidence: Span) -> bool:
        """Whether a term of a relation occurs in its evidence; true for a relation of stop words only ("is", "has")."""
        wanted = self.terms_of(relation)
        own = evidence.shifted(-self._start).slice(self._text)
        return not wanted or not wanted.isdisjoint(self.terms_of(own))

    @property
    def language(self) -> str:
        """The language of the chunk."""
        return self.content.chunk.language

    def terms_of(self, text: str) -> frozenset[str]:
        """Return the terms of a text in the language of the chunk."""
        return frozenset(terms(text, self.language))

    @cached_property
    def _generic(self) -> frozenset[str]:
        """Terms that are common in questions: they need not occur in the chunk that answers one."""
        return self.terms_of(" ".join(cue_words("generic", self.language)))

    @cached_property
    def _windows(self) -> list[tuple[frozenset[str], str]]:
        """Each pair of neighbouring sentences, with the chunk's table context before them, and their terms."""
        texts = [sentence.text for sentence in self.content.sentences] or [self._text]
        pairs = zip(texts, [*texts[1:], ""], strict=True)
        windows = ["\n".join((self.content.chunk.context, *pair)) for pair in pairs]
        return [(self.terms_of(window), window) for window in windows]

    @cached_property
    def terms(self) -> frozenset[str]:
        """The terms of the chunk, of its table context and of the headings above it."""
        return self.terms_of(self._around)

    @cached_property
    def _around(self) -> str:
        chunk = self.content.chunk
        return "\n".join((*(part for part, _ in self.content.path), chunk.context, chunk.text))

    @cached_property
    def _numbers(self) -> frozenset[str]:
        return frozenset(_plain_number(number) for number in FIGURE.findall(self._around))

    @cached_property
    def _short_forms(self) -> dict[str, str]:
        """Abbreviations in brackets by their long forms before them, and long forms by abbreviations."""
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
        """Return the aliases of a name: its abbreviation or long form, and for the title its last word."""
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


def _share(wanted: Set[str], present: Set[str]) -> float:
    return len(wanted & present) / len(wanted) if wanted else 1.0


def _folded(text: str) -> str:
    """Return `text` in lower case and of the same length, so that spans stay valid."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _plain_number(number: str) -> str:
    return number.replace(",", "").rstrip(".")
