"""Metrics of answers, as defined by the scripts of the benchmarks, and of retrieval; 95 % intervals."""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from evaluate.questions import GoldSource
from pipelines.core.ids import normalize
from pipelines.lang.characters import CJK_CHARACTER
from qa.answer import Citation, Found

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_WORD = re.compile(r"\w+")
_POLAR = ("yes", "no", "noanswer")


@dataclass(frozen=True, slots=True)
class Overlap:
    """The word overlap of an answer and a label: F1, precision and recall in [0, 1]."""

    f1: float = 0.0
    precision: float = 0.0
    recall: float = 0.0


def normalize_answer(text: str) -> str:
    """Return `text` normalized as in SQuAD, HotpotQA and MuSiQue: without case, punctuation, articles, extra blanks."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(answer: str, labels: Collection[str]) -> float:
    """Return 1 if the normalized answer equals a normalized label, else 0."""
    return float(any(normalize_answer(answer) == normalize_answer(label) for label in labels))


def overlap(answer: str, labels: Collection[str]) -> Overlap:
    """Return the overlap with the label that has the highest F1; zeros without labels."""
    return max((_overlap(answer, label) for label in labels), key=lambda found: found.f1, default=Overlap())


def _overlap(answer: str, label: str) -> Overlap:
    given, wanted = normalize_answer(answer), normalize_answer(label)
    if given != wanted and (given in _POLAR or wanted in _POLAR):
        return Overlap()  # HotpotQA: yes and no must match exactly
    words, labels = given.split(), wanted.split()
    common = (Counter(words) & Counter(labels)).total()
    if not common:
        return Overlap()
    precision, recall = common / len(words), common / len(labels)
    return Overlap(2 * precision * recall / (precision + recall), precision, recall)


def recall_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Return the share of `gold` among the first `k` of `ranked`; 1 if there is no gold."""
    wanted = set(gold)
    return len(wanted.intersection(ranked[:k])) / len(wanted) if wanted else 1.0


def all_gold_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Return 1 if all of `gold` are among the first `k` of `ranked`, else 0."""
    return float(set(gold) <= set(ranked[:k]))


def mean(values: Collection[float]) -> float:
    """Return the mean, or 0 without values."""
    return sum(values) / len(values) if values else 0.0


def percent(values: Collection[float]) -> float:
    """Return the mean in percent, rounded to one decimal."""
    return round(100 * mean(values), 1)


def first_document(found: Sequence[Found], gold: Sequence[GoldSource]) -> float:
    """Return 1 if the first passage is from a right document, else 0."""
    return float(bool(found) and any(_is_in_file(found[0], one) for one in gold))


def document_recall(found: Sequence[Found], gold: Sequence[GoldSource], k: int) -> float:
    """Return the share of the right documents among the first `k` passages; 0 if there are no right documents."""
    files = {one.file: one for one in gold}.values()
    return sum(any(_is_in_file(passage, one) for passage in found[:k]) for one in files) / max(1, len(files))


def page_recall(found: Sequence[Found], gold: Sequence[GoldSource], k: int) -> float:
    """Return the share of the right pages among the first `k` passages; without a page, any page counts."""
    pages = {(one.file, one.page): one for one in gold}.values()
    return sum(any(_is_on_page(passage, one) for passage in found[:k]) for one in pages) / max(1, len(pages))


def unknown_files(gold: Iterable[GoldSource], uris: Collection[str]) -> list[str]:
    """Return the files of sources that none of the documents with these URIs is: such a source is never found."""
    known = {*uris, *(uri.rsplit("/", 1)[-1] for uri in uris)}
    return [file for file in dict.fromkeys(one.file for one in gold) if file not in known]


def answer_cited(citations: Sequence[Citation], labels: Collection[str], gold: Sequence[GoldSource]) -> float:
    """Return 1 if a cited sentence of a right document contains a right answer or matches the gold quote, else 0.

    It matches the quote if it contains the quote, or is at least half of it. Case, punctuation and line breaks are
    ignored; whole words are compared.
    """
    right = [one.quote for one in citations if any(_is_file(one.uri, source) for source in gold)]
    wanted, quotes = [_plain(text) for text in labels], [_plain(source.quote) for source in gold]
    return float(any(_is_evidence(_plain(text), wanted, quotes) for text in right))


def _is_evidence(cited: str, labels: Sequence[str], quotes: Sequence[str]) -> bool:
    if any(_within(label, cited) for label in (*labels, *quotes)):
        return True
    return any(2 * len(cited) >= len(quote) > 0 and _within(cited, quote) for quote in quotes)


def _within(part: str, whole: str) -> bool:
    """Whether `whole` contains the words of `part` in sequence; in CJK, its characters."""
    if CJK_CHARACTER.search(part):
        return part.replace(" ", "") in whole.replace(" ", "")
    return bool(part) and f" {part} " in f" {whole} "


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(normalize(text)))


def _is_in_file(passage: Found, gold: GoldSource) -> bool:
    return _is_file(passage.uri, gold)


def _is_file(uri: str, gold: GoldSource) -> bool:
    return gold.file in (uri, uri.rsplit("/", 1)[-1])


def _is_on_page(passage: Found, gold: GoldSource) -> bool:
    on_page = gold.page is None or gold.page in passage.pages or str(gold.page) == passage.label
    return on_page and _is_in_file(passage, gold)


_Z = 1.959964
"""The normal quantile of 0.975."""


@dataclass(frozen=True, slots=True)
class Proportion:
    """The mean of `count` values and its 95 % confidence interval, in percent."""

    value: float
    low: float
    high: float
    count: int

    def __str__(self) -> str:
        return f"{self.value:.1f} ({self.low:.0f}-{self.high:.0f})"


def proportion(values: Sequence[float]) -> Proportion | None:
    """Return the mean of values in [0, 1] with its Wilson score interval (Wilson 1927), or None without values.

    The interval is for binary values; for other values, which have a smaller variance, it is conservative. Unlike a
    bootstrap interval, it does not vanish if all values are equal.

    >>> print(proportion([1, 1, 1, 0]))
    75.0 (30-95)
    """
    count = len(values)
    if not count:
        return None
    mean = sum(values) / count
    scale = 1 + _Z**2 / count
    middle = (mean + _Z**2 / (2 * count)) / scale
    reach = _Z * math.sqrt(mean * (1 - mean) / count + _Z**2 / (4 * count**2)) / scale
    return Proportion(100 * mean, 100 * max(0.0, middle - reach), 100 * min(1.0, middle + reach), count)
