"""The keys of artifacts: each stage's is the digest of all that shaped its result, its predecessor's key included."""

from __future__ import annotations

from dataclasses import dataclass

from pipelines.core.document import Source
from pipelines.core.ids import content_id
from pipelines.settings import Settings, fingerprint

# Raised by one when a stage gives other results for the same input and settings: old artifacts are then made anew.
VERSIONS = {"parse": 1, "chunk": 1, "atomize": 1, "card": 1, "embed": 1, "link": 1, "load": 1}
COMPILED = ("parse", "chunk", "atomize", "card", "embed")
"""The stages whose results are kept for each document."""


@dataclass(frozen=True, slots=True)
class Makers:
    """Who does the work that settings alone do not name: splitter, distiller and embedder, with model and prompts."""

    splitter: str
    distiller: str
    embedder: str


@dataclass(frozen=True, slots=True)
class StageKeys:
    """The keys under which the artifacts of one source lie."""

    parse: str
    turned_away: str
    """The key of a parse that a limit ended: with other limits it is tried again."""
    chunk: str
    atomize: str
    card: str
    embed: str

    def by_stage(self) -> dict[str, str]:
        return {stage: getattr(self, stage) for stage in COMPILED}


def stage_keys(source: Source, settings: Settings, makers: Makers) -> StageKeys:
    """Return the keys for a source; the media type does not count, since it follows from the content."""
    parse = _key("parse", source.uri, source.digest, fingerprint(settings.parse))
    chunk = _key("chunk", parse, fingerprint(settings.chunk), makers.splitter)
    atomize = _key("atomize", chunk, fingerprint(settings.atomize), makers.distiller)
    turned_away = _key("parse", parse, fingerprint(settings.parse.limits))
    return StageKeys(parse, turned_away, chunk, atomize, _key("card", atomize), _key("embed", atomize, makers.embedder))


def _key(stage: str, *parts: str) -> str:
    return content_id(stage, str(VERSIONS[stage]), *parts).partition(":")[2]
