"""The values that pass between a run and its worker processes: what is to be compiled, and what came of it.

A document itself never passes: what a stage makes of it is kept as an artifact, by the worker that made it.
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
"""The stage, without events of its own, in which a model describes figures."""
COMPILING = (Stage.PARSE, Stage.CHUNK, Stage.ATOMIZE, Stage.EMBED)
"""The stages of a document, in their order."""
DOING = {
    Stage.PARSE.value: "parsing",
    DESCRIBE: "describing its figures",
    Stage.CHUNK.value: "chunking",
    Stage.ATOMIZE.value: "distilling",
    Stage.EMBED.value: "embedding",
}
"""The name of each stage as a message uses it: "chunking failed: ..."."""


@dataclass(frozen=True, slots=True)
class SourceItem:
    """A file of the folder, or a part of a container, that is to be compiled.

    `path` is None for a part: its bytes lie among the artifacts. `parent` is the URI of its container. The time stamps
    are those of the file when its digest was taken, 0 for a part.
    """

    source: Source
    path: Path | None = None
    modified_ns: int = 0
    parent: str = ""
    changed_ns: int = 0

    def part(self, member: Member) -> SourceItem:
        """Return a part of this container as an item of its own."""
        uri = f"{self.source.uri}{INSIDE}{member.name}"
        return SourceItem(Source(uri, "", member.size, member.digest), parent=self.source.uri)


@dataclass(frozen=True, slots=True)
class ModelWork:
    """Language work done by a model, which the worker asks through its parent.

    `kinds` are the induced classes of tags, `prompts` a folder with prompts of the knowledge base's own.
    """

    prompts: Path
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """What all documents of a run are compiled with; it can be pickled, and holds no key of an endpoint.

    `embedder` is None where the parent embeds. `vectors` is the file in which slow embedders keep theirs. `settled` is
    off where the classes of tags could not be had: what is distilled without them is done again. `within` is the real
    path in which files must lie when they are opened, None where links may lead out of it.
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
    """One document to be compiled in a worker up to a stage, `upto`.

    `after` is the last stage that an earlier job did and reported, None for none: what it made is among the artifacts.
    `cut` names a parse that was cut short (see `StageKeys`), and `reason` says by what. `undescribed` stands for the
    figures whose description is missing, and `failures` say why.
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
    def told(self) -> tuple[Stage, ...]:
        """The stages that were reported already."""
        return COMPILING[: COMPILING.index(self.after) + 1] if self.after else ()

    def goes_on(self, compiled: Compiled, upto: Stage) -> DocumentTask:
        """Return the task that takes the document on from where `compiled` is, the result of this one."""
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
    """What compiling a source gave: its entry for the catalog, and the parts of it that are documents themselves.

    The first of the `failures` is why the document is not searchable, where it is not. `dropped` counts what the
    checks of language work left out, by reason. `cut` names the parse that all stands on, where that was cut short,
    `undescribed` the figures of it that have no description.
    """

    entry: Entry
    members: tuple[Member, ...] = ()
    failures: tuple[Failure, ...] = ()
    dropped: dict[str, int] = field(default_factory=dict)
    cut: str = ""
    undescribed: str = ""

    @staticmethod
    def begun(item: SourceItem) -> Compiled:
        """Return what there is of an item before anything is done: an entry that has failed, for no reason yet."""
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
        """Return what there is once the document is parsed; `key` is that of the artifact."""
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
        """Return what is left where a stage failed: the parse and the parts, and no document."""
        entry = replace(
            self.entry, status=status, reason=reason, document="", title="", media_type="", counts={}, notes=()
        )
        others = self.failures if self.entry.status.searchable else ()
        return replace(self, entry=entry, failures=(_failure(entry, stage, error, retryable), *others))


def _counts(document: Document) -> dict[str, int]:
    return {
        "pages": len(document.pages),
        "sections": len(document.sections),
        "tables": len(document.tables),
        "figures": len(document.figures),
    }


def _failure(entry: Entry, stage: str, error: str, retryable: bool = False) -> Failure:
    again = retryable or entry.status not in REPEATABLE
    return Failure(entry.uri, stage, entry.reason, error, entry.status, again)


@dataclass(frozen=True, slots=True)
class StageEvent:
    """An event of the document that a worker compiles: `Event` without its subject."""

    stage: Stage
    phase: Phase
    detail: str = ""


def without_keys(settings: Settings) -> Settings:
    """Return the settings as a worker may see them: passwords of documents, and no key of an endpoint or store.

    Nor does a worker download a model: what it lacks is fetched by its parent.
    """
    embed = settings.embed.model_copy(update={"api_key": SecretStr(""), "base_url": "", "download": False})
    return settings.model_copy(update={"embed": embed, "llm": LlmSettings(), "store": StoreSettings()})
