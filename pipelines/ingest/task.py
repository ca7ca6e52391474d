"""The values that a run and its worker processes exchange: the tasks, and the results of compiling.

Documents are not among them: the worker stores the result of each stage as an artifact.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import SecretStr

from pipelines.core.document import Document, Source
from pipelines.core.ids import INSIDE
from pipelines.core.outcome import Failure, Status
from pipelines.ingest.keys import REPEATABLE, Makers, StageKeys, stage_keys
from pipelines.ingest.report import Phase, Stage
from pipelines.llm.settings import EmbedSettings, LlmSettings
from pipelines.settings import Settings
from pipelines.store.artifact import ArtifactStore, Member, ParsedRecord
from pipelines.store.catalog import Entry
from pipelines.store.folder import StoreSettings

DESCRIBE = "describe"
"""The stage in which a model describes figures. It has no events."""
COMPILING = (Stage.PARSE, Stage.CHUNK, Stage.ATOMIZE, Stage.EMBED)
"""The stages of a document, in order."""
DOING = {
    Stage.PARSE.value: "parsing",
    DESCRIBE: "describing its figures",
    Stage.CHUNK.value: "chunking",
    Stage.ATOMIZE.value: "distilling",
    Stage.EMBED.value: "embedding",
}
"""The name of each stage in messages: "chunking failed: ..."."""


@dataclass(frozen=True, slots=True)
class SourceItem:
    """A file of the folder, or a part of a container, that is to be compiled.

    `path` is None for a part, whose bytes are an artifact. `parent` is the URI of its container. The time stamps are
    those of the file when its digest was computed, and 0 for a part.
    """

    source: Source
    path: Path | None = None
    modified_ns: int = 0
    parent: str = ""
    changed_ns: int = 0

    def part(self, member: Member) -> SourceItem:
        """Return a part of this container as an item."""
        uri = f"{self.source.uri}{INSIDE}{member.name}"
        return SourceItem(Source(uri, "", member.size, member.digest), parent=self.source.uri)


@dataclass(frozen=True, slots=True)
class ModelWork:
    """Settings of the language work by a model, which a worker asks through its parent.

    `kinds` are the induced tag classes, `prompts` is the folder with the knowledge base's own prompts.
    """

    prompts: Path
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """The settings and stores with which all documents of a run are compiled; picklable, without API keys.

    `embedder` is None if the parent embeds. `vectors` is the file in which slow embedders cache vectors. `settled` is
    False if the tag classes could not be induced: documents distilled without them are distilled again. `within` is the
    real path that files must be inside of when they are opened, or None if links may lead out of the folder.
    """

    settings: Settings
    artifacts: ArtifactStore
    makers: Makers
    embedder: EmbedSettings | None = None
    vectors: Path | None = None
    dimension: int = 0
    model: ModelWork | None = None
    settled: bool = True
    within: Path | None = None

    def keys(self, source: Source, undescribed: str = "", cut: str = "") -> StageKeys:
        return stage_keys(source, self.settings, self.makers, undescribed, cut)


@dataclass(frozen=True, slots=True)
class DocumentTask:
    """A document to be compiled in a worker process, up to and including the stage `upto`.

    `after` is the last stage that an earlier job did and reported; its result is an artifact. `cut` identifies a parse
    that was cut short (see `StageKeys`) for the given `reason`. `undescribed` identifies the figures without a
    description, and `failures` are the reasons.
    """

    item: SourceItem
    setup: WorkerSetup
    upto: Stage = Stage.EMBED
    after: Stage | None = None
    cut: str = ""
    reason: str = ""
    undescribed: str = ""
    failures: tuple[Failure, ...] = ()

    @property
    def source(self) -> Source:
        return self.item.source

    @property
    def keys(self) -> StageKeys:
        return self.setup.keys(self.source, self.undescribed, self.cut)

    @property
    def reported(self) -> tuple[Stage, ...]:
        """The stages that earlier jobs have reported."""
        return COMPILING[: COMPILING.index(self.after) + 1] if self.after else ()

    def next(self, compiled: Compiled, upto: Stage) -> DocumentTask:
        """Return the task that continues after `compiled`, the result of this one."""
        return replace(
            self,
            upto=upto,
            after=self.upto,
            cut=compiled.cut,
            reason=compiled.entry.reason if compiled.cut else "",
            undescribed=compiled.undescribed,
            failures=compiled.failures,
        )


@dataclass(frozen=True, slots=True)
class Compiled:
    """The result of compiling a source: its catalog entry, and its parts that are documents themselves.

    If the document is not searchable, the first of the `failures` is the reason. `dropped` counts the results of
    language work that failed a check, by reason. `cut` identifies the parse if it was cut short, `undescribed` its
    figures without a description.
    """

    entry: Entry
    members: tuple[Member, ...] = ()
    failures: tuple[Failure, ...] = ()
    dropped: dict[str, int] = field(default_factory=dict)
    cut: str = ""
    undescribed: str = ""

    @staticmethod
    def initial(item: SourceItem) -> Compiled:
        """Return the state of an item before its first stage: a failed entry without a reason."""
        source = item.source
        return Compiled(
            Entry(
                source.uri,
                source.digest,
                source.size,
                Status.FAILED,
                modified_ns=item.modified_ns,
                changed_ns=item.changed_ns,
                parent=item.parent,
            )
        )

    def parsed(self, record: ParsedRecord, key: str, cut: str = "") -> Compiled:
        """Return the state after parsing; `key` is that of the artifact."""
        entry = replace(self.entry, status=record.status, reason=record.reason, artifacts={Stage.PARSE.value: key})
        if (document := record.document) is not None:
            entry = replace(
                entry,
                document=document.id,
                title=document.title,
                media_type=document.source.media_type,
                counts=_counts(document),
                notes=document.notes,
            )
        compiled = replace(self, entry=entry, members=record.members, cut=cut)
        if record.status.searchable or record.status in (Status.EMPTY, Status.SKIPPED):
            return compiled
        return replace(compiled, failures=(_failure(entry, Stage.PARSE.value, record.error),))

    def failed(self, stage: str, status: Status, reason: str, error: str, retryable: bool = False) -> Compiled:
        """Return the state after a failed stage: the parse and the parts, without a document."""
        entry = replace(
            self.entry, status=status, reason=reason, document="", title="", media_type="", counts={}, notes=()
        )
        others = self.failures if self.entry.status.searchable else ()
        return replace(self, entry=entry, failures=(_failure(entry, stage, error, retryable), *others))


def _counts(document: Document) -> dict[str, int]:
    return {
        "pages": len(document.pages),
        "sections": len(document.sections) - 1,  # without the root, which is the document
        "tables": len(document.tables),
        "figures": len(document.figures),
    }


def _failure(entry: Entry, stage: str, error: str, retryable: bool = False) -> Failure:
    again = retryable or entry.status not in REPEATABLE
    return Failure(entry.uri, stage, entry.reason, error, entry.status, again)


@dataclass(frozen=True, slots=True)
class StageEvent:
    """An event of the document that a worker compiles: an `Event` without its subject."""

    stage: Stage
    phase: Phase
    detail: str = ""


def without_keys(settings: Settings) -> Settings:
    """Return the settings for a worker: with the passwords of documents, but without API keys and store credentials.

    Downloads of models are disabled: the parent downloads missing models.
    """
    embed = settings.embed.model_copy(update={"api_key": SecretStr(""), "base_url": "", "download": False})
    return settings.model_copy(update={"embed": embed, "llm": LlmSettings(), "store": StoreSettings()})
