"""Words that name nothing: function words, and verbs and adverbs that stand between names and terms."""

from __future__ import annotations

from pipelines.lang.terms import STOP_WORDS

FUNCTION_WORDS = STOP_WORDS | frozenset(
    "about above across after again against all almost along already also although always among another any"
    " anyone anything around away back because before behind below between beyond both but cannot down during each"
    " either else enough even ever every everyone everything few first following further given he her here hers"
    " him his however hence instead itself just last later latter least less like made make makes many me mere"
    " more most much must my near neither never next no none nor not nothing now off often once one only onto"
    " other others otherwise out over own per perhaps please rather same see several she since some something"
    " sometimes soon still such take than though through throughout thus till to today together too toward towards"
    " two under unless until up upon us used using usually various very via well were whether whole within without"
    " yes yet your".split()
)

_VERBS = (
    "accept achieve add allow announce appear apply approve arrive ask base be become begin belong bring buy"
    " carry choose come confirm connect consist contain continue create decide define deliver depend describe"
    " determine develop devote die do enable ensure enter establish exceed expect extend fail find finish follow"
    " found get give go grow hand happen have include indicate introduce involve join initiate keep know launch"
    " leave let lie live locate lose make mean meet obtain occur pay perform prevent provide publish put reach"
    " read receive reduce refer regard remove replace represent require say seek seem sell send serve situate"
    " speak take tell term think try vary win write"
).split()
_ALSO_NOUNS = (
    "build call cause change charge check claim close complete conduct cover design direct end feature form help"
    " hold increase issue lead mark measure move name need note offer open operate own place play produce record"
    " release remain report rise run set show sit stand start state stay stop support talk test treat turn use"
    " visit wait want work"
).split()
_IRREGULAR = (
    "beginning began begun born bought brought built came chosen chose did died done found gave given gone got"
    " grew grown held kept knew known laid lain led left lost made meant met paid ran rose said sat sent shown"
    " sold spoke spoken stood taken taught thought told took went won written wrote"
)


def _past(verb: str) -> str:
    if verb.endswith("e"):
        return f"{verb}d"
    return f"{verb[:-1]}ied" if verb.endswith("y") and verb[-2] not in "aeou" else f"{verb}ed"


def _forms(verb: str) -> list[str]:
    stem = verb[:-1] if verb.endswith("e") else verb
    third = f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2] not in "aeou" else f"{verb}s"
    return [verb, third, _past(verb), f"{stem}ing"]


VERB_FORMS = frozenset(
    [*(form for verb in _VERBS for form in _forms(verb)), *map(_past, _ALSO_NOUNS), *_IRREGULAR.split()]
)

_ADVERBS = (
    "approximately available based best better commonly currently different early especially formerly generally"
    " good great high important largely late little located long low mainly major mostly new normal normally old"
    " only originally particular possible previously primarily quickly recently similar simply situated specially"
    " typically e.g i.e https http www"
)
BETWEEN_TERMS = FUNCTION_WORDS | VERB_FORMS | frozenset(_ADVERBS.split())
"""Words at which a key phrase ends."""

CJK_BETWEEN = "的了在是和与及或对为从被将由并等其该应可按每须以于不有到请向内后前时当若如则"
"""Characters at which a Chinese key phrase ends."""
