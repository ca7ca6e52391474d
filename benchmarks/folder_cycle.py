"""Cost of keeping a knowledge base up to date: first ingest, no change, edits, and added and removed files.

    python benchmarks/folder_cycle.py [--documents 400] [--every 8] [--profile STEP]

Writes a folder of linked documents of a plant (Markdown, HTML, text, mail, Word, Excel) with a fixed seed and ingests
it in steps: cold; warm (nothing changed); one document in `every` edited; warm; one deleted, one renamed, one added;
warm. For each step, prints the seconds, also relative to the cold step, the number of compiled and loaded documents,
and whether the exported graph and the vector records equal those of a new build of the current folder. `--profile`
prints where the time of a step ("cold", "warm", "edit", "files") was spent.
"""

from __future__ import annotations

import argparse
import cProfile
import io
import os
import pstats
import random
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.message import EmailMessage
from functools import partial
from pathlib import Path

from pipelines import build
from pipelines.core.graph import GraphFormat
from pipelines.resources import open_stores
from pipelines.settings import Settings
from pipelines.store.export import export
from pipelines.store.graph import GraphStore

MACHINES = ("feed pump", "cooling fan", "screw compressor", "gearbox", "heat exchanger", "control valve", "motor")
PARTS = ("bearing", "shaft seal", "coupling", "impeller", "lantern ring", "gasket", "terminal box", "oil filter")
DEEDS = ("inspected", "replaced", "cleaned", "aligned", "tightened", "lubricated", "tested under load", "re-greased")
FAULTS = ("overheated", "leaked", "vibrated beyond the limit", "tripped twice", "lost pressure", "was hard to turn")
PEOPLE = ("Anna Weber", "Li Ming", "Tom Baker", "Rosa Diaz", "Jan Novak", "Ines Martin")
KINDS = (
    ("MM", "Maintenance Manual", ".md"),
    ("DS", "Data Sheet", ".xlsx"),
    ("IR", "Incident Report", ".docx"),
    ("SOP", "Operating Procedure", ".html"),
    ("ML", "Message", ".eml"),
    ("WO", "Work Order", ".txt"),
)


Contents = tuple[str, list[tuple[str, str, str]]]


