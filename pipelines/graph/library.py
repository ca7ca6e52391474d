"""All documents by what they can be called: where a reference is looked up."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from pipelines.core.document import ReferenceKind
from pipelines.core.failures import each
from pipelines.graph.card import CardReference, DocumentCard
from pipelines.graph.names import Name, fold_name, names_of, number_key
from pipelines.graph.numbers import revision_order
from pipelines.graph.sections import Sections
from pipelines.lang.terms import terms

_INNER = "!/"
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_NOWHERE = ("mailto:", "tel:", "javascript:", "data:", "sms:", "about:")
_INDEXES = ("index.html", "index.htm", "index.md", "README.md", "readme.md")
_POINTS = re.compile(
    r"\b(?:see|refer|consult|according|accordance|described|specified|defined|as per|section|clause|chapter|annex"
    r"|siehe|gemäß|laut|vgl)\b|[《参见详根据依按照§第]",
    re.IGNORECASE,
)
_PARTIAL_MOST = 500
"""Titles with the rarest word of what is asked for, beyond which that is no name: the time stays linear."""
_PARTIAL_LEAST = 8
"""Letters below which part of a title names nothing."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """Where a reference leads: documents (several where it cannot be told which), by what it was found, or why not.

    `anchor` is what the address has behind its "#". With neither documents nor a reason it is none of our concern (a
    mail address, a place in the same document).
    """

    documents: tuple[str, ...] = ()
    how: str = ""
    anchor: str = ""
    reason: str = ""


def points(evidence: str) -> bool:
    """Whether a text points at a document ("see ...", "section 4 of ...", 《...》) and not merely names something."""
    return _POINTS.search(evidence) is not None


class Library:
    """The cards of a knowledge base, indexed: a look-up takes the same time however many there are.

    What is made of a card is made here, once: so it is its own document that fails where that cannot be done, and not
    one that refers to it. Raises `DocumentsFailed`.
    """

    def __init__(self, cards: Iterable[DocumentCard]) -> None:
        self.cards = {card.document: card for card in cards}
        self.names: dict[str, list[tuple[str, Name]]] = {}
        self._paths: dict[str, str] = {}
        self._files: dict[str, list[str]] = {}
        self._stems: dict[str, list[str]] = {}
        self._numbers: dict[str, list[str]] = {}
        self._messages: dict[str, str] = {}
        self._titles: dict[str, set[str]] = {}
        self._folded: dict[str, str] = {}
        self._orders: dict[str, tuple[int, ...]] = {}
        self._sections: dict[str, Sections] = {}
        each("names", self.cards.values(), lambda card: card.document, self._add)
        self.prefixes = {_letters(key) for key in self._numbers} - {""}

    def _add(self, card: DocumentCard) -> None:
        self._folded[card.document] = fold_name(card.title)
        self._orders[card.document] = revision_order(card.revision)
        self._sections[card.document] = Sections(card.sections)
        for name in names_of(card):
            self.names.setdefault(name.folded, []).append((card.document, name))
        self._paths[_path_key(card.uri)] = card.document
        self._files.setdefault(_path_key(card.file_name), []).append(card.document)
        self._stems.setdefault(_path_key(posixpath.splitext(card.uri)[0]), []).append(card.document)
        for key in {number_key(number) for number in card.numbers}:
            self._numbers.setdefault(key, []).append(card.document)
        for word in _title_words(card.title):
            self._titles.setdefault(word, set()).add(card.document)
        if card.message_id:
            self._messages[card.message_id] = card.document

    def resolve(self, reference: CardReference, source: DocumentCard) -> Resolution:
        """Return where `reference`, standing in `source`, leads."""
        target = reference.target.strip()
        if reference.kind is ReferenceKind.REPLY:
            return self._message(target)
        if reference.kind in (ReferenceKind.ATTACHMENT, ReferenceKind.MEMBER):
            return self._part(target, source)
        if reference.kind is ReferenceKind.HYPERLINK:
            return self._address(target, source)
        if urlsplit_scheme(target):
            return self._address(target, source)
        return self.by_name(target, source, bool(reference.section) or points(reference.evidence))

    def _message(self, target: str) -> Resolution:
        for id in target.replace(",", " ").split():
            if document := self._messages.get(id.strip("<>")):
                return Resolution((document,), "message id")
        return Resolution(reason="no such message here")

    def _part(self, target: str, source: DocumentCard) -> Resolution:
        found = self._paths.get(_path_key(source.uri + _INNER + target)) or self._beside(target, source)
        return Resolution((found,), "part") if found else Resolution(reason="this part is not in the knowledge base")

    def _beside(self, target: str, source: DocumentCard) -> str | None:
        """A part by its name alone: a sibling in the same container, or the same file beside it."""
        holder = source.uri.rpartition(_INNER)[0]
        places = [holder + _INNER + target] if holder else []
        places.append(posixpath.join(posixpath.dirname(source.uri), target))
        return next((found for place in places if (found := self._paths.get(_path_key(place)))), None)

    def _address(self, target: str, source: DocumentCard) -> Resolution:
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
        documents = self._files.get(_path_key(posixpath.basename(path)), [])
        if documents:
            return Resolution(self.nearest(documents, source), "file name", anchor)
        return Resolution(reason="no such file in the folder", anchor=anchor)

    def _remote(self, target: str) -> Resolution:
        """A file that is published elsewhere and lies here too, where its name is one of a kind; else it is outside."""
        path, anchor = _path_and_anchor(target)
        name = posixpath.basename(unquote(path))
        documents = self._files.get(_path_key(name), []) if "." in name else []
        if len(documents) == 1 and not re.match(r"(index|readme|default)\.", name, re.IGNORECASE):
            return Resolution(tuple(documents), "file name", anchor)
        return Resolution(reason="outside the folder")

    def _path(self, path: str, source: DocumentCard) -> str | None:
        holder, inner, place = source.uri.rpartition(_INNER)
        if path.startswith("/"):
            candidates = [path.lstrip("/")]
        else:
            joined = posixpath.normpath(posixpath.join(posixpath.dirname(place), path))
            candidates = [holder + inner + joined]
            if holder:
                candidates.append(posixpath.normpath(posixpath.join(posixpath.dirname(holder), path)))
        for candidate in candidates:
            if found := self._at(candidate):
                return found
        return None

    def _at(self, path: str) -> str | None:
        for candidate in (path, *(posixpath.join(path, index) for index in _INDEXES)):
            if found := self._paths.get(_path_key(candidate)):
                return found
        stems = self._stems.get(_path_key(path), [])
        return stems[0] if len(stems) == 1 else None

    def by_name(self, target: str, source: DocumentCard, explicit: bool = True) -> Resolution:
        """Return the documents called `target`: by number, path, file name, title.

        Where the text is `explicit` in pointing at a document, part of one title alone is enough.
        """
        folded = fold_name(target)
        if documents := self._numbers.get(number_key(target)):
            return self._other(documents, source, "number")
        if named := self.names.get(folded):
            return self._other([document for document, _ in named], source, named[0][1].kind.value)
        if ("/" in target or "." in target) and (found := self._path(unquote(target), source)):
            return Resolution((found,), "path")
        if explicit and (documents := self._by_part(folded)):
            near = self.nearest(documents, source)
            if len(near) == 1:
                return Resolution(near, "part of the title")
        return Resolution(reason="no document of this name")

    def _other(self, documents: Sequence[str], source: DocumentCard, how: str) -> Resolution:
        """A name that is also the source's own is its own."""
        return Resolution() if source.document in documents else Resolution(self.nearest(documents, source), how)

    def _by_part(self, folded: str) -> list[str]:
        if len(folded) < _PARTIAL_LEAST and folded.isascii():
            return []
        rarest = min((self._titles.get(word, set()) for word in _title_words(folded)), key=len, default=set())
        if len(rarest) > _PARTIAL_MOST:
            return []
        return sorted(document for document in rarest if _is_part(folded, self._folded[document]))

    def section(self, document: str, part: str) -> str:
        """Return the id of the section of a document that `part` names, empty where it has none; see `Sections`."""
        return self._sections[document].find(part)

    def nearest(self, documents: Sequence[str], source: DocumentCard) -> tuple[str, ...]:
        """Return of these documents those nearest to `source` by folder, of revisions of one the last, never itself."""
        cards = [self.cards[document] for document in dict.fromkeys(documents) if document != source.document]
        if len(cards) < 2:
            return tuple(card.document for card in cards)
        if len({card.digest for card in cards}) == 1:
            return (min(cards, key=lambda card: card.uri).document,)
        if len({number for card in cards for number in card.numbers[:1]}) <= 1 and all(card.revision for card in cards):
            return (max(cards, key=lambda card: (self._orders[card.document], card.uri)).document,)
        shared = {card.document: _shared_folders(card.uri, source.uri) for card in cards}
        most = max(shared.values())
        return tuple(card.document for card in sorted(cards, key=lambda c: c.uri) if shared[card.document] == most)


def urlsplit_scheme(target: str) -> str:
    """Return the scheme of an address, empty for a path; "C:\\x" is a path, "www.x.org" an address."""
    if _DRIVE.match(target):
        return ""
    match = re.match(r"([A-Za-z][A-Za-z0-9+.-]{1,15}):(?!\s)(?://|[^/])", target)
    if match and "//" in target[: match.end() + 2]:
        return match.group(1).lower()
    return "http" if target.lower().startswith("www.") else ""


def _path_and_anchor(address: str) -> tuple[str, str]:
    """The path of an address, and what stands behind its "#". Any text has them, also what is no URL to `urlsplit`."""
    place, _, anchor = address.partition("#")
    scheme, mark, behind = place.partition("?")[0].partition("://")
    return (behind.partition("/")[2] if mark else scheme), anchor


def _is_part(name: str, title: str) -> bool:
    """Whether a name stands in a title, a Latin one as whole words."""
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
