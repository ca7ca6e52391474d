"""Settings of parsing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field, SecretStr

from pipelines.core.settings_section import Sensitive, SettingsSection

Engine = Literal["rapidocr", "paddleocr", "none"]
When = Literal["auto", "always", "never"]
Layout = Literal["auto", "model", "rules"]


class OcrSettings(SettingsSection):
    """OCR. `neutral` settings do not change digests: pictures that they leave unread are read by later runs."""

    neutral: ClassVar[frozenset[str]] = frozenset({"figure_limit", "figures_cpu_s"})

    sensitive: ClassVar[Mapping[str, Sensitive]] = {
        "engine": Sensitive("would have models downloaded", only=frozenset({"paddleocr"})),
        "models": Sensitive("would be opened and run as models"),
    }

    engine: Engine = Field("rapidocr", description="OCR engine: rapidocr, paddleocr (an extra), or none")
    tesseract: bool = Field(True, description="Whether Tesseract, if installed, reads scripts that rapidocr cannot")
    when: When = Field("auto", description="auto: pages whose text layer is missing or garbled; always; never")
    # benchmarks/ocr_pages.py: the word recall on rendered pages is .999; a higher resolution is only slower.
    dpi: int = Field(150, ge=72, le=600, description="Resolution at which a page is rendered for OCR")
    # A4 at 220 dots an inch.
    max_side: int = Field(2600, ge=500, description="Longer side in pixels beyond which a picture is scaled down")
    # Below one half, the engine itself considers another reading more likely.
    min_confidence: float = Field(0.5, ge=0, le=1, description="Lines below this confidence are dropped")
    # Between the confidence for a poor scan in a known script (.8, read by benchmarks/ocr_pages.py) and wrong results.
    script_confidence: float = Field(
        0.75, ge=0, le=1, description="A page whose mean confidence is lower is reported as not legible"
    )
    figures: bool = Field(True, description="Whether pictures inside documents are read by OCR too")
    # 140 by 140: icons and logos are smaller.
    figure_pixels: int = Field(20_000, ge=0, description="Pictures with fewer pixels than this are not read")
    # At about .2 seconds each they take as long as `figures_cpu_s` allows.
    figure_limit: int = Field(500, ge=0, description="Maximum pictures of one document that one run reads")
    # Two minutes of five (`limits.cpu_s`): the rest is for text.
    figures_cpu_s: float = Field(120, ge=0, description="Processor seconds of one run for the pictures of a document")
    models: str = Field("", description="Folder of the PaddleOCR models, for use without a network")


class PdfSettings(SettingsSection):
    """PDF files."""

    layout: Layout = Field("auto", description="auto: the layout model where a page needs it; model; rules")
    # tests/parse/test_pdf_parts.py: sound texts score below .2, garbled ones above .35.
    garble: float = Field(0.35, ge=0, le=1, description="Garble score from which a text layer is discarded")


class Limits(SettingsSection):
    """Limits for one file, beyond which it is too large: for parsing, and for chunking, atomizing and embedding."""

    # Far above what documents need, below what harms a machine: 5,000 pages take a minute (benchmarks/parse_speed.py).
    cpu_s: float = Field(
        300, gt=0, description="Processor seconds for one stage of one file; a long one may take them for each part"
    )
    # 600 to 1,800 scanned pages, by the machine, 7,000 printed ones.
    file_cpu_s: float = Field(3600, gt=0, description="Processor seconds for parsing all pages of one file")
    # The longest step that reports no progress is one page in the layout model: seconds.
    stall_s: float = Field(120, gt=0, description="Seconds without progress after which a process counts as hung")
    # 660 pages take 168 MiB (benchmarks/parse_speed.py), the models of layout and OCR one GiB.
    memory_mb: int = Field(4096, gt=0, description="Memory of the process that works on a file, in MiB")
    # Thirty books of 1,000 pages.
    output_mb: int = Field(100, gt=0, description="Maximum text of one file, in MiB")
    # Text is compressed to a fifth, sheets of numbers to a twentieth; the maximum of deflate is 1,032.
    expansion_ratio: int = Field(100, gt=0, description="Times that a compressed file may grow when unpacked")
    # An eighth of `memory_mb`, because unpacked data is held in several forms.
    total_mb: int = Field(500, gt=0, description="Unpacked size of one file, in MiB")
    # A presentation has hundreds.
    members: int = Field(10_000, gt=0, description="Members of an archive")
    # HTML and XML of real documents stay below 50; Python's own recursion ends at 1,000.
    depth: int = Field(100, gt=0, description="Nesting of elements, and of containers within containers")
    # A sheet of 5,000 rows by 20 columns; more is a database, which chunks cannot represent.
    cells: int = Field(100_000, gt=0, description="Non-empty cells per sheet or table")
    # As many as `file_cpu_s` suffices for.
    pages: int = Field(5_000, gt=0, description="Pages, slides or sheets")


UNLOCK_HINT = 'set it under [parse.passwords] in strata.toml, by file pattern: "contracts/*.pdf" = "..."'
"""What to do about a file that a password opens."""
UNPROTECTED_HINT = "save it without its password; such files are not opened by one from the settings"


class ParseSettings(SettingsSection):
    """Parsing. `neutral` settings do not change digests: files rejected by a limit or a password are tried again."""

    neutral: ClassVar[frozenset[str]] = frozenset({"limits", "passwords"})
    sensitive: ClassVar[Mapping[str, Sensitive]] = {"engines": Sensitive("would be loaded and run as code")}

    languages: tuple[str, ...] = Field(("en", "de", "zh"), description="Expected languages, most likely first")
    ocr: OcrSettings = Field(OcrSettings(), description="Optical character recognition (OCR)")
    pdf: PdfSettings = Field(PdfSettings(), description="PDF files")
    limits: Limits = Field(Limits(), description="Limits for one file")
    passwords: dict[str, SecretStr] = Field({}, description='Passwords by file pattern ("contracts/*.pdf")')
    engines: dict[str, str] = Field({}, description='Readers of your own by media type ("package.module:Class")')
    describe_figures: bool = Field(False, description="Whether a vision-capable model describes the figures")

    def passwords_for(self, uri: str) -> tuple[str, ...]:
        """Return the passwords whose pattern matches `uri` or its last part, in the order of the settings."""
        from fnmatch import fnmatch

        name = uri.rsplit("/", 1)[-1]
        return tuple(
            secret.get_secret_value()
            for pattern, secret in self.passwords.items()
            if fnmatch(uri, pattern) or fnmatch(name, pattern)
        )
