"""The keys of artifacts: each stage's is the digest of all that shaped its result, its predecessor's key included."""

from __future__ import annotations

from dataclasses import dataclass

from pipelines.core.document import Source
from pipelines.core.ids import content_id, digest
from pipelines.core.outcome import Status
from pipelines.core.settings_section import fingerprint
from pipelines.parse.settings import ParseSettings
from pipelines.settings import Settings

# Raised by one when a stage gives other results for the same input and settings: old artifacts are then made anew.
VERSIONS = {"parse": 16, "chunk": 8, "atomize": 9, "card": 2, "embed": 7, "recall": 1, "link": 9, "load": 1}
COMPILED = ("parse", "chunk", "atomize", "card", "embed")
"""The stages whose results are kept for each document."""
REPEATABLE = (Status.INDEXED, Status.PARTIAL, Status.EMPTY, Status.MALFORMED, Status.TOO_LARGE)
"""Statuses that follow from the content alone; a file that ended otherwise is tried again by the next run."""
STOPPED = "stopped"
"""The stage that stands in the catalog for a document that a limit ended: see `StageKeys.stopped`."""
CUT = "cut"
"""What stands for a parse that was cut short and would be once more with the same limits."""
READINGS = "readings"
"""The stage of `StageKeys.readings`."""


@dataclass(frozen=True, slots=True)
class Makers:
    """Who does the work that settings alone do not name, with model and prompts; `describer` is empty for none."""

    splitter: str
    distiller: str
    embedder: str
    describer: str = ""


@dataclass(frozen=True, slots=True)
class StageKeys:
    """The keys under which the artifacts of one source lie.

    A parse that was cut short, by a limit or because its process was lost, is kept under other keys than the whole
    would be, with all that is made from it; they depend on the limits.
    """

    readings: str
    """The key of what was read off the pictures of a document that is not whole yet; no limit moves it."""
    raw: str
    """The key of a parse as it is before its figures are described."""
    turned_away: str
    """The key of a parse that a limit ended: with other limits it is tried again."""
    stopped: str
    """What stands in the catalog for a document that a limit cut short or ended after it was parsed: likewise."""
    parse: str
    chunk: str
    atomize: str
    card: str
    embed: str

    def by_stage(self) -> dict[str, str]:
        """Return the keys of the artifacts that a compiled document has, by stage."""
        return {stage: getattr(self, stage) for stage in COMPILED}

    def as_parsed(self, status: Status) -> str:
        """Return the key of a parse that ended so, as the parser left it: figures are not described yet."""
        return self.turned_away if status is Status.TOO_LARGE else self.raw

    def of_parse(self, status: Status) -> str:
        """Return the key of a parse that ended so, once all is done."""
        return self.parse if status.searchable else self.as_parsed(status)


def stage_keys(source: Source, settings: Settings, makers: Makers, undescribed: str = "", cut: str = "") -> StageKeys:
    """Return the keys for a source; the media type does not count, since it follows from the content.

    `undescribed` stands for the figures whose description is missing, `cut` for what a parse has left out.
    """
    limits = limits_of(settings.parse)
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


def limits_of(settings: ParseSettings) -> str:
    """Return the digest of all that says how much of a document is read: with more, one cut short is read again."""
    ocr = settings.ocr
    return digest(f"{fingerprint(settings.limits)} {ocr.figure_limit} {ocr.figures_cpu_s:g}".encode())


def _key(stage: str, *parts: str) -> str:
    return content_id(stage, str(VERSIONS[stage]), *parts).partition(":")[2]
