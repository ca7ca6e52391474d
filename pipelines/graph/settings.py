"""How documents are linked and entities told apart."""

from __future__ import annotations

import warnings

from pydantic import Field

from pipelines.core.settings_section import GraphSchema, SettingsSection

with warnings.catch_warnings():
    # `[graph.schema]` is what everyone would call it; a deprecated method of pydantic's had the name before.
    warnings.simplefilter("ignore", UserWarning)

    class GraphSettings(SettingsSection):
        """The section `[graph]` of strata.toml."""

        mentions: bool = Field(
            True, description="find the titles, numbers and file names of other documents in the text"
        )
        # Three documents in ten: what more of them hold is a word of the trade, and rarely the title of one.
        common_share: float = Field(
            0.3, gt=0, le=1, description="a name found in more than this share of the documents counts only after a cue"
        )
        resolve_entities: bool = Field(True, description="merge entities that are one thing under several names")
        # For WordLlama; benchmarks/entity_resolution.py shows the merges of each rule, to be judged by eye.
        merge_score: float = Field(
            0.82, ge=0, le=1, description="the least cosine of two names for a merge that rests on their likeness"
        )
        # Names of one thing and of its parts and kinds ("pump", "pump casing") crowd around it; a dozen reach past.
        neighbours: int = Field(12, ge=1, description="how many nearest names each entity is compared with")
        # 400 short calls: the price of distilling as many chunks.
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
