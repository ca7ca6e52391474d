"""What retrieval returns: chunks with their scores, and what carried them."""

from __future__ import annotations

from dataclasses import dataclass, field

from pipelines.core.chunk import Chunk


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a hit's score: how much, and through what.

    `layer` is "document", "chunk", "summary", "atom", "tag" or "entity" for similarity, or the kind of edge for
    propagation ("REFERENCES", "MENTIONS", ...); `path` names the nodes on the way, from where the score came.
    """

    layer: str
    score: float
    detail: str = ""
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk found. `score` is in [0, 1] on the scale recorded with the index; the shares add up to it.

    `atoms` are the texts of the chunk's atoms that matched best, best first. `superseded_by` is the URI of the newest
    document that takes the place of this one's, empty where none does.
    """

    chunk: Chunk
    document: str
    uri: str
    title: str
    score: float
    shares: tuple[Share, ...] = ()
    atoms: tuple[str, ...] = field(default_factory=tuple)
    superseded_by: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An atom found, with the chunk that it was taken from; `score` in [0, 1] (PIKE-RAG 5.3.2: q_ij and c_ij)."""

    text: str
    score: float
    hit: Hit


@dataclass(frozen=True, slots=True)
class Link:
    """A chunk one step away from another: over which kind of edge, and through what (an entity, a reference)."""

    source: str
    hit: Hit
    edge: str
    through: str = ""
