"""References that are malformed, circular, or lead out of the folder."""

from __future__ import annotations

import json
from pathlib import Path

from tests.hostile.case import FAILED, READ, SKIPPED, Bait, Family
from tests.hostile.made import docx_with_parts, one_page_pdf, xlsx_with_parts

family = Family()

ADDRESSES = {
    "open-bracket": "http://[x",
    "closing-bracket": "http://e.example]x",
    "bracketed-name": "http://[v1.example]/",
    "no-port": "http://e.example:/x",
    "letters-for-port": "http://e.example:port/x",
    "huge-port": "http://e.example:99999999999999999999/x",
    "double-at": "http://a@b@c/d",
    "long-label": f"http://{'a' * 300}.example/",
    "idn": "http://xn--a-ecp.example/ℂ..ａ/",
    "unicode-host": "http://ﬀ℀℁.example/",
    "controls": "http://e.example/\x01\x7f",
    "percent": "file.pdf%zz%%41%",
    "surrogate-percent": "doc%ED%A0%80.pdf",
    "null-percent": "doc%00.pdf",
    "backslashes": "\\\\server\\share\\..\\..\\x.pdf",
    "up-and-up": "../" * 400 + "etc/passwd",
    "only-hash": "#" * 5000,
    "long": "http://e.example/" + "a/" * 50_000,
    "script": "javascript:alert(1)",
    "data": "data:text/html,<script>alert(1)</script>",
    "drive": "C:\\windows\\win.ini",
    "regex": "((((a*)*)*)*)[.pdf",
}


def _html(address: str) -> bytes:
    quoted = address.replace("&", "&amp;").replace('"', "&quot;")
    return f'<html><body><p>See <a href="{quoted}">the manual</a>.</p></body></html>'.encode("utf-8", "surrogatepass")


def _markdown(address: str) -> bytes:
    return f"# Note\n\nSee [the manual](<{address}>) and [link={address}]x.\n".encode("utf-8", "surrogatepass")


for _name, _address in ADDRESSES.items():
    family.file(f"link-{_name}.html", READ)(lambda address=_address: _html(address))  # type: ignore[misc]
for _name in ("open-bracket", "closing-bracket", "letters-for-port", "idn", "percent"):
    family.file(f"link-{_name}.md", READ)(lambda address=ADDRESSES[_name]: _markdown(address))  # type: ignore[misc]


@family.file("base.html", READ)
def page_with_a_bad_base() -> bytes:
    return b'<html><head><base href="http://[x"></head><body><p>See <a href="a.html">it</a>.</p></body></html>'


@family.file("link.docx", READ)
def docx_with_a_bad_link() -> bytes:
    body = '<w:p><w:hyperlink r:id="rId9"><w:r><w:t>the manual</w:t></w:r></w:hyperlink></w:p>'
    return docx_with_parts(body, relations={"rId9": ("hyperlink", "http://[x", True)})


@family.file("link.xlsx", READ)
def xlsx_with_a_bad_link() -> bytes:
    return xlsx_with_parts(
        '<row r="1"><c r="A1" t="inlineStr"><is><t>manual</t></is></c></row>',
        after='<hyperlinks><hyperlink ref="A1" r:id="rId9"/></hyperlinks>',
        relations={"rId9": ("hyperlink", "http://[x", True)},
    )


@family.file("link.pdf", READ)
def pdf_with_bad_links() -> bytes:
    actions = b"".join(
        b"<</Type/Annot/Subtype/Link/Rect[50 690 200 720]/A<</S/URI/URI(" + target + b")>>>>"
        for target in (b"http://[x", b"http://e.example]x", b"javascript:x", b"\\000\\001")
    )
    return one_page_pdf(b"BT /F 12 Tf 50 700 Td (See the manual) Tj ET", page=b"/Annots[" + actions + b"]")


@family.file("link.eml", READ)
def mail_with_bad_links() -> bytes:
    head = "From: a@example.com\r\nTo: b@example.com\r\nSubject: Valve\r\nIn-Reply-To: <[x>\r\nReferences: <a> <[>\r\n"
    return (head + "MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n<p>See <a href='http://[x'>it</a></p>").encode()


@family.file("link.rst", READ)
def rst_with_a_bad_link() -> bytes:
    return b"Title\n=====\n\nSee `the manual <http://[x>`_ and http://[y .\n"


@family.file("link.json", READ)
def json_with_a_bad_link() -> bytes:
    return json.dumps({"manual": "http://[x", "see": "http://e.example]x"}).encode()


@family.file("20000-links.html", READ)
def page_of_links() -> bytes:
    links = "".join(f'<p>See <a href="http://[x{n}">manual {n}</a>.</p>' for n in range(20_000))
    return f"<html><body>{links}</body></html>".encode()


@family.folder("loops", READ)
def pages_that_refer_to_one_another(folder: Path, bait: Bait) -> None:
    for number in range(12):
        links = "".join(f'<a href="{other}.html">page {other}</a> ' for other in range(12))
        (folder / f"{number}.html").write_text(f"<title>Page {number}</title><p>See {links}</p>")


@family.folder("mail-loop", READ)
def mails_that_answer_one_another(folder: Path, bait: Bait) -> None:
    for one, other in (("1", "2"), ("2", "1"), ("3", "3")):
        (folder / f"{one}.eml").write_text(
            f"From: a@example.com\nTo: b@example.com\nSubject: Valve\nMessage-ID: <{one}@x>\nIn-Reply-To: <{other}@x>\n"
            f"References: <{other}@x> <{one}@x>\n\nMessage {one} about the valve.\n"
        )


@family.folder("one-title", READ)
def many_documents_of_one_title(folder: Path, bait: Bait) -> None:
    for number in range(40):
        (folder / f"{number}.md").write_text(f"# Pump\n\nSee Pump. The pump no. {number} is described in Pump.\n")


@family.folder("revisions-in-a-circle", READ)
def documents_that_replace_one_another(folder: Path, bait: Bait) -> None:
    for one, other in (("A", "B"), ("B", "C"), ("C", "A")):
        (folder / f"DS-1_rev_{one}.md").write_text(
            f"# DS-1 Valve\n\nDocument no. DS-1, revision {one}. Supersedes DS-1 revision {other}.\n"
        )


@family.folder("symbolic-links", SKIPPED, FAILED)
def links_that_lead_out(folder: Path, bait: Bait) -> None:
    (folder / "out.txt").symlink_to(bait.secret)
    (folder / "system.txt").symlink_to("/etc/passwd")
    (folder / "up").symlink_to(bait.secret.parent, target_is_directory=True)
    (folder / "loop.txt").symlink_to("loop.txt")
    (folder / "gone.txt").symlink_to("nowhere.txt")
    (folder / "zero.txt").symlink_to("/dev/zero")
