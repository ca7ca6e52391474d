"""Makes PDF files with ground truth of tables as in data sheets and manuals: merged headers, families, groups.

    python -m benchmarks.sheet_prints OUT [--seed 0] [--each 2] [--kinds ratings orders ...] [--styles sheet open ...]

Each file has three tables of made-up values between paragraphs, in one of `print_styles`. OUT is read by
`benchmarks.pdf_pages`. Equal arguments give equal sets.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.make_prints import Block, Cell, print_blocks, truth_of
from benchmarks.print_styles import STYLES

_NAMES = """supply voltage|input current|output power|ambient temperature|storage temperature|relative humidity|flow
rate|discharge pressure|noise level|speed|efficiency|insulation resistance|response time|leakage current|switching
frequency|reference voltage|offset error|settling time|weight|degree of protection""".replace("\n", " ").split("|")
_PLACES = "no load|full load|at 25 °C|at 60 °C|5 V supply|24 V supply|water, 20 °C|over temperature".split("|")
_UNITS = "V|A|kW|°C|m³/h|bar|dB|rpm|%|ms|kg|mm".split("|")
_GROUPS = "Input|Output|Environment|Mechanical data|Electrical data|Hydraulic data|Approvals|Safety".split("|")
_FAULTS = "Pump does not start|Low pressure|Motor overheats|Noise|Leak at the shaft|Display is dark".split("|")
_CAUSES = """no supply voltage|fuse is blown|valve in the suction line is closed|filter is clogged|bearing is worn|wrong
direction of rotation|seal is damaged|liquid is too viscous|impeller is blocked|parameter is wrong""".replace(
    "\n", " "
).split("|")
_REMEDIES = """check the connection|replace the fuse|open the valve|clean or replace the filter|replace the
bearing|swap two phases|call the service|reduce the speed|remove foreign bodies""".replace("\n", " ").split("|")


class _Sheet:
    """A table in progress: rows of entries, each a text or (text, rows, columns)."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.cells: list[Cell] = []
        self._taken: set[tuple[int, int]] = set()
        self.rows = 0

    def row(self, *entries: str | tuple[str, int, int], header: bool = False) -> None:
        column = 0
        for entry in entries:
            text, down, across = (entry, 1, 1) if isinstance(entry, str) else entry
            while (self.rows, column) in self._taken:
                column += 1
            self._taken |= {(self.rows + y, column + x) for y in range(down) for x in range(across)}
            self.cells.append((self.rows, column, down, across, text, header))
            column += across
        self.rows += 1

    def head(self, *entries: str | tuple[str, int, int]) -> None:
        self.row(*entries, header=True)

    def some(self, words: Sequence[str], count: int) -> list[str]:
        return self.dice.sample(list(words), count)

    def number(self) -> str:
        value = self.dice.choice([1, 10, 100]) * self.dice.random() * 9
        return f"{value:.{self.dice.choice([0, 1, 2])}f}"

    def maybe(self) -> str:
        return self.number() if self.dice.random() < 0.6 else ""

    def code(self) -> str:
        return f"{self.dice.choice('ABKMPX')}{self.dice.choice('LRSTV')}{self.dice.randrange(100, 999)}"

    def sizes(self, groups: int) -> list[int]:
        return [self.dice.choice([1, 2, 2, 3, 3, 4]) for _ in range(groups)]


def ratings(sheet: _Sheet) -> None:
    """Parameters with several conditions; one row of headers."""
    sheet.head("Parameter", "Conditions", "Min.", "Typ.", "Max.", "Unit")
    for name, count in zip(sheet.some(_NAMES, 6), sheet.sizes(6), strict=True):
        unit = sheet.dice.choice(_UNITS)
        for number, place in enumerate(sheet.some(_PLACES, count)):
            values = sheet.maybe(), sheet.number(), sheet.maybe()
            first = [(name.capitalize(), count, 1)] if not number else []
            sheet.row(*first, place, *values, *([(unit, count, 1)] if not number else []))


