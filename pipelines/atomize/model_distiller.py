"""The distiller that asks a language model: one call per chunk, then checks of the reply without a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from copy import copy
from pathlib import Path

from pipelines.atomize.atomic_questions import sound_questions
from pipelines.atomize.atomic_statements import figure_statements, statements, table_statements
from pipelines.atomize.distiller import ChunkContent, ChunkDistillate
from pipelines.atomize.extractive_distiller import ExtractiveDistiller, rows
from pipelines.atomize.grounding import Grounding
from pipelines.atomize.reply import ChunkReply, chunk_reply
from pipelines.atomize.reply_checker import ReplyChecker
from pipelines.atomize.settings import AtomizeSettings
from pipelines.atomize.tag_classes import KINDS
from pipelines.core.knowledge import Atom, AtomKind
from pipelines.core.settings_section import GraphSchema
from pipelines.llm.ask import ask
from pipelines.llm.chat import Chat, Message
from pipelines.llm.embedder import Embedder
from pipelines.llm.prompt import Prompt, fence
from pipelines.llm.tokens import estimate_tokens

ROLE = "distil"

_FENCE = "text"
_NOTHING = "-"
_TOKENS_PER_FACT = 40
"""A chunk has one fact, plus one for this number of tokens: about one per sentence."""
_REPLY_TOKENS, _REPLY_TOKENS_PER_TOKEN = 300, 2
"""Maximum tokens of a reply: a constant, plus a factor for each token of the chunk."""


class ModelDistiller:
    """Asks for tags, questions, entities and relations of a chunk in one reply, given the chunk's summary.

    Table rows and figures need no model; `ExtractiveDistiller` distils a chunk without prose. `embedder` detects
    questions with the same meaning. The prompt names the types that `schema` allows; dropping others is left to the
    caller (`pipelines.graph.document_graph`). `overrides` is a folder with the user's own prompts.
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
        """Return a distiller that asks for tags of these classes, unless the settings or the schema define others."""
        other = copy(self)
        other._kinds = self._kinds_of(classes)
        return other

    def _kinds_of(self, classes: Sequence[str]) -> tuple[str, ...]:
        given = (*self._schema.kinds, *self._settings.tag_classes)
        return tuple(dict.fromkeys(given or classes)) or KINDS

    async def distil(self, content: ChunkContent) -> ChunkDistillate:
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
            max_tokens=_REPLY_TOKENS + _REPLY_TOKENS_PER_TOKEN * estimate_tokens(content.chunk.text),
        )
        if asked.value is None:
            return ChunkDistillate(failure=asked.failure)
        return self._checked(content, asked.value)

    def _messages(self, content: ChunkContent) -> tuple[Message, ...]:
        chunk = content.chunk
        facts, questions = self._limits(content)
        return self._prompt.messages(
            language=chunk.language,
            title=_line(content.document.title) or _NOTHING,
            headings=_line(" > ".join(chunk.heading_path)) or _NOTHING,
            summary=_line(chunk.summary) or _NOTHING,
            text=fence("\n".join(filter(None, (chunk.context, chunk.text))), _FENCE),
            kinds=", ".join(self._kinds),
            facts=str(facts),
            relations=_allowed(self._schema),
            questions=str(questions),
        )

    def _limits(self, content: ChunkContent) -> tuple[int, int]:
        """Return the maximum number of facts and of questions of a chunk, by the length of its prose."""
        prose = " ".join(sentence.text for sentence in content.sentences if sentence.prose)
        settings, size = self._settings, estimate_tokens(prose)
        facts = min(settings.max_relations, 1 + size // _TOKENS_PER_FACT)
        return facts, min(settings.max_questions, 2 + size // settings.tokens_per_question)

    def _fallback_atoms(self, content: ChunkContent) -> list[Atom]:
        """Return the atoms of a chunk whose questions were all rejected: its sentences as statements."""
        if self._settings.statements:
            return statements(content, self._settings.max_statements)
        return _table_and_figure_statements(content)

    def _checked(self, content: ChunkContent, reply: ChunkReply) -> ChunkDistillate:
        settings, dropped = self._settings, Counter[str]()
        grounding = Grounding(content)
        checker = ReplyChecker(grounding, self._schema, dropped)
        tags = checker.tags(reply)
        relations = checker.relations(reply, settings.max_relations) if settings.entities else ()
        checker.codes()
        names = [entity.name for entity in checker.entities]
        questions = sound_questions(reply.questions, grounding, names, self._embedder, settings.same_meaning, dropped)
        atoms = [*(_question(content, text) for text in questions), *_table_and_figure_statements(content)]
        return ChunkDistillate(
            atoms=tuple(self._fallback_atoms(content) if reply.questions and not questions else atoms),
            tags=tags[: settings.max_tags] if settings.tags else (),
            entities=checker.entities if settings.entities else (),
            mentions=checker.mentions if settings.entities else (),
            relations=relations,
            rows=tuple(rows(content)) if settings.rows else (),
            dropped=dict(dropped),
        )


def _question(content: ChunkContent, text: str) -> Atom:
    chunk = content.chunk
    return Atom(Atom.make_id(chunk.id, AtomKind.QUESTION, text), chunk.id, AtomKind.QUESTION, text, chunk.provenance)


def _table_and_figure_statements(content: ChunkContent) -> list[Atom]:
    return [*table_statements(content), *figure_statements(content)]


def _allowed(schema: GraphSchema) -> str:
    """Return the part of the prompt that names the allowed relations, empty if all are allowed."""
    names = f" ({', '.join(schema.relations)})" if schema.relations else ""
    patterns = "; ".join(" ".join(pattern) for pattern in schema.patterns)
    return f"{names} Only: {patterns}." if patterns else names


def _line(text: str) -> str:
    return " ".join(text.split())
