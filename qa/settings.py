"""Settings of question answering: the section `[qa]` of strata.toml, beside those of the pipelines."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from pipelines.settings import Settings
from qa.strategies.settings import AnswerSettings


class QaSection(BaseModel):
    """`[qa.answer]`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    answer: AnswerSettings = AnswerSettings()


class QaSettings(Settings):
    """All settings: those of a build, and those of answering from it."""

    qa: QaSection = QaSection()
