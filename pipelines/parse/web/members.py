"""What the files in an archive become, whichever the archive."""

from __future__ import annotations

from pathlib import PurePosixPath

from pipelines.core.document import ReferenceKind
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.parsed import Child
from pipelines.parse.web.names import safe_path


def is_clutter(name: str) -> bool:
    """Whether a member is what macOS or Windows leaves behind."""
    path = PurePosixPath(name)
    return "__MACOSX" in path.parts or path.name in (".DS_Store", "Thumbs.db") or path.name.startswith("._")


def member_name(name: str, shown: str, builder: DocumentBuilder) -> str:
    """Return the name of a member as part of an address; a remark says where it is not the archive's own."""
    safe = safe_path(name, "member")
    if safe != name:
        builder.remark(f"the member {shown!r} is called {safe!r} here")
    return safe


def append_member(name: str, data: bytes, builder: DocumentBuilder) -> None:
    """Hand a member on as a document of its own, and list it."""
    builder.child(Child(name, data, ReferenceKind.MEMBER))
    if builder.list_item(name):
        builder.reference(ReferenceKind.MEMBER, name, name)
