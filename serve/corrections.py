"""All that people said of a knowledge base, as one list: verdicts on its graph, and what they said of answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pipelines.ingest.verdicts import VerdictKind
from pipelines.store.explore import node_name
from serve import feedback, verdicts
from serve.library import OpenBase
from serve.render import at


@dataclass(frozen=True, slots=True)
class Correction:
    """One line: what was said `of` something, what that is to be, and in which document; `route` takes it back."""

    kind: str
    of: str
    into: str
    where: str
    by: str
    at: str
    route: str


def corrections(base: OpenBase) -> list[Correction]:
    """Return everything that was said, the latest first."""
    return sorted((*_verdicts(base), *_feedback(base)), key=lambda one: one.at, reverse=True)


def _verdicts(base: OpenBase) -> Iterator[Correction]:
    said = verdicts.said(base)
    atoms = [one.one for one in said if one.kind is VerdictKind.ATOM]
    texts = {node.id: node_name(node) for node in base.knowledge.stores.graph.nodes(ids=atoms)}
    uris = {entry.document: entry.uri for entry in base.entries()}
    for one in said:
        route = at("api", "kb", base.name, "verdicts", one.id)
        of, into, where = one.one, one.two, one.where
        if one.kind is VerdictKind.ATOM:
            of, into, where = texts.get(one.one, one.one), "", uris.get(one.two, "")
        yield Correction(one.kind.value, of, into, where, one.by, one.at, route)


def _feedback(base: OpenBase) -> Iterator[Correction]:
    for one in feedback.given(base):
        route = at("api", "kb", base.name, "feedback", one.id)
        where = ", ".join(dict.fromkeys(place.uri for place in one.places))
        yield Correction("right" if one.right else "wrong", one.question, one.expected, where, one.by, one.at, route)
