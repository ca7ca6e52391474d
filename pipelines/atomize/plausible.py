"""Whether what a model says is put as such a thing can be: its form alone, not its place in the text."""

from __future__ import annotations

import re
from collections.abc import Collection

from pipelines.atomize.names import find_names
from pipelines.atomize.reply import Fact
from pipelines.atomize.tables import value_type
from pipelines.atomize.tag_classes import NAMED_KINDS, UNNAMED_KIND
from pipelines.core.ids import normalize
from pipelines.lang.characters import CJK_CHARACTER
from pipelines.lang.dates import CALENDAR, TELLS_WHEN
from pipelines.lang.organizations import COMPANY

_LONGEST_RELATION, _LONGEST_END, _LONGEST_HAN_END = 6, 10, 20
"""Words of a relation's type and of its ends, and characters of a Chinese end; what is longer is a sentence."""
_PERSON, _ORGANIZATION, _, _PRODUCT = NAMED_KINDS
_CODES = frozenset({"identifier", "standard"})
_CLAUSE = re.compile(r"\S (?:is|are|was|were|has|have|had|will|must|can|may|shall|should)\b")
_ASKS = re.compile(
    r"\b(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|can|could|may|must|should|will)\b"
    r"|什么|何|谁|哪|多少|几|吗|怎|是否|能否",
    re.IGNORECASE,
)
_ASKS_WHEN = re.compile(r"^when\b|何时|什么时候|哪[年月天]", re.IGNORECASE)


def kind_of(term: str, found: str, kinds: Collection[str]) -> str:
    """Return the kind that the form of a term tells, or else the one in which a model put it, where it can be that.

    What can be none of the kinds of names that it was put in is a mere term.
    """
    (name, *_) = find_names(term, (term,)) or (None,)
    told = name.type if name and name.surface == term else ""
    told = told or (_ORGANIZATION if COMPANY.search(term) else "")
    if told in kinds:
        return told
    if found in NAMED_KINDS and not _can_be(term, found, told):
        return UNNAMED_KIND if UNNAMED_KIND in kinds else ""
    return found


def _can_be(term: str, kind: str, told: str) -> bool:
    """Whether a term can be a name of a kind: no value is one; but for products no code, nor what has no capital."""
    if value_type(term) not in ("text", "identifier") or _is_date(term):
        return False
    if kind == _PRODUCT or CJK_CHARACTER.search(term):
        return True
    if kind == _PERSON and (any(map(str.isdigit, term)) or (term.isupper() and len(term.split()) == 1)):
        return False
    return told not in _CODES and any(map(str.isupper, term))


def _is_date(term: str) -> bool:
    return all(word.isdigit() or word in CALENDAR for word in term.lower().replace(",", " ").split())


def odd_form(fact: Fact, kind: str) -> str:
    """Return what is wrong with how a fact is put, empty where nothing is; `kind` is the type of its relation."""
    if not kind:
        return "relation without a name"
    if normalize(fact.subject) == normalize(fact.object):
        return "relation of a thing to itself"
    if len(kind.split()) > _LONGEST_RELATION or any(map(_is_sentence, (fact.subject, fact.object))):
        return "relation that is a sentence"
    return ""


def _is_sentence(end: str) -> bool:
    longest = len(CJK_CHARACTER.findall(end)) > _LONGEST_HAN_END or len(end.split()) > _LONGEST_END
    return longest or bool(_CLAUSE.search(end))


def is_question(text: str) -> bool:
    """Whether a text as the model wrote it asks something, in any language that marks it so."""
    return text.rstrip().endswith(("?", "？")) or bool(_ASKS.search(text))


def can_tell_when(question: str, passage: str) -> bool:
    """Whether a passage has any word of time; true of a question that does not ask for one."""
    return not _ASKS_WHEN.search(question) or bool(TELLS_WHEN.search(passage))
