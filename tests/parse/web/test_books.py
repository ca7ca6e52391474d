"""Tests of EPUB, ZIP, RTF, reStructuredText and Org."""

import io
import zipfile
from collections.abc import Callable

from pydantic import SecretStr

from pipelines.core.document import BlockKind, Document
from pipelines.core.outcome import Status
from pipelines.parse.settings import Limits, ParseSettings
from tests.hostile.made import zipped
from tests.parse.conftest import ParseBytes
from tests.parse.hostile_files import epub, zip_with_a_password
from tests.parse.pieces import pieces, targets, texts

Read = Callable[..., Document]

PACKAGE = """<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>
<dc:title>Pump book</dc:title><dc:creator>A</dc:creator>
<dc:creator>B</dc:creator><dc:language>en</dc:language></metadata><manifest>
<item id="n" href="toc.ncx" media-type="application/x-dtbncx+xml"/>
<item id="two" href="text/two.xhtml" media-type="application/xhtml+xml"/>
<item id="one" href="text/one.xhtml" media-type="application/xhtml+xml"/>

<item id="p" href="img/p.png" media-type="image/png"/></manifest>
<spine><itemref idref="one"/><itemref idref="two"/></spine></package>"""
CONTENTS = """<ncx><navMap>
<navPoint><navLabel><text>Starting</text></navLabel><content src="text/one.xhtml"/></navPoint>
<navPoint><navLabel><text>Stopping</text></navLabel><content src="text/two.xhtml#x"/></navPoint></navMap></ncx>"""
BOOK = epub(
    PACKAGE,
    {
        "toc.ncx": CONTENTS.encode(),
        "text/one.xhtml": b"<html><body><p>Open it. See <a href='two.xhtml'>the end</a>.</p>"
        b"<img src='../img/p.png' alt='Pump'/></body></html>",
        "text/two.xhtml": b"<html><body><h1>Stopping</h1><p>Close it.</p></body></html>",
        "img/p.png": b"\x89PNG\r\n\x1a\n...",
    },
)


def test_a_book_is_read_in_the_order_of_its_spine(parse_bytes: ParseBytes) -> None:
    parsed = parse_bytes("a.epub", BOOK)
    document = parsed.document
    assert document is not None
    assert pieces(document) == [
        ("heading", 1, "Starting"),
        ("paragraph", 0, "Open it. See the end."),
        ("figure", 0, "Pump"),
        ("heading", 1, "Stopping"),
        ("paragraph", 0, "Close it."),
    ]
    assert document.title == "Pump book"
    assert document.metadata["author"] == "A; B"
    assert document.blocks[1].provenance.label == "Starting"
    assert parsed.pictures[0].data == b"\x89PNG\r\n\x1a\n..."
    assert ("hyperlink", "two.xhtml", "the end") in targets(document)


def test_a_book_packed_with_its_folder_is_read(parse_bytes: ParseBytes) -> None:
    with zipfile.ZipFile(io.BytesIO(BOOK)) as archive:
        packed = zipped({f"book/{name}": archive.read(name) for name in archive.namelist()})
    parsed = parse_bytes("a.epub", packed)
    assert parsed.document is not None
    assert parsed.document.title == "Pump book"
    assert texts(parsed.document)[-2:] == ["Stopping", "Close it."]
    assert parsed.pictures[0].data == b"\x89PNG\r\n\x1a\n..."


def test_members_of_an_archive_are_listed_and_become_children(parse_bytes: ParseBytes) -> None:
    parsed = parse_bytes("a.zip", zipped({"docs/a.txt": b"one", "b.txt": b"two", "__MACOSX/b.txt": b"x"}))
    assert [(child.name, child.data, child.kind.value) for child in parsed.children] == [
        ("docs/a.txt", b"one", "member"),
        ("b.txt", b"two", "member"),
    ]
    assert parsed.document is not None
    assert [(kind, target) for kind, target, _ in targets(parsed.document) if kind == "member"] == [
        ("member", "docs/a.txt"),
        ("member", "b.txt"),
    ]


