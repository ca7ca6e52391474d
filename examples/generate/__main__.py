"""Regenerates the example documents: ``python -m examples.generate [target folder]``."""

from __future__ import annotations

import sys
from pathlib import Path

from . import blocks, epub, fonts, mail, pdf, plate, scan, sheets, slides, word

DOCUMENTS = Path(__file__).parent.parent / "documents"
PDF_SOURCES = ("ds_2041_rev_d", "ds_2041_rev_b", "ds_3010", "ds_4105", "std_014", "rn_17")


def build() -> dict[str, bytes]:
    """All generated files, by path relative to the documents folder."""
    files: dict[str, bytes] = {}
    for name in PDF_SOURCES:
        document = blocks.read(f"{name}.md")
        files[document.text("output")] = pdf.render(document)
    manual = blocks.read("manual.md")
    files[manual.text("output")] = word.render(manual)
    files["manuals/operator_handbook.epub"] = epub.render()
    files["parts/price_list_2025.xlsx"] = sheets.render()
    files["training/service_training_2023.pptx"] = slides.render()
    files["mail/2025-02-04_wrong_o-rings.eml"] = mail.render()
    files["scans/DN-58213.pdf"] = scan.render()
    files["photos/nameplate_P-12A.png"] = plate.render()
    return files


def main() -> None:
    """Write the files below the target folder."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCUMENTS
    fonts.check()
    fonts.register()
    for name, data in build().items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        print(f"{len(data) / 1024:8.1f} KiB  {name}")


if __name__ == "__main__":
    main()
