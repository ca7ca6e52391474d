"""Word recall of OCR on thirty generated pages: scripts, layouts, orientations, skew, noise, 100 to 300 dpi.

usage: python -m benchmarks.ocr_pages [--engine rapidocr|paddleocr] [--models FOLDER] [--only NAME]

A word is counted as read if it is in the recognized text of its page; Chinese is counted by character. Each line has
page, recall, seconds, the detected rotation and the mean confidence.
"""

from __future__ import annotations

import argparse
import io
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pymupdf
from PIL import Image

from pipelines.lang.characters import CJK
from pipelines.parse.ocr.engine import OcrEngine, Raster, ocr_engine
from pipelines.parse.ocr.pictures import read_picture
from pipelines.parse.settings import OcrSettings

_WIDTH, _HEIGHT, _MARGIN = 595, 842, 56
_TOKEN = re.compile(rf"[{CJK}]|[^\W_{CJK}]+(?:[.,:/\-][^\W_{CJK}]+)*")
_ENGLISH = (
    "The relief valve on the oxygen manifold opens at 8.5 bar and must be tested every six months. Record the opening "
    "pressure in form QA-117. If the valve chatters, close the inlet cock slowly and let the line cool below 40 °C "
    "before the bonnet is removed. Replace the seat whenever its width exceeds 0.35 mm, and never lap it by hand. "
    "A torque of 12 N·m is enough for the four bonnet screws; tighten them crosswise. The spring (part 4711-0815) is "
    "matched to the valve body, so the two are ordered and replaced together. "
)
_CHINESE = (
    "压力变送器应垂直安装在管道上方,安装前检查铭牌上的量程。拧紧螺栓时扭矩不得超过二十牛米。"
    "接线完成后,用绝缘表测量回路电阻,读数低于五百欧姆才允许通电。每季度校准一次零点,并在记录表中签字。"
    "如果输出电流超过规定范围,先关闭进口阀门,再检查膜片是否损坏。"
)
_ROWS = (
    ("Part", "Material", "Size", "Mass", "Price"),
    ("Bonnet", "CuZn39Pb3", "DN 25", "1.84 kg", "112.50"),
    ("Seat", "1.4571", "18.2 mm", "0.06 kg", "23.90"),
    ("Spring", "X10CrNi18-8", "44 mm", "0.11 kg", "9.75"),
    ("Stem", "1.4122", "112 mm", "0.27 kg", "31.20"),
    ("Gasket", "PTFE", "32 x 2", "0.01 kg", "1.15"),
    ("Lever", "GJL-250", "140 mm", "0.63 kg", "18.40"),
)


@dataclass(frozen=True, slots=True)
class Sample:
    """A page as an image, and its words."""

    name: str
    image: Raster
    words: tuple[str, ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=("rapidocr", "paddleocr"), default="rapidocr")
    parser.add_argument("--models", default="", help="folder of PaddleOCR models")
    parser.add_argument("--only", default="", help="part of the names of the pages to read")
    args = parser.parse_args()
    settings = OcrSettings(engine=args.engine, models=args.models)
    engine = ocr_engine(settings)
    if engine is None:
        parser.error("no engine")
    recalls = [_measure(engine, settings, sample) for sample in samples() if args.only in sample.name]
    print(f"{len(recalls)} pages, mean recall {sum(recalls) / len(recalls):.3f}, least {min(recalls):.3f}")


def _measure(engine: OcrEngine, settings: OcrSettings, sample: Sample) -> float:
    start = time.perf_counter()
    read = read_picture(engine, sample.image, settings)
    seconds = time.perf_counter() - start
    share = recall(sample.words, read.text)
    found = f"turn {read.turn:3}  confidence {read.confidence:.2f}"
    print(f"{sample.name:24}{share:7.3f}{seconds:7.1f} s  {found}", flush=True)
    return share


def recall(words: tuple[str, ...], text: str) -> float:
    """Return the share of words found, counting repetitions."""
    wanted, found = Counter(words), Counter(tokens(text))
    return sum((wanted & found).values()) / max(1, wanted.total())


