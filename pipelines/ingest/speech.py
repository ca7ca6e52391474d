"""Those who do the language work of a document in a worker: a model that is asked through the parent."""

from __future__ import annotations

from pipelines.atomize.model_distiller import ModelDistiller
from pipelines.chunk.model_splitter import ModelSplitter
from pipelines.core.errors import SettingsError
from pipelines.core.work.job import JobContext
from pipelines.ingest.asking import DeskChat
from pipelines.ingest.task import Means, ModelWork
from pipelines.llm.wordllama import WordLlamaEmbedder
from pipelines.parse.describe import ChatDescriber


def splitter(desk: JobContext, means: Means) -> ModelSplitter:
    return ModelSplitter(DeskChat(desk), means.settings.chunk, overrides=_model(means).prompts)


def distiller(desk: JobContext, means: Means) -> ModelDistiller:
    settings, model = means.settings, _model(means)
    asked = ModelDistiller(DeskChat(desk), settings.atomize, WordLlamaEmbedder(), model.prompts, settings.graph.schema)
    return asked.with_classes(model.kinds)


def describer(desk: JobContext, means: Means) -> ChatDescriber:
    return ChatDescriber(DeskChat(desk), _model(means).prompts)


def _model(means: Means) -> ModelWork:
    if means.model is None:
        raise SettingsError("no language model is configured")
    return means.model
