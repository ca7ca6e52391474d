"""All checks, in the order in which they are told."""

from __future__ import annotations

from collections.abc import Iterator

from flows.doctor.diagnosis import Check, Result, Subject, result_of
from flows.doctor.kb_state import knowledge
from flows.doctor.machine import disk, office, packages, telemetry
from flows.doctor.models import SECONDS, embedder, endpoint, ocr
from flows.doctor.servers import neo4j, prefect

CHECKS = (
    Check("packages", packages),
    Check("disk", disk),
    Check("knowledge base", knowledge, 60.0),
    Check("language model", endpoint, 2 * SECONDS),
    Check("embedder", embedder, 2 * SECONDS),
    Check("OCR", ocr, 120.0),
    Check("Neo4j", neo4j),
    Check("Prefect", prefect),
    Check("LibreOffice", office),
    Check("telemetry", telemetry),
)


def examine(subject: Subject) -> Iterator[Result]:
    """Yield what each check finds, as it is found."""
    for check in CHECKS:
        yield result_of(check, subject)
