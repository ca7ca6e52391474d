"""A short constructor of document profiles for tests."""

from __future__ import annotations

from pipelines.core.knowledge import Entity, Tag
from pipelines.graph.document_profile import DocumentProfile, ProfileEntity, ProfileTag


def card_with(document: str, tags: tuple[str, ...], short: tuple[str, str] | None = None) -> DocumentProfile:
    """Return the profile of a document with `tags` that introduces an abbreviation, given as (name, abbreviation)."""
    entities = (ProfileEntity(Entity.make_id(short[0]), short[0], "", (short[1],), 1),) if short else ()
    profile_tags = tuple(ProfileTag(Tag.make_id(text), text, "", 1) for text in tags)
    return DocumentProfile(document, document, "", "", document, entities=entities, tags=profile_tags)