def test_an_archive_that_is_cut_short_keeps_the_members_before_the_cut(parse_bytes: ParseBytes) -> None:
    members = {"docs/a.txt": b"The valve.", "Übersicht.csv": b"Part,No\n", "__MACOSX/b.txt": b"x", "c.txt": b"3" * 999}
    data = zipped(members)
    parsed = parse_bytes("a.zip", data[: data.index(b"PK\x01\x02") - 2])
    assert [(child.name, child.data) for child in parsed.children][:2] == [
        ("docs/a.txt", b"The valve."),
        ("Übersicht.csv", b"Part,No\n"),
    ]
    assert parsed.status is Status.PARTIAL
    assert parsed.reason == "damaged or cut short: the list of its members is lost, and members may be too"
    assert (
        parse_bytes("a.zip", data[: data.index(b"PK\x01\x02") - 2], ParseSettings(limits=Limits(members=1))).status
        is Status.TOO_LARGE
    )
    assert parse_bytes("a.zip", data[:30]).status is Status.MALFORMED


def test_an_archive_whose_list_of_members_is_damaged_keeps_them(parse_bytes: ParseBytes) -> None:
    data = zipped({"a.txt": b"The valve.", "b.txt": b"The pump."}).replace(b"PK\x01\x02", b"PK\x00\x00", 1)
    parsed = parse_bytes("a.zip", data)
    assert [(child.name, child.data) for child in parsed.children] == [
        ("a.txt", b"The valve."),
        ("b.txt", b"The pump."),
    ]
    assert parsed.status is Status.PARTIAL


def test_a_book_that_is_cut_short_is_read_as_far_as_it_goes(parse_bytes: ParseBytes) -> None:
    parsed, whole = (parse_bytes("a.epub", data) for data in (BOOK[: BOOK.index(b"PK\x01\x02")], BOOK))
    assert parsed.document is not None
    assert whole.document is not None
    assert texts(parsed.document) == texts(whole.document)
    assert parsed.status is Status.PARTIAL


def test_a_wrong_password_leaves_an_archive_encrypted(parse_bytes: ParseBytes) -> None:
    settings = ParseSettings(passwords={"*.zip": SecretStr("wrong")})
    parsed = parse_bytes("a.zip", zip_with_a_password(), settings)
    assert parsed.status is Status.ENCRYPTED
    assert "wrong" not in parsed.reason


RTF = rb"""{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset134 SimSun;}}
{\stylesheet{\s0 Normal;}{\s1 heading 1;}}
{\info{\title Pump guide}{\author Jo}}{\header Page head}
\pard\s1 Safety\par
\pard Die Pr\'fcfung der \b V\b0entile \u8364? 5
 {\f1\'d6\'d0\'ce\'c4} and
 {\field{\*\fldinst HYPERLINK "http://x.y/a"}{\fldrslt the site}}.{\footnote A note.}\par
{\listtext 1.}\pard\ls1\ilvl0 First\par
\pard\ls1\ilvl1 Second\par
\trowd\trhdr\cellx1000\cellx2000\pard\intbl A\cell B\cell\row
\trowd\cellx2000\pard\intbl wide\cell\row
\pard After {\v hidden}{\*\foo bar}the end\par
{\pict\pngblip 89504e470d0a1a0a}\par
}"""


def test_rtf_keeps_styles_lists_tables_links_and_notes(parse_bytes: ParseBytes) -> None:
    parsed = parse_bytes("a.rtf", RTF)
    document = parsed.document
    assert document is not None
    assert pieces(document) == [
        ("heading", 1, "Safety"),
        ("paragraph", 0, "Die Prüfung der Ventile € 5 中文 and the site."),
        ("footnote", 0, "A note."),
        ("list_item", 1, "First"),
        ("list_item", 2, "Second"),
        ("table", 0, "A | B\nwide |"),
        ("paragraph", 0, "After the end"),
        ("figure", 0, ""),
        ("page_header", 0, "Page head"),
    ]
    assert [(cell.text, cell.column_span, cell.header) for cell in document.tables[0].cells] == [
        ("A", 1, True),
        ("B", 1, True),
        ("wide", 2, False),
    ]
    assert targets(document) == [("hyperlink", "http://x.y/a", "the site")]
    assert document.title == "Pump guide"
    assert [block.text for block in document.furniture] == ["Page head"]
    assert parsed.pictures[0].data == b"\x89PNG\r\n\x1a\n"