def limits(sheet: _Sheet) -> None:
    """A header over three headers, the others over two rows."""
    sheet.head(("Parameter", 2, 1), ("Symbol", 2, 1), ("Limits", 1, 3), ("Unit", 2, 1))
    sheet.head("Min.", "Typ.", "Max.")
    for name in sheet.some(_NAMES, sheet.dice.randrange(5, 9)):
        symbol = "".join(word[0] for word in name.split()).upper()
        sheet.row(name.capitalize(), symbol, sheet.maybe(), sheet.number(), sheet.maybe(), sheet.dice.choice(_UNITS))


def orders(sheet: _Sheet) -> None:
    """Families of parts over several rows."""
    sheet.head("Series", "Order code", "Power (kW)", "Weight (kg)", "Length (mm)")
    for count in sheet.sizes(5):
        series = f"{sheet.code()[:2]} series"
        for number in range(count):
            values = sheet.number(), sheet.number(), sheet.number()
            sheet.row(*([(series, count, 1)] if not number else []), sheet.code(), *values)


def groups(sheet: _Sheet) -> None:
    """Titles of groups across all columns."""
    columns = sheet.dice.choice([2, 3, 4])
    sheet.head(*["Property", "Value", "Unit", "Note"][:columns])
    for title in sheet.some(_GROUPS, 3):
        sheet.row((title, 1, columns))
        for name in sheet.some(_NAMES, sheet.dice.randrange(2, 5)):
            note = sheet.dice.choice(["", "typical", "see page 4"])
            sheet.row(*[name.capitalize(), sheet.number(), sheet.dice.choice(_UNITS), note][:columns])


def nested(sheet: _Sheet) -> None:
    """Families in families."""
    sheet.head("Range", "Voltage", "Model", "Current (A)", "Speed (rpm)")
    for title, counts in zip(sheet.some(_GROUPS, 3), (sheet.sizes(2) for _ in range(3)), strict=True):
        for outer, count in enumerate(counts):
            for inner in range(count):
                first = [(title, sum(counts), 1)] if not outer + inner else []
                second = [(f"{sheet.dice.choice([24, 48, 230, 400])} V", count, 1)] if not inner else []
                sheet.row(*first, *second, sheet.code(), sheet.number(), sheet.number())


def sides(sheet: _Sheet) -> None:
    """Two headers over two and three headers, and a column of models."""
    sheet.head(("Model", 2, 1), ("Inlet", 1, 2), ("Outlet", 1, 3))
    sheet.head("DN", "PN", "DN", "PN", "Length")
    for _ in range(sheet.dice.randrange(4, 9)):
        sheet.row(sheet.code(), *(sheet.number() for _ in range(5)))


def common(sheet: _Sheet) -> None:
    """Values that several models have in common, across their columns."""
    sheet.head("Feature", *(sheet.code() for _ in range(4)))
    for name in sheet.some(_NAMES, 8):
        kind = sheet.dice.randrange(4)
        values: list[str | tuple[str, int, int]] = [sheet.number() for _ in range(4)]
        if kind == 0:
            values = [(f"{sheet.number()} {sheet.dice.choice(_UNITS)} for all models of this range", 1, 4)]
        elif kind == 1:
            values = [(f"{sheet.number()} {sheet.dice.choice(_UNITS)}", 1, 2), (sheet.number(), 1, 2)]
        sheet.row(name.capitalize(), *values)


def faults(sheet: _Sheet) -> None:
    """Faults with several causes, some of which have a remedy in common."""
    sheet.head("Fault", "Possible cause", "Remedy")
    for name, count in zip(sheet.some(_FAULTS, 4), sheet.sizes(4), strict=True):
        shared = count > 1 and sheet.dice.random() < 0.4
        for number, cause in enumerate(sheet.some(_CAUSES, count)):
            remedy = sheet.dice.choice(_REMEDIES).capitalize()
            last = [(remedy, count, 1)] if shared and not number else [] if shared else [remedy]
            sheet.row(*([(name, count, 1)] if not number else []), cause.capitalize(), *last)


