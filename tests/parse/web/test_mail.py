import email.policy
from collections.abc import Callable
from email.message import EmailMessage

import compressed_rtf
import pytest

from pipelines.core.document import Document, ReferenceKind
from pipelines.core.outcome import Status
from tests.parse.compound import Coded, Value, message
from tests.parse.conftest import ParseBytes
from tests.parse.pieces import pieces, targets, texts

Read = Callable[..., Document]


def mail(**headers: str) -> EmailMessage:
    message = EmailMessage(policy=email.policy.default)
    fixed = {"From": "Anna <anna@example.com>", "To": "bob@example.com", "Subject": "Offer für Filter"}
    for name, value in {
        **fixed,
        "Date": "Mon, 02 Mar 2026 10:00:00 +0100",
        "Message-ID": "<m2@example.com>",
        **headers,
    }.items():
        message[name.replace("_", "-")] = value
    return message


def test_headers_are_metadata_and_text(document_of: Read) -> None:
    message = mail()
    message.set_content("Hello Bob,\n\nsee below.\n")
    document = document_of("a.eml", message.as_bytes())
    assert document.title == "Offer für Filter"
    assert document.metadata["sender"] == "Anna <anna@example.com>"
    assert document.metadata["created"] == "2026-03-02T10:00:00+01:00"
    assert document.metadata["message_id"] == "m2@example.com"
    assert texts(document) == [
        "Offer für Filter",
        "From: Anna <anna@example.com>\nTo: bob@example.com\nDate: 2026-03-02T10:00:00+01:00",
        "Hello Bob,",
        "see below.",
    ]


@pytest.mark.parametrize("charset", ["latin-1", "utf-8"])
def test_headers_that_are_not_encoded_are_decoded(document_of: Read, charset: str) -> None:
    date = "Date: Mon, 02 Mar 2026 10:00:00 +0100"
    data = f"From: Jürgen Groß <j@ex.com>\n{date}\nSubject: Prüfung der\n Behälter\n\nText.\n".encode(charset)
    document = document_of("a.eml", data)
    assert (document.title, document.metadata["sender"]) == ("Prüfung der Behälter", "Jürgen Groß <j@ex.com>")


def test_text_and_its_html_alternative_are_read_once(document_of: Read) -> None:
    message = mail()
    message.set_content("The valve is stuck.")
    message.add_alternative(
        "<p>The <b>valve</b> is stuck.</p><table><tr><td>A<td>1<tr><td>B<td>2</table>", subtype="html"
    )
    document = document_of("a.eml", message.as_bytes())
    assert document.text.count("valve is stuck") == 1
    assert document.tables[0].grid() == [["A", "1"], ["B", "2"]]


def test_attachments_are_children_and_references(parse_bytes: ParseBytes) -> None:
    message = mail()
    message.set_content("see the list")
    message.add_attachment(b"a,b\n1,2\n", maintype="text", subtype="csv", filename="../../prices.csv")
    inner = mail(Subject="Inner")
    inner.set_content("inside")
    message.add_attachment(inner)
    parsed = parse_bytes("a.eml", message.as_bytes())
    assert [child.name for child in parsed.children] == ["prices.csv", "Inner.eml"]
    assert parsed.children[0].data == b"a,b\n1,2\n"
    assert b"Subject: Inner" in parsed.children[1].data
    assert parsed.document is not None
    attached = [one for one in parsed.document.references if one.kind is ReferenceKind.ATTACHMENT]
    assert [(one.target, one.evidence) for one in attached] == [
        ("prices.csv", "prices.csv"),
        ("Inner.eml", "Inner.eml"),
    ]
    assert attached[0].provenance.span.slice(parsed.document.text) == "prices.csv"


def test_a_mail_that_is_cut_short_is_partial(parse_bytes: ParseBytes) -> None:
    message = mail()
    message.set_content("The valve is stuck.")
    message.add_attachment("1;2\n" * 99, subtype="csv", filename="a.csv")
    whole = message.as_bytes()
    assert parse_bytes("a.eml", whole).status is Status.INDEXED
    parsed = parse_bytes("a.eml", whole[:-100])
    assert (parsed.status, parsed.reason) == (Status.PARTIAL, "cut short: the end of its last part is missing")
    assert len(parsed.children) == 1


def test_a_thread_is_a_chain_of_message_ids(document_of: Read) -> None:
    message = mail(References="<m0@example.com> <m1@example.com>", In_Reply_To="<m1@example.com>")
    message.set_content("yes")
    replies = [target for kind, target, _ in targets(document_of("a.eml", message.as_bytes())) if kind == "reply"]
    assert replies == ["m0@example.com", "m1@example.com"]


