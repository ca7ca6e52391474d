"""Makes sets for `strata eval matrix` from documentation packages of Debian, in many languages.

    apt-get download debian-faq-de debian-reference-it ...      (into PACKAGES)
    python benchmarks/make_sets.py PACKAGES OUT [--seed 0] [--pages 80] [--questions 30]

Each section of a manual becomes a page without its heading. Questions are headings, and first sentences of
definitions, which are removed from the page; the gold page is the one they come from. Sections that are not copied give
the unanswerable questions. Pages in another language (untranslated ones) are omitted.

OUT/dev.toml declares the sets of languages for development, OUT/held_out.toml those for a single final evaluation;
OUT/FAMILY-LANGUAGE/ has the pages. Equal arguments give equal sets. The Debian Handbook is not used, since the shared
multilingual set is made from it.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.section_pages import SectionPage, pages_of
from evaluate.questions import GoldSource, Question, write_lines
from pipelines.core.ids import normalize
from pipelines.lang.identify import detect_language
from pipelines.lang.terms import terms

FAMILIES = {
    "faq": "usr/share/doc/debian/FAQ/{language}/*.html",
    "reference": "usr/share/debian-reference/*.{language}.html",
    "developers": "usr/share/developers-reference/{language}/*.html",
    "aptitude": "usr/share/doc/aptitude/html/{language}/*.html",
    "installation": "usr/share/doc/installation-guide-amd64/{language}/*.html",
    "gimp": "usr/share/gimp/2.0/help/{language}/*.html",
    "edu": "usr/share/doc/debian-edu-doc-{language}/debian-edu-bookworm-manual.html",
    "kicad": "usr/share/doc/kicad/help/{language}/*.html",
}
"""The folder with the pages of each manual."""
CODES = {"zh": ("zh-cn", "zh_CN"), "pt": ("pt-pt",)}
"""Other names of languages in the packages."""
DEV = ("de", "fr", "zh", "es")
HELD_OUT = ("it", "pt", "ja", "ru", "cs", "nl", "sv", "fi", "pl", "ko", "el", "vi", "da")
UNANSWERABLE = 0.2
"""Share of the questions that are unanswerable, as in the other sets."""
DEFINITIONS = 0.3
"""Share of the answerable questions made from definitions, if there are enough."""
FEWEST = 10
"""Minimum questions of a set."""


def make_set(pages: Sequence[SectionPage], dice: random.Random, count: int) -> tuple[list[SectionPage], list[Question]]:
    """Return the indexed pages by name (`pNNNN.html`), and the questions."""
    asked = _distinct(pages)
    dice.shuffle(asked)
    refused = asked[: round(count * UNANSWERABLE)]
    left = [page for page in pages if all(page is not one for one in refused)]
    names = {id(page): f"p{number:04}.html" for number, page in enumerate(left)}
    questions = list(_definition_questions(left, names, dice, round(count * (1 - UNANSWERABLE) * DEFINITIONS)))
    missing = count - len(refused) - len(questions)
    for page in asked[len(refused) :][:missing]:
        questions.append(Question("", page.heading, type="heading", sources=(GoldSource(names[id(page)]),)))
    questions += [Question("", page.heading, type="unanswerable") for page in refused]
    return left, questions


def _distinct(pages: Sequence[SectionPage]) -> list[SectionPage]:
    """Return the pages with a unique heading that is long enough for a question."""
    known = Counter(normalize(page.heading) for page in pages)
    return [
        page
        for page in pages
        if known[normalize(page.heading)] == 1
        and len(set(terms(page.heading))) >= 3
        and normalize(page.heading) not in normalize(page.text)
    ]


def _definition_questions(
    pages: Sequence[SectionPage], names: dict[int, str], dice: random.Random, count: int
) -> Iterator[Question]:
    found = [(page, *dice.choice(page.definitions)) for page in pages if page.definitions]
    dice.shuffle(found)
    for page, sentence, paragraph in found[:count]:
        page.without_first_sentence(sentence, paragraph)
        yield Question("", sentence, type="definition", sources=(GoldSource(names[id(page)]),))


def read_pages(root: Path, family: str, language: str, dice: random.Random, limit: int) -> list[SectionPage]:
    """Return a sample of `limit` pages of a manual in the language, in order."""
    codes = (language, *CODES.get(language, ()))
    files = [file for code in codes for file in sorted(root.glob(FAMILIES[family].format(language=code)))]
    found = [page for page in pages_of(files) if detect_language(page.text) == language]
    drawn = sorted(dice.sample(range(len(found)), min(limit, len(found))))
    return [found[number] for number in drawn]


def write_set(out: Path, name: str, pages: Sequence[SectionPage], questions: Sequence[Question]) -> None:
    shutil.rmtree(out / name, ignore_errors=True)
    (out / name).mkdir(parents=True)
    for number, page in enumerate(pages):
        (out / name / f"p{number:04}.html").write_text(page.page(), encoding="utf-8")
    numbered = (
        Question(f"{name}-{number:03}", one.question, type=one.type, sources=one.sources)
        for number, one in enumerate(questions)
    )
    write_lines(out / f"{name}.jsonl", numbered)


def declared(name: str, family: str, language: str, split: str) -> str:
    return (
        f'[[set]]\nname = "{name}"\ncorpus = "made-{family}"\nlanguage = "{language}"\n'
        f'documents = "{name}"\nquestions = "{name}.jsonl"\ntags = ["documents", "made", "{family}", "{split}"]\n\n'
    )


def unpack(packages: Path, root: Path) -> None:
    """Unpack the pages of all packages, without pictures."""
    for package in sorted(packages.glob("*.deb")):
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(package)], stdout=subprocess.PIPE) as tar:
            options = ["--extract", "--directory", str(root), "--wildcards", "*.html"]
            subprocess.run(["tar", *options], stdin=tar.stdout, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("packages", type=Path, nargs="?", help="a folder of .deb files")
    parser.add_argument("out", type=Path, nargs="?", help="the folder for the sets")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pages", type=int, default=80, help="pages of a set at most")
    parser.add_argument("--questions", type=int, default=30, help="questions of a set")
    args = parser.parse_args()
    if args.packages is None or args.out is None:
        print("nothing to make: name a folder of packages, and one for the sets")
        return
    args.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="strata-") as folder:
        unpack(args.packages, Path(folder))
        for split, languages in (("dev", DEV), ("held_out", HELD_OUT)):
            lines = [
                line
                for language in languages
                for family in FAMILIES
                if (line := _made(Path(folder), args, family, language, split))
            ]
            (args.out / f"{split}.toml").write_text("".join(lines), encoding="utf-8")


def _made(root: Path, args: argparse.Namespace, family: str, language: str, split: str) -> str:
    name = f"{family}-{language}"
    dice = random.Random(f"{args.seed} {name}")
    pages, questions = make_set(read_pages(root, family, language, dice, args.pages), dice, args.questions)
    if len(questions) < FEWEST:
        return ""
    write_set(args.out, name, pages, questions)
    kinds = Counter(one.type for one in questions)
    print(f"{name}: {len(pages)} pages, {', '.join(f'{count} {kind}' for kind, count in kinds.items())}", flush=True)
    return declared(name, family, language, split)


if __name__ == "__main__":
    main()
