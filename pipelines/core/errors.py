"""All exceptions that Strata raises deliberately.

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

An error has the ids it refers to (`ids`), whether a retry can help (`retryable`), what the user can do (`hint`), and
the exit code of a command (`exit_code`, listed in the README).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from pipelines.core.outcome import Failure


class StrataError(Exception):
    """The root of all errors. `message` is one sentence without the ids."""

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
    """A setting has an invalid value or is missing."""

    exit_code = 2


class UnknownSetting(SettingsError):
    """A key in strata.toml or the environment is not a known setting."""

    def __init__(self, key: str, place: str, nearest: str = "") -> None:
        self.key, self.place, self.nearest = key, place, nearest
        hint = f"did you mean {nearest}?" if nearest else "`strata config` lists the known ones"
        super().__init__(f"unknown setting {key} in {place}", ids=(key,), hint=hint)


class MissingExtra(StrataError):
    """An optional dependency is not installed."""

    exit_code = 3

    def __init__(self, extra: str, purpose: str) -> None:
        self.extra, self.purpose = extra, purpose
        super().__init__(f"{purpose} needs the extra {extra!r}", hint=f"pip install 'strata-kb[{extra}]'")


class SourceError(StrataError):
    """The input is at fault."""

    exit_code = 4


class FolderNotFound(SourceError):
    def __init__(self, path: str) -> None:
        super().__init__(f"no such folder: {path}", ids=(path,))


class LeadsOut(SourceError):
    """A file of the folder is a link to a file outside of it."""


class SourceUnreachable(SourceError):
    """A source of documents does not answer, or answers incorrectly."""

    retryable = True


class ParseError(SourceError):
    """A file cannot be parsed."""


class Unsupported(ParseError):
    """No reader supports this type, or its package is not installed."""


class Encrypted(ParseError):
    """The file needs a password that the settings do not have."""


class Malformed(ParseError):
    """The file is damaged or does not have the type that it claims."""


class TooLarge(ParseError):
    """A limit on size, expansion, depth, cells, pages, time or memory was reached."""


class StoreError(StrataError):
    """A store failed."""

    exit_code = 5


class StoreUnavailable(StoreError):
    """A store is temporarily unavailable."""

    retryable = True


class StoreMismatch(StoreError):
    """The stored data does not match the configuration (embedding model, dimension, version), or is damaged."""


class StoreLocked(StoreError):
    """Another process is writing this knowledge base."""


class ArtifactUnreadable(StoreError):
    """An artifact is missing or damaged; only its document is affected."""


class KnowledgeBaseNotFound(StoreError):
    def __init__(self, path: str) -> None:
        super().__init__(f"no knowledge base at {path}", ids=(path,), hint="`strata ingest FOLDER` creates one")


class LanguageError(StrataError):
    """A language model failed."""

    exit_code = 6


class CallFailed(LanguageError):
    """The endpoint rejected the call or could not be reached."""


class RateLimited(CallFailed):
    """The endpoint asks to wait `retry_after` seconds, None if it does not say how long."""

    retryable = True

    def __init__(self, message: str, *, retry_after: float | None = None, ids: tuple[str, ...] = ()) -> None:
        super().__init__(message, ids=ids)
        self.retry_after = retry_after


class CallTimedOut(CallFailed):
    """No reply in time, a broken connection, or a server error (5xx)."""

    retryable = True


class ReplyUnusable(LanguageError):
    """After all retries the reply still does not have the requested form."""


class BudgetExceeded(LanguageError):
    """The limit on tokens or money for this run is reached; finished work is kept."""

    exit_code = 7


class NotFound(StrataError):
    """There is no document, node or chunk of that name."""

    exit_code = 4


class DocumentsFailed(StrataError):
    """A stage failed for some documents; `failures` has one entry for each."""

    def __init__(self, failures: tuple[Failure, ...]) -> None:
        self.failures = failures
        ids = tuple(failure.subject for failure in failures)
        super().__init__(f"{len(failures)} documents failed: {failures[0].reason}", ids=ids)