def test_pictures_shown_in_the_text_are_figures(parse_bytes: ParseBytes) -> None:
    message = mail()
    message.set_content("text")
    message.add_alternative("<p>look</p><img src='cid:p1' alt='A pump'>", subtype="html")
    message.get_payload()[1].add_related(b"\x89PNG\r\n\x1a\n...", "image", "png", cid="<p1>")  # type: ignore[index, union-attr]
    parsed = parse_bytes("a.eml", message.as_bytes())
    assert parsed.children == ()
    assert parsed.pictures[0].data == b"\x89PNG\r\n\x1a\n..."
    assert parsed.document is not None
    assert parsed.document.figures[0].description == "A pump"


def test_flowed_lines_are_joined(document_of: Read) -> None:
    body = "This line goes \r\non here.\r\n\r\nNext.\r\n"
    head = (
        "From: a@b.c\r\nTo: d@e.f\r\nSubject: s\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; format=flowed\r\n\r\n"
    )
    assert "This line goes on here." in texts(document_of("a.eml", head + body))


def test_a_mailbox_is_a_list_of_mails(parse_bytes: ParseBytes) -> None:
    one = "From a@b.c Mon Mar  2 10:00:00 2026\nFrom: a@b.c\nSubject: Valve/Pump\nMessage-ID: <1@b>\n\nFirst\n\n"
    two = "From a@b.c Mon Mar  2 11:00:00 2026\nFrom: a@b.c\nSubject: Second\nMessage-ID: <2@b>\n\nOther\n"
    parsed = parse_bytes("a.mbox", one + two)
    assert [child.name for child in parsed.children] == ["0001 Valve Pump.eml", "0002 Second.eml"]
    assert parsed.document is not None
    assert [kind for kind, _, _ in pieces(parsed.document)] == ["list_item", "list_item"]


def test_an_outlook_message_is_a_mail(parse_bytes: ParseBytes) -> None:
    data = message(
        {
            0x001A: "IPM.Note",
            0x0037: "Offer",
            0x1000: "The valve is stuck.\r\n",
            0x0C1A: "Anna",
            0x0C1F: "anna@example.com",
            0x1035: "<m2@example.com>",
            0x1042: "<m1@example.com>",
        },
        [{0x3707: "prices.csv", 0x3701: b"a,b\n1,2\n"}],
    )
    parsed = parse_bytes("a.msg", data)
    assert parsed.document is not None, parsed.reason
    assert parsed.document.title == "Offer"
    assert parsed.document.metadata["message_id"] == "m2@example.com"
    assert "anna@example.com" in parsed.document.metadata["sender"]
    assert "The valve is stuck." in parsed.document.text
    assert [(child.name, child.data.rstrip(b"\0")) for child in parsed.children] == [("prices.csv", b"a,b\n1,2\n")]
    assert ("reply", "m1@example.com", "Offer") in targets(parsed.document)


def test_an_outlook_message_of_old_is_read_in_the_code_page_of_its_body(parse_bytes: ParseBytes) -> None:
    properties: dict[int, Value] = {0x001A: Coded(b"IPM.Note"), 0x3FDE: 950}
    properties |= {0x0037: Coded("會議".encode("cp950")), 0x1013: Coded("<p>閥門</p>".encode("cp950"))}
    document = parse_bytes("a.msg", message(properties, [])).document
    assert document is not None
    assert document.title == "會議"
    assert "閥門" in document.text


def test_an_outlook_message_with_its_body_in_rtf_alone_has_it_as_a_child(parse_bytes: ParseBytes) -> None:
    properties: dict[int, Value] = {0x001A: "IPM.Note", 0x0037: "Offer"}
    packed = compressed_rtf.compress(b"{\\rtf1 See below.}", compressed=False)
    parsed = parse_bytes("a.msg", message({**properties, 0x1009: packed}, []))
    assert [(child.name, child.data) for child in parsed.children] == [("message.rtf", b"{\\rtf1 See below.}")]


def test_a_broken_body_in_rtf_is_noted(document_of: Read) -> None:
    properties: dict[int, Value] = {0x001A: "IPM.Note", 0x0037: "Offer", 0x1009: b"broken"}
    document = document_of("a.msg", message(properties, []))
    assert document.notes[0].startswith("the body in RTF is broken and was not read")


