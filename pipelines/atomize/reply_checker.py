"""Checks of a model's reply about a chunk: unsupported parts are dropped and counted by reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from itertools import dropwhile

from pipelines.atomize.grounding import Grounding
from pipelines.atomize.name_recognition import find_names
from pipelines.atomize.reply import ChunkReply, Fact
from pipelines.atomize.table_rows import value_type
from pipelines.atomize.tag_classes import NAMED_KINDS, UNNAMED_KIND
from pipelines.core.ids import normalize
from pipelines.core.knowledge import ChunkTag, Entity, Mention, Relation, Tag
from pipelines.core.provenance import Span
from pipelines.core.settings_section import GraphSchema
from pipelines.lang.characters import CJK_CHARACTER
from pipelines.lang.names import COMPANY
from pipelines.lang.numbers import calendar
from pipelines.lang.word_lists import FUNCTION_WORDS, cue

_KINDS_OF_A_TERM = 2
"""Maximum kinds under which a model may list one term; a term listed under more gets no kind."""
_LONGEST_RELATION, _LONGEST_END, _LONGEST_HAN_END = 6, 10, 20
"""Maximum words of a relation type and of an end, and characters of a Chinese end: a longer one is a sentence."""
_PERSON, _ORGANIZATION, _, _PRODUCT = NAMED_KINDS
_CODE_TYPES = frozenset({"identifier", "standard"})


class ReplyChecker:
    """Returns the supported tags and relations of a reply, and counts the others in `dropped` by reason.

    `tags`, `relations` and `codes` add their entities to `entities`, and the first occurrence of each to `mentions`, so
    call them first. Types and relations are spelled as in `schema`, if it has them.
    """

    def __init__(self, grounding: Grounding, schema: GraphSchema, dropped: Counter[str]) -> None:
        self._grounding = grounding
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

    def tags(self, reply: ChunkReply) -> tuple[ChunkTag, ...]:
        """Return the tags that occur in the chunk; those that are names are added to the entities."""
        found: dict[str, ChunkTag] = {}
        for kind, term in _terms(reply, self._grounding.language):
            occurrences = self._grounding.occurrences(term)
            tag = ChunkTag(self._grounding.content.chunk.id, Tag.make_id(term), term, 1.0, kind)
            if not occurrences:
                self._dropped["tag not in the text"] += 1
            elif found.setdefault(tag.tag, tag) is tag and self._names_a_thing(kind, term):
                self._add_entity(term, self._type(kind), occurrences[0])
        return tuple(found.values())

    def relations(self, reply: ChunkReply, limit: int) -> tuple[Relation, ...]:
        """Return at most `limit` of the facts that the chunk states, as relations between entities."""
        found: dict[str, Relation] = {}
        for fact in reply.facts:
            relation = self._relation(fact)
            if relation is not None:
                found.setdefault(relation.id, relation)
        return tuple(found.values())[:limit]

    def codes(self) -> None:
        """Add the codes and standards of the chunk to the entities, even if the model did not list them."""
        for sentence in self._grounding.content.sentences:
            for name in find_names(sentence.text, ()):
                if name.type in ("identifier", "standard") and self._schema.allows_entity(name.type):
                    self._add_entity(name.surface, self._type(name.type), name.span.shifted(sentence.span.start))

    def _relation(self, fact: Fact) -> Relation | None:
        fact = self._directed(fact.model_copy(update={"subject": _end(fact.subject), "object": _end(fact.object)}))
        kind = self._relation_type(fact.relation)
        reason = self._relation_error(fact, kind)
        if reason:
            self._dropped[reason] += 1
            return None
        heads, tails = self._grounding.occurrences(fact.subject), self._grounding.occurrences(fact.object)
        head = self._add_entity(fact.subject, _literal_type(fact.subject), heads[0])
        tail = self._add_entity(fact.object, _literal_type(fact.object), tails[0])
        chunk = self._grounding.content.chunk.id
        evidence = self._grounding.content.block_index.provenance(self._grounding.evidence(heads, tails))
        return Relation(Relation.make_id(chunk, head, kind, tail), chunk, head, kind, tail, evidence)

    def _is_of_the_subject(self, fact: Fact) -> bool:
        """Whether a fact is about the chunk's topic, which later sentences may refer to by a pronoun."""
        return self._grounding.is_topic(fact.subject) or self._grounding.in_headings(fact.object)

    def _directed(self, fact: Fact) -> Fact:
        """Exchange the ends of a passive relation ("made by") if in the chunk the subject follows "by"."""
        if not fact.relation.lower().endswith(" by"):
            return fact
        ends = [self._grounding.is_agent(self._grounding.occurrences(end)) for end in (fact.subject, fact.object)]
        exchanged = {"subject": fact.object, "object": fact.subject}
        return fact.model_copy(update=exchanged) if ends == [True, False] else fact

    def _relation_error(self, fact: Fact, kind: str) -> str:
        """Return why a fact is dropped, empty if it is kept."""
        heads, tails = self._grounding.occurrences(fact.subject), self._grounding.occurrences(fact.object)
        if not heads or not tails:
            return "relation with an end that is not in the text"
        if not self._grounding.in_one_sentence(heads, tails) and not self._is_of_the_subject(fact):
            return "relation between distant sentences"
        stated = self._grounding.states(kind, self._grounding.evidence(heads, tails))
        if not stated and kind not in map(normalize, self._schema.relations):
            return "relation that the text does not state"
        return _form_error(fact, kind, self._grounding.language)

    def _relation_type(self, relation: str) -> str:
        kind = normalize(relation).replace("_", " ")
        return {normalize(name): name for name in self._schema.relations}.get(kind, kind)

    def _names_a_thing(self, kind: str, term: str) -> bool:
        """Whether a tag is also an entity: a name, or a term whose kind is an entity type."""
        if self._schema.entity_types:
            return self._schema.allows_entity(kind)
        return kind != UNNAMED_KIND or bool(find_names(term, (term,)))

    def _type(self, kind: str) -> str:
        return kind if kind != UNNAMED_KIND and self._schema.allows_entity(kind) else ""

    def _add_entity(self, surface: str, type: str, occurrence: Span) -> str:
        """Add an entity and its first mention; return its id."""
        content, name = self._grounding.content, self._grounding.named(surface, occurrence)
        entity = Entity(Entity.make_id(name), name, type)
        known = self._entities.setdefault(entity.id, entity)
        if type and not known.type:
            self._entities[entity.id] = entity
        written = occurrence.slice(content.document.text)
        mention = Mention(content.chunk.id, entity.id, written, content.block_index.provenance(occurrence))
        self._mentions.setdefault(entity.id, mention)
        return entity.id


