from __future__ import annotations

import json

from pipelines.atomize.tag_classes import KINDS, ModelClasses, classify, sample_of
from pipelines.core.errors import CallFailed
from pipelines.core.knowledge import ChunkTag, Tag, TagClass
from pipelines.llm.embedder import HashingEmbedder
from pipelines.llm.testing.fakes import ScriptedChat

TERMS = [
    "feed pump", "gear pump", "vacuum pump", "water pump", "shut valve", "check valve", "relief valve", "gate valve",
]  # fmt: skip


def borne(*texts: str) -> list[ChunkTag]:
    return [ChunkTag(f"chunk:{n}", Tag.make_id(text), text) for n, text in enumerate(texts)]


async def test_classes_from_the_model_are_added_to_the_built_in_kinds() -> None:
    classes = [{"name": "Component", "description": "a part of a machine"}, "failure mode"]
    chat = ScriptedChat([json.dumps({"classes": classes})])
    found = (await ModelClasses(chat, HashingEmbedder()).induce(borne(*TERMS, "Mary Stone"))).results
    assert [one.name for one in found] == [*KINDS[:-1], "component", "failure mode", KINDS[-1]]
    assert TagClass(TagClass.make_id("component"), "component", "a part of a machine") in found
    asked = chat.requests[0].messages[-1].content
    assert "check valve; feed pump; gate valve" in asked
    assert "Mary Stone" not in asked


async def test_an_existing_kind_or_an_overlong_name_is_not_added() -> None:
    chat = ScriptedChat([json.dumps({"classes": ["person", "a name of far too many words"]})])
    found = (await ModelClasses(chat, HashingEmbedder()).induce(borne(*TERMS))).results
    assert [one.name for one in found] == list(KINDS)


async def test_chinese_terms_get_a_chinese_prompt() -> None:
    chat = ScriptedChat([json.dumps({"classes": [{"name": "部件"}]})])
    await ModelClasses(chat, HashingEmbedder()).induce(borne("水泵"), "zh")
    assert "文档中的关键术语" in chat.requests[0].messages[-1].content


async def test_an_unusable_reply_adds_no_classes() -> None:
    found = await ModelClasses(ScriptedChat(["nonsense"]), HashingEmbedder()).induce(borne(*TERMS))
    assert [one.name for one in found.results] == list(KINDS)
    assert found.failures == ()


async def test_a_failed_call_for_tag_classes_is_reported() -> None:
    found = await ModelClasses(ScriptedChat([CallFailed("away")]), HashingEmbedder()).induce(borne(*TERMS))
    assert found.results == ()
    assert [failure.reason for failure in found.failures] == ["away"]


async def test_no_terms_add_no_classes() -> None:
    found = await ModelClasses(ScriptedChat([]), HashingEmbedder()).induce([])
    assert [one.name for one in found.results] == list(KINDS)


def test_without_classes_a_term_gets_the_kind_of_its_form() -> None:
    found = classify(["P-102", "ISO 9906", "Kestrin Pumps B.V.", "Ada Brook", "check valve"], (), HashingEmbedder())
    assert [*found.values()] == ["identifier", "standard", "organization", "person", "term"]


def test_terms_get_the_nearest_class_by_embedding_and_names_that_of_their_form() -> None:
    classes = [TagClass(TagClass.make_id(name), name) for name in ("pump", "valve", "identifier")]
    found = classify(["pump", "check valve", "P-102", "something else"], classes, HashingEmbedder())
    assert [*found.values()] == ["pump", "valve", "identifier", ""]


def test_a_sample_has_the_requested_size_and_does_not_depend_on_the_order() -> None:
    tags = [ChunkTag(f"chunk:{n % 7}", Tag.make_id(text), text) for n, text in enumerate(TERMS * 5)]
    assert sample_of(tags, 10) == sample_of(reversed(tags), 10)
    assert len(sample_of(tags, 10)) == 10
