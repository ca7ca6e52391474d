"""One file parsed and cut into chunks as ingesting does it, without a knowledge base."""

from __future__ import annotations

import asyncio
import os
from contextlib import ExitStack
from pathlib import Path

from pipelines.chunk.chunk import chunk
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
    """Return what one file holds: in a process of its own, within the limits of `settings`.

    A file that cannot be read as what it is gives a `Parsed` whose `status` and `reason` say so.

    Raises:
        SourceError: there is no such file.

    Example:
        parsed = parse_single_file(Path("manual.pdf"))
        print(parsed.status, parsed.document.title, len(parsed.document.blocks))
    """
    if not file.is_file():
        raise SourceError(f"no such file: {file}")
    with ExitStack() as opened:
        # What it is, the worker finds out: readers of one's own are not loaded into this process.
        source = Source(uri_of(file.name), "", file.stat().st_size, digest_file(file))
        pool = opened.enter_context(ParserPool(settings, workers=1))
        if has_descriptor_paths():  # a reader's library may take no name that is not UTF-8
            descriptor = open_file(file)
            opened.callback(os.close, descriptor)
            file = opened.enter_context(as_path(descriptor, file.suffix))
        return pool.parse(file, source).result()


def chunk_parsed(parsed: Parsed, settings: Settings, kb: Path) -> tuple[Chunk, ...]:
    """Return the chunks of what was parsed, with their summaries; none where there is no document.

    A model that is configured is asked, with the prompts and the kept replies of the knowledge base at `kb` where there
    is one; where a call fails the structure decides. Raises `SettingsError`, `MissingExtra`.
    """
    if parsed.document is None:
        return ()
    return asyncio.run(_chunks(parsed.document, settings, KnowledgeBaseFolder(kb)))


async def _chunks(document: Document, settings: Settings, folder: KnowledgeBaseFolder) -> tuple[Chunk, ...]:
    if not settings.llm.configured:
        return await chunk(document, Workers(settings).splitter(), settings.chunk)
    from pipelines.llm.stack import open_chat

    chat = open_chat(settings.llm, folder.replies if folder.exists else None)
    try:
        return await chunk(document, Workers(settings, chat, folder.prompts).splitter(), settings.chunk)
    finally:
        await chat.close()
