from __future__ import annotations

import json

import pytest

from pipelines.atomize.tag_classes import ClassInducer, ClusterClasses, ModelClasses, sample_of
from pipelines.core.knowledge import ChunkTag, Tag, TagClass
from pipelines.llm.fakes import ScriptedChat
from pipelines.llm.hashing import HashingEmbedder

TERMS = [
    "feed pump", "gear pump", "vacuum pump", "water pump", "shut valve", "check valve", "relief valve", "gate valve",
]  # fmt: skip


def borne(*texts: str) -> list[ChunkTag]:
    return [ChunkTag(f"chunk:{n}", Tag.make_id(text), text) for n, text in enumerate(texts)]


async def test_clusters_are_named_by_the_word_that_their_terms_share() -> None:
    found = await ClusterClasses(HashingEmbedder(), most=2).induce(borne(*TERMS))
    assert {one.name for one in found} == {"pump", "valve"}


async def test_names_are_classes_by_their_form() -> None:
    found = await ClusterClasses(HashingEmbedder()).induce(borne("P-101A", "DS-2041", "ISO 9906", "Acme Pump Company"))
    assert [one.name for one in found] == ["identifier", "organization", "standard"]
    assert found[0].description == "DS-2041, P-101A"


async def test_the_same_sample_has_the_same_classes() -> None:
    inducer = ClusterClasses(HashingEmbedder())
    assert await inducer.induce(borne(*TERMS)) == await inducer.induce(borne(*TERMS))


async def test_a_model_names_the_kinds_of_the_commonest_terms() -> None:
    classes = [
        {"name": "Component", "description": "a part of a machine"},
        {"name": "component"},
        "failure mode",
        {"name": "a name of far too many words"},
    ]
    chat = ScriptedChat([json.dumps({"classes": classes})])
    found = await ModelClasses(chat).induce(borne(*TERMS))
    assert found == (
        TagClass(TagClass.make_id("component"), "component", "a part of a machine"),
        TagClass(TagClass.make_id("failure mode"), "failure mode"),
    )
    assert "check valve; feed pump; gate valve" in chat.requests[0].messages[-1].content


async def test_chinese_terms_are_sorted_in_chinese() -> None:
    chat = ScriptedChat([json.dumps({"classes": [{"name": "部件"}]})])
    await ModelClasses(chat).induce(borne("水泵"), "zh")
    assert "文档中的关键术语" in chat.requests[0].messages[-1].content


async def test_an_unusable_reply_gives_no_classes() -> None:
    assert await ModelClasses(ScriptedChat(["nonsense"])).induce(borne(*TERMS)) == ()


@pytest.mark.parametrize("inducer", [ClusterClasses(HashingEmbedder()), ModelClasses(ScriptedChat([]))])
async def test_no_terms_have_no_classes(inducer: ClassInducer) -> None:
    assert isinstance(inducer, ClassInducer)
    assert await inducer.induce([]) == ()


def test_a_sample_is_a_spread_of_whole_chunks() -> None:
    tags = [ChunkTag(f"chunk:{n % 7}", Tag.make_id(text), text) for n, text in enumerate(TERMS * 5)]
    assert sample_of(tags, 10) == sample_of(reversed(tags), 10)
    assert len(sample_of(tags, 10)) == 10