class Plant:
    """The documents of a plant; each depends only on its number and revision."""

    def __init__(self, count: int) -> None:
        self.count = count

    def kind(self, number: int) -> tuple[str, str, str]:
        return KINDS[number % len(KINDS)]

    def tag(self, number: int) -> str:
        return f"{'PKCGXVM'[number // 6 % 7]}-{100 + number // 6}"

    def machine(self, number: int) -> str:
        return MACHINES[number // 6 % len(MACHINES)]

    def name(self, number: int) -> str:
        short = self.kind(number)[0]
        return f"{short}-{1000 + number}"

    def title(self, number: int) -> str:
        return f"{self.name(number)} {self.kind(number)[1]} {self.machine(number).title()} {self.tag(number)}"

    def path(self, number: int) -> Path:
        folder = f"unit-{number // 48 + 1}"
        return Path(folder) / f"{self.name(number)}{self.kind(number)[2]}"

    def sections(self, number: int, revision: int) -> list[tuple[str, list[str]]]:
        """Return headings with paragraphs that refer to other documents of the plant."""
        chance = random.Random(f"{number} {revision}")
        tag, machine = self.tag(number), self.machine(number)
        found = []
        for heading in ("Scope", "Safety", "Inspection", "Findings", "Spare parts", "Follow-up"):
            paragraphs = [self.paragraph(chance, tag, machine) for _ in range(chance.randint(1, 3))]
            found.append((heading, paragraphs))
        other = chance.randrange(self.count)
        found[-1][1].append(
            f"For more see {self.name(other)} and section 3 of the {self.title(chance.choice([other]))}."
        )
        return found

    def paragraph(self, chance: random.Random, tag: str, machine: str) -> str:
        part, other = chance.choice(PARTS), chance.choice(PARTS)
        days, value = chance.randint(1, 365), chance.randint(10, 990) / 10
        sentences = [
            f"The {part} of {machine} {tag} was {chance.choice(DEEDS)} by {chance.choice(PEOPLE)} after {days} days.",
            f"The {machine} {tag} {chance.choice(FAULTS)} at {value} bar because the {other} was worn.",
            f"The {part} shall be {chance.choice(DEEDS)} every {days * 24} hours and before each start.",
            f"A clearance of {value / 100:.2f} mm between {part} and {other} is allowed on {tag}.",
            f"As {self.name(chance.randrange(self.count))} says, the {other} needs {chance.randint(1, 9)} l of oil.",
        ]
        chance.shuffle(sentences)
        return " ".join(sentences[: chance.randint(3, 5)])

    def write(self, folder: Path, number: int, revision: int = 0) -> Path:
        path = folder / self.path(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        WRITERS[path.suffix](path, self, number, revision)
        return path


def write_markdown(path: Path, plant: Plant, number: int, revision: int) -> None:
    other = plant.path((number + 7) % plant.count)
    parts = [f"# {plant.title(number)}", f"See also [the other one](../{other.as_posix()})."]
    for heading, paragraphs in plant.sections(number, revision):
        parts += [f"## {heading}", *paragraphs]
    path.write_text("\n\n".join(parts) + "\n")


def write_html(path: Path, plant: Plant, number: int, revision: int) -> None:
    other = plant.path((number + 11) % plant.count)
    body = [f"<h1>{plant.title(number)}</h1>", f'<p>Read <a href="../{other.as_posix()}">this</a> first.</p>']
    for heading, paragraphs in plant.sections(number, revision):
        body += [f"<h2>{heading}</h2>", *(f"<p>{text}</p>" for text in paragraphs)]
    page = f"<html><head><title>{plant.title(number)}</title></head><body>{''.join(body)}</body></html>"
    path.write_text(page)


def write_text(path: Path, plant: Plant, number: int, revision: int) -> None:
    parts = [plant.title(number)]
    for place, (heading, paragraphs) in enumerate(plant.sections(number, revision), 1):
        parts += [f"{place} {heading}", *paragraphs]
    path.write_text("\n\n".join(parts) + "\n")


def write_mail(path: Path, plant: Plant, number: int, revision: int) -> None:
    mail = EmailMessage()
    mail["Subject"] = plant.title(number)
    mail["From"], mail["To"] = "anna.weber@plant.example", "li.ming@plant.example"
    mail["Date"] = "Mon, 02 Mar 2026 08:00:00 +0000"
    mail["Message-ID"] = f"<{number}@plant.example>"
    if number >= len(KINDS):
        mail["In-Reply-To"] = f"<{number - len(KINDS)}@plant.example>"
    mail.set_content("\n\n".join(text for _, texts in plant.sections(number, revision) for text in texts))
    path.write_bytes(mail.as_bytes())


def write_word(path: Path, plant: Plant, number: int, revision: int) -> None:
    import docx

    document = docx.Document()
    document.add_heading(plant.title(number), 0)
    for heading, paragraphs in plant.sections(number, revision):
        document.add_heading(heading, 1)
        for text in paragraphs:
            document.add_paragraph(text)
    document.save(str(path))


def write_workbook(path: Path, plant: Plant, number: int, revision: int) -> None:
    import openpyxl

    chance = random.Random(f"sheet {number} {revision}")
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = plant.name(number)
    sheet.append([plant.title(number)])
    sheet.append(["Part", "Quantity", "Interval (h)", "See"])
    for part in chance.sample(PARTS, 6):
        other = plant.name(chance.randrange(plant.count))
        sheet.append([part, chance.randint(1, 8), chance.randint(10, 900) * 10, other])
    book.save(path)


WRITERS: dict[str, Callable[[Path, Plant, int, int], None]] = {
    ".md": write_markdown,
    ".html": write_html,
    ".txt": write_text,
    ".eml": write_mail,
    ".docx": write_word,
    ".xlsx": write_workbook,
}


def edit(folder: Path, plant: Plant, every: int) -> None:
    """Rewrite one document in `every`."""
    for number in range(min(3, every - 1), plant.count, every):
        plant.write(folder, number, revision=1)


def come_and_go(folder: Path, plant: Plant) -> None:
    """Delete one document, rename one, add one."""
    (folder / plant.path(1)).unlink()
    renamed = folder / plant.path(6)
    renamed.rename(renamed.with_stem("renamed"))
    plant.write(folder, plant.count)


def lines_of(store: GraphStore) -> str:
    """Return a graph as JSON Lines."""
    out = io.StringIO()
    export(store, GraphFormat.JSONL, out)
    return out.getvalue()


def contents(kb: Path) -> Contents:
    """Return the exported graph, and the texts in the vector store."""
    with open_stores(kb, Settings()) as stores:
        lines = lines_of(stores.graph)
        records = [record for batch in stores.vectors.records() for record in batch.records]
    return lines, sorted((record.kind.value, record.id, record.text) for record in records)


def fresh_contents(folder: Path, work: Path) -> Contents:
    """Return the graph and texts of a new build of the folder."""
    fresh = work / "fresh"
    shutil.rmtree(fresh, ignore_errors=True)
    build(folder, fresh)
    return contents(fresh)


@dataclass(frozen=True)
class Step:
    """Elapsed and processor seconds of an ingest, and the number of its documents."""

    seconds: float
    processor: float
    compiled: int
    loaded: int


def run(work: Path, count: int, every: int, profiled: str) -> None:
    plant = Plant(count)
    folder, kb = work / "folder", work / "kb"
    for number in range(count):
        plant.write(folder, number)
    steps: list[tuple[str, Callable[[Path, Plant], None] | None]] = [
        ("cold", None), ("warm", None), ("edit", partial(edit, every=every)), ("warm", None), ("files", come_and_go),
        ("warm", None),
    ]  # fmt: skip
    print(f"{count} documents\n{'step':6} {'seconds':>8} {'of cold':>8} {'processor':>10} {'of cold':>8}", end="")
    print(f" {'compiled':>9} {'loaded':>7}  as a fresh build")
    first = work / "one"
    plant.write(first, 0)
    build(first, work / "one-kb")  # one-time work of a process, such as imports, is not measured
    cold: Step | None = None
    held: Contents | None = None
    for name, change in steps:
        if change is not None:
            change(folder, plant)
        step = ingest(folder, kb, name if name == profiled else "")
        cold = cold or step
        before, held = held, contents(kb)
        same = held == (before if name == "warm" else fresh_contents(folder, work))
        print(
            f"{name:6} {step.seconds:8.2f} {step.seconds / cold.seconds:8.1%} {step.processor:10.2f}"
            f" {step.processor / cold.processor:8.1%} {step.compiled:9} {step.loaded:7} ",
            "yes" if same else "NO",
            flush=True,
        )


def ingest(folder: Path, kb: Path, profiled: str) -> Step:
    profile = cProfile.Profile()
    if profiled:
        profile.enable()
    began, used = time.perf_counter(), sum(os.times()[:4])
    report = build(folder, kb)
    seconds, processor = time.perf_counter() - began, sum(os.times()[:4]) - used
    if profiled:
        profile.disable()
        pstats.Stats(profile).sort_stats("cumulative").print_stats(60)
    assert report.exit_code == 0, report.failures[:3]
    return Step(seconds, processor, report.stages["embed"].done, report.stages["load"].done)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=400)
    parser.add_argument("--every", type=int, default=8, help="one document in so many is edited")
    parser.add_argument("--profile", default="", help="the step to profile")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="strata-cycle-") as place:
        run(Path(place), args.documents, args.every, args.profile)


if __name__ == "__main__":
    main()
