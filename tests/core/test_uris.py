"""Tests of file names as URIs: reversible, unique, and distinct from members of containers."""

import os

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pipelines.core.ids import called, part_name, path_of, uri_of
from pipelines.core.safe_output import shown

# Bytes that are special in the escaping are frequent.
_PIECES = st.sampled_from([b"!", b"/", b"%", b"2", b"1", b"5", b"E9", b"%21", b"%25", b"%E9", b"\xe9", b"\xc3\xa9",
                           b"\x1b", b"\xe2\x80\xae", b"\n", b"a"])  # fmt: skip
COMPONENTS = st.one_of(st.binary(min_size=1, max_size=12), st.lists(_PIECES, min_size=1).map(b"".join)).map(
    lambda raw: raw.replace(b"\0", b"").replace(b"/", b"") or b"x"
)
PATHS = st.lists(COMPONENTS.filter(lambda part: part not in (b".", b"..")), min_size=1, max_size=4).map(b"/".join)


@given(PATHS)
@example(b"caf\xe9.txt")
@example(b"a.zip!/b.txt")
@example(b"%2%21/%25")
def test_a_path_survives_conversion_to_a_uri(path: bytes) -> None:
    assert os.fsencode(path_of(uri_of(path))) == path


@given(PATHS)
def test_a_uri_is_printable_utf8_and_no_part_of_a_container(path: bytes) -> None:
    uri = uri_of(path)
    uri.encode("utf-8")
    assert "!/" not in uri
    assert not any(ord(char) < 32 or 0x7F <= ord(char) < 0xA0 for char in uri)


@given(PATHS, PATHS)
def test_two_paths_never_share_a_uri(one: bytes, two: bytes) -> None:
    assert (uri_of(one) == uri_of(two)) == (one == two)


@pytest.mark.parametrize(
    "name",
    ["a b.txt", "过热/é.md", "100%.txt", "50%20off.txt", "a%2Fb", "%c3%a9.txt", "wow!.txt", "wow!", "e\u0301", "[x]"],
)
def test_a_common_name_is_its_own_uri(name: str) -> None:
    assert uri_of(name) == name


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        (b"caf\xe9.txt", "caf%E9.txt"),
        (b"caf%E9.txt", "caf%25E9.txt"),
        (b"a.zip!/b.txt", "a.zip%21/b.txt"),
        (b"a\x1b[2J\n.txt", "a%1B[2J%0A.txt"),
        ("gpj\u202e.exe".encode(), "gpj%E2%80%AE.exe"),
        ("a\x85b".encode(), "a%C2%85b"),
    ],
)
def test_control_characters_and_ambiguous_sequences_are_escaped(path: bytes, uri: str) -> None:
    assert uri_of(path) == uri


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("x!/y", "x%21/y"),
        ("wow!", "wow!"),
        ("/etc/passwd", "etc/passwd"),
        ("../../etc/passwd", "etc/passwd"),
        ("C:\\temp\\a.txt", "C/temp/a.txt"),
        ("a\0b", "a%00b"),
        ("caf\udce9.txt", "caf%E9.txt"),
        ("\ud800.txt", "%ED%A0%80.txt"),
        ("caf%E9.txt", "caf%25E9.txt"),
        ("../..", ""),
        ("x" * 300 + ".pdf", "x" * 116 + ".pdf"),
    ],
)
def test_a_part_name_cannot_leave_its_container(name: str, part: str) -> None:
    assert part_name(name) == part


def test_a_document_is_found_by_its_displayed_name() -> None:
    uri = uri_of("a\u200bb\x1b.txt")
    uris = [uri, "caf%E9.txt", "ab.txt"]
    assert called(uri, uris) == called(shown(uri), uris) == called("a\u200bb\x1b.txt", uris) == (uri,)
    assert called(os.fsdecode(b"caf\xe9.txt"), uris) == ("caf%E9.txt",)
    assert called("nothing", uris) == ()


def test_an_exact_name_takes_precedence_over_a_displayed_one() -> None:
    assert called("a<U+200B>b", ["a\u200bb", "a<U+200B>b"]) == ("a<U+200B>b",)
    assert called("a<U+200B>b", ["a\u200bb"]) == ("a\u200bb",)
