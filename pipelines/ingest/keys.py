"""The keys of artifacts: the digest of all inputs of a stage, including the key of the previous stage."""

from __future__ import annotations

from dataclasses import dataclass

from pipelines.core.document import Source
from pipelines.core.ids import content_id, digest
from pipelines.core.outcome import Status
from pipelines.core.settings_section import fingerprint
from pipelines.parse.settings import ParseSettings
from pipelines.settings import Settings

# Incremented when a stage gives different results for the same input and settings, so that artifacts are recomputed.
VERSIONS = {"parse": 43, "chunk": 16, "atomize": 26, "card": 2, "embed": 9, "recall": 2, "link": 12, "load": 3}
COMPILED = ("parse", "chunk", "atomize", "card", "embed")
"""The stages whose results are stored for each document."""
REPEATABLE = (Status.INDEXED, Status.PARTIAL, Status.EMPTY, Status.MALFORMED, Status.TOO_LARGE)
"""Statuses that the content alone determines; the next run retries files with a different status."""
STOPPED = "stopped"
"""The name in `Entry.artifacts` that records that a limit stopped the document: see `StageKeys.stopped`."""
CUT = "cut"
"""The `cut` of a parse that the same limits would cut short again."""
READINGS = "readings"
"""The stage of `StageKeys.readings`."""


@dataclass(frozen=True, slots=True)
class Makers:
    """The ids of the workers in artifact keys, with their models and prompts; `describer` is empty if not used."""

    splitter: str
    distiller: str
    embedder: str
    describer: str = ""
    scripts: str = ""
    """The OCR models that are installed beside the engine: when they change, illegible scans are read again."""


@dataclass(frozen=True, slots=True)
class StageKeys:
    """The keys of the artifacts of a source.

    A parse that was cut short, by a limit or because its process died, and all results based on it, have different keys
    from those of the complete document; these depend on the limits.
    """

    readings: str
    """The key of the OCR readings of a document that is not completely read; it does not depend on limits."""
    raw: str
    """The key of a parse before its figures are described."""
    turned_away: str
    """The key of a parse that a limit ended; it depends on the limits, so that others cause a retry."""
    stopped: str
    """The mark in the catalog of a document that a limit cut short, or ended after parsing; depends on the limits."""
    parse: str
    chunk: str
    atomize: str
    card: str
    embed: str

    def by_stage(self) -> dict[str, str]:
        """Return the keys of the artifacts of a compiled document, by stage."""
        return {stage: getattr(self, stage) for stage in COMPILED}

    def as_parsed(self, status: Status) -> str:
        """Return the key of a parse with this status, before figures are described."""
        return self.turned_away if status is Status.TOO_LARGE else self.raw

    def of_parse(self, status: Status) -> str:
        """Return the key of a parse with this status, after figures are described."""
        return self.parse if status.searchable else self.as_parsed(status)


def stage_keys(source: Source, settings: Settings, makers: Makers, undescribed: str = "", cut: str = "") -> StageKeys:
    """Return the keys for a source; its media type is not part of them, since the content determines it.

    `undescribed` identifies the figures without a description, `cut` what a parse has left out.
    """
    limits = limits_of(settings.parse, makers.scripts)
    whole = raw = _key("parse", source.uri, source.digest, fingerprint(settings.parse))
    raw = _key("parse", raw, limits, cut) if cut else raw
    parse = _key("parse", raw, makers.describer, undescribed) if makers.describer else raw
    chunk = _key("chunk", parse, fingerprint(settings.chunk), makers.splitter)
    schema = fingerprint(settings.graph.schema)
    atomize = _key("atomize", chunk, fingerprint(settings.atomize), schema, makers.distiller)
    turned_away = _key("parse", raw, limits)
    card, embed = _key("card", atomize), _key("embed", atomize, makers.embedder)
    readings, stopped = _key("parse", whole, READINGS), _key("embed", embed, limits)
    return StageKeys(readings, raw, turned_away, stopped, parse, chunk, atomize, card, embed)


def limits_of(settings: ParseSettings, scripts: str) -> str:
    """Return the digest of all limits on reading a document; when they change, documents cut short are read again."""
    ocr = settings.ocr
    return digest(f"{fingerprint(settings.limits)} {ocr.figure_limit} {ocr.figures_cpu_s:g} {scripts}".encode())


def _key(stage: str, *parts: str) -> str:
    return content_id(stage, str(VERSIONS[stage]), *parts).partition(":")[2]
