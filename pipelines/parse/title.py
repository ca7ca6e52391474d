"""What a document is called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from pipelines.core.document import Block, BlockKind, Source

_LONGEST = 200
# What programs write where a title should be.
_EMPTY_TITLE = re.compile(
    r"(?:microsoft\s+(?:word|powerpoint|excel)\b.*|untitled.*|unbenannt.*|ohne titel.*|document\d*|dokument\d*"
    r"|(?:power ?point )?presentation\d*|pr[äa]sentation\d*|slide \d+|folie \d+|titel|title|print"
    r"|(?:scan|img|dsc)[\W_\d]*|new document|no title|book\d*|sheet\d*|index|layout \d+|\W*|\d+)",
    re.IGNORECASE,
)
_FILE_NAME = re.compile(
    r".{0,100}\.(?:docx?|pdf|indd|tex|dvi|xlsx?|pptx?|qxd|rtf|odt|html?|ai|eps|md|txt|fm|cdr)"
    r"|\S{1,100}\.[a-z]\w{1,4}",
    re.IGNORECASE,
)

_NUMBERED = re.compile(r"\s*(\d{1,2})\.?\s+\D")


def choose_title(told: str, blocks: Sequence[Block], source: Source) -> str:
    """Return the title: the metadata's if it looks like one, a TITLE block, the first heading, the file's stem."""
    for candidate in (told, _first(blocks, BlockKind.TITLE), _heading(blocks)):
        title = " ".join(candidate.split())
        if _is_title(title):
            return title[:_LONGEST]
    return PurePosixPath(source.name).stem or source.uri


def _is_title(text: str) -> bool:
    sample = text[: _LONGEST * 2]
    return bool(sample) and not _EMPTY_TITLE.fullmatch(sample) and not _FILE_NAME.fullmatch(sample)


def _heading(blocks: Sequence[Block]) -> str:
    """Return the first heading, unless it is that of a part: its number goes on in those that follow."""
    headings = [block.text for block in blocks if block.kind is BlockKind.HEADING]
    numbers = [int(match[1]) if (match := _NUMBERED.match(heading)) else 0 for heading in headings]
    is_part = any(numbers[:1]) and numbers[0] + 1 in numbers
    return headings[0] if headings and not is_part else ""


def _first(blocks: Sequence[Block], kind: BlockKind) -> str:
    return next((block.text for block in blocks if block.kind is kind), "")
