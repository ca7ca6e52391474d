"""Figures put into words between parsing and chunking, so that what they show is cut, distilled and found."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pipelines.core import codec
from pipelines.core.document import Source
from pipelines.core.ids import digest
from pipelines.core.outcome import Failure
from pipelines.ingest.artifacts import ParsedRecord
from pipelines.ingest.keys import Makers, StageKeys, stage_keys
from pipelines.parse.describe import Describer, describe_figures
from pipelines.parse.parsed import Parsed, Picture
from pipelines.settings import Settings
from pipelines.store.artifact import ArtifactStore


@dataclass(frozen=True, slots=True)
class DescribedRecord:
    """A parsed document with its figures described, and the keys of all that is made from it.

    Where descriptions are missing, the keys are others than the whole would have: the next run looks for that.
    """

    record: ParsedRecord
    keys: StageKeys
    failures: tuple[Failure, ...] = ()


@dataclass(frozen=True, slots=True)
class FigureWork:
    """Who describes figures, and what the keys of the results are made of."""

    describer: Describer
    artifacts: ArtifactStore
    settings: Settings
    makers: Makers

    async def describe(self, source: Source, record: ParsedRecord, keys: StageKeys) -> DescribedRecord:
        """Return the record with its figures described, and keep it in place of the one without.

        Raises `BudgetExceeded`.
        """
        if record.document is None or self.artifacts.get("parse", keys.parse) is not None:
            return DescribedRecord(record, keys)
        described, failures = await describe_figures(parsed_of(record, self.artifacts), self.describer)
        if failures:
            missing = digest(" ".join(sorted(failure.subject for failure in failures)).encode())
            keys = stage_keys(source, self.settings, self.makers, missing)
        whole = replace(record, document=described.document)
        self.artifacts.put("parse", keys.parse, codec.encode(whole))
        self.artifacts.remove("parse", keys.raw)
        return DescribedRecord(whole, keys, failures)


def parsed_of(record: ParsedRecord, artifacts: ArtifactStore) -> Parsed:
    """Return the document of a record with the bytes of its pictures."""
    figures = record.document.figures if record.document else ()
    types = {figure.digest: figure.media_type for figure in figures}
    held = ((name, artifacts.get("picture", name)) for name in record.pictures if name in types)
    pictures = tuple(Picture(name, types[name], data) for name, data in held if data is not None)
    return Parsed(record.status, record.document, pictures)