def _terms(reply: ChunkReply, language: str) -> Iterator[tuple[str, str]]:
    """Yield the kind (see `tag_kind`) and text of each term of a reply; a term under too many kinds gets none."""
    kinds: dict[str, list[str]] = {}
    for kind, listed in reply.tags.by_kind().items():
        for term in dict.fromkeys(listed):
            kinds.setdefault(term, []).append(kind)
    for term, found in kinds.items():
        kind = found[0] if len(found) <= _KINDS_OF_A_TERM else ""
        yield tag_kind(term, kind, reply.tags.by_kind().keys(), language), term


def _end(text: str) -> str:
    """Return an end of a relation without leading function words; for a phrase around one name, the name.

    `_end("the plant of Kestrin") == "Kestrin"`; empty if nothing remains.
    """
    kept = list(dropwhile(lambda word: word.lower() in FUNCTION_WORDS, text.split()))
    plain = " ".join(kept).rstrip(".,;:。，；")
    names = find_names(plain, (plain,))
    around = any(word.lower() in FUNCTION_WORDS for word in kept)
    return names[0].surface if len(names) == 1 and around else plain


def _literal_type(end: str) -> str:
    kind = value_type(end)
    return "" if kind == "text" else kind


def tag_kind(term: str, found: str, kinds: Collection[str], language: str = "") -> str:
    """Return the kind of a term by its form, or else `found`, the kind that a model gave it.

    A term that cannot be a name of the kind `found` (a date as a person) is of `UNNAMED_KIND`.
    """
    (name, *_) = find_names(term, (term,)) or (None,)
    form = name.type if name and name.surface == term else ""
    form = form or (_ORGANIZATION if COMPANY.search(term) else "")
    if form in kinds:
        return form
    if found in NAMED_KINDS and not _can_be(term, found, form, language):
        return UNNAMED_KIND if UNNAMED_KIND in kinds else ""
    return found


def _can_be(term: str, kind: str, form: str, language: str) -> bool:
    """Whether a term can be a name of a kind: not a value; and except for products, neither a code nor lower case."""
    if value_type(term) not in ("text", "identifier") or _is_date(term, language):
        return False
    if kind == _PRODUCT or CJK_CHARACTER.search(term):
        return True
    if kind == _PERSON and (any(map(str.isdigit, term)) or (term.isupper() and len(term.split()) == 1)):
        return False
    return form not in _CODE_TYPES and any(map(str.isupper, term))


def _is_date(term: str, language: str) -> bool:
    return all(word.isdigit() or word in calendar(language) for word in term.lower().replace(",", " ").split())


def _form_error(fact: Fact, kind: str, language: str) -> str:
    """Return why the form of a fact is wrong, empty if it is right; `kind` is its relation type."""
    if not kind:
        return "relation without a name"
    if normalize(fact.subject) == normalize(fact.object):
        return "relation of a thing to itself"
    if len(kind.split()) > _LONGEST_RELATION or any(_is_sentence(end, language) for end in (fact.subject, fact.object)):
        return "relation that is a sentence"
    return ""


def _is_sentence(end: str, language: str) -> bool:
    longest = len(CJK_CHARACTER.findall(end)) > _LONGEST_HAN_END or len(end.split()) > _LONGEST_END
    clause = cue("clause", language).search(end)
    return longest or (clause is not None and clause.start() > 0)
