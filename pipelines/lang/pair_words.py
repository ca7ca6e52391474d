"""Which pairs of letters in a run without blanks are words, and which only the joint of two words makes.

Texts in Chinese, Japanese, Korean and Thai are matched by pairs of letters (`pipelines.lang.terms`). In a text that is
no loss; in a question a pair over a joint is one that no passage has to have, and as a rare one it would weigh most. A
run is read as the pairs side by side that are commonest in the corpus together (maximum likelihood, as in Sproat and
others 1996, with the corpus itself as the word list).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

UNKNOWN = 0.02
"""How common a pair counts as that no text has: less than any that one has."""


def words_of(
    pairs: Sequence[str], commonness: Callable[[str], float], alone: Collection[str] = frozenset()
) -> Iterator[str]:
    """Yield those of the overlapping `pairs` of a run, in order, that are read as its words.

    `commonness` is 0 for what cannot be a word, `UNKNOWN` for what is in no text, and more for what is, by the
    logarithm of the number of texts. A letter between two words that is no word `alone` goes with the one beside it,
    where some text has the two together.

    >>> common = {"规定": 0.3, "定用": 0.1, "用户": 0.7}
    >>> list(words_of(["规定", "定用", "用户"], common.__getitem__))
    ['规定', '用户']
    """
    values = [commonness(pair) for pair in pairs]
    chosen = _side_by_side(values)
    covered = {letter for place in chosen for letter in (place, place + 1)}
    for letter in set(range(len(pairs) + 1)) - covered:
        said = pairs[letter][0] if letter < len(pairs) else pairs[-1][-1]
        known = [place for place in (letter - 1, letter) if 0 <= place < len(pairs) and values[place] > UNKNOWN]
        if known and said not in alone:
            chosen.add(max(known, key=lambda place: values[place]))
    yield from (pairs[place] for place in sorted(chosen))


def _side_by_side(values: Sequence[float]) -> set[int]:
    """The places of pairs that share no letter and have the highest sum of values."""
    best = [0.0, 0.0]  # by number of letters
    taken: list[tuple[int, ...]] = [(), ()]
    for place, value in enumerate(values):
        with_it = best[place] + value
        better = with_it > best[place + 1]
        best.append(with_it if better else best[place + 1])
        taken.append((*taken[place], place) if better else taken[place + 1])
    return set(taken[-1])