def tokens(text: str) -> tuple[str, ...]:
    return tuple(token.lower() for token in _TOKEN.findall(text))


def samples() -> Iterator[Sample]:
    """Yield the thirty pages."""
    pages = {"english": _text(_ENGLISH * 3), "chinese": _text(_CHINESE * 4, "china-s"), "mixed": _mixed()}
    pages |= {"table": _table(), "columns": _columns(), "small": _text(_ENGLISH * 4, size=7)}
    for name in ("english", "chinese", "mixed", "table", "columns"):
        for dpi in (100, 150, 300):
            yield _sample(f"{name} {dpi} dpi", pages[name], dpi)
    for name in ("english", "chinese", "table"):
        for turn in (90, 180, 270):
            yield _sample(f"{name} {turn} degrees", pages[name], 150, turn=turn)
    yield _sample("english skew 2", pages["english"], 150, skew=2)
    yield _sample("columns skew -2", pages["columns"], 150, skew=-2)
    yield _sample("english noise", pages["english"], 150, noise=28)
    yield _sample("mixed noise", pages["mixed"], 200, noise=28)
    yield _sample("small print 200 dpi", pages["small"], 200)
    yield _sample("small print 300 dpi", pages["small"], 300)


def _sample(name: str, page: pymupdf.Document, dpi: int, turn: int = 0, skew: float = 0, noise: float = 0) -> Sample:
    picture = Image.open(io.BytesIO(page[0].get_pixmap(dpi=dpi).tobytes("png"))).convert("RGB")
    if turn or skew:
        picture = picture.rotate(-turn + skew, expand=True, fillcolor="white", resample=Image.Resampling.BICUBIC)
    pixels = np.asarray(picture, dtype=np.uint8)
    if noise:
        grain = np.random.default_rng(7).normal(0, noise, pixels.shape)
        pixels = np.clip(pixels + grain, 0, 255).astype(np.uint8)
    return Sample(name, pixels, tokens(page[0].get_text()))


def _text(text: str, font: str = "helv", size: float = 11) -> pymupdf.Document:
    page = _page()
    box = pymupdf.Rect(_MARGIN, _MARGIN, _WIDTH - _MARGIN, _HEIGHT - _MARGIN)
    page.insert_textbox(box, text, fontname=font, fontsize=size, lineheight=1.4)
    return page.parent


def _mixed() -> pymupdf.Document:
    page = _page()
    for number, text in enumerate((_ENGLISH, _CHINESE, _ENGLISH)):
        top = _MARGIN + 240 * number
        box = pymupdf.Rect(_MARGIN, top, _WIDTH - _MARGIN, top + 230)
        page.insert_textbox(box, text, fontname="china-s" if text is _CHINESE else "tiro", fontsize=12, lineheight=1.4)
    return page.parent


def _columns() -> pymupdf.Document:
    page = _page()
    page.insert_text((_MARGIN, _MARGIN), "Inspection of relief valves", fontsize=18, fontname="hebo")
    middle = _WIDTH / 2
    for left, right in ((_MARGIN, middle - 12), (middle + 12, _WIDTH - _MARGIN)):
        box = pymupdf.Rect(left, _MARGIN + 30, right, _HEIGHT - _MARGIN)
        page.insert_textbox(box, _ENGLISH * 2, fontsize=10, fontname="tiro", lineheight=1.3)
    return page.parent


def _table() -> pymupdf.Document:
    page = _page()
    page.insert_text((_MARGIN, _MARGIN), "Table 1. Spare parts of the relief valve", fontsize=12, fontname="hebo")
    for row, cells in enumerate(_ROWS):
        for column, text in enumerate(cells):
            left, top = _MARGIN + 96 * column, _MARGIN + 24 + 26 * row
            page.draw_rect(pymupdf.Rect(left, top, left + 96, top + 26), width=0.6)
            page.insert_text((left + 5, top + 17), text, fontsize=10)
    return page.parent


def _page() -> pymupdf.Page:
    return pymupdf.open().new_page(width=_WIDTH, height=_HEIGHT)


if __name__ == "__main__":
    main()
