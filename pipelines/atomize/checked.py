"""What a model said of a chunk, held against the chunk: what does not stand there is dropped and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import dropwhile

from pipelines.atomize.names import find_names
from pipelines.atomize.occurrence import Saying
from pipelines.atomize.plausible import kind_of, odd_form
from pipelines.atomize.reply import ChunkReply, Fact
from pipelines.atomize.tables import value_type
from pipelines.atomize.tag_classes import UNNAMED_KIND
from pipelines.core.graph_schema import GraphSchema
from pipelines.core.ids import normalize
from pipelines.core.knowledge import ChunkTag, Entity, Mention, Relation, Tag
from pipelines.core.provenance import Span
from pipelines.lang.terms import terms
from pipelines.lang.words import FUNCTION_WORDS

_KINDS_OF_A_TERM = 2
"""Kinds under which a model may list one term; listed under more, it has no kind that means anything."""


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
        """Return the summary, empty where it has a number or name that the text has not, or is but a title."""
        reason = self._summary_fault(reply.summary)
        if not reason:
            return reply.summary
        self._dropped[reason] += 1
        return ""

    def _summary_fault(self, summary: str) -> str:
        if not self._saying.has_numbers_of(summary):
            return "summary with a number that is not in the text"
        if any(not self._saying.terms.issuperset(terms(name.surface)) for name in find_names(summary, ())):
            return "summary with a name that is not in the text"
        path = [form for _, form in self._saying.content.path]
        return "summary that is the title" if normalize(summary).rstrip(".。") in path else ""

    def tags(self, reply: ChunkReply) -> tuple[ChunkTag, ...]:
        """Return the tags whose words stand in the chunk; those that name a thing are entities as well."""
        found: dict[str, ChunkTag] = {}
        for kind, term in _terms(reply):
            places = self._saying.places(term)
            tag = ChunkTag(self._saying.content.chunk.id, Tag.make_id(term), term, 1.0, kind)
            if not places:
                self._dropped["tag not in the text"] += 1
            elif found.setdefault(tag.tag, tag) is tag and self._names_a_thing(kind, term):
                self._name(term, self._type(kind), places[0])
        return tuple(found.values())

    def relations(self, reply: ChunkReply, limit: int) -> tuple[Relation, ...]:
        """Return the facts whose ends both stand in the chunk, in the schema's words where it has them."""
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
                if name.type in ("identifier", "standard") and self._schema.allows_entity(name.type):
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
        stated = self._saying.says(kind, self._saying.evidence(heads, tails))
        if not stated and kind not in map(normalize, self._schema.relations):
            return "relation that the text does not state"
        return odd_form(fact, kind)

    def _relation_type(self, relation: str) -> str:
        kind = normalize(relation).replace("_", " ")
        return {normalize(name): name for name in self._schema.relations}.get(kind, kind)

    def _names_a_thing(self, kind: str, term: str) -> bool:
        """Whether a tag is an entity too: a name, or a term of a kind that entities can be of."""
        if self._schema.entity_types:
            return self._schema.allows_entity(kind)
        return kind != UNNAMED_KIND or bool(find_names(term, (term,)))

    def _type(self, kind: str) -> str:
        return kind if kind != UNNAMED_KIND and self._schema.allows_entity(kind) else ""

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
    for kind, listed in reply.tags.by_kind().items():
        for term in dict.fromkeys(listed):
            kinds.setdefault(term, []).append(kind)
    for term, found in kinds.items():
        yield kind_of(term, found[0] if len(found) <= _KINDS_OF_A_TERM else "", reply.tags.by_kind().keys()), term


def _end(text: str) -> str:
    """Return the end of a relation without articles and prepositions before it; of a phrase around a name, the name.

    Empty where nothing is left.
    """
    kept = list(dropwhile(lambda word: word.lower() in FUNCTION_WORDS, text.split()))
    plain = " ".join(kept).rstrip(".,;:。，；")
    names = find_names(plain, (plain,))
    around = any(word.lower() in FUNCTION_WORDS for word in kept)
    return names[0].surface if len(names) == 1 and around else plain


def _literal_type(end: str) -> str:
    kind = value_type(end)
    return "" if kind == "text" else kind
