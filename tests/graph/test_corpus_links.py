"""Tests that links kept from an earlier linking equal those of a linking of all documents."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.core.document import ReferenceKind
from pipelines.graph import corpus_links
from pipelines.graph.link import link
from pipelines.graph.settings import GraphSettings
from pipelines.store.artifact import FileArtifacts
from tests.graph.made import Made, made, profiles, texts

KINDS = ReferenceKind
CASES = (
    # a reference of mail.eml!/a/reader.md, and the URI, title and message id of the document that it finds
    (KINDS.HYPERLINK, "motor.md", "mail.eml!/a/motor.md", "", ""),
    (KINDS.HYPERLINK, "../b", "mail.eml!/b/index.html", "", ""),
    (KINDS.HYPERLINK, "../b/", "mail.eml!/b/README.md", "", ""),
    (KINDS.HYPERLINK, "../b/motor", "mail.eml!/b/motor.md", "", ""),
    (KINDS.HYPERLINK, "/c/motor.md#1", "c/motor.md", "", ""),
    (KINDS.HYPERLINK, "gone/motor.md", "x/y/motor.md", "", ""),
    (KINDS.HYPERLINK, "https://example.org/motor.md", "x/y/motor.md", "", ""),
    (KINDS.HYPERLINK, "DS-1000", "x/ds_1000.md", "", ""),
    (KINDS.ATTACHMENT, "motor.md", "mail.eml!/a/reader.md!/motor.md", "", ""),
    (KINDS.MEMBER, "motor.md", "mail.eml!/motor.md", "", ""),
    (KINDS.REPLY, "<1@x>", "answer.md", "", "1@x"),
    (KINDS.CITATION, "DS-1000", "x/ds_1000.md", "", ""),
    (KINDS.MENTION, "DS-2000", "x/DS-1000.md", "", ""),  # now the number of a missing document
    (KINDS.CITATION, "Motor of the mill", "x/y.md", "Motor of the mill", ""),
    (KINDS.CITATION, "motor of the mill", "x/y.md", "On the motor of the mill", ""),
    (KINDS.CROSS_REFERENCE, "Motor of the mill", "x/y.md", "Motor of the mill", ""),
    (KINDS.CITATION, "c/motor.md", "c/motor.md", "", ""),
)


def document(
    uri: str, title: str = "", targets: Sequence[tuple[ReferenceKind, str]] = (), message: str = "", body: str = ""
) -> Made:
    evidence = {target: f"{'Read' if kind is KINDS.MENTION else 'See'} {target} first" for kind, target in targets}
    text = "\n\n".join((title or "Untitled", "# 1 Scope", body or "Nothing.", *evidence.values()))
    references = [(kind, target, evidence[target]) for kind, target in targets]
    return made(uri, title, text, references, **({"message_id": f"<{message}>"} if message else {}))


@pytest.mark.parametrize(("kind", "target", "uri", "title", "message"), CASES)
def test_a_document_is_linked_again_when_what_it_names_comes_changes_or_goes(
    kind: ReferenceKind, target: str, uri: str, title: str, message: str, tmp_path: Path
) -> None:
    cache, settings = FileArtifacts(tmp_path), GraphSettings(mentions=False)
    kept = [document("mail.eml!/a/reader.md", "List", [(kind, target)]), document("z/other.md", "Other")]
    named = document(uri, title, message=message)
    edited = document(uri, title, message=message, body="It has changed.")
    results = []
    for now in (kept, [*kept, named], [*kept, edited], kept):
        found = link(profiles(*now), texts(*now), settings, cache=cache)
        assert found == link(profiles(*now), texts(*now), settings)
        results.append(found.subgraph.edges)
    assert results[0] == results[3] != results[1]


def test_a_mention_is_linked_again_when_its_name_becomes_common(tmp_path: Path) -> None:
    cache, settings = FileArtifacts(tmp_path), GraphSettings(common_share=0.01)
    motor = document("motor.md", "Motor Works Handbook")

    def corpus(mentioning: int) -> list[Made]:
        bodies = ("The Motor Works Handbook says so." if number < mentioning else "" for number in range(14))
        return [motor, *(document(f"{number}.md", f"Part {number}", body=body) for number, body in enumerate(bodies))]

    counts = []
    for mentioning in (8, 12, 8):
        now = corpus(mentioning)
        found = link(profiles(*now), texts(*now), settings, cache=cache)
        assert found == link(profiles(*now), texts(*now), settings)
        counts.append(len(found.subgraph.edges))
    assert counts == [8, 0, 8]


PLACES = ("motor.md", "b/motor.md", "b/index.html", "mail.eml!/motor.md", "x/ds_1000.md", "b/list.txt")
TITLES = ("Motor of the mill", "On the motor of the mill", "Data sheet DS-1000", "Motor Works Handbook", "", "List")
REFERENCES = tuple({(kind, target) for kind, target, *_ in CASES} | {(KINDS.HYPERLINK, "list.txt")})
BODIES = ("", "The Motor Works Handbook says so.", "See DS-1000 and the Motor of the mill.", "It has changed.")
State = tuple[tuple[str, str, tuple[tuple[ReferenceKind, str], ...], str], ...]


@st.composite
def histories(draw: st.DrawFn) -> list[State]:
    """Draw states of a corpus: documents change their text or references, exchange titles, come and go.

    Exchanged titles leave the set of names as it is, with which links are kept.
    """
    references = st.lists(st.sampled_from(sorted(REFERENCES)), max_size=3, unique=True).map(tuple)
    titles = draw(st.permutations(TITLES))
    now = {
        place: (title, draw(references), draw(st.sampled_from(BODIES)))
        for place, title in zip(PLACES, titles, strict=True)
    }
    states, gone = [], draw(st.sets(st.sampled_from(PLACES), max_size=2))
    for _ in range(draw(st.integers(2, 6))):
        states.append(tuple((place, *one) for place, one in now.items() if place not in gone))
        one, other = draw(st.sampled_from(PLACES)), draw(st.sampled_from(PLACES))
        match draw(st.sampled_from(("text", "references", "titles", "presence"))):
            case "text":
                now[one] = (*now[one][:2], draw(st.sampled_from(BODIES)))
            case "references":
                now[one] = (now[one][0], draw(references), now[one][2])
            case "titles":
                now[one], now[other] = (now[other][0], *now[one][1:]), (now[one][0], *now[other][1:])
            case "presence":
                gone = gone ^ {one}
    return states


@given(histories(), st.booleans())
def test_kept_links_equal_those_of_a_linking_of_all_documents_in_any_history(
    states: list[State], mentions: bool
) -> None:
    settings = GraphSettings(mentions=mentions)
    with tempfile.TemporaryDirectory() as folder:
        cache = FileArtifacts(Path(folder))
        for state in states:
            now = [document(uri, title, references, body=body) for uri, title, references, body in state]
            found = link(profiles(*now), texts(*now), settings, cache=cache)
            assert found == link(profiles(*now), texts(*now), settings)


def test_after_an_edit_only_documents_that_looked_it_up_are_linked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    linked: list[str] = []
    links_of = corpus_links.document_links

    def counted(profile, *others):  # type: ignore[no-untyped-def]
        linked.append(profile.uri)
        return links_of(profile, *others)

    monkeypatch.setattr(corpus_links, "document_links", counted)
    cache = FileArtifacts(tmp_path)
    to_motor = ((ReferenceKind.HYPERLINK, "motor.md"),)
    motor, reader = document("motor.md", "Motor of the mill"), "reader.md"
    others = [document(f"{number}.md", f"Sheet of part {number}") for number in range(5)]
    rest = [*others, document(reader, "Reading list of the mill", to_motor)]
    link(profiles(motor, *rest), texts(motor, *rest), cache=cache)
    assert len(linked) == 7
    linked.clear()
    edited = document("motor.md", "Motor of the mill", body="It stands still.")
    link(profiles(edited, *rest), texts(edited, *rest), cache=cache)
    assert sorted(linked) == ["motor.md", reader]