def schedule(sheet: _Sheet) -> None:
    """Marks under intervals, with groups of tasks and many empty cells."""
    sheet.head(("Part", 2, 1), ("Task", 2, 1), ("Interval (hours)", 1, 4))
    sheet.head("8", "50", "250", "1000")
    for title, count in zip(sheet.some("Engine|Cooling|Hydraulics|Brakes|Frame".split("|"), 3), (3, 2, 4), strict=True):
        for number, task in enumerate(sheet.some("Check|Clean|Replace|Lubricate|Adjust".split("|"), count)):
            marks = ["x" if at == sheet.dice.randrange(4) else "" for at in range(3)]
            sheet.row(*([(title, count, 1)] if not number else []), task, *marks, "x")


def torques(sheet: _Sheet) -> None:
    """Three rows of headers: property, class, unit."""
    sheet.head(("Thread", 3, 1), ("Tightening torque", 1, 4))
    sheet.head(("Class 8.8", 1, 2), ("Class 10.9", 1, 2))
    sheet.head("Nm", "lbf ft", "Nm", "lbf ft")
    for size in (5, 6, 8, 10, 12, 16):
        sheet.row(f"M{size}", *(sheet.number() for _ in range(4)))


def signals(sheet: _Sheet) -> None:
    """Pins with a port in common in a middle column, and a note over several rows at the end."""
    sheet.head("Pin", "Signal", "Port", "Direction", "Note")
    pin = 1
    for count in sheet.sizes(5):
        note = f"{sheet.dice.choice(_PLACES)}; see section {sheet.dice.randrange(2, 9)}".capitalize()
        for number in range(count):
            middle = [(f"Port {sheet.code()[0]}", count, 1)] if not number else []
            last = [(note, count, 1)] if not number else []
            sheet.row(str(pin), sheet.code(), *middle, sheet.dice.choice(["in", "out"]), *last)
            pin += 1


KINDS: dict[str, Callable[[_Sheet], None]] = {
    kind.__name__: kind
    for kind in (ratings, limits, orders, groups, nested, sides, common, faults, schedule, torques, signals)
}
"""What can be printed, by name."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--each", type=int, default=2, help="files of each style")
    parser.add_argument("--kinds", nargs="+", default=sorted(KINDS), choices=sorted(KINDS))
    parser.add_argument("--styles", nargs="+", default=sorted(STYLES), choices=sorted(STYLES))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    dice = random.Random(arguments.seed)
    for style in arguments.styles:
        for number in range(arguments.each):
            blocks = _blocks(dice, dice.sample(arguments.kinds, min(3, len(arguments.kinds))))
            path = arguments.out / f"{style}-{number}.pdf"
            print_blocks(blocks, STYLES[style], path)
            truth = json.dumps(truth_of(blocks), ensure_ascii=False, indent=1)
            path.with_name(f"{path.name}.truth.json").write_text(truth, "utf-8")
            print(path.name, flush=True)


def _blocks(dice: random.Random, kinds: Sequence[str]) -> list[Block]:
    blocks: list[Block] = [("h1", f"Technical data of the {_Sheet(dice).code()} unit")]
    for kind in kinds:
        sheet = _Sheet(dice)
        KINDS[kind](sheet)
        one, other = sheet.some(_CAUSES, 2)
        text = f"If the {one} or the {other}, {sheet.dice.choice(_REMEDIES)} before the unit is used again. The values"
        blocks += [
            ("h2", f"{sheet.some(_GROUPS, 1)[0]}: {kind}"),
            ("p", f"{text} of the table apply to new units."),
            ("table", sheet.cells),
            (
                "p",
                f"{sheet.some(_NAMES, 1)[0].capitalize()} depends on the place of installation and is not guaranteed.",
            ),
        ]
    return blocks


if __name__ == "__main__":
    main()
