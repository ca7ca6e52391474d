"""Scores of PDF files with known truth, and processor seconds per page, for each layout setting.

usage: python -m benchmarks.pdf_pages [FOLDER ...] [--layout auto model rules] [--scans | --photos | --searchable]

A folder has NAME.pdf and NAME.pdf.truth.json; the default is `../shared/data/pdf`. The scorer is
`../shared/tools/score_parse.py`; OCR is off. With `--scans`, the files are read as grey pictures of 200 dpi, slanted by
up to half a degree, with noise; with `--photos`, as photographed at an angle on a dark table; with `--searchable`, with
the text that Tesseract reads off the scans, invisible behind them. Its model is that of English, except for files in
Cyrillic and Arabic. Each line has the folder, the layout, the mean of each score over the files with such content, and
the seconds.
"""

from __future__ import annotations

import argparse
import importlib.util
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

import numpy as np
import pymupdf
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from pipelines.parse.json_view import to_json
from pipelines.parse.parse import parse, source_of
from pipelines.parse.settings import OcrSettings, ParseSettings, PdfSettings

Array = NDArray[np.floating]
Point = tuple[float, float]
Pictures = Callable[[Path, Path], Path]
"""Makes of a PDF file one of pictures, in a folder."""
_SHARED = Path(__file__).parents[2] / "shared"
_LAYOUTS = ("auto", "model", "rules")
_MODELS = {"-ru": "rus+eng", "-ar": "ara+eng"}
"""Tesseract's models by the end of a file's name."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--layout", nargs="+", default=_LAYOUTS, choices=_LAYOUTS)
    pictures = parser.add_mutually_exclusive_group()
    pictures.add_argument("--scans", action="store_true", help="read pictures of the pages by OCR")
    pictures.add_argument("--photos", action="store_true", help="read photographs of the pages by OCR")
    pictures.add_argument("--searchable", action="store_true", help="read such pictures with a text layer of Tesseract")
    arguments = parser.parse_args()
    scoring = scorer()
    data = _SHARED / "data" / "pdf"
    folders = arguments.folders or [data / "print", data / "manual"]
    print(f"{'':20}{'layout':>7}" + "".join(f"{name:>9}" for name in scoring.FIGURES) + f"{'s/page':>9}")
    for folder in folders:
        for layout in arguments.layout:
            print(_row(scoring, folder, layout, _pictures(arguments)), flush=True)


def _pictures(arguments: argparse.Namespace) -> Pictures | None:
    """Return what makes the files to be read from those with a text layer, None if these are read."""
    if arguments.photos:
        return photographed
    if arguments.searchable:
        return lambda path, folder: searchable(scanned(path, folder), _MODELS.get(path.stem[-3:], "eng"))
    return scanned if arguments.scans else None


def scorer() -> ModuleType:
    """Return the module of the scorer, `../shared/tools/score_parse.py`; exits if it is missing."""
    spec = importlib.util.spec_from_file_location("score_parse", _SHARED / "tools" / "score_parse.py")
    if spec is None or spec.loader is None:
        sys.exit("the scorer is not beside the repository")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def scanned(path: Path, folder: Path) -> Path:
    """Return the pages of a PDF file as a scanner would make them, in a new file of the same name."""
    random = np.random.default_rng(7)

    def scan(picture: Image.Image) -> Array:
        slanted = picture.rotate(random.uniform(-0.5, 0.5), resample=Image.Resampling.BICUBIC, fillcolor=255)
        # Paper and ink are neither white nor black, and there is grain.
        return np.asarray(slanted, dtype=np.float32) * 0.93 + 8 + random.normal(0, 6, (picture.height, picture.width))

    return _as_pictures(path, folder / path.name, scan)


def photographed(path: Path, folder: Path) -> Path:
    """Return the pages of a PDF file as photographed: at an angle, on a dark table, in uneven light, blurred."""
    random = np.random.default_rng(7)

    def photograph(picture: Image.Image) -> Array:
        width, height = picture.size
        # Each corner of the page is moved inwards by up to 7 % of its width.
        (a, b), (c, d), (e, f), (g, h) = random.uniform(0.01, 0.07, (4, 2)) * width
        seen = [(a, b), (width - c, d), (width - e, height - f), (g, height - h)]
        to_page = _homography(seen, [(0, 0), (width, 0), (width, height), (0, height)])
        angled = picture.transform(
            picture.size, Image.Transform.PERSPECTIVE, tuple(to_page), Image.Resampling.BICUBIC, fillcolor=60
        )
        direction = random.uniform(0, 2 * np.pi)
        across, down = np.linspace(-0.5, 0.5, width), np.linspace(-0.5, 0.5, height)[:, None]
        light = 0.8 + 0.35 * (np.cos(direction) * across + np.sin(direction) * down)
        blurred = np.asarray(angled.filter(ImageFilter.GaussianBlur(0.7)), dtype=np.float32)
        return np.asarray(blurred * light + random.normal(0, 4, (height, width)))

    return _as_pictures(path, folder / path.name, photograph)


def _homography(points: Sequence[Point], images: Sequence[Point]) -> Array:
    """Return the eight coefficients, as Pillow takes them, of the perspective with these images of four points."""
    rows = []
    for (x, y), (u, v) in zip(points, images, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
    return np.asarray(np.linalg.solve(np.array(rows), np.array(images, dtype=float).ravel()))


def _as_pictures(path: Path, out: Path, seen: Callable[[Image.Image], Array]) -> Path:
    """Write a PDF file whose pages are the grey pictures of 200 dpi that `seen` makes of those of another."""
    with pymupdf.open(path) as file, pymupdf.open() as made:
        for page in file:
            pixels = page.get_pixmap(dpi=200, colorspace=pymupdf.csGRAY)
            shades = seen(Image.frombytes("L", (pixels.width, pixels.height), pixels.samples))
            data = io.BytesIO()
            Image.fromarray(shades.clip(0, 255).astype(np.uint8)).save(data, "JPEG", quality=75)
            made.new_page(width=page.rect.width, height=page.rect.height).insert_image(
                page.rect, stream=data.getvalue()
            )
        made.save(out)
    return out


def searchable(scan: Path, language: str) -> Path:
    """Add the text that Tesseract reads off each page of a scan to the file, as programs that archive scans do."""
    with pymupdf.open(scan) as file, pymupdf.open() as made:
        for page in file:
            picture = file.extract_image(page.get_images()[0][0])["image"]
            command = ["tesseract", "-", "-", "--dpi", "200", "-l", language, "pdf"]
            alone = {**os.environ, "OMP_THREAD_LIMIT": "1"}  # its threads wait for one another most of the time
            done = subprocess.run(command, input=picture, capture_output=True, check=True, env=alone)
            with pymupdf.open("pdf", done.stdout) as read:
                made.insert_pdf(read)
        data = made.tobytes()
    scan.write_bytes(data)
    return scan


def _row(scoring: ModuleType, folder: Path, layout: str, pictures: Pictures | None) -> str:
    ocr = OcrSettings() if pictures else OcrSettings(engine="none")
    settings = ParseSettings(ocr=ocr, pdf=PdfSettings.model_validate({"layout": layout}))
    scores: dict[str, list[float]] = {name: [] for name in scoring.FIGURES}
    pages, spent = 0, 0.0
    for truth in sorted(folder.rglob("*.pdf.truth.json")):
        path = truth.with_name(truth.name.removesuffix(".truth.json"))
        with tempfile.TemporaryDirectory() as place:
            if pictures is not None:
                path = pictures(path, Path(place))
            began = time.process_time()
            parsed = parse(path, source_of(path, path.name), settings)
        spent += time.process_time() - began
        pages += len(parsed.document.pages) if parsed.document else 0
        for name, value in scoring.score(json.loads(truth.read_text("utf-8")), json.loads(to_json(parsed))).items():
            if value is not None:
                scores[name].append(value)
    figures = "".join(mean(scores[name]) for name in scoring.FIGURES)
    return f"{folder.name:20}{layout:>7}{figures}{spent / max(1, pages):9.2f}"


def mean(values: Sequence[float]) -> str:
    """Return the mean of a figure as a table cell."""
    return f"{sum(values) / len(values):9.3f}" if values else f"{'-':>9}"


if __name__ == "__main__":
    main()