def test_an_item_embedded_in_an_outlook_message_is_a_child_mail(parse_bytes: ParseBytes) -> None:
    inner = {0x001A: "IPM.Note", 0x0037: "Old offer", 0x1000: "Seals at 4 EUR.", 0x0C1A: "Bo"}
    parsed = parse_bytes("a.msg", message({0x001A: "IPM.Note", 0x0037: "Fwd", 0x1000: "See below."}, [], inner))
    assert [child.name for child in parsed.children] == ["Old offer.eml"]
    child = parse_bytes("child.eml", parsed.children[0].data)
    assert child.document is not None
    assert [text for _, _, text in pieces(child.document)] == ["Old offer", "From: Bo", "Seals at 4 EUR."]


def _parts(*parts: str, subtype: str = "mixed") -> str:
    return (
        f"Content-Type: multipart/{subtype}; boundary={subtype}\n\n"
        + "".join(f"--{subtype}\n{part}\n" for part in parts)
        + f"--{subtype}--\n"
    )


def test_text_beside_the_alternative_versions_is_kept(document_of: Read) -> None:
    versions = _parts(
        "Content-Type: text/plain\n\nhello", "Content-Type: text/html\n\n<p>hello</p>", subtype="alternative"
    )
    mail = "From: a@b.c\nTo: d@e.f\nSubject: S\nMIME-Version: 1.0\n"
    mail += _parts(versions, "Content-Type: text/plain\n\nlist footer")
    assert [text for _, _, text in pieces(document_of("a.eml", mail))][2:] == ["hello", "list footer"]


def test_a_picture_not_shown_in_the_text_is_an_attachment(parse_bytes: ParseBytes) -> None:
    picture = "Content-Type: image/png\nContent-ID: <p1@x>\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo="
    mail = "From: a@b.c\nTo: d@e.f\nSubject: S\nMIME-Version: 1.0\n" + _parts(
        "Content-Type: text/html\n\n<p>x</p>", picture
    )
    assert [child.name for child in parse_bytes("a.eml", mail).children] == ["p1.png"]


def test_a_saved_web_page_has_its_pictures_but_not_its_style_sheets(parse_bytes: ParseBytes) -> None:
    part = "--B\r\nContent-Type: {}\r\nContent-Location: https://x.example/{}\r\n\r\n{}\r\n"
    head = "From: <Saved by Blink>\r\nSubject: Pump\r\nMIME-Version: 1.0\r\n"
    head += 'Content-Type: multipart/related; boundary="B"\r\n\r\n'
    parts = (
        ("text/html", "", '<p>45 bar</p><img src="https://x.example/a.png">'),
        ("text/css", "a.css", "p{}"),
        ("image/png", "a.png", "PNG"),
    )
    parsed = parse_bytes("a.mhtml", head + "".join(part.format(*one) for one in parts) + "--B--\r\n")
    assert parsed.document is not None
    assert [picture.data for picture in parsed.pictures] == [b"PNG"]
    assert parsed.children == ()
    assert parsed.document.notes == ()


def test_a_mail_of_exchange_with_long_header_names_is_a_mail(document_of: Read) -> None:
    message = mail(X_MS_Exchange_Organization_MessageDirectionality="Originating", X_MS_Has_Attach="")
    message.set_content("The valve is stuck.")
    data = b"x-store-info:J++/JTCzmObr\n" + message.as_bytes()
    assert document_of("a.eml", data).source.media_type == "message/rfc822"


def test_prose_with_addresses_is_no_mail(document_of: Read) -> None:
    text = "From: Anna\nTo: Bob\nSubject: visit\nhttp://example.com/a\n\nThe valve is stuck.\n"
    assert document_of("a.txt", text).source.media_type == "text/plain"


def test_a_mail_of_apple_mail_ends_before_its_property_list(document_of: Read) -> None:
    message = mail()
    message.set_content("The valve is stuck.")
    data = message.as_bytes()
    document = document_of("1.emlx", b"%d\n%b<?xml version='1.0'?><plist>flags</plist>\n" % (len(data), data))
    assert document.title == "Offer für Filter"
    assert "valve is stuck" in document.text
    assert "plist" not in document.text


def test_a_body_that_readpst_attaches_in_rtf_is_read_once(parse_bytes: ParseBytes) -> None:
    message = mail()
    message.set_content("The valve is stuck.")
    message.add_attachment(
        rb"{\rtf1 The valve is stuck.}", maintype="application", subtype="rtf", filename="rtf-body.rtf"
    )
    assert parse_bytes("a.eml", message.as_bytes()).children == ()
    alone = mail()
    alone.add_attachment(
        rb"{\rtf1 The valve is stuck.}", maintype="application", subtype="rtf", filename="rtf-body.rtf"
    )
    assert [child.name for child in parse_bytes("b.eml", alone.as_bytes()).children] == ["rtf-body.rtf"]
