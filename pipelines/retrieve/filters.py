"""Filters of a question: `resolve_filter` checks and completes the user's input, `chunk_mask` applies it to chunks."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from difflib import get_close_matches

import numpy as np
from numpy.typing import NDArray

from pipelines.core.errors import NotFound, SettingsError
from pipelines.core.ids import called, normalize
from pipelines.retrieve.index import Index
from pipelines.retrieve.sparse_rows import Weights
from pipelines.store.catalog import Entry
from pipelines.store.vector import Filter

DATE_FORM = "2024, 2024-05 or 2024-05-31"
_DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T\d\d(?::\d\d){1,2}\S{0,7})?)?)?", re.ASCII)
_SHOWN = 8
"""Maximum names listed in a hint."""


def check_dates(where: Filter) -> None:
    """Raise `SettingsError` if a date is invalid or `until` is before `since`."""
    for name, given in (("since", where.since), ("until", where.until)):
        if given and not _is_valid_date(given):
            raise SettingsError(f"{name}: {given!r} is not a date", ids=(given,), hint=f"write it as {DATE_FORM}")
    if where.since and where.until and where.until + "~" < where.since:
        raise SettingsError(f"until {where.until} is before since {where.since}", hint="no document can match both")


def resolve_filter(where: Filter, index: Index, entries: Sequence[Entry]) -> Filter:
    """Return the filter with names in the spelling of the knowledge base; `entries` are those of its catalog.

    Raises `NotFound`, with similar names as a hint, for a document, folder, type, tag or page that the knowledge base
    does not have, and `SettingsError` for an invalid date.
    """
    check_dates(where)
    uris = [entry.uri for entry in entries] or list(index.uris)
    where = replace(
        where,
        documents=tuple(_resolved_name(name, uris) for name in where.documents),
        folders=tuple(
            _resolved_name(_plain_folder(name) + "/", (f"{one}/" for one in _folders(uris)))[:-1]
            for name in where.folders
        ),
    )
    _refuse_unreadable(where.documents, entries)
    _refuse_unknown("document", where.documents, [*index.uris, *index.documents], index.uris)
    _refuse_unknown("folder", [folder for folder in where.folders if folder], _folders(index.uris))
    _refuse_types(where.media_types, index)
    spelled = {normalize(tag) for tags in (index.tag_names, *index.tag_spellings) for tag in tags}
    _refuse_unknown("tag", [tag for tag in where.tags if normalize(tag) not in spelled], index.tag_names)
    _refuse_pages(where, index, {entry.document: entry.counts.get("pages", 0) for entry in entries})
    return replace(where, folders=tuple(folder for folder in where.folders if folder))


def with_tag_spellings(where: Filter, index: Index) -> Filter:
    """Return the filter with all spellings of its tags, since each document has its own spelling."""
    if not where.tags:
        return where
    wanted = {normalize(tag) for tag in where.tags}
    same = (each for each in index.tag_spellings if not wanted.isdisjoint(map(normalize, each)))
    return replace(where, tags=tuple(sorted({*where.tags, *(spelling for each in same for spelling in each)})))


def chunk_mask(where: Filter, index: Index) -> Weights | None:
    """Return 1 for each chunk that passes the filter, else 0; None for an empty filter."""
    if where == Filter():
        return None
    documents = np.array([_lets_through(where, number, index) for number in range(len(index.documents))], dtype=bool)
    chunks = documents[index.document_of]
    if where.pages:
        chunks &= np.isin(index.pages, where.pages)
    if where.tags:
        chunks &= _has_tag(where, index)
    return chunks.astype(np.float32)


def _lets_through(where: Filter, document: int, index: Index) -> bool:
    uri, dated = index.uris[document], index.dates[document]
    return (
        (not where.documents or uri in where.documents or index.documents[document] in where.documents)
        and (not where.folders or uri.startswith(tuple(folder.rstrip("/") + "/" for folder in where.folders)))
        and (not where.media_types or index.media_types[document] in where.media_types)
        and (not where.since or dated >= where.since)
        and (not where.until or (dated != "" and dated <= where.until + "~"))
    )


def _has_tag(where: Filter, index: Index) -> NDArray[np.bool_]:
    wanted = np.array([number for number, name in enumerate(index.tag_names) if name in where.tags], dtype=np.int32)
    found = np.zeros(index.size, dtype=bool)
    _, places = index.tag_chunks.gather(wanted)
    found[index.tag_chunks.columns[places]] = True
    return found


def describe_filter(where: Filter) -> str:
    """Return a filter as text: "document a.pdf; page 3; since 2024"."""
    parts = (
        ("document", where.documents), ("folder", where.folders), ("type", where.media_types), ("tag", where.tags),
        ("page", tuple(map(str, where.pages))), ("since", (where.since,)), ("until", (where.until,)),
    )  # fmt: skip
    return "; ".join(f"{name} {' or '.join(filter(None, given))}" for name, given in parts if any(given))


def _refuse_unreadable(documents: Collection[str], entries: Sequence[Entry]) -> None:
    """Raise `NotFound` for a file that could not be indexed, with the reason."""
    reasons = {entry.uri: f"{entry.status.value}: {entry.reason}" for entry in entries if not entry.status.searchable}
    for name in documents:
        if name in reasons:
            raise NotFound(f"nothing of {name} can be found ({reasons[name]})", ids=(name,), hint="`strata status`")


def _refuse_unknown(what: str, wanted: Collection[str], all_of_them: Iterable[str], shown: Iterable[str] = ()) -> None:
    there = set(all_of_them)
    for name in wanted:
        if name not in there:
            raise NotFound(f"no {what} {name}", ids=(name,), hint=_nearest(name, sorted(set(shown) or there)))


_TYPES = {"md": "text/markdown", "eml": "message/rfc822", "epub": "application/epub+zip", "txt": "text/plain"}
"""File suffixes that `mimetypes` does not know on every machine."""


def media_type_of(name: str) -> str:
    """Return the media type of a file suffix ("pdf", ".docx"); any other text unchanged."""
    if "/" in name:
        return name
    ending = name.lower().lstrip(".")
    return _TYPES.get(ending) or mimetypes.guess_type(f"a.{ending}")[0] or name


def _refuse_types(wanted: Collection[str], index: Index) -> None:
    """Raise `NotFound` for media types that no document has; the hint lists suffixes or media types, as given."""
    endings = sorted({uri.rsplit("/", 1)[-1].rpartition(".")[2] for uri in index.uris if "." in uri})
    for name in wanted:
        if name not in index.media_types:
            shown = endings if "/" not in name else sorted(set(index.media_types))
            raise NotFound(f"no document of the type {name}", ids=(name,), hint=_nearest(name, shown))


def _nearest(name: str, there: Collection[str]) -> str:
    """Return a hint with the names similar to `name`, or to its last path component, else with the first names."""
    by_last: dict[str, list[str]] = {}
    for one in there:
        by_last.setdefault(one.rsplit("/", 1)[-1].casefold(), []).append(one)
    folded = {one.casefold(): one for one in there}
    near = [folded[one] for one in get_close_matches(name.casefold(), folded, n=3)]
    last = get_close_matches(name.rsplit("/", 1)[-1].casefold(), by_last, n=3)
    near += [one for match in last for one in by_last[match]]
    if near:
        return f"did you mean {' or '.join(list(dict.fromkeys(near))[:3])}?"
    listed = ", ".join(list(there)[:_SHOWN])
    return f"there are: {listed}{', ...' if len(there) > _SHOWN else ''}" if there else "there is none"


def _refuse_pages(where: Filter, index: Index, pages: Mapping[str, int]) -> None:
    """Raise `NotFound` for pages beyond those of the documents in the filter, if the page counts of all are known."""
    meant = [id for id, uri in zip(index.documents, index.uris, strict=True) if _is_meant(where, id, uri)]
    if not where.pages or any(id not in pages for id in meant):
        return
    last = max((pages[id] for id in meant), default=0)
    for page in where.pages:
        if not 1 <= page <= last:
            which = ", ".join(where.documents) or "the documents"
            raise NotFound(f"no page {page}", ids=(str(page),), hint=f"{which}: {_page_range(last)}")


def _page_range(pages: int) -> str:
    return "no pages" if not pages else "1 page" if pages == 1 else f"pages 1 to {pages}"


def _is_meant(where: Filter, id: str, uri: str) -> bool:
    in_folder = not where.folders or any(not folder or uri.startswith(folder + "/") for folder in where.folders)
    return in_folder and (not where.documents or id in where.documents or uri in where.documents)


def _resolved_name(name: str, names: Iterable[str]) -> str:
    """Return the only URI that `name` can mean, else `name` itself."""
    meant = called(name, names)
    return meant[0] if len(meant) == 1 else name


def _folders(uris: Iterable[str]) -> set[str]:
    parts = (uri.split("/")[:-1] for uri in uris)
    return {"/".join(path[:depth]) for path in parts for depth in range(1, len(path) + 1)}


def _plain_folder(folder: str) -> str:
    plain = folder.strip("/").removeprefix("./").strip("/")
    return "" if plain == "." else plain


def _is_valid_date(text: str) -> bool:
    match = _DATE.fullmatch(text)
    if match is None:
        return False
    year, month, day = (int(part or 1) for part in match.groups())
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True
