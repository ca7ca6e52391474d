"""What a model said of a chunk, held against the chunk: what does not stand there is dropped and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import dropwhile

from pipelines.atomize.names import find_names
from pipelines.atomize.occurrence import Saying
from pipelines.atomize.reply import ChunkReply, Fact
from pipelines.atomize.settings import GraphSchema
from pipelines.atomize.tables import value_type
from pipelines.atomize.words import FUNCTION_WORDS
from pipelines.core.knowledge import ChunkTag, Entity, Mention, Relation, Tag
from pipelines.core.provenance import Span
from pipelines.core.terms import normalize

UNNAMED_KIND = "term"
"""The kind of tags that are words for things rather than things."""
_KINDS_OF_A_TERM = 2
"""Kinds under which a model may list one term; listed under more, it has no kind that means anything."""
_LONGEST_RELATION, _LONGEST_END = 6, 10
"""Words of a relation's type and of its ends; what is longer is a sentence, not a name."""


class Checked:
    """The sound part of a reply. Entities gather as tags and relations are read, each with its first mention."""

    def __init__(self, saying: Saying, schema: GraphSchema, dropped: Counter[str]) -> None:
        self._saying = saying
        self._schema = schema
        self._dropped = dropped
        self._entities: dict[str, Entity] = {}
        self._mentions: dict[str, Mention] = {}

    @property
    def entities(self) -> tuple[Entity, ...]:
        return tuple(self._entities.values())

    @property
    def mentions(self) -> tuple[Mention, ...]:
        return tuple(self._mentions.values())

    def summary(self, reply: ChunkReply) -> str:
        """Return the summary, empty where it has a number that the text has not."""
        if self._saying.has_numbers_of(reply.summary):
            return reply.summary
        self._dropped["summary with a number that is not in the text"] += 1
        return ""

    def tags(self, reply: ChunkReply) -> tuple[ChunkTag, ...]:
        """Return the tags whose words stand in the chunk; those that name a thing are entities as well."""
        found: dict[str, ChunkTag] = {}
        for kind, term in _terms(reply):
            places = self._saying.places(term)
            tag = ChunkTag(self._saying.content.chunk.id, Tag.make_id(term), term, 1.0, kind)
            if not places:
                self._dropped["tag not in the text"] += 1
            elif found.setdefault(tag.tag, tag) is tag and (kind != UNNAMED_KIND or find_names(term, (term,))):
                self._name(term, self._type(kind), places[0])
        return tuple(found.values())

    def relations(self, reply: ChunkReply, limit: int) -> tuple[Relation, ...]:
        """Return the facts whose ends both stand in the chunk and that the schema allows."""
        found: dict[str, Relation] = {}
        for fact in reply.facts:
            relation = self._relation(fact)
            if relation is not None:
                found.setdefault(relation.id, relation)
        return tuple(found.values())[:limit]

    def codes(self) -> None:
        """Add the codes and standards that the chunk names, whether or not the model did."""
        for sentence in self._saying.content.sentences:
            for name in find_names(sentence.text, ()):
                if name.type in ("identifier", "standard"):
                    self._name(name.surface, self._type(name.type), name.span.shifted(sentence.span.start))

    def _relation(self, fact: Fact) -> Relation | None:
        fact = self._directed(fact.model_copy(update={"subject": _end(fact.subject), "object": _end(fact.object)}))
        kind = self._relation_type(fact.relation)
        reason = self._fault(fact, kind)
        if reason:
            self._dropped[reason] += 1
            return None
        heads, tails = self._saying.places(fact.subject), self._saying.places(fact.object)
        head = self._name(fact.subject, _literal_type(fact.subject), heads[0])
        tail = self._name(fact.object, _literal_type(fact.object), tails[0])
        chunk = self._saying.content.chunk.id
        where = self._saying.content.layout.provenance(self._saying.evidence(heads, tails))
        return Relation(Relation.make_id(chunk, head, kind, tail), chunk, head, kind, tail, where)

    def _is_of_the_subject(self, fact: Fact) -> bool:
        """Whether a fact is of what the chunk is about, which its later sentences may call by a pronoun."""
        return self._saying.is_subject(fact.subject) or self._saying.stands_under(fact.object)

    def _directed(self, fact: Fact) -> Fact:
        """Turn a passive around whose ends were exchanged: it is the object that the text has behind "by"."""
        if not fact.relation.lower().endswith(" by"):
            return fact
        ends = [self._saying.follows_by(self._saying.places(end)) for end in (fact.subject, fact.object)]
        turned = {"subject": fact.object, "object": fact.subject}
        return fact.model_copy(update=turned) if ends == [True, False] else fact

    def _fault(self, fact: Fact, kind: str) -> str:
        """Return why a fact cannot be kept, empty where it can."""
        heads, tails = self._saying.places(fact.subject), self._saying.places(fact.object)
        if not heads or not tails:
            return "relation with an end that is not in the text"
        if not self._saying.in_one_sentence(heads, tails) and not self._is_of_the_subject(fact):
            return "relation between distant sentences"
        if normalize(fact.subject) == normalize(fact.object):
            return "relation of a thing to itself"
        if any(len(end.split()) > _LONGEST_END for end in (fact.subject, fact.object)):
            return "relation that is a sentence"
        if len(kind.split()) > _LONGEST_RELATION:
            return "relation that is a sentence"
        return "" if kind and self._allowed(fact, kind) else "relation outside the schema"

    def _relation_type(self, relation: str) -> str:
        kind = normalize(relation).replace("_", " ")
        by_form = {normalize(name): name for name in self._schema.relation_types}
        return by_form.get(kind, "" if by_form else kind)

    def _allowed(self, fact: Fact, kind: str) -> bool:
        if not self._schema.patterns:
            return True
        head, tail = (self._type_of(end) for end in (fact.subject, fact.object))
        return (head, kind, tail) in self._schema.patterns

    def _type_of(self, name: str) -> str:
        entity = self._entities.get(Entity.make_id(name))
        return entity.type if entity else ""

    def _type(self, kind: str) -> str:
        allowed = kind in self._schema.entity_types if self._schema.entity_types else kind != UNNAMED_KIND
        return kind if allowed else ""

    def _name(self, surface: str, type: str, place: Span) -> str:
        """Note an entity and where it is first named; return its id."""
        content = self._saying.content
        entity = Entity(Entity.make_id(surface), surface, type)
        known = self._entities.setdefault(entity.id, entity)
        if type and not known.type:
            self._entities[entity.id] = entity
        written = place.slice(content.document.text)
        mention = Mention(content.chunk.id, entity.id, written, content.layout.provenance(place))
        self._mentions.setdefault(entity.id, mention)
        return entity.id


