from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pipelines.llm.chat import Message, Reply, Request, Usage
from pipelines.llm.ledger import Ledger, Totals
from pipelines.llm.quote import QuoteLine, Quoter, compare
from pipelines.llm.reply_store import ReplyStore
from pipelines.llm.request_key import request_key
from pipelines.llm.settings import LlmSettings, Price
from pipelines.llm.tokens import estimate_input

SETTINGS = LlmSettings(model="m", models={"answer": "big"}, prices={"big": Price(input=1_000_000, output=2_000_000)})
ASKED = Request((Message("user", "How many seals has the pump?"),), "distill")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ReplyStore]:
    opened = ReplyStore(tmp_path / "replies.db")
    yield opened
    opened.close()


def test_calls_tokens_and_dollars_add_up_by_role() -> None:
    quoter = Quoter(SETTINGS)
    quoter.add(ASKED, output_tokens=50)
    quoter.add(ASKED, output_tokens=50)
    quoter.expect("answer", calls=3, input_tokens=100, output_tokens=10)
    read = estimate_input(ASKED.messages)
    assert quoter.quote.lines == (
        QuoteLine("distill", "m", Usage(2 * read, 100, 2)),
        QuoteLine("answer", "big", Usage(300, 30, 3), 0, 360.0),
    )
    assert quoter.quote.total.usage == Usage(2 * read + 300, 130, 5)
    assert quoter.quote.total.dollars == 360.0


def test_what_the_cache_holds_costs_nothing(store: ReplyStore) -> None:
    store.put(request_key(replace(ASKED, model="m")), "distill", Reply("two", "m"))
    quoter = Quoter(SETTINGS, store)
    quoter.add(ASKED, output_tokens=50)
    assert quoter.quote.lines == (QuoteLine("distill", "m", Usage(), 1),)


def test_the_length_of_replies_is_learned_from_those_kept(store: ReplyStore) -> None:
    for number in range(5):
        store.put(str(number), "distill", Reply("", "m", Usage(100, 200, 1)))
    quoter = Quoter(SETTINGS, store)
    quoter.add(ASKED, output_tokens=50)
    quoter.expect("answer", 1, 100, output_tokens=10)
    assert [line.usage.output_tokens for line in quoter.quote.lines] == [200, 10]


def test_quoted_stands_beside_actual_also_for_what_was_not_announced() -> None:
    quoter, ledger = Quoter(SETTINGS), Ledger()
    quoter.expect("distill", 1, 100, 10)
    ledger.add("surprise", "m", Totals(Usage(1, 1, 1)))
    first, second = compare(quoter.quote, ledger)
    assert (first.role, first.quoted.usage, first.actual) == ("distill", Usage(100, 10, 1), Totals())
    assert (second.role, second.quoted.usage, second.actual.usage) == ("surprise", Usage(), Usage(1, 1, 1))
