"""How well an evidence unit covers a term of a question: in itself, or only in its headings, neighbours or chunk."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipelines.core.provenance import Span
from pipelines.core.table import begins_with_number
from pipelines.lang.characters import fold
from pipelines.lang.numbers import FIGURE, decimal
from pipelines.lang.terms import terms
from pipelines.retrieve.evidence import EvidenceUnit
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.labels import ONE_FORM, likeness_of_forms
from pipelines.retrieve.question_terms import QuestionTerms
from pipelines.retrieve.related_words import compound_parts, passage_words, related_words
from pipelines.retrieve.searches import Lexicon
from pipelines.retrieve.table_rows import cells_of

OWN, ABOVE, NEAR, CHUNK = 1.0, 0.75, 0.6, 0.45
"""Cover of a term in the unit itself, in headings, in adjacent units, and elsewhere in the chunk."""
RELATED = 0.8
"""Factor for a related word, together with its cosine, and for the separate words of a compound."""
_CODE_PART = re.compile(r"\d+|[^\W\d_]+")
_BOUND = re.compile(r"\d{1,6}")
_RANGE = re.compile(
    rf"(?:[^\W\d_]+\s)?({_BOUND.pattern})\s?(?:[-–—~〜～]|\.{{2,3}}|…|\s[^\W\d_]{{1,3}}\s)\s?({_BOUND.pattern})"
    r"(?:\s?[^\W\d]+)?"
)
"""A range in a cell: two numbers with a dash, dots or a short word between them, perhaps with a word on either side."""
_BEGUN = re.compile(r"\s*(\d+(?:[.,]\d{1,2})?)(?![\w.,])")
"""A number at the beginning of a cell; a mark before three digits may separate thousands."""
_NUMBERING = re.compile(r"^\d+(?:\.\d+)*\.?\s")
"""The number of a heading."""
_WIDEST = 100
"""Maximum ratio of the bounds of a range; a larger one is a code ("117-20931")."""


class TermCover:
    """The cover of the terms of a question, or of related words in the passages, by a unit and its context."""

    def __init__(
        self,
        question: QuestionTerms,
        hits: Sequence[Hit],
        found: Sequence[EvidenceUnit],
        lexicon: Lexicon,
    ) -> None:
        self._question = question
        self._outside_rows = {
            rank: frozenset[str]().union(*(unit.own for unit in found if unit.rank == rank and not _is_data(unit)))
            for rank in range(len(hits))
        }
        forms = _forms(found)
        self._things: dict[int, frozenset[str]] = {}
        for rows in forms.values():
            rank = rows[0].rank
            self._things[rank] = self._things.get(rank, frozenset()) | _names_of_thing(rows)
        self._subjects = [_subject_of(hit, question) for hit in hits]
        self._about: dict[tuple[int, str], frozenset[str]] = {}
        """What units are about, by the rank of their hit and the heading above them."""
        self._of_forms = {table: _names_in_form(question, rows) for table, rows in forms.items()}
        self._quoted = [
            (frozenset(terms(phrase, question.language)), places)
            for phrase in question.quoted
            if (places := {_place_of(unit) for unit in found if _has_phrase(unit, phrase)})
        ]
        self._numbered = {
            self._question.term_of(number): named
            for name, number in question.numbered
            if (named := {_place_of(unit): cover for unit in found if (cover := self._named_cover(unit, name, number))})
        }
        self._introduced = question.introduced
        self._versions = question.versions
        denied = frozenset[str]() if question.negative else frozenset[str]().union(*(unit.denied for unit in found))
        passages = passage_words(hits)
        self._related = {
            # Another form of the word (cosine 1) is denied by single units, as the word itself is.
            term: [(other, cosine) for other, cosine in related if other not in denied or cosine >= 1]
            for term, related in related_words(question, passages, lexicon).items()
        }
        self._compounds = compound_parts(question, passages)

    def cover(self, term: str, unit: EvidenceUnit) -> float:
        """Return the cover of a term in [0, 1], `OWN` if it is in the unit itself, 0 if the unit denies it.

        Words in quotation marks are looked for together, if any unit has them so: "Files to panel" is a button. So is a
        number behind a name: the row of "UCP 210" with a length of 206 is not about "UCP 206". The heading of a version
        tells the version of what is below it.
        """
        if letter := self._question.letters.get(term):
            return _letter_place(unit, letter)
        if term in self._versions and unit.is_of_version:
            return OWN
        cover, place = self._cover(term, unit), _place_of(unit)
        if cover >= OWN and term in self._numbered:
            cover = self._numbered[term].get(place, CHUNK)
        apart = any(term in own and place not in places for own, places in self._quoted)
        return min(CHUNK, cover) if apart else cover

    def _cover(self, term: str, unit: EvidenceUnit) -> float:
        language = unit.hit.chunk.language
        form = self._question.form(term, language)
        if form in unit.denied and not self._question.negative:
            return 0.0
        best = self._place(form, unit)
        if code := self._introduced.get(term):
            best = max(best, min(ABOVE, self._cover(code, unit)))
        if (
            term in self._question.codes
            and best < OWN
            and _has_code(unit, self._question.words[term], self._question.language)
        ):
            return OWN
        if parts := self._question.parts(term, language):
            best = max(best, RELATED * min(self._place(part, unit) for part in parts))
        for pair in self._compounds.get(term, ()):
            best = max(best, RELATED * min(self._place(part, unit) for part in pair))
        for other, cosine in self._related.get(term, ()):
            if other in unit.denied and not self._question.negative:
                return 0.0
            if RELATED * cosine <= best:
                break
            best = max(best, RELATED * cosine * self._place(other, unit))
        return best

    def forms(self, term: str, language: str) -> frozenset[str]:
        """Return the forms of a term and of the related words in texts in a language."""
        own = self._question.parts(term, language) | {self._question.form(term, language)}
        return own | {other for other, _ in self._related.get(term, ())}

    def _named_cover(self, unit: EvidenceUnit, name: str, number: str) -> float:
        """Return the cover of a number that is a name with `name`: in a unit, or what is above it, or 0.

        A row can have the number in a column of this name. The initial is enough: "V2.1" is the version 2.1. What is
        below "CalPro 700" is not about the CalPro 300 of the document's title.
        """
        whole = re.compile(rf"(?<!\w)(?:{name}[\W_]?|{name[0]}){number}(?!\w|[.,/-]\d)")  # "G 1" is not "G 1/2"
        own = fold(f"{unit.header}\n{unit.text}")
        if whole.search(own) or any(fold(f"{one} {cell}") == f"{name} {number}" for one, cell in unit.fields):
            return OWN
        nearest = fold(f"{unit.heading}\n{unit.group}\n{unit.text}")
        if re.search(rf"(?<!\w){name}[\W_]?\d", nearest) and not whole.search(nearest):
            return 0.0
        if self._question.term_of(number) in self._subject(unit):
            return OWN
        return ABOVE if whole.search(_shown(unit)) else 0.0

    def _subject(self, unit: EvidenceUnit) -> frozenset[str]:
        """Return the names that a unit is about: those of its document, or the name that is the heading above it.

        A mail says more than its subject tells, and "Test hose 3 m" is another thing on the page of the CalPro 300.
        """
        if unit.said:
            return frozenset()
        place = unit.rank, unit.heading
        if place not in self._about:
            question, language = self._question, unit.hit.chunk.language
            heading = frozenset(terms(_NUMBERING.sub("", unit.heading), language))
            named = {question.form(term, language) for term in question.names}
            other = any(map(str.isdigit, "".join(heading - question.forms(language))))
            whole = frozenset[str]() if other else self._subjects[unit.rank]
            self._about[place] = whole | (heading if heading <= named else frozenset())
        return self._about[place]

    def _place(self, term: str, unit: EvidenceUnit) -> float:
        if term in unit.own or term in self._of_forms.get(unit.table, frozenset()) or term in self._subject(unit):
            return OWN
        if term in unit.above or term in self._things.get(unit.rank, frozenset()):
            return ABOVE
        if _is_data(unit):  # other rows are about other things, except those of a form
            return CHUNK if term in self._outside_rows[unit.rank] else 0.0
        if term in unit.near:
            return NEAR
        return CHUNK if term in unit.chunk else 0.0


def _forms(found: Sequence[EvidenceUnit]) -> dict[str, list[EvidenceUnit]]:
    """Return by table the rows of forms: tables of labels and values of a single thing.

    Of two columns, the second one has values of several forms, or the first value names the thing: "Machine | PX 80",
    "Inspected by | Elena Rossi". Of more, each two are a label and its value.
    """
    tables: dict[str, list[EvidenceUnit]] = {}
    for unit in found:
        if unit.table and (len(cells_of(unit.text)) == 2 or unit.is_paired):
            tables.setdefault(unit.table, []).append(unit)
    return {
        table: rows
        for table, rows in tables.items()
        if rows[0].is_paired
        or _names_of_thing(rows)
        or likeness_of_forms([cells_of(unit.text)[1] for unit in rows]) < ONE_FORM
    }


def _names_in_form(question: QuestionTerms, rows: Sequence[EvidenceUnit]) -> frozenset[str]:
    """Return the names and codes of the question that any of the rows has, with the words beside them in a value.

    "Air receiver V-220" names the thing by its words too.
    """
    found: set[str] = set()
    for unit in rows:
        language = unit.hit.chunk.language
        named = {question.form(term, language) for term in question.names | question.codes}
        found |= named & unit.own
        values = [value for _, value in unit.fields] if unit.is_paired else cells_of(unit.text)[1:]
        for told in (frozenset(terms(value, language)) for value in values):
            found |= told if told & named else frozenset()
    return frozenset(found)


def _names_of_thing(rows: Sequence[EvidenceUnit]) -> frozenset[str]:
    """Return the terms of the first value in a form of labels without digits, if it has several words."""
    value = cells_of(rows[0].text)[1]
    has_labels = not any(map(str.isdigit, "".join(cells_of(unit.text)[0] for unit in rows)))
    if rows[0].header or " " not in value or begins_with_number(value) or not has_labels:
        return frozenset()
    return frozenset(terms(value, rows[0].hit.chunk.language))


def _subject_of(hit: Hit, question: QuestionTerms) -> frozenset[str]:
    """Return the names and codes of a question that a whole document is about.

    Those in its title, if the title has no other code or begins with one of them: "Kestrel 90", "[MNT-2291] Pump 3
    leaks".
    """
    language = hit.chunk.language
    title = terms(hit.title, language)
    named = {question.form(term, language) for term in question.names | question.codes}
    codes = [term for term in title if any(map(str.isdigit, term))]
    numbered = {number for name, number in question.numbered if f"{name} {number}" in fold(hit.title)}
    asked = {code for code in codes if code in named and (code in numbered or not code.isdigit())}
    is_subject = bool(codes) and (asked.issuperset(codes) or (codes[0] == title[0] and codes[0] in asked))
    return frozenset(title) & named if is_subject else frozenset()


def _place_of(unit: EvidenceUnit) -> tuple[int, Span]:
    """Return what identifies a unit among those of the passages."""
    return unit.rank, unit.span


def _has_phrase(unit: EvidenceUnit, phrase: str) -> bool:
    """Whether a unit, the header of its table, a heading above it, or the name of its document has a folded text."""
    return phrase in _shown(unit)


def _shown(unit: EvidenceUnit) -> str:
    """Return a unit with what tells what it is about, folded: names of its document, headings, header of its table."""
    hit = unit.hit
    return fold("\n".join((hit.uri, hit.title, *hit.chunk.heading_path, unit.heading, unit.header, unit.text)))


def _is_data(unit: EvidenceUnit) -> bool:
    """Whether a unit is a table row and not a header."""
    return unit.is_row and not unit.label


def _letter_place(unit: EvidenceUnit, letter: str) -> float:
    """Return the cover of a letter that is a name ("dimension H"), not a unit as in "5 V" or "20 °C"."""
    alone = re.compile(rf"(?<![\w°])(?<!\d ){letter}(?!\w)")
    if alone.search(f"{unit.header}\n{unit.text}"):
        return OWN
    above = (unit.hit.title, *unit.hit.chunk.heading_path, unit.heading)
    return ABOVE if alone.search("\n".join(above)) else 0.0


def _has_code(unit: EvidenceUnit, code: str, language: str) -> bool:
    """Whether a unit has a code in another form: with other separators, as another number of the same value, or within
    a range of its cells."""
    if FIGURE.fullmatch(code):
        return (_BOUND.fullmatch(code) is not None and _is_in_range(unit, int(code))) or _has_value(
            unit, code, language
        )
    return _has_apart(unit, code)


def _has_value(unit: EvidenceUnit, figure: str, language: str) -> bool:
    """Whether a cell of a row begins with a number of the value of a figure in `language`: "11,0" for "11"."""
    wanted, begun = decimal(figure, language), (_BEGUN.match(cell) for _, cell in unit.fields)
    return any(one and decimal(one[1], unit.hit.chunk.language) == wanted for one in begun)


def _is_in_range(unit: EvidenceUnit, number: int) -> bool:
    """Whether a cell of a row is a range of numbers, such as "3 to 5", with the number inside it."""
    ranges = (_RANGE.fullmatch(cell.strip()) for _, cell in unit.fields)
    bounds = (tuple(map(int, one.groups())) for one in ranges if one)
    return any(low < number < high <= _WIDEST * low for low, high in bounds)


def _has_apart(unit: EvidenceUnit, code: str) -> bool:
    """Whether a unit has a code with other separators: "MT 80" or "MT80" for "mt-80"."""
    parts = _CODE_PART.findall(code)
    pattern = r"(?<!\w)" + r"[\W_]?".join(parts) + r"(?!\w)"
    return any(map(str.isalpha, parts)) and re.search(pattern, fold(f"{unit.header}\n{unit.text}")) is not None
