"""Documents put together into batches, so that what Prefect costs stays small beside the work."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from pipelines.core.safe_output import shown
from pipelines.ingest.task import SourceItem

BATCHES = 8
"""Into which a folder of small documents is divided at least: below that, each document is a batch."""
MOST = 64
"""Documents of a batch; `benchmarks/flow.py` measures what its tasks cost beside a plain run."""
MOST_BYTES = 2 << 20
"""Of the documents of a batch together: larger ones stand alone."""
PICTURES = frozenset((".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp"))
"""Names by which a file is taken to need OCR; a hint for the limit alone, for the type is told by content."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Documents that go through the stages together; `pictures` says that they are to be read by OCR."""

    items: tuple[SourceItem, ...]
    pictures: bool = False

    @property
    def label(self) -> str:
        """What the batch is called: its document, or the first of them and how many there are beside it."""
        first, more = shown(self.items[0].source.uri), len(self.items) - 1
        return f"{first} and {more} more" if more else first


def batches(items: Sequence[SourceItem]) -> Iterator[Batch]:
    """Yield all items in batches, in their order; pictures apart from the others."""
    size = min(MOST, math.ceil(len(items) / BATCHES))
    for pictures in (False, True):
        kind = [item for item in items if is_picture(item) == pictures]
        yield from (Batch(tuple(some), pictures) for some in _divided(kind, size))


def is_picture(item: SourceItem) -> bool:
    """Whether a document is a picture by its name."""
    return PurePosixPath(item.source.uri).suffix.lower() in PICTURES


def _divided(items: Sequence[SourceItem], size: int) -> Iterator[list[SourceItem]]:
    batch: list[SourceItem] = []
    for item in items:
        if batch and (len(batch) == size or sum(one.source.size for one in batch) + item.source.size > MOST_BYTES):
            yield batch
            batch = []
        batch.append(item)
    if batch:
        yield batch
