"""What a question may be confined to: names that the knowledge base has, and dates that are dates."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from difflib import get_close_matches

from pipelines.core.errors import NotFound, SettingsError
from pipelines.core.ids import normalize
from pipelines.core.uris import called
from pipelines.retrieve.index import Atlas
from pipelines.store.catalog import Entry
from pipelines.store.vector import Filter

DATE_FORM = "2024, 2024-05 or 2024-05-31"
_DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T\d\d(?::\d\d){1,2}\S{0,7})?)?)?", re.ASCII)
_SHOWN = 8
"""Names that a hint lists at most."""


def dated(where: Filter) -> None:
    """Raise `SettingsError` where a limit is no date, or the last day comes before the first."""
    for name, given in (("since", where.since), ("until", where.until)):
        if given and not _is_date(given):
            raise SettingsError(f"{name}: {given!r} is not a date", ids=(given,), hint=f"write it as {DATE_FORM}")
    if where.since and where.until and where.until + "~" < where.since:
        raise SettingsError(
            f"until {where.until} is before since {where.since}", hint="a document would have to be both"
        )


def known(where: Filter, atlas: Atlas, entries: Sequence[Entry]) -> Filter:
    """Return the filter with names as the knowledge base writes them; `entries` are those of its catalog.

    Raises `NotFound`, with the names that come near, for a document, folder, type, tag or page that the knowledge base
    has not, and `SettingsError` for what is no date.
    """
    dated(where)
    uris = [entry.uri for entry in entries] or list(atlas.uris)
    where = replace(
        where,
        documents=tuple(_written(name, uris) for name in where.documents),
        folders=tuple(
            _written(_plain(name) + "/", (f"{one}/" for one in _folders(uris)))[:-1] for name in where.folders
        ),
    )
    _unreadable(where.documents, entries)
    _among("document", where.documents, [*atlas.uris, *atlas.documents], atlas.uris)
    _among("folder", [folder for folder in where.folders if folder], _folders(atlas.uris))
    _types(where.media_types, atlas)
    spelled = {normalize(tag) for tags in (atlas.tag_names, *atlas.tag_spellings) for tag in tags}
    _among("tag", [tag for tag in where.tags if normalize(tag) not in spelled], atlas.tag_names)
    _pages(where, atlas, {entry.document: entry.counts.get("pages", 0) for entry in entries})
    return replace(where, folders=tuple(folder for folder in where.folders if folder))


def told(where: Filter) -> str:
    """Return the parts of a filter as one reads them: "document a.pdf; page 3; since 2024"."""
    parts = (
        ("document", where.documents), ("folder", where.folders), ("type", where.media_types), ("tag", where.tags),
        ("page", tuple(map(str, where.pages))), ("since", (where.since,)), ("until", (where.until,)),
    )  # fmt: skip
    return "; ".join(f"{name} {' or '.join(filter(None, given))}" for name, given in parts if any(given))


def _unreadable(documents: Collection[str], entries: Sequence[Entry]) -> None:
    """Refuse a file that is there and could not be made a document, with the reason why."""
    reasons = {entry.uri: f"{entry.status.value}: {entry.reason}" for entry in entries if not entry.status.searchable}
    for name in documents:
        if name in reasons:
            raise NotFound(f"nothing of {name} can be found ({reasons[name]})", ids=(name,), hint="`strata status`")


def _among(what: str, wanted: Collection[str], all_of_them: Iterable[str], shown: Iterable[str] = ()) -> None:
    there = set(all_of_them)
    for name in wanted:
        if name not in there:
            raise NotFound(f"no {what} {name}", ids=(name,), hint=_nearest(name, sorted(set(shown) or there)))


def _types(wanted: Collection[str], atlas: Atlas) -> None:
    """Refuse types that no document has; those there are told by their endings, as one knows them."""
    endings = sorted({uri.rsplit("/", 1)[-1].rpartition(".")[2] for uri in atlas.uris if "." in uri})
    for name in wanted:
        if name not in atlas.media_types:
            shown = endings if "/" not in name else sorted(set(atlas.media_types))
            raise NotFound(f"no document of the type {name}", ids=(name,), hint=_nearest(name, shown))


def _nearest(name: str, there: Collection[str]) -> str:
    """The names that come near, by themselves or by their last part; where there are few, all of them."""
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


def _pages(where: Filter, atlas: Atlas, pages: Mapping[str, int]) -> None:
    """Refuse pages that none of the documents meant has; a document that the catalog does not count may have any."""
    meant = [id for id, uri in zip(atlas.documents, atlas.uris, strict=True) if _meant(where, id, uri)]
    if not where.pages or any(id not in pages for id in meant):
        return
    last = max((pages[id] for id in meant), default=0)
    for page in where.pages:
        if not 1 <= page <= last:
            which = ", ".join(where.documents) or "the documents"
            raise NotFound(f"no page {page}", ids=(str(page),), hint=f"{which}: {_counted(last)}")


def _counted(pages: int) -> str:
    return "no pages" if not pages else "1 page" if pages == 1 else f"pages 1 to {pages}"


def _meant(where: Filter, id: str, uri: str) -> bool:
    in_folder = not where.folders or any(not folder or uri.startswith(folder + "/") for folder in where.folders)
    return in_folder and (not where.documents or id in where.documents or uri in where.documents)


def _written(name: str, names: Iterable[str]) -> str:
    """The one that is called or shown so; a name that is none, or could be several, as it is."""
    meant = called(name, names)
    return meant[0] if len(meant) == 1 else name


def _folders(uris: Iterable[str]) -> set[str]:
    parts = (uri.split("/")[:-1] for uri in uris)
    return {"/".join(path[:depth]) for path in parts for depth in range(1, len(path) + 1)}


def _plain(folder: str) -> str:
    plain = folder.strip("/").removeprefix("./").strip("/")
    return "" if plain == "." else plain


def _is_date(text: str) -> bool:
    match = _DATE.fullmatch(text)
    if match is None:
        return False
    year, month, day = (int(part or 1) for part in match.groups())
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True
