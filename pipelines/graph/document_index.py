"""The document index: finds the documents of a knowledge base that a reference names."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote

from pipelines.core.document import ReferenceKind
from pipelines.core.ids import INSIDE
from pipelines.core.outcome import each
from pipelines.graph.document_names import DocumentName, fold_name, names_of, number_key, revision_order
from pipelines.graph.document_profile import DocumentProfile, ProfileReference, SectionIndex
from pipelines.lang.terms import terms
from pipelines.lang.word_lists import any_of, languages_with_words

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_NOWHERE = ("mailto:", "tel:", "javascript:", "data:", "sms:", "about:")
_NO_FILE = "no such file in the folder"
_INDEXES = ("index.html", "index.htm", "index.md", "README.md", "readme.md")
_POINTS = re.compile(
    rf"{any_of('see', 'section', 'appendix', languages=languages_with_words(spaced=True))}|[《§第]"
    rf"|{any_of('see', languages=languages_with_words(spaced=False))}",
    re.IGNORECASE,
)
_PARTIAL_MOST = 500
"""If more titles share the rarest word of a name, it is not searched for in titles, which bounds the time."""
_NAMED, _NUMBERED, _BEGINS, _TITLED = "name ", "number ", "letters ", "word "
_AT, _FILED, _SENT = "path ", "file ", "message "
"""Beginnings of marks."""
_PATHS_KEPT = 1 << 14
"""Cached path look-ups, about 2 MB: the pages of a site link to the same paths."""
_PARTIAL_LEAST = 8
"""Minimum letters of a part of a title that counts as a name: shorter ones ("pump") are common words."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """The target of a reference.

    `documents` has several ids if the reference is ambiguous. `how` names the rule that found them; `reason` says why
    nothing was found. `anchor` is the fragment of the address, without "#". A reference with neither documents nor a
    reason does not point at another document: a mail address, or a place in the same document.
    """

    documents: tuple[str, ...] = ()
    how: str = ""
    anchor: str = ""
    reason: str = ""


def points_at_document(evidence: str) -> bool:
    """Whether a text explicitly refers to a document: "see ...", "section 4 of ...", 《...》."""
    return _POINTS.search(evidence) is not None


class DocumentIndex:
    """The document profiles of a knowledge base, with look-ups in constant time.

    `marks` has, by document, the keys under which it can be found, as text; `asked` collects those that were looked up,
    found or not. What was looked up is thus known to stay the same while no document with such a mark comes or goes.

    Everything that is derived from a profile is computed by the constructor, so that an error is recorded for the
    profile's own document and not for one that refers to it. Raises `DocumentsFailed`.
    """

    def __init__(self, profiles: Iterable[DocumentProfile]) -> None:
        self.profiles = {profile.document: profile for profile in profiles}
        self.names: dict[str, list[tuple[str, DocumentName]]] = {}
        self.marks: dict[str, frozenset[str]] = {}
        self.asked: set[str] = set()
        self._paths: dict[str, str] = {}
        self._files: dict[str, list[str]] = {}
        self._stems: dict[str, list[str]] = {}
        self._numbers: dict[str, list[str]] = {}
        self._messages: dict[str, str] = {}
        self._titles: dict[str, set[str]] = {}
        self._folded: dict[str, str] = {}
        self._orders: dict[str, tuple[int, ...]] = {}
        self._sections: dict[str, SectionIndex] = {}
        self._at = lru_cache(_PATHS_KEPT)(self._document_at)
        each("names", self.profiles.values(), lambda profile: profile.document, self._add)
        self._prefixes = {_letters(key) for key in self._numbers} - {""}

    def _add(self, profile: DocumentProfile) -> None:
        self._folded[profile.document] = fold_name(profile.title)
        self._orders[profile.document] = revision_order(profile.revision)
        self._sections[profile.document] = SectionIndex(profile.sections)
        names = names_of(profile.title, profile.numbers, profile.file_name)
        for name in names:
            self.names.setdefault(name.folded, []).append((profile.document, name))
        path, stem = _path_key(profile.uri), _path_key(posixpath.splitext(profile.uri)[0])
        file, numbers = _path_key(profile.file_name), {number_key(number) for number in profile.numbers}
        words = _title_words(profile.title)
        self._paths[path] = profile.document
        self._files.setdefault(file, []).append(profile.document)
        self._stems.setdefault(stem, []).append(profile.document)
        for key in numbers:
            self._numbers.setdefault(key, []).append(profile.document)
        for word in words:
            self._titles.setdefault(word, set()).add(profile.document)
        if profile.message_id:
            self._messages[profile.message_id] = profile.document
        self.marks[profile.document] = frozenset(
            (
                *(_NAMED + name.folded for name in names),
                *(_AT + place for place in (path, stem, posixpath.dirname(path))),
                *(_NUMBERED + key for key in numbers),
                *(_BEGINS + _letters(key) for key in numbers),
                *(_TITLED + word for word in words),
                _FILED + file,
                _SENT + profile.message_id,
            )
        )

    def named(self, folded: str) -> list[tuple[str, DocumentName]]:
        """Return the documents with a folded name, and the name of each."""
        self.asked.add(_NAMED + folded)
        return self.names.get(folded, [])

    def marks_of_names(self, folded: Iterable[str]) -> Iterator[str]:
        """Yield the marks that looking up these names leaves in `asked`."""
        return (_NAMED + name for name in folded)

    def begins_number(self, letters: str) -> bool:
        """Whether the number of a document begins with these letters."""
        self.asked.add(_BEGINS + letters)
        return letters in self._prefixes

    def _with_path(self, path: str) -> str | None:
        key = _path_key(path)
        self.asked.add(_AT + key)
        return self._paths.get(key)

    def _with_file_name(self, name: str) -> list[str]:
        key = _path_key(name)
        self.asked.add(_FILED + key)
        return self._files.get(key, [])

    def _with_number(self, number: str) -> list[str]:
        key = number_key(number)
        self.asked.add(_NUMBERED + key)
        return self._numbers.get(key, [])

    def resolve(self, reference: ProfileReference, source: DocumentProfile) -> Resolution:
        """Return the target of a `reference` found in the document `source`."""
        target = reference.target.strip()
        if reference.kind is ReferenceKind.REPLY:
            return self._message(target)
        if reference.kind in (ReferenceKind.ATTACHMENT, ReferenceKind.MEMBER):
            return self._part(target, source)
        if reference.kind is ReferenceKind.HYPERLINK or urlsplit_scheme(target):
            return self._address(target, source)
        return self.by_name(target, source, bool(reference.section) or points_at_document(reference.evidence))

    def _message(self, target: str) -> Resolution:
        for id in target.replace(",", " ").split():
            self.asked.add(_SENT + id.strip("<>"))
            if document := self._messages.get(id.strip("<>")):
                return Resolution((document,), "message id")
        return Resolution(reason="no such message here")

    def _part(self, target: str, source: DocumentProfile) -> Resolution:
        found = self._with_path(source.uri + INSIDE + target) or self._adjacent(target, source)
        return Resolution((found,), "part") if found else Resolution(reason="this part is not in the knowledge base")

    def _adjacent(self, target: str, source: DocumentProfile) -> str | None:
        """Return the document with this file name in the same container, or in the same folder."""
        holder = source.uri.rpartition(INSIDE)[0]
        places = [holder + INSIDE + target] if holder else []
        places.append(posixpath.join(posixpath.dirname(source.uri), target))
        return next((found for place in places if (found := self._with_path(place))), None)

    def _address(self, target: str, source: DocumentProfile) -> Resolution:
        if not target or target.startswith("#") or target.lower().startswith(_NOWHERE):
            return Resolution()
        scheme = urlsplit_scheme(target)
        if scheme and scheme != "file":
            return self._remote(target)
        path, _, anchor = target.replace("\\", "/").partition("#")
        path = unquote(re.sub(r"^file:/{0,3}", "/", path).partition("?")[0])
        anchor = unquote(anchor)
        if not path:
            return Resolution()
        if found := self._path(path, source):
            return Resolution((found,), "path", anchor)
        documents = self._with_file_name(posixpath.basename(path))
        if documents:
            return Resolution(self.nearest(documents, source), "file name", anchor)
        documents = self._with_number(path)
        return self._other(documents, source, "number") if documents else Resolution(reason=_NO_FILE, anchor=anchor)

    def _remote(self, target: str) -> Resolution:
        """Resolve a web address to the only document with its file name."""
        path, anchor = _path_and_anchor(target)
        name = posixpath.basename(unquote(path))
        documents = self._with_file_name(name) if "." in name else []
        if len(documents) == 1 and not re.match(r"(index|readme|default)\.", name, re.IGNORECASE):
            return Resolution(tuple(documents), "file name", anchor)
        return Resolution(reason="outside the folder")

    def _path(self, path: str, source: DocumentProfile) -> str | None:
        holder, inner, place = source.uri.rpartition(INSIDE)
        if path.startswith("/"):
            candidates = [path.lstrip("/")]
        else:
            joined = posixpath.normpath(posixpath.join(posixpath.dirname(place), path))
            candidates = [holder + inner + joined]
            if holder:
                candidates.append(posixpath.normpath(posixpath.join(posixpath.dirname(holder), path)))
        for candidate in candidates:
            self.asked.add(_AT + _path_key(candidate).rstrip("/"))  # also the mark of what `_at` finds below it
            if found := self._at(candidate):
                return found
        return None

    def _document_at(self, path: str) -> str | None:
        for candidate in (path, *(posixpath.join(path, index) for index in _INDEXES)):
            if found := self._paths.get(_path_key(candidate)):
                return found
        stems = self._stems.get(_path_key(path), [])
        return stems[0] if len(stems) == 1 else None

    def by_name(self, target: str, source: DocumentProfile, explicit: bool = True) -> Resolution:
        """Return the documents with the number, file name, title or path `target`.

        If the text is `explicit` about referring to a document, a part of a title is enough, if only one has it.
        """
        folded = fold_name(target)
        if documents := self._with_number(target):
            return self._other(documents, source, "number")
        if named := self.named(folded):
            return self._other([document for document, _ in named], source, named[0][1].kind.value)
        if ("/" in target or "." in target) and (found := self._path(unquote(target), source)):
            return Resolution((found,), "path")
        if explicit and (documents := self._by_part(folded)):
            near = self.nearest(documents, source)
            if len(near) == 1:
                return Resolution(near, "part of the title")
        return Resolution(reason="no document of this name")

    def _other(self, documents: Sequence[str], source: DocumentProfile, how: str) -> Resolution:
        """Return the nearest of these documents, or nothing if the source is among them: it refers to itself."""
        return Resolution() if source.document in documents else Resolution(self.nearest(documents, source), how)

    def _by_part(self, folded: str) -> list[str]:
        if len(folded) < _PARTIAL_LEAST and folded.isascii():
            return []
        words = _title_words(folded)
        self.asked.update(_TITLED + word for word in words)
        rarest = min((self._titles.get(word, set()) for word in words), key=len, default=set())
        if len(rarest) > _PARTIAL_MOST:
            return []
        return sorted(document for document in rarest if _is_part(folded, self._folded[document]))

    def section(self, document: str, part: str) -> str:
        """Return the id of the section of a document that `part` names, or ""; see `SectionIndex`."""
        return self._sections[document].find(part)

    def nearest(self, documents: Sequence[str], source: DocumentProfile) -> tuple[str, ...]:
        """Return the documents that `source` most likely means, never itself.

        For copies this is the first by URI, for revisions of one document the latest, else those with the most folders
        in common with `source`.
        """
        profiles = [self.profiles[document] for document in dict.fromkeys(documents) if document != source.document]
        if len(profiles) < 2:
            return tuple(profile.document for profile in profiles)
        if len({profile.digest for profile in profiles}) == 1:
            return (min(profiles, key=lambda profile: profile.uri).document,)
        if len({number for profile in profiles for number in profile.numbers[:1]}) <= 1 and all(
            profile.revision for profile in profiles
        ):
            return (max(profiles, key=lambda profile: (self._orders[profile.document], profile.uri)).document,)
        shared = {profile.document: _shared_folders(profile.uri, source.uri) for profile in profiles}
        most = max(shared.values())
        return tuple(
            profile.document for profile in sorted(profiles, key=lambda c: c.uri) if shared[profile.document] == most
        )


def urlsplit_scheme(target: str) -> str:
    """Return the scheme of an address, or "" for a path; "C:\\x" is a path, "www.x.org" an address."""
    if _DRIVE.match(target):
        return ""
    match = re.match(r"([A-Za-z][A-Za-z0-9+.-]{1,15}):(?!\s)(?://|[^/])", target)
    if match and "//" in target[: match.end() + 2]:
        return match.group(1).lower()
    return "http" if target.lower().startswith("www.") else ""


def _path_and_anchor(address: str) -> tuple[str, str]:
    """Return the path and the fragment of an address. Unlike `urlsplit`, this never raises."""
    place, _, anchor = address.partition("#")
    scheme, mark, behind = place.partition("?")[0].partition("://")
    return (behind.partition("/")[2] if mark else scheme), anchor


def _is_part(name: str, title: str) -> bool:
    """Whether a title contains a name; a Latin name must match whole words."""
    at = title.find(name)
    while at >= 0:
        if not name.isascii() or not (_is_letter(title[at - 1 : at]) or _is_letter(title[at + len(name) :][:1])):
            return True
        at = title.find(name, at + 1)
    return False


def _is_letter(character: str) -> bool:
    return character.isalnum() or character == "_"


def _title_words(text: str) -> set[str]:
    return set(terms(text, stop=False))


def _path_key(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()


def _shared_folders(one: str, two: str) -> int:
    count = 0
    for a, b in zip(one.split("/")[:-1], two.split("/")[:-1], strict=False):
        if a != b:
            break
        count += 1
    return count


def _letters(key: str) -> str:
    match = re.match(r"[^\W\d]+", key)
    return match.group() if match else ""
