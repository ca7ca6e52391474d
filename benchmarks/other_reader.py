"""What another reader finds in files and Strata does not: the words of its texts that are in none of ours.

    python -m benchmarks.other_reader FOLDER TEXTS

FOLDER has the files, TEXTS for each of them the text that the other reader returns, at the same path with ".txt" added.
The figures in docs/measurements.md are beside Apache Tika 3.3.1 (AutoDetectParser, BodyContentHandler). Its own
test files are in the Maven artifacts `tika-parsers:1.28.5:tests` and `tika-parser-*-module:3.3.1:tests` of Apache.

Many of the missing words are no content: names of parts and fields, options of forms, styles. So the figures compare
two versions of Strata, and the list shows where to look.
"""

from __future__ import annotations

import re
import sys
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pipelines.parse.parse import parse, source_of
from pipelines.parse.parsed import Parsed
from pipelines.parse.settings import ParseSettings

_WORD = re.compile(r"[^\W_]{3,}")
"""Shorter words are in nearly every text by accident."""
_DEEPEST = 5
"""Levels of files inside files that are read."""
_FEW = 0.02
"""Share of missing words up to which a file counts as read completely."""


def words(text: str) -> set[str]:
    """Return the words of a text, independent of case, of forms of characters and of soft hyphens."""
    return set(_WORD.findall(unicodedata.normalize("NFKC", text).replace("\u00ad", "").lower()))


def texts(parsed: Parsed, settings: ParseSettings, depth: int = 0) -> Iterator[str]:
    """Yield all texts of a file: blocks, figures, headers, metadata, and those of the files inside it."""
    document = parsed.document
    if document is not None:
        yield document.title
        yield from document.metadata.values()
        yield from (block.text for block in (*document.blocks, *document.furniture))
        yield from (text for one in document.figures for text in (one.ocr_text, one.description, one.caption))
    for child in parsed.children if depth < _DEEPEST else ():
        yield child.name
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "child"
            path.write_bytes(child.data)
            yield from texts(parse(path, source_of(path, child.name, settings), settings), settings, depth + 1)


def main(folder: Path, other: Path) -> None:
    settings = ParseSettings()
    found: list[tuple[float, int, str, str]] = []
    total, statuses = 0, Counter[str]()
    for text in sorted(other.rglob("*.txt")):
        file = folder / text.relative_to(other).with_suffix("")
        expected = words(text.read_text(errors="replace"))
        if not expected or not file.is_file():
            continue
        parsed = parse(file, source_of(file, file.name, settings), settings)
        ours = {word for one in texts(parsed, settings) for word in words(one)}
        missing = expected - ours
        total += len(expected)
        statuses[parsed.status.value] += 1
        shown = " ".join(sorted(missing)[:10])
        found.append((len(missing) / len(expected), len(missing), str(file.relative_to(folder)), shown))
    print(f"{len(found)} files, {total} words; missing: {sum(count for _, count, _, _ in found)}")
    print(
        f"read completely: {sum(share <= _FEW for share, *_ in found)}, not at all: {sum(one[0] == 1 for one in found)}"
    )
    print(", ".join(f"{name} {count}" for name, count in statuses.most_common()))
    for share, count, name, shown in sorted(found, reverse=True):
        if share > _FEW:
            print(f"{share:.2f} {count:5} {name}: {shown}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
