"""What a picture shows, in words, by a chat model that can see."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from string import Template
from typing import Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field

from pipelines.core.document import Block, Document
from pipelines.core.errors import BudgetExceeded, LanguageError
from pipelines.core.provenance import Span
from pipelines.llm.chat import Chat, Image, Message, Request
from pipelines.parse.parsed import Parsed, Picture

_SEEN = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})
_CONTEXT = 600
_SMALLEST = 2_000
"""Bytes below which a picture is a bullet or a line."""


@dataclass_placeholder
class X: ...
