"""Tag pairs by a model: it maps the terms of a question to tags of its answer chunk, from the two lists alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator

from pipelines.atomize.tag_pairs import TaggedSample
from pipelines.atomize.tags import tag_form
from pipelines.core.concurrent import gather
from pipelines.core.knowledge import TagPair
from pipelines.llm.ask import ask
from pipelines.llm.chat import Chat
from pipelines.llm.prompt import Prompt, fence

ROLE = "pair"
_AT_ONCE = 16
_REPLY_TOKENS = 400


class PairReply(BaseModel):
    """A term of the question and the tag that means the same."""

    term: str
    tag: str


def _sound(value: object) -> list[object]:
    items = value if isinstance(value, list) else []
    return [item for item in items if isinstance(item, dict) and {"term", "tag"} <= item.keys()]


class PairsReply(BaseModel):
    """All pairs of one question."""

    pairs: Annotated[list[PairReply], BeforeValidator(_sound)]

    def says_nothing(self) -> bool:
        return not self.pairs


class ModelPairing:
    """One call a sample. A pair counts only if both sides are in the lists that the model was shown."""

    def __init__(self, chat: Chat, overrides: Path | None = None) -> None:
        self._chat = chat
        self._prompt = Prompt.load("pipelines.atomize", "pairs", overrides)

    async def pair(self, samples: Sequence[TaggedSample]) -> tuple[TagPair, ...]:
        found = await gather(self._of_sample, [one for one in samples if one.terms and one.tags], _AT_ONCE)
        counts = Counter(pair for pairs in found for pair in pairs)
        said = Counter(term for pairs in found for term in {term for term, _ in pairs})
        pairs = [TagPair(term, tag, round(count / said[term], 4)) for (term, tag), count in counts.items()]
        return tuple(sorted(pairs, key=lambda pair: (-pair.weight, pair.query_term, pair.corpus_tag)))

    async def _of_sample(self, sample: TaggedSample) -> set[tuple[str, str]]:
        messages = self._prompt.messages(
            question=fence(sample.question, "question"), terms="; ".join(sample.terms), tags="; ".join(sample.tags)
        )
        asked = await ask(
            self._chat, messages, PairsReply, role=ROLE, subject=sample.question, max_tokens=_REPLY_TOKENS
        )
        terms = {tag_form(term): term for term in sample.terms}
        tags = {tag_form(tag): tag for tag in sample.tags}
        pairs = [(tag_form(pair.term), tag_form(pair.tag)) for pair in asked.value.pairs] if asked.value else []
        return {(terms[q], tags[t]) for q, t in pairs if q in terms and t in tags and q != t}
