"""The strategies by name."""

from __future__ import annotations

from difflib import get_close_matches

from pipelines.core.errors import SettingsError
from qa.strategies.cot import cot
from qa.strategies.extractive import extractive
from qa.strategies.naive import naive
from qa.strategies.naive_hr import naive_hr
from qa.strategies.pike import pike
from qa.strategies.pike_graph import pike_graph
from qa.strategies.self_ask import self_ask
from qa.strategies.self_ask_hr import self_ask_hr
from qa.strategies.self_ask_r import self_ask_r
from qa.strategies.strategy import Entry, lacks_model, with_model


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
        _reads("pike", "knowledge-aware decomposition (algorithm 1)", pike),
        Entry("pike-graph", "decomposition along the graph's edges, quoting; needs no model", pike_graph),
    )
}


def strategy_named(name: str, has_model: bool) -> Entry:
    """Return the strategy of a name; the empty name gives pike where a model is configured, else extractive.

    Raises `SettingsError` for an unknown name, and for a strategy that lacks its model.
    """
    chosen = name or ("pike" if has_model else "extractive")
    if chosen not in STRATEGIES:
        raise SettingsError(f"unknown strategy {name}", ids=(name,), hint=_nearest(name))
    entry = STRATEGIES[chosen]
    if entry.needs_model and not has_model:
        raise lacks_model(entry.name)
    return entry


def _nearest(name: str) -> str:
    near = get_close_matches(name, STRATEGIES, n=1)
    known = f"one of {', '.join(STRATEGIES)}"
    return f"did you mean {near[0]}? {known}" if near else known
