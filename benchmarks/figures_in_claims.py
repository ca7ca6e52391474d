"""Wrong figures that the check of a model's claims accepts, and right ones that it rejects.

    python benchmarks/figures_in_claims.py [--folder FOLDER] [--cases 400] [--seed 0]

The evidence consists of sentences of real documents with 5, 10, 20 or 40 figures in total. `--cases` claims are drawn
of each kind:

    wrong, in its sentence    a sentence of the evidence in which one figure is replaced by another of similar size
    wrong, among operands     a wrong figure among four of the evidence, next to an operation word: the worst case
    wrong, stated             a sum, difference, share or product of figures of the evidence with a wrong result
    right, in its sentence    an unchanged sentence of the evidence
    right, stated             the same calculations with the right result
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pipelines.lang.arithmetic import unsupported
from pipelines.lang.numbers import Number, numbers, values
from pipelines.lang.sentences import sentences

EXAMPLES = Path(__file__).parents[1] / "examples" / "documents"
SIZES = (5, 10, 20, 40)
_LONGEST = 300
_AMONG = (
    "With {a} and {b} it takes {wrong} kW more than with {c} and {d}.",
    "Of {a} and {b} kg together {wrong} kg are moved at {c} and {d}.",
    "At {a} and {b} the share is {wrong} %, at {c} and {d} it is not known.",
    "The pump of {a} and {b} runs {wrong} times as long at {c} and {d}.",
    "Between {a} and {b} the average is {wrong} m at {c} and {d}.",
    "{a} and {b} give {wrong} at {c} and {d}.",
)
_TAG = re.compile(r"<[^>]*>")
Claim = Callable[[random.Random, Sequence[str]], "str | None"]


def sentences_with_figures(folder: Path) -> list[str]:
    """Return the distinct sentences with figures in the text files below a folder, sorted by path."""
    found: dict[str, None] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".md", ".txt", ".html", ".csv"}:
            text = _TAG.sub(" ", path.read_text(encoding="utf-8", errors="replace"))
            lines = (" ".join(span.slice(text).split()) for span in sentences(text))
            found |= dict.fromkeys(line for line in lines if len(line) <= _LONGEST and numbers(line))
    return list(found)


def evidence_of(count: int, lines: Sequence[str], chance: random.Random) -> list[str]:
    """Return sentences with at least `count` different figures in total."""
    chosen: list[str] = []
    for line in chance.sample(lines, len(lines)):
        if len(values(line)) <= max(3, count // 2):
            chosen.append(line)
        if len(frozenset[float]().union(*map(values, chosen))) >= count:
            break
    return chosen


def wrong_in_sentence(chance: random.Random, evidence: Sequence[str]) -> str | None:
    line = chance.choice([line for line in evidence if numbers(line)])
    number = chance.choice(numbers(line))
    wrong = _another(number, evidence, chance)
    return wrong and line[: number.span.start] + wrong + line[number.span.end :]


def right_in_sentence(chance: random.Random, evidence: Sequence[str]) -> str | None:
    return chance.choice(evidence)


def right_stated(chance: random.Random, evidence: Sequence[str]) -> str | None:
    return _stated(chance, evidence, lambda value, decimals: f"{value:.{decimals}f}")


def wrong_stated(chance: random.Random, evidence: Sequence[str]) -> str | None:
    def wrong(value: float, decimals: int) -> str:
        step = 10.0**-decimals
        return f"{max(step, value * chance.uniform(1.02, 1.9) + step):.{decimals}f}"

    return _stated(chance, evidence, wrong, frozenset[float]().union(*map(values, evidence)))


def wrong_among_operands(chance: random.Random, evidence: Sequence[str]) -> str | None:
    figures = [number for line in evidence for number in numbers(line) if len(number.values) == 1]
    if len(figures) < 4:
        return None
    a, b, c, d = (number.text for number in chance.sample(figures, 4))
    wrong = _another(chance.choice(figures), evidence, chance)
    said = chance.choice(_AMONG)
    return wrong and said.format(a=a, b=b, c=c, d=d, wrong=wrong)


KINDS: dict[str, Claim] = {
    "wrong, in its sentence": wrong_in_sentence,
    "wrong, among operands": wrong_among_operands,
    "wrong, stated": wrong_stated,
    "right, in its sentence": right_in_sentence,
    "right, stated": right_stated,
}


def share_passing(kind: Claim, count: int, lines: Sequence[str], cases: int, seed: int) -> float:
    """Return the percentage of `cases` claims whose figures all pass against evidence with `count` figures."""
    chance = random.Random(seed)
    passed = 0
    for _ in range(cases):
        evidence, claim = next(_drawn(kind, count, lines, chance))
        passed += not unsupported(claim, evidence)
    return 100 * passed / cases


def _drawn(kind: Claim, count: int, lines: Sequence[str], chance: random.Random) -> Iterator[tuple[list[str], str]]:
    while True:
        evidence = evidence_of(count, lines, chance)
        claim = kind(chance, evidence)
        if claim is not None:
            yield evidence, claim


def _another(number: Number, evidence: Sequence[str], chance: random.Random) -> str | None:
    """Return a figure of similar size with as many decimals that is not in the evidence."""
    known = frozenset[float]().union(*map(values, evidence))
    value = max(number.values)
    decimals = len(f"{value:g}".partition(".")[2])
    for _ in range(20):
        other = round(value * chance.uniform(0.4, 2.5) + chance.choice((1, 2, 3)) * 10.0**-decimals, decimals)
        if other not in known and other < 1e9:
            return f"{other:.{decimals}f}"
    return None


def _stated(
    chance: random.Random,
    evidence: Sequence[str],
    write: Callable[[float, int], str],
    known: frozenset[float] = frozenset(),
) -> str | None:
    plain = sorted({value for line in evidence for number in numbers(line) if len(number.values) == 1
                    for value in number.values if 0 < value < 1e6})  # fmt: skip
    if len(plain) < 2:
        return None
    low, high = sorted(chance.sample(plain, 2))
    decimals = max(len(f"{value:g}".partition(".")[2]) for value in (low, high))
    a, b = (f"{value:.10g}" for value in (low, high))
    claim, value, places = chance.choice(
        (
            (f"{a} kW + {b} kW = %s kW", low + high, decimals),
            (f"Together they take %s kW ({a} + {b}).", low + high, decimals),
            (f"{a} m and {b} m add up to %s m.", low + high, decimals),
            (f"Both weigh %s kg: {a} kg plus {b} kg in all.", low + high, decimals),
            (f"{b} mm is %s mm more than {a} mm.", high - low, decimals),
            (f"{b} mm − {a} mm = %s mm", high - low, decimals),
            (f"Der Unterschied zwischen {b} und {a} ist %s.", high - low, decimals),
            (f"{a} of {b} pieces are %s %%.", 100 * low / high, 1),
            (f"{a} / {b} = %s %%", 100 * low / high, 2),
            (f"{a} × {b} = %s", low * high, 2 * decimals),
            (f"twice {a} mm is %s mm", 2 * low, decimals),
            (f"{a} 与 {b} 相差 %s。", high - low, decimals),
        )
    )
    written = write(value, places)
    return None if float(written) in known else claim % written


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=EXAMPLES)
    parser.add_argument("--cases", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    lines = sentences_with_figures(given.folder)
    print(f"{len(lines)} sentences with figures; claims of 100 that pass, by figures in the evidence")
    print(f"{'':24}" + "".join(f"{size:>8}" for size in SIZES))
    for name, kind in KINDS.items():
        shares = (share_passing(kind, size, lines, given.cases, given.seed) for size in SIZES)
        print(f"{name:24}" + "".join(f"{share:8.1f}" for share in shares), flush=True)


if __name__ == "__main__":
    main()
