"""Builds the mail about the wrong O-rings, with the return form as a PDF attachment."""

from __future__ import annotations

from email import policy
from email.message import EmailMessage

from . import blocks, pdf

HEADERS = {
    "From": "Ingrid Solberg <ingrid.solberg@kestrin.example>",
    "To": "Chen Wei <chen.wei@suzhou.kestrin.example>",
    "Cc": "Jonas Beck <jonas.beck@kestrin.example>, Tom Ashworth <tom.ashworth@kestrin.example>",
    "Subject": "RE: DN-58213 / PO-7719: wrong O-rings, return RMA-0192",
    "Date": "Tue, 04 Feb 2025 10:42:00 +0100",
    "Message-ID": "<20250204104200.7719@kestrin.example>",
    "In-Reply-To": "<20250203081500.5821@suzhou.kestrin.example>",
    "References": "<20250131160300.7718@kestrin.example> <20250203081500.5821@suzhou.kestrin.example>",
}


def render() -> bytes:
    """The EML file."""
    message = EmailMessage(policy.SMTP)
    for name, value in HEADERS.items():
        message[name] = value
    message.set_content((blocks.CONTENT / "mail.txt").read_text("utf-8"), cte="quoted-printable")
    attachment = pdf.render(blocks.read("rma_0192.md"))
    message.add_attachment(attachment, "application", "pdf", filename="RMA-0192.pdf")
    message.set_boundary("=_kestrin_20250204_7719")
    return message.as_bytes()
