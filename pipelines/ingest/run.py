"""One run over a folder: plan, compile, link, load. The only writer of the stores."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from pipelines.core.errors import BudgetExceeded, SourceError
from pipelines.core.outcome import Failure, Status
from pipelines.ingest.compile import Compiled, Item, Tools, compile_item
from pipelines.ingest.corpus import Corpus, link_corpus
from pipelines.ingest.load import Loader
from pipelines.ingest.plan import Plan, plan
from pipelines.ingest.progress import Event, Phase, Progress, Stage, silent
from pipelines.ingest.report import Report, Tally
from pipelines.ingest.scan import scan
from pipelines.resources import Language, Stores, open_language, open_stores
from pipelines.settings import Settings
from pipelines.store.catalog import Entry

STAGES = tuple(stage.value for stage in (Stage.PARSE, Stage.CHUNK, Stage.ATOMIZE, Stage.EMBED, Stage.LOAD))


class Run:
    """A run in progress. Call `plan`, `compile` for each item, `link`, `load` and `report`, in this order."""

    def __init__(self, folder: Path, settings: Settings, stores: Stores, tools: Tools, language: Language, tell: Progress) -> None:
        self._folder = folder
        self._settings = settings
        self._stores = stores
        self._tools = tools
        self._language = language
        self._tally = Tally()
        self._listener = tell
        self._started = time.monotonic()
        self._plan = Plan()
        self._compiled: dict[str, Compiled] = {}
        self._places = asyncio.Semaphore(settings.ingest.documents_at_once)
        self._corpus: Corpus | None = None
        self._stopped = ""

    def tell(self, event: Event) -> None:
        self._tally(event)
        self._listener(event)
    # (continued below)