def _terms(reply: ChunkReply) -> Iterator[tuple[str, str]]:
    """Yield each term of a reply with its kind: what its form tells, else the model's first; none where it has many."""
    kinds: dict[str, list[str]] = {}
    for kind, terms in reply.tags.by_kind().items():
        for term in dict.fromkeys(terms):
            kinds.setdefault(term, []).append(kind)
    for term, found in kinds.items():
        yield _sure_kind(term, reply) or (found[0] if len(found) <= _KINDS_OF_A_TERM else ""), term


def _sure_kind(term: str, reply: ChunkReply) -> str:
    """Return the kind that the form of a term tells, if it was asked for; empty where it tells none."""
    (name, *_) = find_names(term, (term,)) or (None,)
    return name.type if name and name.surface == term and name.type in reply.tags.by_kind() else ""


def _end(text: str) -> str:
    """Return the end of a relation without articles and prepositions before it; of a phrase around a name, the name.

    Empty where nothing is left.
    """
    kept = list(dropwhile(lambda word: word.lower() in FUNCTION_WORDS, text.split()))
    plain = " ".join(kept)
    names = find_names(plain, (plain,))
    around = any(word.lower() in FUNCTION_WORDS for word in kept)
    return names[0].surface if len(names) == 1 and around else plain


def _literal_type(end: str) -> str:
    kind = value_type(end)
    return "" if kind == "text" else kind
