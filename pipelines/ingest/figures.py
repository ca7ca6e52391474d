"""Figures put into words between parsing and chunking, so that what they show is cut, distilled and found."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pipelines.core.ids import digest
from pipelines.core.outcome import Failure
from pipelines.ingest.bench import Bench
from pipelines.ingest.keys import StageKeys
from pipelines.parse.describe import Describer, describe_figures
from pipelines.parse.parsed import Parsed, Picture
from pipelines.store.artifact import ArtifactStore, ParsedRecord


@dataclass(frozen=True, slots=True)
class DescribedRecord:
    """A parsed document with its figures described, and the keys of all that is made from it.

    Where descriptions are missing, the keys are others than the whole would have: the next run looks for that.
    """

    record: ParsedRecord
    keys: StageKeys
    failures: tuple[Failure, ...] = ()


async def describe(bench: Bench, record: ParsedRecord, describer: Describer) -> DescribedRecord:
    """Return the record with its figures described, and keep it in place of the one without.

    Raises `BudgetExceeded`.
    """
    keys = bench.keys
    if record.document is None or bench.artifacts.get("parse", keys.parse) is not None:
        return DescribedRecord(record, keys)
    described, failures = await describe_figures(parsed_of(record, bench.artifacts), describer)
    if failures:
        missing = digest(" ".join(sorted(failure.subject for failure in failures)).encode())
        keys = bench.means.keys(bench.source, missing, bench.cut)
    whole = replace(record, document=described.document)
    bench.keep("parse", keys.parse, whole)
    bench.artifacts.remove("parse", keys.raw)
    return DescribedRecord(whole, keys, failures)


def parsed_of(record: ParsedRecord, artifacts: ArtifactStore) -> Parsed:
    """Return the document of a record with the bytes of its pictures."""
    figures = record.document.figures if record.document else ()
    types = {figure.digest: figure.media_type for figure in figures}
    held = ((name, artifacts.get("picture", name)) for name in record.pictures if name in types)
    pictures = tuple(Picture(name, types[name], data) for name, data in held if data is not None)
    return Parsed(record.status, record.document, pictures)
