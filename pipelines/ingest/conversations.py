"""Conversations, kept in the catalog so that they can be gone on with.

Nothing of a document's text is kept beyond its life: an answer goes with the first document that it rests on, and with
it what later questions were understood to be, for a model may have taken that from the answer.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from uuid import uuid4

from pipelines.core.errors import NotFound
from pipelines.store.catalog import Catalog
from pipelines.store.facts import CatalogFact, Remarks

MOST = 200
"""Conversations that are kept, the latest; the catalog reads them as one value."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A question as it was asked and as it was understood, with its answer, at a time in UTC.

    `documents` are the ids of those that the answer rests on; it is empty once one of them has gone or changed.
    """

    asked: str
    understood: str
    answer: str
    documents: tuple[str, ...]
    at: str


@dataclass(frozen=True, slots=True)
class KeptConversation:
    """A conversation that was held."""

    id: str
    turns: tuple[Turn, ...] = ()

    @staticmethod
    def new() -> KeptConversation:
        """Return one that has just begun; its id is made by chance."""
        return KeptConversation(f"chat:{uuid4().hex[:8]}")

    def said(self, asked: str, understood: str, answer: str, documents: Collection[str]) -> KeptConversation:
        """Return the conversation with one more turn."""
        at = datetime.now(UTC).isoformat(timespec="seconds")
        return replace(self, turns=(*self.turns, Turn(asked, understood, answer, tuple(documents), at)))


CONVERSATIONS: Remarks[KeptConversation] = Remarks(
    CatalogFact("conversations", tuple[KeptConversation, ...], ()), "conversation", "chat --list", "--forget"
)
"""What was kept, the one last gone on with at the end."""


def keep_conversation(catalog: Catalog, one: KeptConversation) -> None:
    """Keep a conversation in place of what was kept of it; beyond `MOST` those go that rested longest."""
    with catalog.transaction():
        others = [other for other in CONVERSATIONS.read(catalog) if other.id != one.id]
        CONVERSATIONS.fact.write(catalog, (*others[-MOST + 1 :], one))


def conversation_named(catalog: Catalog, id: str) -> KeptConversation:
    """Return the conversation of this id, for an empty one the last. Raises `NotFound`."""
    for one in reversed(CONVERSATIONS.read(catalog)):
        if id in ("", one.id):
            return one
    raise NotFound(f"no conversation {id}".strip(), hint="`strata chat --list` lists what there is")


def forget_conversations(catalog: Catalog, documents: Collection[str]) -> None:
    """Drop answers that rest on documents which are not among these ids, or on none; what was asked stays."""
    CONVERSATIONS.revise(catalog, lambda one: replace(one, turns=_left(one.turns, documents)))


def _left(turns: Collection[Turn], documents: Collection[str]) -> tuple[Turn, ...]:
    left: list[Turn] = []
    dropped = False
    for turn in turns:
        rests = bool(turn.documents) and all(one in documents for one in turn.documents)
        understood = turn.asked if dropped else turn.understood
        dropped = dropped or not rests
        answer, on = (turn.answer, turn.documents) if rests else ("", ())
        left.append(replace(turn, understood=understood, answer=answer, documents=on))
    return tuple(left)