def test_restructured_text_has_its_sections_and_reads_no_other_file(document_of: Read) -> None:
    document = document_of(
        "a.rst",
        "Manual\n======\n\nIntro, see :ref:`that <x>` and `a link <http://x.y>`_.\n\nUse\n---\n\n.. "
        "code-block:: c\n\n   int x;\n\n"
        ".. include:: /etc/hostname\n\n=== ===\nA   B\n=== ===\n1   2\n=== ===\n",
    )
    assert pieces(document) == [
        ("title", 0, "Manual"),
        ("paragraph", 0, "Intro, see that and a link."),
        ("heading", 2, "Use"),
        ("code", 0, "int x;"),
        ("table", 0, "A | B\n1 | 2"),
    ]


def test_directives_of_sphinx_keep_their_text(document_of: Read) -> None:
    document = document_of(
        "a.rst",
        "Manual\n======\n\nSee :c:func:`open` and :envvar:`HOME`, 10\\ :sup:`6`.\n\n.. c:function:: int open(int x)\n"
        "   :noindex:\n\n   Opens.\n\n.. glossary::\n\n   Seal\n     Keeps oil in.\n\n.. tabularcolumns:: |p{7cm}|\n",
    )
    assert texts(document) == [
        "Manual",
        "See open and HOME, 10⁶.",
        "int open(int x)",
        "Opens.",
        "Seal",
        "Keeps oil in.",
    ]


def test_org_has_its_headlines_lists_tables_and_links(document_of: Read) -> None:
    document = document_of(
        "a.org",
        "#+TITLE: Manual\n* TODO Safety :tag:\n:PROPERTIES:\n:ID: 1\n:END:\nSee [[file:pump.pdf][the "
        "*pump*]].\n- one\n  - two\n"
        "| A | B |\n|---+---|\n| 1 | 2 |\n#+BEGIN_SRC c\nint x;\n#+END_SRC\n",
    )
    assert pieces(document) == [
        ("title", 0, "Manual"),
        ("heading", 1, "Safety"),
        ("paragraph", 0, "See the pump."),
        ("list_item", 1, "one"),
        ("list_item", 2, "two"),
        ("table", 0, "A | B\n1 | 2"),
        ("code", 0, "int x;"),
    ]
    assert document.tables[0].header_rows == 1
    assert texts(document)[0] == document.title


def test_properties_set_in_an_rtf_group_end_with_it(document_of: Read) -> None:
    document = document_of("a.rtf", r"{\rtf1{\stylesheet{\s1 heading 1;}}{\s1 Repair\par}First\par \'95\tab Seal\par}")
    assert pieces(document) == [("heading", 1, "Repair"), ("paragraph", 0, "First"), ("list_item", 1, "•\tSeal")]


def test_both_halves_of_a_character_beyond_16_bits_are_one(document_of: Read) -> None:
    document = document_of("a.rtf", r"{\rtf1\uc1 Fire \u-10179?\u-8938? and \u-10240?\u-8398?\par}")
    assert document.text == "Fire \U0001f516 and \U00010332"


def test_an_asterisk_within_an_rtf_group_hides_no_text(document_of: Read) -> None:
    document = document_of(
        "a.rtf", r"{\rtf1{\*\generator X;}{\f0\i0\*\cs7\cf0 The pump is sealed.}{\*\unknown No.}\par}"
    )
    assert document.text == "The pump is sealed."


def test_the_cells_of_an_rtf_row_without_an_end_are_kept(document_of: Read) -> None:
    document = document_of("a.rtf", r"{\rtf1\trowd\cellx900\cellx1800 Seal\cell FKM\cell\pard Behind it.\par}")
    assert [block.kind for block in document.blocks] == [BlockKind.TABLE, BlockKind.PARAGRAPH]
    assert [cell.text for cell in document.tables[0].cells] == ["Seal", "FKM"]
