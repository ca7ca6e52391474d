"""What a score is made of: its share by layer and by edge path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pipelines.core.graph import EdgeKind
from pipelines.retrieve.hit import Share
from pipelines.retrieve.index import Atlas
from pipelines.retrieve.propagate import KINDS, Wave
from pipelines.retrieve.query import Asked
from pipelines.retrieve.score import Scores, squash
from pipelines.sections import RetrieveSettings

_LEAST = 1e-6
_PRIOR = frozenset({"title", "called"})


def explain(chunk: int, asked: Asked, scores: Scores, atlas: Atlas, settings: RetrieveSettings) -> tuple[Share, ...]:
    """Return the shares of a chunk's score, largest first; they add up to it."""
    total = float(scores.total[chunk])
    if total <= 0:
        return ()
    factor = squash(total) / total
    parts = [*_direct(chunk, asked, scores, atlas), *_passed_on(chunk, scores.waves, atlas, settings.back)]
    shares = [Share(part.layer, part.score * factor, part.detail, part.path) for part in parts if part.score > _LEAST]
    return tuple(sorted(shares, key=lambda share: -share.score))


def _direct(chunk: int, asked: Asked, scores: Scores, atlas: Atlas) -> Iterator[Share]:
    for layer, part in scores.direct.items():
        detail = ""
        if layer == "title":
            detail = asked.called.get(int(atlas.document_of[chunk]), "")
        elif layer == "entity":
            detail = _shared_name(chunk, asked, atlas)
        yield Share("document" if layer in _PRIOR else layer, float(part[chunk]), detail)


def _shared_name(chunk: int, asked: Asked, atlas: Atlas) -> str:
    named = [int(entity) for entity in atlas.mentions.of(chunk) if int(entity) in asked.entities]
    counts = atlas.mentioned.counts()
    return atlas.entity_names[min(named, key=lambda entity: counts[entity])] if named else ""


def _passed_on(chunk: int, waves: Sequence[Wave], atlas: Atlas, back: float) -> Iterator[Share]:
    for number, wave in enumerate(waves):
        if wave.gain[chunk] > 0:
            kind, path = _way(chunk, waves[: number + 1], atlas)
            yield Share(kind.value, float(wave.gain[chunk]), "", path)
        if wave.back[chunk] > 0 and back:
            kind, path = _way_on(chunk, wave, atlas)
            yield Share(kind.value, back * float(wave.back[chunk]), "leads on", path)


def _way_on(chunk: int, wave: Wave, atlas: Atlas) -> tuple[EdgeKind, tuple[str, ...]]:
    """The best step out of a chunk."""
    steps = wave.steps
    out = np.flatnonzero(steps.sources == chunk)
    step = out[np.argmax(steps.gains[out])]
    through = int(steps.through[step])
    via = (atlas.entity_names[through],) if through >= 0 else ()
    return KINDS[steps.kinds[step]], (_title(chunk, atlas), *via, _title(int(steps.targets[step]), atlas))


def _way(chunk: int, waves: Sequence[Wave], atlas: Atlas) -> tuple[EdgeKind, tuple[str, ...]]:
    """The best step into a chunk in the last wave, and the names on the way to it from the first seed."""
    steps = waves[-1].steps
    into = np.flatnonzero(steps.targets == chunk)
    step = into[np.argmax(steps.gains[into])]
    source = int(steps.sources[step])
    before = _way(source, waves[:-1], atlas)[1] if len(waves) > 1 else (_title(source, atlas),)
    through = int(steps.through[step])
    via = (atlas.entity_names[through],) if through >= 0 else ()
    return KINDS[steps.kinds[step]], (*before, *via, _title(chunk, atlas))


def _title(chunk: int, atlas: Atlas) -> str:
    document = int(atlas.document_of[chunk])
    return atlas.titles_of[document] or atlas.uris[document]
