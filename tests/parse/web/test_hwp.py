"""Tests of documents of Hangul."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from pipelines.core.document import Document
from pipelines.core.outcome import Status
from pipelines.parse.parsed import Parsed
from tests.parse.compound import Storage, compound
from tests.parse.office.files import packed

_NAMES = " ".join(
    f'xmlns:{short}="http://www.hancom.co.kr/hwpml/2011/{name}"'
    for short, name in (("hs", "section"), ("hp", "paragraph"), ("hh", "head"))
)
_OPF = 'xmlns:opf="http://www.idpf.org/2007/opf/"'


def hwpx(text: str) -> bytes:
    """Return a document of one paragraph."""
    return packed(
        {
            "mimetype": "application/hwp+zip",
            "Contents/content.hpf": f'<opf:package {_OPF}><opf:manifest><opf:item id="s" href="Contents/section0.xml" '
            'media-type="application/xml"/></opf:manifest><opf:spine><opf:itemref idref="s"/></opf:spine>'
            "</opf:package>",
            "Contents/header.xml": f"<hh:head {_NAMES}/>",
            "Contents/section0.xml": f"<hs:sec {_NAMES}><hp:p><hp:run><hp:t>{text}</hp:t></hp:run></hp:p></hs:sec>",
        }
    )


def test_a_document_in_xml_is_read(document_of: Callable[..., Document]) -> None:
    assert document_of("a.hwpx", hwpx("밸브를 여십시오.")).text == "밸브를 여십시오."


def test_a_broken_document_is_malformed(parse_bytes: Callable[..., Parsed]) -> None:
    parsed = parse_bytes("a.hwp", compound(Storage({"BodyText": Storage({"Section0": b"x" * 100})})))
    assert parsed.status is Status.MALFORMED
    assert "Hangul" in parsed.reason


def test_without_the_library_the_extra_is_named(
    parse_bytes: Callable[..., Parsed], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "unhwp", None)
    parsed = parse_bytes("a.hwpx", hwpx("x"))
    assert parsed.status is Status.UNSUPPORTED
    assert "strata-kb[hwp]" in parsed.reason
