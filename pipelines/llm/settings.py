"""Settings of the language models: `[llm]` and `[embed]` in strata.toml."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator

from pipelines.core.settings_section import Sensitive, SettingsSection, names_code

DEFAULT_MODEL = "gpt-4.1-mini"
EMBEDDERS = ("wordllama", "e5", "fastembed", "openai", "hashing")
"""The built-in embedders."""
# Variables that OpenAI's client reads from the environment and sends to any endpoint.
_LENT = (
    "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS", "OPENAI_ADMIN_KEY", "AZURE_OPENAI_AD_TOKEN",
    "AZURE_OPENAI_API_KEY",
)  # fmt: skip
_SENT = "would be sent documents, questions and keys"
_ACCOUNT = Sensitive("would have documents and questions sent under its account", address="base_url")


class Price(BaseModel):
    """The price of a model, in US dollars per million tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(0.0, ge=0, description="dollars per million input tokens")
    output: float = Field(0.0, ge=0, description="dollars per million output tokens")


class LlmSettings(SettingsSection):
    """A chat model behind an OpenAI-compatible endpoint, or a GGUF file that is served on this machine."""

    neutral: ClassVar[frozenset[str]] = frozenset(
        "base_url api_key api_version gguf_context gguf_threads gguf_parallel prices concurrency requests_per_minute"
        " tokens_per_minute timeout tries max_wait cache record".split()
    )
    sensitive: ClassVar[Mapping[str, Sensitive]] = {
        "base_url": Sensitive(_SENT, secrets=("llm.api_key", "embed.api_key"), variables=_LENT),
        "api_key": _ACCOUNT,
        "gguf": Sensitive("would be opened and run as a model"),
        "record": Sensitive("would be written to"),
    }

    model: str = Field("", description=f"model for all roles; {DEFAULT_MODEL} if only an endpoint is set")
    models: dict[str, str] = Field(default_factory=dict, description="model by role (distil, answer, ...)")
    base_url: str = Field("", description="endpoint, such as http://localhost:11434/v1; empty for OpenAI's own")
    api_key: SecretStr = Field(SecretStr(""), description="key of the endpoint, preferably set as OPENAI_API_KEY")
    api_version: str = Field("", description="Azure's API version; if set, base_url is an Azure resource")
    gguf: str = Field("", description="path of a GGUF file to serve on loopback while Strata runs (extra: local)")
    gguf_context: int = Field(8192, ge=512, description="tokens of context of the GGUF model, for each parallel call")
    gguf_threads: int = Field(0, ge=0, description="threads of the GGUF model; 0 for one per core")
    gguf_parallel: int = Field(1, ge=1, description="concurrent calls of the GGUF model")
    prices: dict[str, Price] = Field(default_factory=dict, description="dollars per million tokens, by model")
    concurrency: int = Field(16, ge=1, description="maximum concurrent calls")
    requests_per_minute: int = Field(0, ge=0, description="maximum requests per minute; 0 for no limit")
    tokens_per_minute: int = Field(0, ge=0, description="maximum tokens per minute; 0 for no limit")
    timeout: float = Field(120.0, gt=0, description="seconds to wait for one reply")
    tries: int = Field(10, ge=1, description="tries of one call before it counts as failed")
    max_wait: float = Field(
        20.0, gt=0, description="maximum seconds between tries, unless a Retry-After says otherwise"
    )
    reply_tries: int = Field(5, ge=1, description="tries to get a usable reply")
    cache: bool = Field(True, description="cache replies, so that the same request is sent once")
    record: str = Field(
        "", description="file to which every request is written with its reply, to be replayed in tests"
    )

    @property
    def configured(self) -> bool:
        """Whether a language model is configured."""
        return bool(self.model or self.models or self.base_url or self.gguf or self.api_key.get_secret_value())

    @property
    def endpoint(self) -> str:
        """The endpoint and model, for messages: "http://localhost:11434/v1, model qwen2.5:14b"."""
        where = "on this machine" if self.gguf else self.base_url or "https://api.openai.com/v1"
        return f"{where}, model {self.model_of('answer')}"

    def model_of(self, role: str) -> str:
        """Return the model for a role; a GGUF model has the name of its file."""
        if self.gguf:
            return self.gguf.replace("\\", "/").rsplit("/", 1)[-1]
        return self.models.get(role) or self.model or DEFAULT_MODEL


class EmbedSettings(SettingsSection):
    """The embedding model. A knowledge base keeps using the one that it was built with."""

    neutral: ClassVar[frozenset[str]] = frozenset(
        "path download batch concurrency base_url api_key timeout tries cache".split()
    )
    sensitive: ClassVar[Mapping[str, Sensitive]] = {
        "name": Sensitive("would have a model downloaded or code run", only=frozenset({"fastembed"}), code=True),
        "path": Sensitive("would be opened and run as a model"),
        "base_url": Sensitive(_SENT, secrets=("embed.api_key",), variables=_LENT),
        "api_key": _ACCOUNT,
    }

    name: str = Field(
        "wordllama",
        description="embedder: wordllama, e5, fastembed, openai, hashing, or a class of your own as module:Class",
    )
    model: str = Field("", description="model of fastembed's list or of the endpoint; empty for the default")
    dimension: int = Field(0, ge=0, description="length of the vectors if the model has a choice; 0 for its default")
    path: str = Field("", description="folder of a local fastembed model")
    download: bool = Field(True, description="let fastembed download a model of its list")
    batch: int = Field(64, ge=1, description="texts per call of the model or endpoint")
    concurrency: int = Field(4, ge=1, description="maximum concurrent calls of the endpoint")
    base_url: str = Field("", description="endpoint of the openai embedder; empty for the one of [llm]")
    api_key: SecretStr = Field(SecretStr(""), description="key of that endpoint; empty for the one of [llm]")
    timeout: float = Field(60.0, gt=0, description="seconds to wait for one reply of the endpoint")
    tries: int = Field(10, ge=1, description="tries of one call before it counts as failed")
    cache: bool = Field(True, description="cache vectors of slow embedders, so that a text is embedded once")

    @field_validator("name")
    @classmethod
    def _is_known(cls, name: str) -> str:
        if name not in EMBEDDERS and not names_code(name):
            raise ValueError(f"must be one of {', '.join(EMBEDDERS)}, or a class as module:Class")
        return name

    def at_endpoint_of(self, llm: LlmSettings) -> EmbedSettings:
        """Return these settings, with the endpoint and key of `llm` if they have none of their own."""
        if self.base_url or llm.gguf:
            return self
        key = self.api_key if self.api_key.get_secret_value() else llm.api_key
        return self.model_copy(update={"base_url": llm.base_url, "api_key": key})
