"""What a worker is told about a document, and what it tells of it: values that pass between processes.

The document itself never passes: what a stage makes of it is kept as an artifact, by the worker that made it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import SecretStr

from pipelines.core.document import Document, Source
from pipelines.core.outcome import Failure, Status
from pipelines.ingest.keys import Makers, StageKeys, stage_keys
from pipelines.ingest.progress import Phase, Stage
from pipelines.llm.settings import EmbedSettings, LlmSettings
from pipelines.settings import Settings
from pipelines.store.artifact import ArtifactStore, Member, ParsedRecord
from pipelines.store.settings import StoreSettings


@dataclass(frozen=True, slots=True)
class ModelWork:
    """Language work done by a model, which the worker asks through its parent.

    `kinds` are the induced classes of tags, `prompts` a folder with prompts of the knowledge base's own.
    """

    prompts: Path
    kinds: tuple[str, ...] = ()
    describes: bool = False


@dataclass(frozen=True, slots=True)
class Means:
    """What all documents of a run are made with; it can be pickled, and holds no key of an endpoint.

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
class Task:
    """One document to be made, up to its parse with `parse_only`, to the end without.

    `path` is None for a part of a container, whose bytes lie among the artifacts. `parsed` says that the parse is kept
    and its end was told. `cut` names a parse that was cut short (see `StageKeys`), and `reason` says by what.
    """

    source: Source
    means: Means
    path: Path | None = None
    parse_only: bool = False
    parsed: bool = False
    cut: str = ""
    reason: str = ""

    @property
    def keys(self) -> StageKeys:
        return self.means.keys(self.source, cut=self.cut)


@dataclass(frozen=True, slots=True)
class Facts:
    """What the catalog says of a document."""

    id: str
    title: str
    media_type: str
    notes: tuple[str, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)

    @staticmethod
    def of(document: Document) -> Facts:
        counts = {
            "pages": len(document.pages),
            "sections": len(document.sections),
            "tables": len(document.tables),
            "figures": len(document.figures),
        }
        return Facts(document.id, document.title, document.source.media_type, document.notes, counts)


@dataclass(frozen=True, slots=True)
class Made:
    """What became of a document: `document` is None where it failed, in `stage`. `artifacts` are keys by stage.

    `cut` names the parse that it stands on, where that was cut short.
    """

    status: Status
    reason: str = ""
    error: str = ""
    stage: str = Stage.PARSE.value
    retryable: bool = False
    document: Facts | None = None
    members: tuple[Member, ...] = ()
    artifacts: dict[str, str] = field(default_factory=dict)
    dropped: dict[str, int] = field(default_factory=dict)
    failures: tuple[Failure, ...] = ()
    cut: str = ""

    @staticmethod
    def of(record: ParsedRecord, key: str, cut: str = "") -> Made:
        """Return what there is once the document is parsed."""
        return Made(
            record.status,
            record.reason,
            record.error,
            document=Facts.of(record.document) if record.document else None,
            members=record.members,
            artifacts={Stage.PARSE.value: key},
            cut=cut,
        )

    def failed(self, stage: str, status: Status, reason: str, error: str, retryable: bool = False) -> Made:
        """Return what is left where a later stage failed: the parse and the parts."""
        return replace(self, status=status, reason=reason, error=error, stage=stage, retryable=retryable, document=None)


@dataclass(frozen=True, slots=True)
class Told:
    """An event of the document's own."""

    stage: Stage
    phase: Phase
    detail: str = ""


DESCRIBE = "describe"
"""The stage, without events of its own, in which a model describes figures."""
DOING = {
    Stage.PARSE.value: "parsing",
    DESCRIBE: "describing its figures",
    Stage.CHUNK.value: "chunking",
    Stage.ATOMIZE.value: "distilling",
    Stage.EMBED.value: "embedding",
}
"""How the stages of a document are called in a sentence."""


def without_keys(settings: Settings) -> Settings:
    """Return the settings as a worker may see them: passwords of documents, and no key of an endpoint or store.

    Nor does a worker download a model: what it lacks is fetched by its parent.
    """
    embed = settings.embed.model_copy(update={"api_key": SecretStr(""), "base_url": "", "download": False})
    return settings.model_copy(update={"embed": embed, "llm": LlmSettings(), "store": StoreSettings()})
