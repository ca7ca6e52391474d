"""Parses and chunks a single file in the same way as an ingest, without a knowledge base."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path

from pipelines.core.concurrent import run_to_end
from pipelines.core.document import Chunk, Document, Source
from pipelines.core.errors import SourceError
from pipelines.core.ids import uri_of
from pipelines.ingest.scan import as_path, digest_file, has_descriptor_paths, open_file
from pipelines.ingest.workers import Workers
from pipelines.parse.parse import ParserPool
from pipelines.parse.parsed import Parsed
from pipelines.parse.settings import ParseSettings
from pipelines.settings import Settings
from pipelines.store.folder import KnowledgeBaseFolder


def parse_single_file(file: Path, settings: ParseSettings = ParseSettings()) -> Parsed:
    """Parse a file in a separate process, within the limits of `settings`.

    If the file cannot be parsed, the `status` and `reason` of the result say why.

    Raises:
        SourceError: the file does not exist, or is a folder.

    Example:
        parsed = parse_single_file(Path("manual.pdf"))
        print(parsed.status, parsed.document.title, len(parsed.document.blocks))
    """
    if file.is_dir():
        raise SourceError(f"{file} is a folder, not a file", hint="`strata ingest` reads all files of a folder")
    if not file.is_file():
        raise SourceError(f"no such file: {file}")
    with ExitStack() as opened:
        # The worker detects the media type, so that this process does not load the readers.
        source = Source(uri_of(file.name), "", file.stat().st_size, digest_file(file))
        pool = opened.enter_context(ParserPool(settings, workers=1))
        if has_descriptor_paths():  # some readers' libraries do not accept names that are not UTF-8
            descriptor = open_file(file)
            opened.callback(os.close, descriptor)
            file = opened.enter_context(as_path(descriptor, file.suffix))
        return pool.parse(file, source).result()


def chunk_parsed(parsed: Parsed, settings: Settings, kb: Path) -> tuple[Chunk, ...]:
    """Return the chunks of a parsed file with their summaries; empty if there is no document.

    A configured model is asked, with the prompts and cached replies of the knowledge base at `kb` if there is one;
    after a failed call, the document's structure decides. Raises `SettingsError` and `MissingExtra`.
    """
    if parsed.document is None:
        return ()
    document = parsed.document
    return run_to_end(lambda: _chunks(document, settings, KnowledgeBaseFolder(kb)))


async def _chunks(document: Document, settings: Settings, folder: KnowledgeBaseFolder) -> tuple[Chunk, ...]:
    from pipelines.chunk.chunk import chunk  # not needed to parse

    if not settings.llm.configured:
        return await chunk(document, Workers(settings).splitter(), settings.chunk)
    from pipelines.llm.stack import open_chat

    chat = open_chat(settings.llm, folder.replies if folder.exists else None)
    try:
        return await chunk(document, Workers(settings, chat, folder.prompts).splitter(), settings.chunk)
    finally:
        await chat.close()
