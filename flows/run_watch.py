"""How far a run is, counted from its events as they pass."""

from __future__ import annotations

from pipelines.ingest.report import Event, Phase, Progress, Stage, silent

OF_DOCUMENTS = 0.9
"""The share of a run that compiling its documents is taken to be; what follows tells no number."""


class RunWatch:
    """A listener that passes every event on, and knows what has happened so far."""

    def __init__(self, listener: Progress = silent) -> None:
        self._listener = listener
        self._done: set[str] = set()
        self._failed: set[str] = set()
        self._total = 0
        self._stage = Stage.SCAN
        self.heard_by: set[Progress] = set()
        """Who else is called with every event."""

    def __call__(self, event: Event) -> None:
        self._total = event.total or self._total
        if not event.subject and event.phase is Phase.STARTED:
            self._stage = event.stage
        elif event.subject and event.phase is Phase.FAILED:
            self._failed.add(event.subject)
        elif event.subject and event.stage is Stage.EMBED and event.phase is Phase.DONE:
            self._done.add(event.subject)
        for one in (self._listener, *self.heard_by):
            one(event)

    @property
    def percent(self) -> float:
        """How much of the run is done, from 0 to 100."""
        if self._stage in (Stage.LINK, Stage.LOAD, Stage.PROJECT, Stage.LEARN) or not self._total:
            return 100 * OF_DOCUMENTS
        return 100 * OF_DOCUMENTS * min(1.0, len(self._done | self._failed) / self._total)

    @property
    def told(self) -> str:
        """The same in words."""
        failed = f", {len(self._failed)} failed" if self._failed else ""
        return (
            f"{len(self._done)} of {max(self._total, len(self._done))} documents compiled{failed}; {self._stage.value}"
        )
