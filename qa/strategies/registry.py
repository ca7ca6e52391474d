"""The strategies by name."""

from __future__ import annotations

from pipelines.core.errors import SettingsError
from qa.strategies.cot import cot
from qa.strategies.extractive import extractive
from qa.strategies.naive import naive
from qa.strategies.naive_hr import naive_hr
from qa.strategies.pike import pike
from qa.strategies.self_ask import self_ask
from qa.strategies.self_ask_hr import self_ask_hr
from qa.strategies.self_ask_r import self_ask_r
from qa.strategies.strategy import Entry, with_model


def _reads(name: str, summary: str, run: object) -> Entry:
    return Entry(name, summary, with_model(name, run), needs_model=True)  # type: ignore[arg-type]


STRATEGIES: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry("extractive", "quote the sentences that answer best; needs no model", extractive),
        _reads("cot", "think step by step, closed book", cot),
        _reads("naive", "flat retrieval, then one reading", naive),
        _reads("naive-hr", "chunks and atoms by the question, then one reading", naive_hr),
        _reads("self-ask", "follow-up questions, closed book", self_ask),
        _reads("self-ask-r", "follow-up questions over flat retrieval", self_ask_r),
        _reads("self-ask-hr", "follow-up questions over chunks and atoms", self_ask_hr),
        Entry("pike", "knowledge-aware decomposition (algorithm 1); along the graph where there is no model", pike),
    )
}


def strategy_named(name: str, has_model: bool) -> Entry:
    """Return the strategy of a name; the empty name gives pike where a model is configured, else extractive.

    Raises `SettingsError` for an unknown name.
    """
    chosen = name or ("pike" if has_model else "extractive")
    if chosen not in STRATEGIES:
        raise SettingsError(f"unknown strategy {name}", ids=(name,), hint=f"one of {', '.join(STRATEGIES)}")
    return STRATEGIES[chosen]
