"""Fields of Word: links and cross-references that are written as instructions (ECMA-376 1, 17.16)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pipelines.core.document import ReferenceKind

_WORD = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)')
_CROSS = frozenset({"REF", "NOTEREF"})


@dataclass(slots=True)
class Field:
    """A field being read: its instruction, and its result as shown; `collecting` until the result begins."""

    instruction: list[str]
    collecting: bool = False
    result: list[str] = field(default_factory=list)


def link_of(field: Field) -> tuple[ReferenceKind, str, str] | None:
    """Return kind, target and evidence of the reference that a field makes, None for fields of other kinds."""
    words = [quoted.replace("\\\\", "\\") or plain for quoted, plain in _WORD.findall("".join(field.instruction))]
    evidence = "".join(field.result).strip()
    if not words or not evidence:
        return None
    name = words[0].upper()
    if name == "HYPERLINK":
        return _hyperlink(words[1:], evidence)
    return (ReferenceKind.CROSS_REFERENCE, evidence, evidence) if name in _CROSS else None


def _hyperlink(words: list[str], evidence: str) -> tuple[ReferenceKind, str, str] | None:
    anchor = words[words.index("\\l") + 1] if "\\l" in words[:-1] else ""
    if words and not words[0].startswith("\\"):
        return ReferenceKind.HYPERLINK, f"{words[0]}#{anchor}" if anchor else words[0], evidence
    return (ReferenceKind.CROSS_REFERENCE, evidence, evidence) if anchor else None
