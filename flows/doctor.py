"""Health checks of the knowledge base and its models, and the list of all checks for `strata doctor`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import numpy as np

from flows.doctor_checks import (
    Check,
    Diagnosis,
    Result,
    Subject,
    bad,
    disk,
    doubtful,
    good,
    neo4j,
    office,
    packages,
    prefect,
    result_of,
    telemetry,
    unpackers,
)
from pipelines.core.errors import MissingExtra, StoreError, StoreLocked, StrataError
from pipelines.ingest.integrity import is_lost
from pipelines.llm.chat import Message, Request
from pipelines.resources import Stores, open_stores
from pipelines.store.facts import incompleteness, remedy, state
from pipelines.store.folder import KnowledgeBaseFolder

SAMPLE = 50
"""Documents whose artifacts are checked, an even sample of all."""
SECONDS = 30.0
"""Time-out for the test call to the endpoint."""
_WORD = "STRATA 2048"
_HELLO = Request((Message("user", "Reply with the word ready."),), role="answer", max_tokens=16)


def knowledge(subject: Subject) -> Diagnosis:
    """Check the knowledge base, with a sample of its documents."""
    if not KnowledgeBaseFolder(subject.kb).exists:
        return good(f"none at {subject.kb} yet", "`strata ingest FOLDER` creates one")
    with open_stores(subject.kb, subject.settings) as stores:
        return _found(stores)


def _found(stores: Stores) -> Diagnosis:
    there = state(stores.catalog)
    documents = f"{there.searchable} of {there.documents} documents can be found"
    try:
        with stores.embedded.exclusive():
            pass
    except StoreLocked as error:
        return doubtful(f"{documents}; {error.message}", "questions are answered from the present state")
    except StoreError:
        documents += ", read-only"
    if lacks := incompleteness(there):
        return doubtful(lacks, remedy(there))
    searchable = [entry for entry in stores.catalog.entries() if entry.status.searchable]
    sample = searchable[:: max(1, len(searchable) // SAMPLE)]
    broken = [entry.uri for entry in sample if is_lost(entry, stores.artifacts)]
    if broken:
        text = f"{documents}; {len(broken)} of {len(sample)} checked lack artifacts: {broken[0]}"
        return bad(text, "`strata fsck --repair`, then `strata ingest` again")
    return good(f"{documents}; {len(sample)} checked are complete")


def endpoint(subject: Subject) -> Diagnosis:
    """Check that the configured language model replies, by one call of a few tokens."""
    from pipelines.llm.stack import open_chat

    llm = subject.settings.llm
    if not llm.configured:
        return good(
            "none is configured: answers are quoted", "to use one, set OPENAI_API_KEY, or [llm] base_url or gguf"
        )
    limits = {"tries": 1, "timeout": min(llm.timeout, SECONDS), "cache": False, "record": ""}
    chat = open_chat(llm.model_copy(update=limits))

    async def once() -> None:
        try:
            await chat.complete(_HELLO)
        finally:
            await chat.close()

    try:
        asyncio.run(once())
    except StrataError as error:
        return bad(f"{llm.endpoint}: {error.message}", error.hint)
    return good(f"{llm.endpoint} replies")


def embedder(subject: Subject) -> Diagnosis:
    """Check that the embedder loads and matches the vectors of the knowledge base."""
    from pipelines.llm.embedders import open_embedder
    from pipelines.resources import open_stores
    from pipelines.store.folder import KnowledgeBaseFolder

    if KnowledgeBaseFolder(subject.kb).exists:
        with open_stores(subject.kb, subject.settings) as stores:  # raises if they do not match
            rows, info = stores.embedder.embed(["ready"]), stores.embedder.info
    else:
        settings = subject.settings.embed.at_endpoint_of(subject.settings.llm)
        opened = open_embedder(settings.model_copy(update={"tries": 1, "timeout": min(settings.timeout, SECONDS)}))
        try:
            rows, info = opened.embed(["ready"]), opened.info
        finally:
            opened.close()
    if rows.shape != (1, info.dimension) or not np.isfinite(rows).all():
        return bad(f"{info.name} ({info.model}) gives vectors of shape {rows.shape}, not {info.dimension} dimensions")
    return good(f"{info.name} ({info.model}), {info.dimension} dimensions")


def ocr(subject: Subject) -> Diagnosis:
    """Check that the OCR engine reads a test image."""
    from pipelines.parse.ocr.engine import ocr_engine

    try:
        engine = ocr_engine(subject.settings.parse.ocr)
    except MissingExtra as error:
        return doubtful(f"{error.message}: scans and images are not read", error.hint)
    if engine is None:
        return good("off by the settings: scans and images are not read")
    text = " ".join(reading.text for reading in engine.read(_picture()))
    if _plain(_WORD) not in _plain(text):
        return bad(f"{engine.name} reads {text!r} instead of {_WORD!r}", "reinstall it, or try another engine")
    return good(f"{engine.name} works")


def scripts(subject: Subject) -> Diagnosis:
    """Check the models of Tesseract, which reads the scripts that RapidOCR lacks."""
    from pipelines.parse.ocr.tesseract import failure, usable_models

    settings = subject.settings.parse.ocr
    if not settings.tesseract or settings.engine != "rapidocr":
        return good("off by the settings")
    models = usable_models(settings)
    broken = {model: why for model in models if (why := failure(model))}
    if broken:
        return bad("; ".join(f"{model}: {why}" for model, why in broken.items()), "install these models again")
    if not models:
        lacking = "none: scans in Cyrillic, Greek, Arabic, Hebrew, Korean, Thai, Vietnamese and others are not read"
        return doubtful(lacking, "install Tesseract with the models of the scripts that you need")
    return good(", ".join(models))


def _picture() -> np.ndarray:
    """Return an image of a line of text, black on white."""
    from PIL import Image, ImageDraw, ImageFont

    picture = Image.new("RGB", (640, 160), "white")
    ImageDraw.Draw(picture).text((60, 50), _WORD, fill="black", font=ImageFont.load_default(56))
    return np.asarray(picture, dtype=np.uint8)


def _plain(text: str) -> str:
    return "".join(character for character in text.upper() if character.isalnum())


CHECKS = (
    Check("packages", packages),
    Check("disk", disk),
    Check("knowledge base", knowledge, 60.0),
    Check("language model", endpoint, 2 * SECONDS),
    Check("embedder", embedder, 2 * SECONDS),
    Check("OCR", ocr, 120.0),
    Check("Tesseract", scripts, 60.0),
    Check("Neo4j", neo4j),
    Check("Prefect", prefect),
    Check("LibreOffice", office),
    Check("unpackers", unpackers),
    Check("telemetry", telemetry),
)


def examine(subject: Subject) -> Iterator[Result]:
    """Yield the result of each check as it completes."""
    for check in CHECKS:
        yield result_of(check, subject)
