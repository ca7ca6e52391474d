"""All hostile cases by family, including those of the parser tests."""

from __future__ import annotations

from tests.hostile import containers, links, markup, names, office, pages, programs, texts
from tests.hostile.case import Case, file_case
from tests.parse.hostile_files import FILES, HEAVY

FAMILIES = {
    "office": office.family.cases,
    "pages": pages.family.cases,
    "containers": containers.family.cases,
    "markup": markup.family.cases,
    "links": links.family.cases,
    "names": names.family.cases,
    "programs": programs.family.cases,
    "texts": texts.family.cases,
    "parsers": [file_case(file.name, file.make, file.ends, heavy=file.name in HEAVY) for file in FILES],
}
CASES: list[Case] = [case for cases in FAMILIES.values() for case in cases]
