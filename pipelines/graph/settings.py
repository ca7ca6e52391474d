"""Settings for linking documents and resolving entities."""

from __future__ import annotations

import warnings

from pydantic import Field

from pipelines.core.settings_section import GraphSchema, SettingsSection

with warnings.catch_warnings():
    # The field `schema` hides a deprecated method of pydantic, which warns about it.
    warnings.simplefilter("ignore", UserWarning)

    class GraphSettings(SettingsSection):
        """The section `[graph]` of strata.toml."""

        mentions: bool = Field(
            True, description="find the titles, numbers and file names of other documents in the text"
        )
        # Three documents in ten: a name found in more of them is usually a term of the domain and not a title.
        common_share: float = Field(
            0.3, gt=0, le=1, description="a name found in more than this share of the documents counts only after a cue"
        )
        resolve_entities: bool = Field(True, description="merge entities that are one thing under several names")
        # Chosen for WordLlama; benchmarks/entity_resolution.py lists the merges of each rule for review.
        merge_score: float = Field(
            0.82, ge=0, le=1, description="the minimum cosine of two names that are merged for their similarity"
        )
        # The nearest names are often those of parts and kinds ("pump", "pump casing"); a dozen reach beyond them.
        neighbours: int = Field(12, ge=1, description="how many nearest names each entity is compared with")
        # At ten pairs per request, 40 short calls.
        judged_pairs: int = Field(
            default=400,
            ge=0,
            description="pairs of names, the most alike, that a language model is asked about at most",
        )
        keep_apart: tuple[tuple[str, str], ...] = Field(
            (), description="pairs of entity names that are never merged, whatever the rules say"
        )
        merge: tuple[tuple[str, str], ...] = Field(
            (), description="pairs of entity names that are always merged, the second into the first"
        )
        schema: GraphSchema = Field(GraphSchema(), description="what entities and relations may be")  # type: ignore[assignment]
