"""Runs the functions that read a whole document over trap texts under a meter, and prints what each cost.

`python -m tests.patterns.metered` prints a line of JSON for each function and trap: their names, the operations at the
two lengths, and whether they grow too much. A process of its own, because the modules are rewritten while they are
imported.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from tests.patterns.meter import Meter, install

_Result = TypeVar("_Result")
LENGTHS, FACTOR = (600, 2400), 8
"""Characters of the short texts: the longer ones for those traps alone over which something fails at the shorter ones,
where less than a chunk is chunked."""
GROWTH = 16
"""What eight times the text may cost at most: chunks of 400 tokens are only reached by the longer one of some texts."""
UNITS = {
    "dots": ".", "dots and blanks": ". ", "lines and blanks": "\n ", "paragraphs": "a\n\n", "blanks": "a" + " " * 99,
    "words": "a ", "one word": "a", "open brackets": "(", "closing brackets": ")]}", "quotes": '"', "digits": "1",
    "numbers": "1.1.1.1 ", "tables": "| a | b |\n", "pipes": "|", "list": "- a\n", "headings": "1 A\n\n",
    "ruled headings": "a\n===\n\n", "han": "中文字", "han sentences": "中。", "emoji": "\U0001f600", "marks": "e\u0301",
    "addresses": "http://a.", "an address": "http://a......................", "initials": "A.B.C. ",
    "capitals": "Abc De ",
    "see": "see section 4.2 of ", "labels": "Table 1. ", "abbreviations": "e.g. a. b. ", "zero width": "a\u200b",
    "from right": "\u200fא ", "soft hyphens": "a\u00ad", "tabs": "a\t\tb\n", "underscores": "a__",
    "units": "5 mm, 3-4 kg ", "amounts": "$5 million, 3 Mio. EUR ",
}  # fmt: skip


def main() -> None:
    meter = install()
    with TemporaryDirectory() as folder:
        for trap, unit in UNITS.items():
            for length in LENGTHS:
                short, long = (
                    _costs(meter, (unit * longer)[:longer], Path(folder)) for longer in (length, length * FACTOR)
                )
                failed = [name for name, cost in short.items() if long[name] > GROWTH * max(cost, length)]
                if not failed:
                    break
            for function, cost in short.items():
                print(json.dumps([function, trap, cost, long[function], function in failed]), flush=True)


def _costs(meter: Meter, text: str, folder: Path) -> dict[str, int]:
    """Return the operations of each function over a text, and over the document that it is."""
    costs: dict[str, int] = {}

    def measured(name: str, run: Callable[[], _Result]) -> _Result:
        meter.count = 0
        result = run()
        costs[name] = meter.count
        return result

    _run(text, folder, measured)
    return costs


def _run(text: str, folder: Path, measured: Callable[[str, Callable[[], Any]], Any]) -> None:
    from pipelines.atomize.atomize import atomize
    from pipelines.atomize.distiller import chunk_contents
    from pipelines.atomize.extractive_distiller import ExtractiveDistiller
    from pipelines.atomize.settings import AtomizeSettings
    from pipelines.chunk.chunk import chunk
    from pipelines.chunk.settings import ChunkSettings
    from pipelines.chunk.splitter import StructuralSplitter
    from pipelines.core.document import Source
    from pipelines.graph.document_profile import document_profile
    from pipelines.graph.mentions import ChunkText, NameMatcher
    from pipelines.ingest.embedding import records_of
    from pipelines.lang.characters import locate
    from pipelines.lang.numbers import numbers
    from pipelines.lang.quantities import Kind, gives, quantities
    from pipelines.lang.sentences import sentences
    from pipelines.lang.terms import terms
    from pipelines.llm.tokens import count_tokens
    from pipelines.parse.pieces import clean
    from pipelines.parse.registry import detect
    from pipelines.parse.settings import ParseSettings
    from pipelines.parse.web.text import TextReader

    measured("sentences", lambda: sentences(text))
    measured("terms", lambda: terms(text))
    measured("tokens", lambda: count_tokens(text))
    measured("clean", lambda: clean(text))
    measured("numbers", lambda: numbers(text))
    measured("quantities", lambda: quantities(text))
    measured("values", lambda: gives(frozenset(Kind), f"{text} |"))
    measured("quotes", lambda: locate(text[-60:] + "...", text))

    (folder / "t.txt").write_text(text, "utf-8")
    measured("kind of text", lambda: detect(folder / "t.txt"))
    source = Source("t.txt", "text/plain", len(text), "0" * 64)
    document = measured("parse", lambda: TextReader().read(folder / "t.txt", source, ParseSettings())).document
    if document is None:
        return
    splitter, distiller = StructuralSplitter(ChunkSettings()), ExtractiveDistiller(AtomizeSettings())
    chunks = measured("chunk", lambda: asyncio.run(chunk(document, splitter, ChunkSettings())))
    measured("contents", lambda: list(chunk_contents(document, chunks)))
    distillate = measured("atomize", lambda: asyncio.run(atomize(document, chunks, distiller, AtomizeSettings())))
    measured("card", lambda: document_profile(document, distillate))
    measured("records", lambda: records_of(document, distillate))
    names = NameMatcher(["a", "1.1", "section 4.2", "中文", "abc de"])
    passages = [ChunkText(one.id, one.provenance.span.start, one.text) for one in chunks]
    measured("mentions", lambda: names.find(passages))


if __name__ == "__main__":
    main()
