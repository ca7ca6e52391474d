"""Tests of manual pages in man(7) and mdoc(7)."""

from collections.abc import Callable

from pipelines.core.document import Document
from tests.parse.pieces import pieces

Read = Callable[..., Document]
MAN = r"""'\" t
.\" a remark
.de Sp
\fI\\$1\fP
..
.TH PUMP 1 "March 2024" "1.0" "Pump Manual"
.SH NAME
pump \- control the pump
.SH "SYNOPSIS"
.B pump
[\fB\-v\fR] [\fIfile\fR]
.SS Pressure
It must not exceed 45\ bar \(em ever.
.PP
See
.BR valve (8),
or \[lq]seal\[rq].
.TP
.BR \-v ", " \-\-verbose
Tell more & more.
.IP \(bu 2
One.
.nf
pump \-v
  .file
.fi
"""
MDOC = r""".Dd March 1, 2024
.Dt PUMP 8
.Sh NAME
.Nm pump
.Nd control it
.Sh SYNOPSIS
.Nm
.Op Fl v
.Op Fl o Ar file , ...
.Sh DESCRIPTION
.Nm
is described in
.Xr valve 8 .
.Bl -tag
.It Fl v
Tell more.
.El
"""


def test_a_page_in_man_has_sections_options_and_examples(document_of: Read) -> None:
    document = document_of("pump.1", MAN)
    assert document.title == "pump(1)"
    assert pieces(document) == [
        ("heading", 1, "NAME"),
        ("paragraph", 0, "pump - control the pump"),
        ("heading", 1, "SYNOPSIS"),
        ("paragraph", 0, "pump [-v] [file]"),
        ("heading", 2, "Pressure"),
        ("paragraph", 0, "It must not exceed 45 bar — ever."),
        ("paragraph", 0, "See valve(8), or “seal”."),
        ("list_item", 1, "-v, --verbose Tell more & more."),
        ("list_item", 1, "• One."),
        ("code", 0, "pump -v\n  .file"),
    ]


def test_a_page_in_mdoc_has_its_name_and_expanded_options(document_of: Read) -> None:
    document = document_of("pump", MDOC)
    assert document.title == "pump(8)"
    assert pieces(document) == [
        ("heading", 1, "NAME"),
        ("paragraph", 0, "pump – control it"),
        ("heading", 1, "SYNOPSIS"),
        ("paragraph", 0, "pump [-v] [-o file, ...]"),
        ("heading", 1, "DESCRIPTION"),
        ("paragraph", 0, "pump is described in valve(8)."),
        ("list_item", 1, "-v Tell more."),
    ]
