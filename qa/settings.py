"""Settings of question answering: the section `[qa]` of strata.toml, beside those of the pipelines."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from pipelines.settings import Settings
from qa.retrieval.settings import RetrieveSettings
from qa.strategies.settings import AnswerSettings


class QaSection(BaseModel):
    """`[qa.retrieve]` and `[qa.answer]`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    retrieve: RetrieveSettings = RetrieveSettings()
    answer: AnswerSettings = AnswerSettings()


class QaSettings(Settings):
    """All settings: those of a build, and those of answering from it."""

    qa: QaSection = QaSection()
