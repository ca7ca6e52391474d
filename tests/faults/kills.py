"""Kills of ingests and their workers at random moments: the next run must give the same result."""

from __future__ import annotations

import json
from pathlib import Path

from pipelines.llm.testing.fakes import answer_by_schema
from pipelines.llm.testing.loopback import LoopbackServer
from pipelines.settings import Settings
from pipelines.store.neo4j.store import Neo4jStore
from tests.faults.bench import Account, Bench, Outcome, State, difference_after_ingest, state_of
from tests.faults.process import events_of, ingesting, kill_a_worker_at, kill_at
from tests.ingest.knowledge import exported, lines_of

_LATEST = 0.3
"""Maximal delay of the kill after an event, in seconds."""


def kill_runs(bench: Bench) -> Outcome:
    """Kill a first ingest."""
    return _kill("runs killed", bench, bench.folder, None, Settings())


def kill_changing_runs(bench: Bench) -> Outcome:
    """Kill an ingest after a document was edited, one removed, one renamed and one added."""
    return _kill("runs killed that change and remove", bench, changed(bench), bench.whole, Settings())


def kill_runs_with_a_model(bench: Bench) -> Outcome:
    """Kill a first ingest that uses a model."""
    with LoopbackServer(answer_by_schema, keep_calls=False) as server:
        settings = Settings.model_validate({"llm": {"base_url": server.url, "model": "m", "max_wait": 0.01}})
        return _kill("runs with a model killed", bench, bench.folder, None, settings)


def kill_runs_with_neo4j(bench: Bench) -> Outcome:
    """Kill a first ingest that writes to Neo4j."""
    if bench.neo4j is None:
        return Outcome("runs with Neo4j killed", 0, 0, told=("no Neo4j is there",))
    store = {"neo4j_uri": bench.neo4j.uri, "neo4j_password": bench.neo4j.password}
    return _kill("runs with Neo4j killed", bench, bench.folder, None, Settings.model_validate({"store": store}))


def kill_workers(bench: Bench) -> Outcome:
    """Kill single worker processes: the run must go on and retry the document."""
    account = Account("workers killed")
    attempts = 0
    while account.tried < bench.times and attempts < 4 * bench.times:
        attempts += 1
        kb = bench.new()
        process = ingesting(bench.folder, kb)
        seen = kill_a_worker_at(process, bench.chance.randint(2, 6), bench.chance.randint(0, 1))
        _, err = process.communicate()
        if not seen:
            continue
        lost = "" if process.returncode in (0, 8) and "Traceback" not in err else f"the run ended: {err[-300:]}"
        account.note(seen, lost or difference_after_ingest(bench.folder, kb, bench.state))
    return account.outcome()


def changed(bench: Bench) -> Path:
    """A copy of the folder with a document edited, one removed, one renamed and one added."""
    folder = bench.copy(bench.folder)
    with (folder / "manual.md").open("a") as file:
        file.write("\n\nThe pump P-102 is its successor. See DS-9.\n")
    (folder / "DS-2041.md").rename(folder / "sheet.md")
    (folder / "reports" / "IR-3.txt").unlink()
    (folder / "new.md").write_text("# DS-9 Valve\n\nThe valve V-12 closes in 3 s. See the Maintenance Manual.\n")
    return folder


def _kill(name: str, bench: Bench, folder: Path, before: Path | None, settings: Settings) -> Outcome:
    account = Account(name)
    whole = bench.copy(before) if before else bench.new()
    events = len(events_of(ingesting(folder, whole, _json(settings))))
    state, attempts = state_of(whole), 0
    while account.tried < bench.times and attempts < 3 * bench.times:
        attempts += 1
        kb = bench.copy(before) if before else bench.new()
        process = ingesting(folder, kb, _json(settings))
        seen = kill_at(process, bench.chance.randint(1, events), bench.chance.uniform(0, _LATEST))
        if seen:
            account.note(seen, _wrong(bench, folder, kb, state, settings))
    return account.outcome()


def _wrong(bench: Bench, folder: Path, kb: Path, state: State, settings: Settings) -> str:
    wrong = difference_after_ingest(folder, kb, state, settings)
    if not wrong and settings.store.neo4j_uri and bench.neo4j is not None:
        copy = Neo4jStore.open(bench.neo4j, kb.name)
        wrong = "" if lines_of(copy) == exported(kb) else "Neo4j differs"
        copy.close()
    return wrong


def _json(settings: Settings) -> str:
    """The settings for another process, including secrets."""
    told = settings.model_dump(mode="json")
    told["store"]["neo4j_password"] = settings.store.neo4j_password.get_secret_value()
    told["llm"]["api_key"] = settings.llm.api_key.get_secret_value()
    told["embed"]["api_key"] = settings.embed.api_key.get_secret_value()
    return json.dumps(told)
