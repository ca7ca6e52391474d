"""The rest of a question is looked for inside the document that it names."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from qa import KnowledgeBase
from tests.qa.corpus import knowledge_of

GENERAL = (
    "Observe the general rules of industrial hygiene. Do not eat, drink or smoke at the workplace. Wash hands before "
    "breaks and after work. Keep the container closed, and collect spillage with absorbent material."
)
PRODUCTS = {
    "Solvanol K": (1993, 62, "14 06 03"),
    "Corrotex 40": (1760, 47, "06 01 06"),
    "Aquastrip": (1824, 71, "06 02 04"),
}


def _sheet(product: str, number: int, flash: int, waste: str) -> str:
    parts = (
        f"# {product}\n\n{product} is made by Chemika Nord in Kiel. {product} is for industrial use. {GENERAL}",
        f"## Properties\n\n| Property | Value |\n| --- | --- |\n| Flash point | {flash} °C |\n\n{GENERAL}",
        f"## Disposal\n\nWaste code: {waste}. {GENERAL}",
        f"## Transport\n\nUN {number}, packing group III. {GENERAL}",
    )
    return "\n\n".join(parts)


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    texts = {f"sds-{place}.md": _sheet(name, *told) for place, (name, told) in enumerate(PRODUCTS.items())}
    texts["设备.md"] = "# 离心泵手册\n\n离心泵由上海工厂制造。\n\n## 维护\n\n轴承每三个月加油一次。"
    with knowledge_of(texts, tmp_path_factory.mktemp("sheets")) as opened:
        yield opened


@pytest.mark.parametrize("product", PRODUCTS)
def test_a_property_is_found_in_the_part_of_the_document_that_has_it(knowledge: KnowledgeBase, product: str) -> None:
    number, flash, waste = PRODUCTS[product]
    for question, told in (
        (f"What UN number does {product} have?", f"UN {number}"),
        (f"What is the flash point of {product}?", f"{flash} °C"),
        (f"What is the waste code of {product}?", waste),
    ):
        assert told in knowledge.retrieve(question, 1)[0].chunk.text
        assert told in knowledge.ask(question).claims[0].text


def test_parts_that_say_the_name_again_come_behind_the_part_with_the_rest(knowledge: KnowledgeBase) -> None:
    found = knowledge.retrieve("What UN number does Solvanol K have?", 3)
    assert [hit.uri for hit in found[:2]] == ["sds-0.md", "sds-0.md"]
    assert found[0].score >= found[1].score


def test_the_gain_is_explained_by_the_words_that_name_the_document(knowledge: KnowledgeBase) -> None:
    best = knowledge.retrieve("What UN number does Corrotex 40 have?", 1)[0]
    assert any(share.layer == "document" and "corrotex" in share.detail for share in best.shares)


def test_a_question_for_nothing_but_the_name_finds_the_document(knowledge: KnowledgeBase) -> None:
    for question in ("Aquastrip", "What is Aquastrip?"):
        assert "Aquastrip is for industrial use" in knowledge.retrieve(question, 1)[0].chunk.text
    assert "三个月" in knowledge.ask("离心泵手册里轴承多久加油一次？").text
