import re

import pytest

from pipelines.lang.names import (
    CHINESE_ORGANIZATIONS,
    COMPANY,
    LEGAL_FORMS,
    ORGANIZATION,
    REFERRED_BODIES,
    STANDARD_BODIES,
)


@pytest.mark.parametrize(
    "name", ["Kestrin GmbH", "Acme Inc.", "Foo S.p.A.", "Bar B.V.", "Nordic Pumps AB", "Baz s.r.l."]
)
def test_a_company_is_recognized_by_its_legal_form(name: str) -> None:
    assert COMPANY.search(name)


@pytest.mark.parametrize("name", ["Day Spa", "ça va", "Incas", "GmbH register"])
def test_words_that_resemble_a_legal_form_are_not_companies(name: str) -> None:
    assert not COMPANY.search(name)


def test_legal_forms_exclude_abbreviations_with_other_meanings() -> None:
    assert {"inc", "gmbh", "spa", "bv", "limited"} <= LEGAL_FORMS
    assert LEGAL_FORMS.isdisjoint({"se", "ab"})


def test_organization_words_are_recognized_only_with_a_capital() -> None:
    assert ORGANIZATION.search("University of Suzhou")
    assert not ORGANIZATION.search("the university")
    assert re.search(f"(?:{CHINESE_ORGANIZATIONS})$", "苏州精密泵业有限公司")


def test_ambiguous_standard_bodies_are_only_recognized_in_references() -> None:
    bodies, referred = (set(branches.split("|")) for branches in (STANDARD_BODIES, REFERRED_BODIES))
    assert {"ISO", "DIN", "GB", "SAE"} <= bodies
    assert referred - bodies == {"API", "SS", "NF", "UNE"}
