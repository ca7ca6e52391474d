"""Pages of web sites and intranets: what belongs to the site, and what only their looks tell."""

from collections.abc import Callable

import pytest

from pipelines.core.document import Document
from tests.parse.pieces import pieces, texts

Read = Callable[..., Document]


@pytest.mark.parametrize(
    "part",
    [
        '<ol class="breadcrumb"><li><a href=/>Home</a><li>Pumps</ol>',
        '<ol id="breadcrumbs"><li><a href=/>Home</a></ol>',
        '<div class="cookie-banner"><p>We use cookies.</p></div>',
        '<div id="onetrust-consent-sdk"><h2>Your privacy</h2><p>We use cookies.</p></div>',
        '<div role="dialog"><h2>Newsletter</h2><p>Subscribe now.</p></div>',
        '<div class="share noprint">Share this page</div>',
        "<ul><li><a href='#a'>Data</a><li><a href='#b'>Parts</a><li><a href='#c'>Service</a></ul>",
        "<p><a class='skip-link' href='#main'>Skip to the text</a></p>",
    ],
)
def test_what_belongs_to_the_site_is_not_text(part: str, document_of: Read) -> None:
    assert texts(document_of("a.html", f"<body>{part}<h1>Pump P-4</h1><p>Vent it first.</p></body>")) == [
        "Pump P-4",
        "Vent it first.",
    ]


@pytest.mark.parametrize(
    "kept",
    [
        '<div class="cookie-banner"><article><p>Bake the cookies.</p></article></div>',
        '<body class="cookie-consent"><p>Bake the cookies.</p>',
        "<ul><li><a href='#a'>1</a> and <a href='#b'>2</a> are <a href='#c'>notes</a></ul>",
        "<main><p>Before the title.</p></main>",
    ],
)
def test_text_in_such_an_element_is_kept(kept: str, document_of: Read) -> None:
    assert len(texts(document_of("a.html", kept))) == 1


def test_what_precedes_the_main_text_with_the_title_belongs_to_the_site(document_of: Read) -> None:
    html = "<div><ul><li>Free delivery</ul></div><div><main><h1>Gauge</h1><p>30 bar</p></main></div><p>Contact us.</p>"
    assert texts(document_of("a.html", html)) == ["Gauge", "30 bar", "Contact us."]


def test_a_line_of_the_footer_that_tells_how_to_reach_somebody_is_text(document_of: Read) -> None:
    lines = ("All rights reserved", "Head office: +44 1422 496 000", "office@hollin.example")
    footer = f"<footer>{''.join(f'<p>{line}</p>' for line in lines)}</footer>"
    document = document_of("a.html", f"<body><h1>Branches</h1><p>Leeds</p>{footer}</body>")
    assert texts(document) == ["Branches", "Leeds", "Head office: +44 1422 496 000\noffice@hollin.example"]
    assert [block.text for block in document.furniture][-1] == "All rights reserved"


def test_buttons_only_operate_the_page_unless_they_are_part_of_the_text(document_of: Read) -> None:
    html = (
        "<p>Price: 39 EUR <button>Add to basket</button></p><h3><button>Can I return it?</button></h3>"
        "<p>Press <button>Start</button>, then wait.</p><button aria-expanded=false>Delivery</button><p>Two days.</p>"
    )
    assert texts(document_of("a.html", html)) == [
        "Price: 39 EUR",
        "Can I return it?",
        "Press Start, then wait.",
        "Delivery",
        "Two days.",
    ]


def test_buttons_around_the_names_of_columns_are_read(document_of: Read) -> None:
    html = "<table><tr><th><button>Pump</button><th>GD-1 <button>Remove</button><tr><td>HX 45<td>61 kg</table>"
    (table,) = document_of("a.html", html).tables
    assert table.grid()[0] == ["Pump", "GD-1"]


def test_links_to_edit_a_section_are_no_part_of_its_heading(document_of: Read) -> None:
    html = '<h2>History<span class="mw-editsection">[<a href=/e>edit</a>]</span></h2><p>Built in 1998.</p>'
    assert texts(document_of("a.html", html)) == ["History", "Built in 1998."]


def test_panels_begin_with_the_names_of_their_tabs(document_of: Read) -> None:
    html = (
        '<h1>Gauge</h1><ul role="tablist"><li><a role="tab" href="#d">Data</a><li><button role="tab" aria-controls="s">'
        'Scope</button></ul><div id="d"><p>30 bar</p></div><div id="s" hidden><h4>Scope</h4><p>Hose</p></div>'
    )
    assert pieces(document_of("a.html", html)) == [
        ("title", 0, "Gauge"),
        ("heading", 2, "Data"),
        ("paragraph", 0, "30 bar"),
        ("heading", 4, "Scope"),
        ("paragraph", 0, "Hose"),
    ]


