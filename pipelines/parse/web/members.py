"""What the files in an archive become, whichever the archive."""

from __future__ import annotations

from pathlib import PurePosixPath

from pipelines.core.document import ReferenceKind
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.parsed import Child


def is_clutter(name: str) -> bool:
    """Whether a member is what macOS or Windows leaves behind."""
    path = PurePosixPath(name)
    return "__MACOSX" in path.parts or path.name in (".DS_Store", "Thumbs.db") or path.name.startswith("._")


def append_member(name: str, data: bytes, builder: DocumentBuilder) -> None:
    """Hand a member on as a document of its own, and list it."""
    called = builder.child(Child(name, data, ReferenceKind.MEMBER), "member")
    if builder.list_item(called):
        builder.reference(ReferenceKind.MEMBER, called, called)
