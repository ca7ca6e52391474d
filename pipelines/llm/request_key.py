"""The identity of a request: the digest of everything that shapes its reply, and of nothing else."""

from __future__ import annotations

import json
from functools import lru_cache

from pydantic import BaseModel

from pipelines.core.ids import digest
from pipelines.llm.chat import Message, Request

VERSION = 1
"""Raised when replies kept so far must not be used any more."""


def request_key(request: Request) -> str:
    """Return 64 hexadecimal digits over model, messages, schema, temperature, token limit, attempt and `VERSION`.

    The role has no part in it: the same words to the same model have the same reply. Keys, URLs and time-outs are
    not in a request.
    """
    parts = (
        VERSION,
        request.model,
        [_parts(message) for message in request.messages],
        _schema(request.schema) if request.schema is not None else None,
        float(request.temperature),
        request.max_tokens,
        request.attempt,
    )
    return digest(json.dumps(parts, ensure_ascii=True).encode())


def _parts(message: Message) -> list[object]:
    pictures = [[image.media_type, digest(image.data)] for image in message.images]
    return [message.role, message.content, pictures]


@lru_cache(maxsize=256)
def _schema(schema: type[BaseModel]) -> str:
    # The order of the fields is the order in which a model writes them, so it stays.
    return json.dumps(schema.model_json_schema())
