"""Tests of files that wrap others: signatures and winmail.dat."""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable

import pytest
from asn1crypto import cms

from pipelines.core.outcome import Status
from pipelines.parse.parsed import Parsed

ParseBytes = Callable[..., Parsed]


def signed(content: bytes | None) -> bytes:
    """Return CMS signed data without signers, as a certificate file has it."""
    data = cms.SignedData(
        {
            "version": "v1",
            "digest_algorithms": [],
            "encap_content_info": {"content_type": "data", **({} if content is None else {"content": content})},
            "signer_infos": [],
        }
    )
    return bytes(cms.ContentInfo({"content_type": "signed_data", "content": data}).dump())


@pytest.mark.parametrize("encode", [bytes, base64.encodebytes], ids=["binary", "Base64"])
def test_a_signed_file_is_unpacked(parse_bytes: ParseBytes, encode: Callable[[bytes], bytes]) -> None:
    parsed = parse_bytes("invoice.xml.p7m", encode(signed(b"<invoice>42</invoice>")))
    assert [(child.name, child.data) for child in parsed.children] == [("invoice.xml", b"<invoice>42</invoice>")]
    assert parsed.document is not None
    assert parsed.document.notes == ("the signature was not verified",)


def test_a_signature_alone_is_unsupported(parse_bytes: ParseBytes) -> None:
    parsed = parse_bytes("invoice.p7s", signed(None))
    assert (parsed.status, parsed.reason) == (Status.UNSUPPORTED, "a signature without the file that it signs")


def test_an_encrypted_file_is_told(parse_bytes: ParseBytes) -> None:
    empty = cms.EnvelopedData(
        {
            "version": "v0",
            "recipient_infos": [],
            "encrypted_content_info": {
                "content_type": "data",
                "content_encryption_algorithm": {"algorithm": "aes256_cbc", "parameters": bytes(16)},
                "encrypted_content": b"x",
            },
        }
    )
    data = cms.ContentInfo({"content_type": "enveloped_data", "content": empty}).dump()
    assert parse_bytes("a.p7m", data).status is Status.ENCRYPTED


def test_a_broken_signed_file_is_malformed(parse_bytes: ParseBytes) -> None:
    assert parse_bytes("a.p7m", signed(b"content")[:25]).status is Status.MALFORMED


def attribute(level: int, kind: int, data: bytes) -> bytes:
    """Return an attribute of a TNEF stream (MS-OXTNEF 2.1.3.1)."""
    return struct.pack("<BII", level, kind, len(data)) + data + struct.pack("<H", sum(data) & 0xFFFF)


def test_the_attachments_in_winmail_dat_are_unpacked(parse_bytes: ParseBytes) -> None:
    stream = struct.pack("<IH", 0x223E9F78, 1)
    stream += attribute(1, 0x00089006, struct.pack("<I", 0x00010000))
    stream += attribute(2, 0x00069002, bytes(14))
    stream += attribute(2, 0x00018010, b"limits.csv\0") + attribute(2, 0x0006800F, b"a,b")
    parsed = parse_bytes("winmail.dat", stream)
    assert [(child.name, child.data) for child in parsed.children] == [("limits.csv", b"a,b")]


def test_a_broken_winmail_dat_is_malformed(parse_bytes: ParseBytes) -> None:
    assert parse_bytes("winmail.dat", struct.pack("<I", 0x223E9F78)).status is Status.MALFORMED
