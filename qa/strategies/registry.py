"""The built-in strategies by name, and users' own strategies by `module:function`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial

from pipelines.core.errors import SettingsError
from pipelines.core.settings_section import import_by_name, names_code
from pipelines.retrieve.searches import Retrieval
from qa.answer import Answer
from qa.model_calls import ModelCalls
from qa.settings import AnswerSettings
from qa.strategies import baselines
from qa.strategies.pike import pike
from qa.strategies.pike_graph import pike_graph
from qa.strategies.quote_sentences import extractive
from qa.strategies.strategy import Solve
from qa.strategies.survey import survey


@dataclass(frozen=True, slots=True)
class Strategy:
    """A strategy: name, summary in a line, function, and whether it needs a model."""

    name: str
    summary: str
    solve: Solve
    needs_model: bool = True
    uses_terms: bool = False  # whether a model first finds the documents' terms for a question's words

    def check_model(self, has_model: bool) -> None:
        """Raise `SettingsError` if the strategy needs a model and there is none."""
        if self.needs_model and not has_model:
            hint = "set OPENAI_API_KEY, or [llm] base_url or gguf; extractive, pike-graph and survey need none"
            raise SettingsError(f"the strategy {self.name} needs a language model", ids=(self.name,), hint=hint)

    async def answer(
        self, question: str, retrieval: Retrieval, model: ModelCalls | None, settings: AnswerSettings
    ) -> Answer:
        """Return the answer of the strategy. Raises `SettingsError` if its model is missing."""
        self.check_model(model is not None)
        answer = await self.solve(question, retrieval, model, settings)
        return replace(answer, strategy=answer.strategy or self.name)


_NAIVE_HR = partial(baselines.naive, search=baselines.hierarchical)
_SELF_ASK_HR = partial(baselines.self_ask_from, search=baselines.hierarchical)

STRATEGIES: dict[str, Strategy] = {
    strategy.name: strategy
    for strategy in (
        Strategy("extractive", "quote the sentences that answer best; needs no model", extractive, needs_model=False),
        Strategy("cot", "think step by step, closed book", baselines.cot),
        Strategy("naive", "flat retrieval, then one reading", baselines.naive),
        Strategy("naive-hr", "chunks and atoms by the question, then one reading", _NAIVE_HR, uses_terms=True),
        Strategy("self-ask", "follow-up questions, closed book", baselines.self_ask),
        Strategy("self-ask-r", "follow-up questions over flat retrieval", baselines.self_ask_from),
        Strategy("self-ask-hr", "follow-up questions over chunks and atoms", _SELF_ASK_HR, uses_terms=True),
        Strategy("pike", "knowledge-aware decomposition (algorithm 1 as printed)", pike, uses_terms=True),
        Strategy(
            "pike-graph", "decomposition over the graph, along its edges without a model", pike_graph, False, True
        ),
        Strategy("survey", "over the whole: what all documents say, or a whole list", survey, needs_model=False),
    )
}


def strategy_named(name: str, has_model: bool) -> Strategy:
    """Return the strategy with a name, or a user's own if the name is `module:function`.

    The function has the signature of `qa.strategies.strategy.Solve`; its module must be on Python's path. The default
    is pike-graph if a model is configured, else extractive. Raises `SettingsError` for an unknown name, a function that
    cannot be loaded, and a strategy without its model.

        # my_strategies.py; in strata.toml: [qa.answer] strategy = "my_strategies:first_chunk"
        async def first_chunk(question, retrieval, model, settings):
            return Answer(question, retrieval.retrieve(question, 1)[0].chunk.text)
    """
    if names_code(name):
        return _own(name)
    chosen = name or ("pike-graph" if has_model else "extractive")
    if chosen not in STRATEGIES:
        raise SettingsError(f"unknown strategy {name}", ids=(name,), hint=_nearest(name))
    strategy = STRATEGIES[chosen]
    strategy.check_model(has_model)
    return strategy


def _own(name: str) -> Strategy:
    solve = import_by_name(name, "qa.answer.strategy")
    if not callable(solve):
        raise SettingsError(f"the strategy {name} is not a function", ids=(name,))
    return Strategy(name, "your own", solve, needs_model=False)


def _nearest(name: str) -> str:
    near = get_close_matches(name, STRATEGIES, n=1)
    known = f"one of {', '.join(STRATEGIES)}, or your own as module:function"
    return f"did you mean {near[0]}? {known}" if near else known
