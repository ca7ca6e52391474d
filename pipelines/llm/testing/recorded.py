"""Replies recorded from a model once, and given again: tests see what a real model says, without one."""

from __future__ import annotations

from difflib import SequenceMatcher
from pathlib import Path

from pipelines.core.errors import NotFound
from pipelines.llm.chat import Reply, Request, Usage, request_key
from pipelines.llm.recording import Recording, read_recordings, words_of
from pipelines.llm.testing.loopback_wire import Call

_REPLIED = "\nassistant: "


class ReplayChat:
    """A chat that knows only what was recorded.

    It raises `NotFound` for anything else, naming the nearest recording and where the two part ways.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._recordings = read_recordings(path)

    @property
    def recordings(self) -> tuple[Recording, ...]:
        return tuple(self._recordings.values())

    async def complete(self, request: Request) -> Reply:
        found = self._recordings.get(request_key(request))
        if found is None:
            raise NotFound(
                f"no recording of this request in {self._path.name}; {self.nearest(words_of(request.messages))}"
            )
        return Reply(found.text, found.model, Usage(found.input_tokens, found.output_tokens, 1), found.finish)

    async def close(self) -> None:
        """Nothing is held."""

    def nearest(self, asked: str) -> str:
        """Return which recording is nearest to the words of a request, and where the two part ways."""
        if not self._recordings:
            return "it is empty"
        nearest = max(self._recordings.values(), key=lambda one: _alike(one.asked, asked))
        at = next((i for i, (a, b) in enumerate(zip(nearest.asked, asked, strict=False)) if a != b), None)
        if at is None and len(nearest.asked) == len(asked):
            return f"{nearest.key[:12]} has the same words, and another model, schema, temperature or limit"
        at = min(len(nearest.asked), len(asked)) if at is None else at
        return (
            f"the nearest, {nearest.key[:12]}, has {nearest.asked[at : at + 60]!r}"
            f" where this one has {asked[at : at + 60]!r}"
        )


class RecordedAnswers:
    """The answers of a loopback server, from recordings: by the words of a request, whatever its model is called.

    A request that asks again after a fault of the server's own gets the reply that was usable in the end. `misses`
    names those that were never recorded, which are answered with nothing of use.
    """

    def __init__(self, path: Path) -> None:
        self._replay = ReplayChat(path)
        ordered = sorted(self._replay.recordings, key=lambda one: len(one.asked))
        self._texts = {one.asked: one.text for one in ordered}
        self._last = {one.asked.partition(_REPLIED)[0]: one.text for one in ordered}
        self.misses: list[str] = []

    @property
    def recordings(self) -> tuple[Recording, ...]:
        return self._replay.recordings

    def __call__(self, call: Call) -> str:
        text = self._texts.get(words_of(call.turns), self._last.get(words_of(call.first_turns)))
        if text is None:
            self.misses.append(self._replay.nearest(words_of(call.turns)))
        return text or "not recorded"


def _alike(one: str, other: str) -> float:
    return SequenceMatcher(None, one[-2000:], other[-2000:]).quick_ratio()
