"""Test doubles, for Strata's tests and for yours: models without a network, a server with faults, and contract tests.

Strata itself imports nothing from here.

- `fakes`: `ScriptedChat` returns its answers in order, `FunctionChat` those of a function, `DelayedChat` waits before
  each; they record their requests. `answer_by_schema` returns an answer that matches any schema. `ReplayChat` and
  `RecordedAnswers` replay recorded replies of a real model (`[llm] record` writes the file). The embedder for tests is
  `pipelines.llm.embedder.HashingEmbedder`.
- `loopback`: `LoopbackServer`, an OpenAI-compatible server on this machine, with the faults of `loopback_wire`:
  rejections, time-outs, broken connections, unusable replies, scripted or at seeded rates.
- `contracts`: test classes with the contracts of chats and embedders.

A build against the server, in which three of ten calls fail:

    from pathlib import Path
    from tempfile import TemporaryDirectory

    from pipelines import Settings, build
    from pipelines.llm.testing.loopback_wire import FaultRates
    from pipelines.llm.testing.loopback import Behaviour, LoopbackServer
    from pipelines.llm.testing.fakes import answer_by_schema

    with TemporaryDirectory() as place, LoopbackServer(answer_by_schema, Behaviour(FaultRates.evenly(0.3))) as server:
        folder = Path(place) / "folder"
        folder.mkdir()
        (folder / "pump.md").write_text("# Pump\\n\\nThe pump of line 3 stopped with a worn seal.\\n")
        llm = {"base_url": server.url, "api_key": "none", "model": "any", "max_wait": 0.01}
        report = build(folder, Path(place) / "kb", Settings.model_validate({"llm": llm}))
    assert report.unfinished == 0

The contract tests of your own embedder (with pytest):

    class TestMine(EmbedderContract):
        @pytest.fixture
        def embedder(self) -> Embedder:
            return Mine(EmbedSettings())
"""
