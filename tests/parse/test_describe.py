from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from pipelines.core.document import Document, Source
from pipelines.llm.chat import Request
from pipelines.llm.testing.fakes import FunctionChat, ScriptedChat
from pipelines.parse.assemble import DocumentBuilder, Image
from pipelines.parse.describe import ChatDescriber, Describer, describe_figures, with_descriptions
from pipelines.parse.parsed import Parsed
from pipelines.parse.settings import ParseSettings
from tests.parse.pieces import assert_whole

PICTURE = b"\x89PNG\r\n\x1a\n" + b"x" * 3000
OTHER = b"\x89PNG\r\n\x1a\n" + b"y" * 3000
REPLY = '{"kind": "diagram", "description": "A pump feeds a valve."}'


def build(*parts: str | bytes) -> Parsed:
    builder = DocumentBuilder(Source("a.md", "text/markdown", 1, "d"), ParseSettings(), "test")
    for part in parts:
        if isinstance(part, bytes):
            builder.figure(Image(part), caption="Figure 1")
        elif part.startswith("#"):
            builder.heading(part[1:], 1)
        elif part.startswith("-"):
            builder.list_item(part[1:])
        else:
            builder.paragraph(part)
    return builder.build()


async def test_a_description_becomes_part_of_the_text() -> None:
    parsed, failures = await describe_figures(
        build("#Pump", "before", PICTURE, "see section 4.2 of STD-014"), ChatDescriber(ScriptedChat([REPLY]))
    )
    assert failures == ()
    document = parsed.document
    assert document is not None
    assert document.text == "Pump\n\nbefore\n\nA pump feeds a valve.\n\nsee section 4.2 of STD-014"
    assert document.figures[0].description == "A pump feeds a valve."
    assert document.references[0].provenance.span.slice(document.text) == document.references[0].evidence
    assert document.sections[1].span.slice(document.text) == document.text
    assert_whole(document)


async def test_the_model_gets_the_picture_and_the_surrounding_text() -> None:
    asked: list[Request] = []

    def answer(request: Request) -> str:
        asked.append(request)
        return REPLY

    describer = ChatDescriber(FunctionChat(answer))
    assert isinstance(describer, Describer)
    await describe_figures(build("the inlet side", PICTURE, "the outlet side", PICTURE), describer)
    assert len(asked) == 1
    last = asked[0].messages[-1]
    assert last.images[0].data == PICTURE
    assert "the inlet side" in last.content
    assert "the outlet side" in last.content
    assert "Figure 1" in last.content


async def test_decorations_get_no_description() -> None:
    parsed = build("text", PICTURE)
    described, failures = await describe_figures(
        parsed, ChatDescriber(ScriptedChat(['{"kind": "logo", "description": "A logo"}']))
    )
    assert described == parsed
    assert failures == ()


async def test_an_unusable_reply_is_a_failure_and_the_document_is_unchanged() -> None:
    parsed = build("text", PICTURE)
    described, failures = await describe_figures(parsed, ChatDescriber(ScriptedChat(["no", "no", "no"])))
    assert described == parsed
    assert parsed.pictures[0].digest == failures[0].subject


async def test_small_pictures_are_not_described() -> None:
    parsed = build("text", b"tiny")
    assert (await describe_figures(parsed, ChatDescriber(ScriptedChat([]))))[0] == parsed


PARTS = st.lists(st.sampled_from(["para", "#Head", "-item", PICTURE, OTHER]), min_size=1, max_size=10)


def described_at_once(parts: list[str | bytes], texts: dict[bytes, str]) -> Document | None:
    """Return the document that the builder makes if the descriptions are given from the start."""
    builder = DocumentBuilder(Source("a.md", "text/markdown", 1, "d"), ParseSettings(), "test")
    for part in parts:
        if isinstance(part, bytes):
            builder.figure(Image(part, description=texts.get(part, "")), caption="Figure 1")
        elif part.startswith("#"):
            builder.heading(part[1:], 1)
        elif part.startswith("-"):
            builder.list_item(part[1:])
        else:
            builder.paragraph(part)
    return builder.build().document


@given(PARTS, st.booleans())
def test_describing_later_gives_the_same_document(parts: list[str | bytes], both: bool) -> None:
    parsed = build("start", *parts)
    assert parsed.document is not None
    texts = {PICTURE: "a pump", **({OTHER: "a valve"} if both else {})}
    digests = {picture.data: picture.digest for picture in parsed.pictures}
    later = with_descriptions(parsed.document, {digests[data]: text for data, text in texts.items() if data in digests})
    at_once = described_at_once(["start", *parts], texts)
    assert at_once is not None
    assert later.text == at_once.text
    assert [section.span for section in later.sections] == [section.span for section in at_once.sections]
    assert [replace(block, id="") for block in later.blocks] == [replace(block, id="") for block in at_once.blocks]
    assert_whole(later)