@pytest.mark.parametrize(
    ("icon", "text"),
    [
        ('<img src="y.svg" alt="Yes">', "Yes"),
        ('<span class="icon" aria-label="No"></span>', "No"),
        ('<i class="fa fa-check"></i>', "✓"),
        ('<span class="glyphicon glyphicon-remove"></span>', "✗"),
        ('<svg><title>Not fitted</title><path d="M0 0"></path></svg>', "Not fitted"),
        ('<i class="fa fa-car"></i>', ""),
        ('<img src="y.svg" alt="y.svg">', ""),
    ],
)
def test_a_cell_without_text_says_what_its_icon_does(icon: str, text: str, document_of: Read) -> None:
    html = f"<table><tr><th>Feature<th>GD-1<tr><td>Bluetooth<td>{icon}<tr><td>Weight<td>210 g</table>"
    (table,) = document_of("a.html", html).tables
    assert table.grid()[1] == ["Bluetooth", text]


def test_a_linked_picture_beside_the_text_of_a_cell_is_described(document_of: Read) -> None:
    html = (
        "<table><tr><th>Part<th>Price<tr><td><a href=k.html><img src=k.png alt='Seal kit'></a> SK-90<td>45 EUR</table>"
    )
    document = document_of("a.html", html)
    assert [figure.description for figure in document.figures] == ["Seal kit"]


def test_labels_and_values_in_elements_side_by_side_are_lines(document_of: Read) -> None:
    html = (
        "<div><div><label>State</label><div>Closed</div></div><div><span>Priority:</span><span>High</span></div>"
        "<div><b>Owner</b><span>Ann Berg</span></div></div>"
        "<ul><li><i class=icon></i><span>Town</span> Leeds<li><span>Start</span> at once<li><span>Pay</span> 3 EUR</ul>"
    )
    assert texts(document_of("a.html", html)) == [
        "State: Closed",
        "Priority: High",
        "Owner: Ann Berg",
        "Town: Leeds",
        "Start: at once",
        "Pay: 3 EUR",
    ]


@pytest.mark.parametrize(
    "html",
    [
        "<div><div><b>Ann</b><span>Berg</span></div><div><b>Tom</b><span>Kay</span></div></div>",
        "<div><p><b>How?</b><span>So.</span></p><p><b>Why?</b><span>So.</span></p><p><b>When?</b><span>Now.</span></p></div>",
        "<ul><li><b>Safety</b> comes first<li><b>Order</b> comes next<li><b>Speed</b> comes last</ul>",
    ],
)
def test_two_pairs_questions_and_words_in_bold_have_no_colon(html: str, document_of: Read) -> None:
    assert ":" not in "".join(texts(document_of("a.html", html)))


def test_the_value_of_a_form_field_is_behind_its_label(document_of: Read) -> None:
    html = (
        '<form><label for=h>Host name</label> <input id=h value="gw7"><br><label>Port <input value="502"></label><br>'
        "<label><input type=checkbox> DHCP</label><br>Zone: <select><option>UTC<option selected>Oslo</select></form>"
    )
    assert texts(document_of("a.html", html)) == ["Host name: gw7\nPort: 502\n☐ DHCP\nZone: Oslo"]


def test_paragraphs_in_bold_above_others_are_headings(document_of: Read) -> None:
    html = "<h1>Error F07</h1><p><b>Cause</b></p><p>A ground fault.</p><p><strong>Remedy</strong></p><ul><li>Stop.</ul>"
    assert pieces(document_of("a.html", html))[1:] == [
        ("heading", 2, "Cause"),
        ("paragraph", 0, "A ground fault."),
        ("heading", 2, "Remedy"),
        ("list_item", 1, "Stop."),
    ]


def test_a_single_paragraph_in_bold_is_emphasized(document_of: Read) -> None:
    assert pieces(document_of("a.html", "<h1>F07</h1><p><b>Stop it</b></p><p>Then wait.</p>"))[1][0] == "paragraph"


def test_tasks_of_a_wiki_have_their_boxes(document_of: Read) -> None:
    html = '<ul class="inline-task-list"><li class="checked">Order gaskets<li>Calibrate the sensor</ul>'
    assert texts(document_of("a.html", html)) == ["☒ Order gaskets", "☐ Calibrate the sensor"]


@pytest.mark.parametrize(
    ("title", "called"),
    [
        ("[MNT-2291] Palletizer 3 stops - Tracker", "[MNT-2291] Palletizer 3 stops"),
        ("Palletizer 3 stops | Tracker 8", "Palletizer 3 stops"),
    ],
)
def test_a_number_before_the_heading_is_part_of_the_title(title: str, called: str, document_of: Read) -> None:
    html = f"<head><title>{title}</title></head><h1>Palletizer 3 stops</h1><p>At layer 4.</p>"
    assert document_of("a.html", html).metadata["title"] == called


def test_a_form_in_the_cell_of_a_table_is_read_line_by_line(document_of: Read) -> None:
    html = (
        "<table><tr><td><a href=s.cgi>Status</a></td><td><form><fieldset><legend>Network</legend>"
        "<label>Port <input value=502></label></fieldset></form></td></tr></table>"
    )
    assert texts(document_of("a.html", html)) == ["Status", "Network", "Port: 502"]
