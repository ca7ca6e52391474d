"""Every error that Strata raises on purpose.

    StrataError
      SettingsError
        UnknownSetting
      MissingExtra
      SourceError
        FolderNotFound
        LeadsOut
        SourceUnreachable
        ParseError
          Unsupported
          Encrypted
          Malformed
          TooLarge
      StoreError
        StoreUnavailable
        StoreMismatch
        StoreLocked
        ArtifactUnreadable
        KnowledgeBaseNotFound
      LanguageError
        CallFailed
          RateLimited
          CallTimedOut
        ReplyUnusable
        BudgetExceeded
      NotFound
      DocumentsFailed

An error carries the ids it is about (`ids`), says whether trying again can help (`retryable`), what the user can do
(`hint`) and with which code a command ends (`exit_code`, listed in the README).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from pipelines.core.outcome import Failure


class StrataError(Exception):
    """The root. `message` is one sentence without the ids."""

    retryable: ClassVar[bool] = False
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, ids: tuple[str, ...] = (), hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.ids = ids
        self.hint = hint

    def __reduce__(self) -> tuple[object, ...]:
        return _revive, (type(self), self.message, self.ids, self.hint, dict(self.__dict__))


def _revive(
    cls: type[StrataError], message: str, ids: tuple[str, ...], hint: str, state: dict[str, object]
) -> StrataError:
    error = cls.__new__(cls)
    StrataError.__init__(error, message, ids=ids, hint=hint)
    error.__dict__.update(state)
    return error


class SettingsError(StrataError):
    """A setting has a value that it cannot have, or is missing."""

    exit_code = 2


class UnknownSetting(SettingsError):
    """A key in strata.toml or the environment that no setting has."""

    def __init__(self, key: str, place: str, nearest: str = "") -> None:
        self.key, self.place, self.nearest = key, place, nearest
        hint = f"did you mean {nearest}?" if nearest else "`strata config` lists the known ones"
        super().__init__(f"unknown setting {key} in {place}", ids=(key,), hint=hint)


class MissingExtra(StrataError):
    """An optional part is not installed."""

    exit_code = 3

    def __init__(self, extra: str, purpose: str) -> None:
        self.extra, self.purpose = extra, purpose
        super().__init__(f"{purpose} needs the extra {extra!r}", hint=f"pip install 'strata-kb[{extra}]'")


class SourceError(StrataError):
    """Something about the input."""

    exit_code = 4


class FolderNotFound(SourceError):
    def __init__(self, path: str) -> None:
        super().__init__(f"no such folder: {path}", ids=(path,))


class LeadsOut(SourceError):
    """A file of the folder turned out to be a link to one outside of it."""


class SourceUnreachable(SourceError):
    """A place that documents are fetched from does not answer, or not as it should."""

    retryable = True


class ParseError(SourceError):
    """A file cannot be turned into a document."""


class Unsupported(ParseError):
    """No engine reads this type, or one that does is not installed."""


class Encrypted(ParseError):
    """The file needs a password that the settings do not have."""


class Malformed(ParseError):
    """The file is broken, or is not what it says it is."""


class TooLarge(ParseError):
    """A limit of size, expansion, depth, cells, pages, time or memory was reached."""


class StoreError(StrataError):
    """A store refused or broke off."""

    exit_code = 5


class StoreUnavailable(StoreError):
    """A store does not answer at present."""

    retryable = True


class StoreMismatch(StoreError):
    """What is stored was made by other means than those configured (embedding model, dimension, version)."""


class StoreLocked(StoreError):
    """Another process is writing this knowledge base."""


class ArtifactUnreadable(StoreError):
    """One artifact is missing or damaged; only its own document is affected."""


class KnowledgeBaseNotFound(StoreError):
    def __init__(self, path: str) -> None:
        super().__init__(f"no knowledge base at {path}", ids=(path,), hint="`strata ingest FOLDER` makes one")


class LanguageError(StrataError):
    """A language model did not do its work."""

    exit_code = 6


class CallFailed(LanguageError):
    """The endpoint refused the call or could not be reached."""


class RateLimited(CallFailed):
    """The endpoint asks to wait; `retry_after` in seconds, None where it does not say how long."""

    retryable = True

    def __init__(self, message: str, *, retry_after: float | None = None, ids: tuple[str, ...] = ()) -> None:
        super().__init__(message, ids=ids)
        self.retry_after = retry_after


class CallTimedOut(CallFailed):
    """No reply in time, a cut connection, or a fault of the endpoint's own (5xx)."""

    retryable = True


class ReplyUnusable(LanguageError):
    """After all tries the reply is still not what was asked for."""


class BudgetExceeded(LanguageError):
    """The limit of tokens or money set for this run is reached; what is done is kept."""

    exit_code = 7


class NotFound(StrataError):
    """No document, node or chunk of that name."""

    exit_code = 4


class DocumentsFailed(StrataError):
    """A stage failed at these documents, and at no other; `failures` have one for each."""

    def __init__(self, failures: tuple[Failure, ...]) -> None:
        self.failures = failures
        ids = tuple(failure.subject for failure in failures)
        super().__init__(f"{len(failures)} documents failed: {failures[0].reason}", ids=ids)
