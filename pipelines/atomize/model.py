"""The distiller that asks a model: one call for all that a chunk says, then checks that need none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from copy import copy
from pathlib import Path

from pipelines.atomize.checked import Checked
from pipelines.atomize.content import Content
from pipelines.atomize.distiller import Distilled
from pipelines.atomize.extractive import ExtractiveDistiller, rows
from pipelines.atomize.occurrence import Saying
from pipelines.atomize.questions import sound_questions
from pipelines.atomize.reply import ChunkReply, chunk_reply
from pipelines.atomize.settings import AtomizeSettings
from pipelines.atomize.statements import figure_statements, statements, table_statements
from pipelines.atomize.tag_classes import KINDS
from pipelines.core.graph_schema import GraphSchema
from pipelines.core.knowledge import Atom, AtomKind
from pipelines.llm.ask import ask
from pipelines.llm.chat import Chat, Message
from pipelines.llm.embedder import Embedder
from pipelines.llm.prompt import Prompt, fence
from pipelines.llm.tokens import estimate_tokens

ROLE = "distil"

_TAG = "text"
_NOTHING = "-"
_TOKENS_PER_FACT = 40
_ROOM, _ROOM_PER_TOKEN = 300, 2
"""Tokens that a reply may have: a floor, and more for each token of the chunk."""


class ModelDistiller:
    """Summary, tags, questions, entities and relations of a chunk in one reply (one pass over the text).

    Rows and figures are told without the model, and a chunk of nothing but rows is not shown to it. An embedder finds
    questions that mean the same in other words. The model is told what `schema` allows; who keeps what it says to that
    is the caller (`pipelines.graph.conform`).
    """

    def __init__(
        self,
        chat: Chat,
        settings: AtomizeSettings,
        embedder: Embedder | None = None,
        overrides: Path | None = None,
        schema: GraphSchema = GraphSchema(),
    ) -> None:
        self._chat = chat
        self._settings = settings
        self._schema = schema
        self._embedder = embedder
        self._kinds = self._kinds_of(())
        self._extractive = ExtractiveDistiller(settings)
        self._prompt = Prompt.load("pipelines.atomize", "distil", overrides)

    def with_classes(self, classes: Sequence[str]) -> ModelDistiller:
        """Return a distiller that asks for tags of these kinds, where the settings name none."""
        other = copy(self)
        other._kinds = self._kinds_of(classes)
        return other

    def _kinds_of(self, classes: Sequence[str]) -> tuple[str, ...]:
        given = (*self._schema.kinds, *self._settings.tag_classes)
        return tuple(dict.fromkeys(given or classes)) or KINDS

    async def distil(self, content: Content) -> Distilled:
        if not any(sentence.prose for sentence in content.sentences):
            return self._extractive.extract(content)
        asked = await ask(
            self._chat,
            self._messages(content),
            chunk_reply(self._kinds, *self._limits(content)),
            role=ROLE,
            subject=content.chunk.id,
            document=content.document.id,
            temperature=self._settings.temperature,
            max_tokens=_ROOM + _ROOM_PER_TOKEN * estimate_tokens(content.chunk.text),
        )
        if asked.value is None:
            return Distilled(failure=asked.failure)
        return self._checked(content, asked.value)

    def _messages(self, content: Content) -> tuple[Message, ...]:
        chunk = content.chunk
        facts, questions = self._limits(content)
        return self._prompt.messages(
            language=chunk.language,
            title=_line(content.document.title) or _NOTHING,
            headings=_line(" > ".join(chunk.heading_path)) or _NOTHING,
            text=fence("\n".join(filter(None, (chunk.context, chunk.text))), _TAG),
            kinds=", ".join(self._kinds),
            facts=str(facts),
            relations=_allowed(self._schema),
            questions=str(questions),
        )

    def _limits(self, content: Content) -> tuple[int, int]:
        """Return how many facts and questions a chunk may have, by the length of its prose; rows need none."""
        prose = " ".join(sentence.text for sentence in content.sentences if sentence.prose)
        settings, size = self._settings, estimate_tokens(prose)
        facts = min(settings.max_relations, 1 + size // _TOKENS_PER_FACT)
        return facts, min(settings.max_questions, 2 + size // settings.tokens_per_question)

    def _stated(self, content: Content) -> list[Atom]:
        """What a chunk is found by where no question of the model's could be kept: its own sentences."""
        return statements(content, self._settings.max_statements) if self._settings.statements else _told(content)

    def _checked(self, content: Content, reply: ChunkReply) -> Distilled:
        settings, dropped = self._settings, Counter[str]()
        saying = Saying(content)
        checked = Checked(saying, self._schema, dropped)
        summary = checked.summary(reply) if settings.summaries else ""
        tags = checked.tags(reply)
        relations = checked.relations(reply, settings.max_relations) if settings.entities else ()
        checked.codes()
        names = [entity.name for entity in checked.entities]
        questions = sound_questions(reply.questions, saying, names, self._embedder, settings.same_meaning, dropped)
        asked = [_question(content, text) for text in questions]
        return Distilled(
            summary=summary,
            atoms=tuple(self._stated(content) if reply.questions and not asked else [*asked, *_told(content)]),
            tags=tags[: settings.max_tags] if settings.tags else (),
            entities=checked.entities if settings.entities else (),
            mentions=checked.mentions if settings.entities else (),
            relations=relations,
            rows=tuple(rows(content)) if settings.rows else (),
            dropped=dict(dropped),
        )


def _question(content: Content, text: str) -> Atom:
    chunk = content.chunk
    return Atom(Atom.make_id(chunk.id, AtomKind.QUESTION, text), chunk.id, AtomKind.QUESTION, text, chunk.provenance)


def _told(content: Content) -> list[Atom]:
    """What the chunk's rows and figures say, which needs no model."""
    return [*table_statements(content), *figure_statements(content)]


def _allowed(schema: GraphSchema) -> str:
    """What of relations the model is to find, in words; nothing where all may be found."""
    names = f" ({', '.join(schema.relations)})" if schema.relations else ""
    patterns = "; ".join(" ".join(pattern) for pattern in schema.patterns)
    return f"{names} Only: {patterns}." if patterns else names


def _line(text: str) -> str:
    return " ".join(text.split())
