"""Document cards in a few words."""

from __future__ import annotations

from pipelines.core.knowledge import Entity, Tag
from pipelines.graph.document_profile import DocumentProfile, ProfileEntity, ProfileTag


def card_with(document: str, tags: tuple[str, ...], short: tuple[str, str] | None = None) -> DocumentProfile:
    """Return the card of a document that bears `tags`, and introduces an abbreviation: its name, and it."""
    entities = (ProfileEntity(Entity.make_id(short[0]), short[0], "", (short[1],), 1),) if short else ()
    borne = tuple(ProfileTag(Tag.make_id(text), text, "", 1) for text in tags)
    return DocumentProfile(document, document, "", "", document, entities=entities, tags=borne)
