"""For tests, of Strata's own and of yours: models that need no network, a server that fails as told, and contracts.

Nothing of Strata itself imports from here. What there is:

- `fakes`: `ScriptedChat` gives its answers in order, `FunctionChat` those of a function, `DelayedChat` takes its time;
  all remember what they were asked. The embedder to go with them is `pipelines.llm.embedder.HashingEmbedder`.
- `loopback`: `LoopbackServer`, an OpenAI-compatible server on this machine, with the faults of `loopback_wire`:
  refusals, time-outs, cut connections, replies of no use, by a script or at seeded rates.
- `schema_answer`: `answer_by_schema`, an answer for that server which fits whatever schema is asked for.
- `recorded`: `ReplayChat` and `RecordedAnswers` give what a real model said once (`[llm] record` writes the file).
- `contracts`: what every chat and every embedder must do, as classes of tests.

A build against the server, with three calls in ten at fault:

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

An embedder of your own, held to the contract in your tests, where pytest is installed:

    class TestMine(EmbedderContract):
        @pytest.fixture
        def embedder(self) -> Embedder:
            return Mine(EmbedSettings())
"""
