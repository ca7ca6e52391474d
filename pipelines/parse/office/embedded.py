"""Files embedded in office documents: a worksheet in a report, a PDF on a sheet. Each becomes a document of its own."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.compound import OLE, content_of, content_of_ole1
from pipelines.parse.magic import binary_type
from pipelines.parse.office.ooxml import relationships
from pipelines.parse.office.package import Package
from pipelines.parse.parsed import Child
from pipelines.parse.registry import built_in_formats, detect

_EMBEDDED = ("package", "oleObject", "aFChunk")
"""Relationships to embedded files, and to files that Word inserts on opening (ECMA-376 1, 15.2.10, 15.2.11, 11.3.1)."""
_CHARTS = ("chart", "chartEx")
"""Relationships to charts; the workbook of a chart has the data that are read with it."""


def append_embedded(package: Package, builder: DocumentBuilder) -> None:
    """Add the files embedded in an OOXML document, in the order of the parts that contain them."""
    for part in _embedded_parts(package):
        append_file(package.find(part), PurePosixPath(part).name, builder)


def append_file(data: bytes, name: str, builder: DocumentBuilder) -> None:
    """Add an embedded file as a child document; an OLE object that holds no known file is only noted."""
    _append(content_of(data, name) if binary_type(data) == OLE else (name, data), data, name, builder)


def append_ole1(data: bytes, name: str, builder: DocumentBuilder) -> None:
    """Do the same with an object of OLE 1, as RTF has it."""
    _append(content_of_ole1(data, name), data, name, builder)


def _append(found: tuple[str, bytes] | None, data: bytes, name: str, builder: DocumentBuilder) -> None:
    if found is not None and found[1]:
        builder.child(Child(_with_suffix(*found), found[1]))
    elif data:
        builder.remark(f"the embedded object {name} is of no known kind and was not read")


def _with_suffix(name: str, data: bytes) -> str:
    """Return the name with the suffix of its content, if it has none or that of any object ("oleObject1.bin")."""
    path = PurePosixPath(name)
    if path.suffix.lower() not in ("", ".bin"):
        return name
    with tempfile.NamedTemporaryFile(prefix="strata-") as file:
        file.write(data)
        file.flush()
        media_type = detect(Path(file.name), name).media_type
    suffixes = (one.suffixes[0] for one in built_in_formats() if one.media_type == media_type and one.suffixes)
    return path.stem + next(suffixes, path.suffix)


def _embedded_parts(package: Package) -> Iterator[str]:
    links = {owner: relationships(package, owner).values() for owner in _owners(package)}
    charts = {link.target for related in links.values() for link in related if link.kind in _CHARTS}
    found = [
        link.target
        for owner, related in links.items()
        if owner not in charts
        for link in related
        if link.kind in _EMBEDDED and not link.external and link.target in package
    ]
    yield from dict.fromkeys(found)


def _owners(package: Package) -> Iterator[str]:
    """Yield the names of the parts that have relationships (Open Packaging Conventions, 9.3.4)."""
    for name in package.names():
        path = PurePosixPath(name)
        if path.suffix == ".rels" and path.parent.name == "_rels" and path.stem:
            yield str(path.parent.parent / path.stem)
