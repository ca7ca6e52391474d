"""Office files printed as PDF: what is read from the print, compared with what is read from the file itself.

usage: python -m benchmarks.office_prints [FILE_OR_FOLDER ...]

LibreOffice prints each DOCX, ODT, XLSX and ODS file, by default those of `../shared/data`. The truth is what Strata
reads from the office file, so that a score shows how much is lost in the print. The scorer is
`../shared/tools/score_parse.py`; OCR is off. Files without a table have no score for tables.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.pdf_pages import mean, scorer
from pipelines.parse.json_view import to_json
from pipelines.parse.office.libreoffice import convert
from pipelines.parse.parse import parse, source_of
from pipelines.parse.settings import OcrSettings, ParseSettings

_DATA = Path(__file__).parents[2] / "shared" / "data"
_SUFFIXES = (".docx", ".odt", ".xlsx", ".ods")
_SETTINGS = ParseSettings(ocr=OcrSettings(engine="none"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("places", nargs="*", type=Path)
    rater = scorer()
    scores: dict[str, list[float]] = {name: [] for name in rater.FIGURES}
    print(f"{'':40}" + "".join(f"{name:>9}" for name in rater.FIGURES))
    for path in _files(parser.parse_args().places or [_DATA]):
        with tempfile.TemporaryDirectory() as folder:
            found = rater.score(_read(path), _read(convert(path, "pdf", Path(folder), path.name)))
        for name, value in found.items():
            if value is not None:
                scores[name].append(value)
        print(
            _line(path.name, [[found[name]] if found[name] is not None else [] for name in rater.FIGURES]), flush=True
        )
    print(_line("mean", list(scores.values())))


def _line(name: str, figures: Sequence[Sequence[float]]) -> str:
    return f"{name[:38]:40}" + "".join(map(mean, figures))


def _files(places: Sequence[Path]) -> Iterator[Path]:
    for place in places:
        found = place.rglob("*") if place.is_dir() else [place]
        yield from sorted(path for path in found if path.suffix in _SUFFIXES)


def _read(path: Path) -> object:
    return json.loads(to_json(parse(path, source_of(path, path.name), _SETTINGS), scored=True))


if __name__ == "__main__":
    main()
