"""Tests of calendars, address cards and subtitles."""

from collections.abc import Callable

from pipelines.core.document import Document
from tests.parse.pieces import pieces, targets, texts

Read = Callable[..., Document]
EVENT = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nX-WR-CALNAME:Service\r\nBEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\n"
    "BEGIN:STANDARD\r\nDTSTART:19701025T030000\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT\r\nUID:1@x\r\n"
    "DTSTART;TZID=Europe/Berlin:20240312T090000\r\nDTEND:20240312T093000Z\r\nSUMMARY:Inspection of P-101\r\n"
    "LOCATION:Hall 3\\, bay 12\r\nDESCRIPTION:Wear gogg\r\n les.\\nBring a wrench\\; 45 Nm.\r\n"
    'ORGANIZER;CN="Miller, Jane":mailto:jane@x.example\r\nATTACH:https://x.example/p101.pdf\r\n'
    "BEGIN:VALARM\r\nTRIGGER:-PT15M\r\nDESCRIPTION:Reminder\r\nEND:VALARM\r\nEND:VEVENT\r\n"
    "BEGIN:VTODO\r\nSUMMARY:Order gaskets\r\nDUE:20240401\r\nEND:VTODO\r\nEND:VCALENDAR\r\n"
)
CARDS = (
    "BEGIN:VCARD\nVERSION:3.0\nN:Miller;Jane\nFN:Dr. Jane Miller\nORG:Acme;Service\nTEL;TYPE=WORK:+49 30 12\n"
    "item1.ADR;TYPE=WORK:;;Hauptstr. 5;Berlin;;10115;\n"
    "PHOTO;ENCODING=b;TYPE=PNG:iVBORw0KGgo=\nNOTE:mornings\\, please\n"
    "END:VCARD\nBEGIN:VCARD\nVERSION:2.1\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=BCrgen=\n M=C3=BCller\n"
    "KEY;ENCODING=BASE64:AAAA\nEND:VCARD\n"
)


def test_several_events_are_not_called_after_the_first_one(document_of: Read) -> None:
    unnamed = EVENT.replace("X-WR-CALNAME:Service\r\n", "")
    assert document_of("plant.ics", unnamed).title == "plant (ICS)"
    assert document_of("plant.ics", unnamed.replace("SUMMARY:Order gaskets\r\n", "")).title == "Inspection of P-101"


def test_an_event_is_a_section_with_its_fields_and_its_text(document_of: Read) -> None:
    document = document_of("a.ics", EVENT)
    assert document.title == "Service"
    assert pieces(document) == [
        ("heading", 1, "Inspection of P-101"),
        (
            "paragraph",
            0,
            "Start: 2024-03-12 09:00 (Europe/Berlin)\nEnd: 2024-03-12 09:30 UTC\nLocation: Hall 3, bay 12\n"
            "Organizer: Miller, Jane <jane@x.example>",
        ),
        ("paragraph", 0, "Wear goggles.\nBring a wrench; 45 Nm."),
        ("heading", 1, "Order gaskets"),
        ("paragraph", 0, "Due: 2024-04-01"),
    ]
    assert ("hyperlink", "https://x.example/p101.pdf") in [(kind, target) for kind, target, _ in targets(document)]


def test_a_card_has_its_fields_and_picture_and_notes_omitted_data(document_of: Read) -> None:
    document = document_of("cards", CARDS)
    assert texts(document) == [
        "Dr. Jane Miller",
        "Organization: Acme, Service\nTelephone (work): +49 30 12\nAddress (work): Hauptstr. 5, Berlin, 10115",
        "",
        "mornings, please",
        "Jürgen Müller",
    ]
    assert document.figures[0].media_type == "image/png"
    assert "key is data and was left out" in document.notes


def test_cues_are_joined_to_sentences_with_their_start_time(document_of: Read) -> None:
    cues = (
        "1\n00:00:01,000 --> 00:00:04,000\n<i>Close the valve</i>\n\n2\n"
        "00:00:04,500 --> 00:00:08,000\nbefore you\nstart.\n"
        "\n3\n01:00:09,000 --> 01:00:12,000\n{\\an8}Never exceed 45 bar\n"
    )
    document = document_of("a.srt", cues.replace("\n", "\r\n"))
    told = [(block.provenance.label, block.text) for block in document.blocks]
    assert told == [("00:00:01", "Close the valve before you start."), ("01:00:09", "Never exceed 45 bar")]


def test_speakers_and_comments_of_webvtt_are_kept(document_of: Read) -> None:
    cues = (
        "WEBVTT\nLanguage: en\n\nNOTE checked\n\n00:01.000 --> 00:04.000 align:start\n<v Anna>Close &amp; lock it\n\n"
        "end\n00:04.500 --> 00:08.000\n<v Bob>Done\n"
    )
    assert texts(document_of("a.vtt", cues)) == ["checked", "Anna: Close & lock it", "Bob: Done"]
