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
def test_a_company_is_known_by_its_legal_form(name: str) -> None:
    assert COMPANY.search(name)


@pytest.mark.parametrize("name", ["Day Spa", "ça va", "Incas", "GmbH register"])
def test_what_only_looks_like_a_legal_form_is_none(name: str) -> None:
    assert not COMPANY.search(name)


def test_a_name_can_be_said_without_its_legal_form_but_not_without_what_names_it_too() -> None:
    assert {"inc", "gmbh", "spa", "bv", "limited"} <= LEGAL_FORMS
    assert LEGAL_FORMS.isdisjoint({"se", "ab"})


def test_words_of_organizations_are_told_by_their_capital() -> None:
    assert ORGANIZATION.search("University of Suzhou")
    assert not ORGANIZATION.search("the university")
    assert re.search(f"(?:{CHINESE_ORGANIZATIONS})$", "苏州精密泵业有限公司")


def test_letters_that_mean_something_else_are_those_of_a_standard_only_where_one_is_referred_to() -> None:
    bodies, referred = (set(branches.split("|")) for branches in (STANDARD_BODIES, REFERRED_BODIES))
    assert {"ISO", "DIN", "GB", "SAE"} <= bodies
    assert referred - bodies == {"API", "SS", "NF", "UNE"}
