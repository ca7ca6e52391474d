"""Descriptions of pictures by a vision model, and documents with these descriptions in their text."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field

from pipelines.core.document import Block, Document, Figure, Reference
from pipelines.core.outcome import Failure
from pipelines.core.provenance import Span
from pipelines.llm.ask import ask
from pipelines.llm.chat import AttachedImage, Chat
from pipelines.llm.prompt import Prompt, fence
from pipelines.parse.outline import build_sections
from pipelines.parse.parsed import Parsed, Picture
from pipelines.parse.pieces import join_pieces

ROLE = "describe"
_REPLY_TOKENS = 600
"""Maximum tokens of a reply: a description of 400 words."""
_SEEN = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})
_SMALLEST = 2_000
"""Minimum bytes of a picture; smaller ones are bullets or lines."""
_AROUND = 500
"""Characters before and after a figure that the model is shown."""


def with_descriptions(document: Document, texts: Mapping[str, str]) -> Document:
    """Return `document` with the description `texts[digest]` in each figure of that digest that has none yet.

    Spans are recomputed for the new text; ids do not change.
    """
    described = [_described(block, texts) for block in document.blocks]
    if all(new is old for new, old in zip(described, document.blocks, strict=True)):
        return document
    text, spans = join_pieces(described)
    blocks = tuple(
        replace(block, provenance=replace(block.provenance, span=span))
        for block, span in zip(described, spans, strict=True)
    )
    return replace(
        document,
        text=text,
        blocks=blocks,
        sections=build_sections(document.id, blocks, len(text)),
        references=_moved(document, blocks),
    )


def _described(block: Block, texts: Mapping[str, str]) -> Block:
    figure = block.figure
    if figure is None or figure.description or not texts.get(figure.digest):
        return block
    description = texts[figure.digest]
    text = "\n".join(part for part in (block.text, description) if part)
    return replace(block, text=text, figure=replace(figure, description=description))


def _moved(document: Document, blocks: Sequence[Block]) -> tuple[Reference, ...]:
    """Return the references, each moved by as much as the block that contains it."""
    pairs = zip(document.blocks, blocks, strict=True)
    moves = [(old.provenance.span.start, new.provenance.span.start) for old, new in pairs if old.text]

    def moved(reference: Reference) -> Reference:
        span = reference.provenance.span
        found = bisect_right(moves, span.start, key=itemgetter(0)) - 1
        if not len(span) or found < 0:
            return reference
        before, after = moves[found]
        start = span.start + after - before
        return replace(reference, provenance=replace(reference.provenance, span=Span(start, start + len(span))))

    return tuple(map(moved, document.references))


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a document says about one of its figures. `document` is its id, `read` the text in the picture."""

    title: str
    language: str
    caption: str = ""
    context: str = ""
    read: str = ""
    document: str = ""


@dataclass(frozen=True, slots=True)
class Described:
    """A description, empty if there is nothing to say or if the call failed (`failure`)."""

    text: str = ""
    failure: Failure | None = None


@runtime_checkable
class Describer(Protocol):
    """Describes pictures in words."""

    async def describe(self, picture: Picture, surroundings: Surroundings) -> Described:
        """Return a description of the picture. Raises `BudgetExceeded` and no other error of a model."""
        ...


class FigureReply(BaseModel):
    """A model's reply about a picture."""

    model_config = ConfigDict(extra="ignore")

    kind: Literal["photo", "drawing", "diagram", "chart", "table", "screenshot", "logo", "decoration"]
    # Maximum characters; 600 tokens are about 2,500.
    description: str = Field("", max_length=4000)

    def says_nothing(self) -> bool:
        return not self.description.strip() or self.kind in ("logo", "decoration")


class ChatDescriber:
    """Asks a vision-capable chat model, with the prompt `describe_figure` (`prompts` is a folder with overrides)."""

    def __init__(self, chat: Chat, prompts: Path | None = None) -> None:
        self._chat = chat
        self._prompt = Prompt.load("pipelines.parse", "describe_figure", prompts)

    async def describe(self, picture: Picture, surroundings: Surroundings) -> Described:
        messages = self._prompt.messages(
            surroundings.language,
            (AttachedImage(picture.media_type, picture.data),),
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
    """Return `parsed` with descriptions of its figures, and the failures; each picture is sent once.

    A figure that already has a description keeps it. Raises `BudgetExceeded`.
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
    """Return each picture that is worth a description and has none, with what the document says about it."""
    if parsed.document is None:
        return []
    pictures = {
        picture.digest: picture
        for picture in parsed.pictures
        if picture.media_type in _SEEN and len(picture.data) >= _SMALLEST
    }
    figures = {
        block.figure.digest: (block.figure, block.provenance.span)
        for block in parsed.document.blocks
        if block.figure is not None and block.figure.digest in pictures and not block.figure.description
    }
    return [(pictures[digest], _surroundings(parsed.document, *found)) for digest, found in figures.items()]


def _surroundings(document: Document, figure: Figure, span: Span) -> Surroundings:
    before = document.text[max(0, span.start - _AROUND) : span.start]
    after = document.text[span.end : span.end + _AROUND]
    return Surroundings(
        title=document.title,
        language=document.language,
        caption=figure.caption,
        context=f"{before.strip()}\n[the figure]\n{after.strip()}",
        read=figure.ocr_text,
        document=document.id,
    )
