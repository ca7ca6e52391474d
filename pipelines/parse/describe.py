"""What a picture shows, in words, by a chat model that can see."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field

from pipelines.core.document import Block, Document, Figure
from pipelines.core.outcome import Failure
from pipelines.llm.ask import ask
from pipelines.llm.chat import Chat, Image
from pipelines.llm.prompt import Prompt, fence
from pipelines.parse.described import with_descriptions
from pipelines.parse.parsed import Parsed, Picture

ROLE = "describe"
_REPLY_TOKENS = 600
_SEEN = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})
_SMALLEST = 2_000
"""Bytes below which a picture is a bullet or a line."""
_AROUND = 500
"""Characters of the document before and after a figure that the model is shown."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a document says about one of its figures; `document` is its id."""

    title: str
    language: str
    caption: str = ""
    context: str = ""
    read: str = ""
    document: str = ""


@dataclass(frozen=True, slots=True)
class Described:
    """A description, empty where there is nothing to say; `failure` where none could be had."""

    text: str = ""
    failure: Failure | None = None


@runtime_checkable
class Describer(Protocol):
    """Puts pictures into words."""

    async def describe(self, picture: Picture, surroundings: Surroundings) -> Described:
        """Return what the picture shows. Raises `BudgetExceeded` and no other error of a model."""
        ...


class FigureReply(BaseModel):
    """A model's reply about one picture."""

    model_config = ConfigDict(extra="ignore")

    kind: Literal["photo", "drawing", "diagram", "chart", "table", "screenshot", "logo", "decoration"]
    description: str = Field("", max_length=4000)

    def says_nothing(self) -> bool:
        return not self.description.strip() or self.kind in ("logo", "decoration")


class ChatDescriber:
    """Asks a vision-capable chat model; its prompt is `describe_figure`, which a knowledge base may replace."""

    def __init__(self, chat: Chat, prompts: Path | None = None) -> None:
        self._chat = chat
        self._prompt = Prompt.load("pipelines.parse", "describe_figure", prompts)

    async def describe(self, picture: Picture, surroundings: Surroundings) -> Described:
        messages = self._prompt.messages(
            surroundings.language,
            (Image(picture.media_type, picture.data),),
            title=surroundings.title,
            caption=fence(surroundings.caption or "none", "caption"),
            context=fence(surroundings.context or "none", "context"),
            read=fence(surroundings.read or "none", "read"),
        )
        asked = await ask(
            self._chat,
            messages,
            FigureReply,
            role=ROLE,
            subject=picture.digest,
            document=surroundings.document,
            max_tokens=_REPLY_TOKENS,
        )
        if asked.value is None or asked.value.says_nothing():
            return Described(failure=asked.failure)
        return Described(" ".join(asked.value.description.split()))


async def describe_figures(parsed: Parsed, describer: Describer) -> tuple[Parsed, tuple[Failure, ...]]:
    """Return `parsed` with its figures described, and the failures; each picture is asked about once.

    A figure that has a description keeps it. Raises `BudgetExceeded`.
    """
    document = parsed.document
    if document is None:
        return parsed, ()
    asked = undescribed(parsed)
    replies = await asyncio.gather(*(describer.describe(picture, around) for picture, around in asked))
    texts = {picture.digest: reply.text for (picture, _), reply in zip(asked, replies, strict=True) if reply.text}
    failures = tuple(reply.failure for reply in replies if reply.failure is not None)
    return replace(parsed, document=with_descriptions(document, texts)), failures


def undescribed(parsed: Parsed) -> list[tuple[Picture, Surroundings]]:
    """Return each picture that is worth a description and has none, with what the document says around it."""
    if parsed.document is None:
        return []
    pictures = {picture.digest: picture for picture in parsed.pictures if _worth_asking(picture)}
    blocks = {figure.digest: block for block in parsed.document.blocks if (figure := _undescribed(block, pictures))}
    return [(pictures[digest], _surroundings(parsed.document, block)) for digest, block in blocks.items()]


def _worth_asking(picture: Picture) -> bool:
    return picture.media_type in _SEEN and len(picture.data) >= _SMALLEST


def _undescribed(block: Block, pictures: dict[str, Picture]) -> Figure | None:
    figure = block.figure
    return figure if figure is not None and figure.digest in pictures and not figure.description else None


def _surroundings(document: Document, block: Block) -> Surroundings:
    span, figure = block.provenance.span, block.figure
    before = document.text[max(0, span.start - _AROUND) : span.start]
    after = document.text[span.end : span.end + _AROUND]
    return Surroundings(
        title=document.title,
        language=document.language,
        caption=figure.caption if figure else "",
        context=f"{before.strip()}\n[the figure]\n{after.strip()}",
        read=figure.ocr_text if figure else "",
        document=document.id,
    )
