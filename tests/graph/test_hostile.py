"""Property tests with hostile documents: profiles, graphs and links can be made of any content."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pipelines.core.document import ReferenceKind
from pipelines.core.ids import content_id
from pipelines.core.knowledge import Entity
from pipelines.graph import entity_rules
from pipelines.graph.document_graph import build_graph, redirect
from pipelines.graph.document_index import DocumentIndex
from pipelines.graph.document_names import numbers_of, revision_of, revision_order
from pipelines.graph.document_profile import document_profile
from pipelines.graph.entities import EntityProfile
from pipelines.graph.link import link
from pipelines.graph.mentions import ChunkText
from pipelines.llm.embedder import HashingEmbedder
from tests.graph.made import Made, made

DIGITS = "9" * 5000
PIECES = [
    "http://[x", "http://e.example]x", "https://[1]", "http://[::1/a.pdf", "http://h:port/a.pdf", "http://h:99999999/",
    "http://xn--\u2100.example/", "//[", "www.[x", "file://[x", "file:///C:/a.md", "C:\\a.md", "mailto:[", "a.md#[",
    "%",
    "%zz", "%00", "%ed%a0%80",
    "..", "../" * 200, "/", "#", "?", "[", "]", "(", ")", "\\", "*", "\0", "\ud800", "\udfff",
    "\u202e", "\u0130", "\ufb03", "\u00b2\u2460\u0663", "\U0001f469\u200d\U0001f52c", DIGITS, "." * 3000, "1." * 2000,
    "0000-00-00", "99999-13-45T99:99:99", "-1", "NaN", "1e999", "DS-2041", "DS-" + DIGITS, "Rev " + DIGITS, "v1.2.3.4",
    "rev C",
    "section 4.2", "see ", "《", "第9999999999章", "a", "b.md", "Manual", "INC.", "A.B.C.D.E.F", "(AB)", " ", "\n",
]  # fmt: skip
HOSTILE = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=5).map("".join)
KINDS = st.sampled_from(list(ReferenceKind))


@st.composite
def documents(draw: st.DrawFn) -> list[Made]:
    found = []
    for number in range(draw(st.integers(1, 3))):
        words = draw(st.lists(HOSTILE, min_size=1, max_size=4))
        text = "# 1 Part\n\nThe beginning. " + " ".join(words)
        names = [name for name in draw(st.lists(HOSTILE, max_size=3)) if name.strip()]
        entities = [Entity(Entity.make_id(name), name, draw(HOSTILE), (draw(HOSTILE),)) for name in names]
        targets = draw(st.lists(st.tuples(KINDS, HOSTILE), max_size=4))
        told = draw(st.dictionaries(st.sampled_from(["revision", "version", "date", "number", "message-id"]), HOSTILE))
        references = [(kind, target, "The beginning") for kind, target in targets]
        name = draw(HOSTILE).replace("/", "") or "x"
        document = made(f"{number}/{name}.md", draw(HOSTILE), text, references, entities, (), **told)
        found.append(document)
    return found


@settings(max_examples=120, deadline=None)
@given(documents())
def test_hostile_documents_are_linked_and_built(found: list[Made]) -> None:
    profiles = [document_profile(*one) for one in found]
    texts = {
        document.id: [ChunkText(chunk.id, chunk.provenance.span.start, chunk.text) for chunk in distillate.chunks]
        for document, distillate in found
    }
    linked = link(profiles, texts.__getitem__, embed=HashingEmbedder().embed)
    assert {node.id for node in linked.subgraph.nodes} >= {tag.id for tag in linked.tags}
    for document, distillate in found:
        assert redirect(build_graph(document, distillate), linked.merged).owner == document.id


@settings(max_examples=300, deadline=None)
@given(KINDS, HOSTILE, HOSTILE)
@example(ReferenceKind.HYPERLINK, "http://[x", "")
@example(ReferenceKind.MENTION, "http://e.example]x", "")
@example(ReferenceKind.CITATION, "www.[x.example/a.pdf", "")
def test_any_reference_is_resolved_or_unresolved_without_an_error(kind: ReferenceKind, target: str, title: str) -> None:
    profiles = [
        document_profile(*made("a.md", title, "The beginning.", [(kind, target, "The")])),
        document_profile(*made("b.md", "B", "Text.")),
    ]
    library = DocumentIndex(profiles)
    found = library.resolve(profiles[0].references[0], profiles[0])
    assert set(found.documents) <= {one.document for one in profiles}


@settings(max_examples=200, deadline=None)
@given(HOSTILE, HOSTILE, HOSTILE)
def test_any_number_revision_and_name_can_be_read(one: str, other: str, kind: str) -> None:
    told = {"revision": one, "number": other, "document_id": kind}
    assert all(any(map(str.isdigit, number)) for number in numbers_of(one, other, kind, told))
    stated = revision_of(one, other, kind, told)
    assert stated == one.strip() or not one
    assert all(part >= 0 for text in (one, stated) for part in revision_order(text))
    pair = [EntityProfile(content_id("entity", name), name, kind) for name in (one, other)]
    assert entity_rules.compatible(*pair) in (True, False)
    assert entity_rules.judge(*pair) is None or 0 < entity_rules.judge(*pair).score <= 1  # type: ignore[union-attr]
    assert entity_rules.bracketed(one) is None or len(entity_rules.bracketed(one) or ()) == 2


@settings(max_examples=200, deadline=None)
@given(
    st.from_regex(r"(http|https|ftp)://[a-z]{1,8}(:\d{1,4})?(/[a-z.%0-9]{0,8}){0,3}(\?[a-z=&/]{0,8})?(#[a-z/?]{0,6})?",
                  fullmatch=True)
)  # fmt: skip
def test_a_valid_address_is_parsed_as_by_the_standard_library(address: str) -> None:
    from pipelines.graph.document_index import _path_and_anchor

    path, anchor = _path_and_anchor(address)
    parts = urlsplit(address)
    assert (unquote(path).rpartition("/")[2], anchor) == (unquote(parts.path).rpartition("/")[2], parts.fragment)


@pytest.mark.parametrize("revision", ["9" * 5000, "A" * 5000, "1." * 5000, "\u0663", "\u00b2", ""])
def test_revisions_of_any_length_can_be_sorted(revision: str) -> None:
    ordered = sorted([revision_order(revision), revision_order("2"), revision_order("1.10")])
    assert ordered.index((1, 10)) < ordered.index((2,))
