"""What an OpenAI-compatible endpoint understands, found out from what it refuses and remembered."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum

from pydantic import BaseModel

from pipelines.llm.chat import Message
from pipelines.llm.reply_schema import Json, reply_form, strict_schema


class SchemaMode(StrEnum):
    """How a reply type is asked for, the surest way first."""

    STRICT = "strict"
    LEAN = "lean"
    """Strict, without limits on lengths and ranges."""
    OBJECT = "object"
    """Any JSON object; its form stands in the prompt."""
    TEXT = "text"
    """The form stands in the prompt, and nothing holds the model to it."""

    @property
    def in_prompt(self) -> bool:
        return self in (SchemaMode.OBJECT, SchemaMode.TEXT)

    @property
    def next(self) -> SchemaMode | None:
        modes = list(SchemaMode)
        return modes[modes.index(self) + 1] if self is not SchemaMode.TEXT else None


@dataclass(frozen=True, slots=True)
class Dialect:
    """How to word a request."""

    schema: SchemaMode = SchemaMode.STRICT
    limit_name: str = "max_tokens"
    temperature: bool = True

    def after(self, refusal: str) -> Dialect | None:
        """Return how to word it after an endpoint refused with these words; None where wording is not the matter."""
        words = refusal.casefold()
        if self.limit_name == "max_tokens" and "max_completion_tokens" in words:
            return replace(self, limit_name="max_completion_tokens")
        if self.temperature and "temperature" in words:
            return replace(self, temperature=False)
        about_schema = any(word in words for word in ("response_format", "schema", "grammar", "json", "structured"))
        following = self.schema.next
        return replace(self, schema=following) if about_schema and following else None

    def response_format(self, schema: type[BaseModel]) -> Json | None:
        """Return the request's `response_format`, None for none."""
        if self.schema is SchemaMode.TEXT:
            return None
        if self.schema is SchemaMode.OBJECT:
            return {"type": "json_object"}
        name = "".join(letter if letter.isalnum() else "_" for letter in schema.__name__)
        body = strict_schema(schema, limits=self.schema is SchemaMode.STRICT)
        return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": body}}

    def messages(self, messages: tuple[Message, ...], schema: type[BaseModel]) -> tuple[Message, ...]:
        """Return the messages with the reply's form at the end of the last one, where this endpoint needs it there."""
        if not self.schema.in_prompt:
            return messages
        form = reply_form(schema)
        asking = f"{messages[-1].content}\n\nReply with one JSON object and nothing else, of this form:\n{form}"
        return (*messages[:-1], replace(messages[-1], content=asking))


Subject = tuple[str, type[BaseModel] | None]
"""A model and a reply type: one schema that an endpoint cannot do says nothing of the others."""

_PATIENCE = 3


class Dialects:
    """What was learned of an endpoint, by model and reply type."""

    def __init__(self) -> None:
        self._known: dict[Subject, Dialect] = {}
        self._honoured: set[Subject] = set()
        self._ignored: Counter[Subject] = Counter()

    def of(self, subject: Subject) -> Dialect:
        return self._known.get(subject, Dialect())

    def learn(self, subject: Subject, dialect: Dialect, text: str) -> None:
        """Remember a wording that was answered.

        An endpoint whose first replies are no JSON though a schema was sent does not read `response_format`: from
        then on the form stands in the prompt.
        """
        if subject[1] is not None and not dialect.schema.in_prompt and subject not in self._honoured:
            if text.lstrip().startswith(("{", "[")):
                self._honoured.add(subject)
            else:
                self._ignored[subject] += 1
            if self._ignored[subject] >= _PATIENCE:
                dialect = replace(dialect, schema=SchemaMode.TEXT)
        self._known[subject] = dialect
