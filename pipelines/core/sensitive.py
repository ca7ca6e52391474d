"""Settings that reach beyond a knowledge base: what one can do, declared beside it, and which values are harmless."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipelines.core.plugin import names_code

_LOOPBACK = re.compile(r"[a-z][a-z0-9+.-]*://(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?(?:/.*)?")


@dataclass(frozen=True, slots=True)
class Sensitive:
    """What a field of a section can do; a section lists its own in `sensitive`, by name, beside `neutral`.

    Written by somebody else, such a value has to be confirmed before it counts. `does` is the end of a sentence about
    it. `only` are the values that do so, empty for every one that is not empty; with `code` those that name a class or
    function (`module:attribute`) do. Of an address `secrets` are the
    paths of the settings that are sent there, and `variables` what a client reads for it from the environment by
    itself. Of a secret `address` is the field beside it that says where it goes.
    """

    does: str
    only: frozenset[str] = frozenset()
    secrets: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    address: str = ""
    code: bool = False

    def concerns(self, value: object) -> bool:
        """Whether this value does it."""
        if self.code and names_code(value):
            return True
        return value in self.only if self.only or self.code else bool(value)


def is_loopback(address: str) -> bool:
    """Whether an address is one of this machine, beyond doubt: in its plain form, with nothing before the host."""
    return _LOOPBACK.fullmatch(address) is not None
