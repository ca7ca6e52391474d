"""Ingest hostile cases, each beside a good file, ask a question about every good file, and report the outcome.

python -m tests.hostile.attack [--size 1000000] [--together 20] [NAME ...]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.hostile import inspection
from tests.hostile.case import Bait, Case

ROOT = Path(__file__).parents[2]
NEIGHBOUR = "neighbour.txt"
CLEAN = ("OPENAI_", "NEO4J_", "STRATA_", "PREFECT_")
SECRET = "quixotic-marmalade-4711"
"""The content of the file outside the folder, which must not occur in the knowledge base."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a case: the statuses of its files, whether its neighbour was lost, and what was let in."""

    name: str
    ends: dict[str, str]
    wrong: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    let_in: tuple[str, ...] = ()

    @property
    def survived(self) -> bool:
        return not (self.wrong or self.lost or self.let_in)


@dataclass(slots=True)
class Trap:
    """A loopback server that records the path of every request."""

    address: str
    calls: list[str] = field(default_factory=list)


def attack(cases: Sequence[Case], work: Path, limits: Sequence[str] = ()) -> list[Verdict]:
    """Ingest all cases as one folder, each beside its own neighbour, and ask about every neighbour.

    `limits` are settings as NAME=VALUE. A case's verdict says how its files ended and what went wrong.
    """
    folder, kb = work / "folder", work / "kb"
    secret = work / "secret" / "secret.txt"
    secret.parent.mkdir(parents=True)
    secret.write_text(f"The word is {SECRET}. The valve SECRET-1 opens at 99 bar.")
    with _trap() as trap:
        for number, case in enumerate(cases):
            place = folder / f"{number:03d}"
            place.mkdir(parents=True)
            case.place(place, Bait(secret, trap.address))
            (place / NEIGHBOUR).write_text(neighbour(number))
        ended = _strata("ingest", str(folder), "--kb", str(kb), "--no-flow", "--json", *_options(limits))
        answers = inspection.ask_all(kb, [_question(number) for number in range(len(cases))]) if kb.is_dir() else []
    entries = inspection.entries(kb) if kb.is_dir() else {}
    found_secret = inspection.holds(kb, SECRET.encode()) if kb.is_dir() else ()
    verdicts = []
    for number, case in enumerate(cases):
        prefix = f"{number:03d}/"
        ends = {uri.removeprefix(prefix): end for uri, end in entries.items() if uri.startswith(prefix)}
        lost = _lost(number, ends, answers, ended)
        verdicts.append(Verdict(case.name, ends, _wrong(case, ends), lost, _let_in(case, trap, found_secret, work)))
    return verdicts


def neighbour(number: int) -> str:
    return f"Valve KX-{number:03d}7\n\nThe safety valve KX-{number:03d}7 opens at {100 + number} bar.\n"


def _question(number: int) -> str:
    return f"At what pressure does the safety valve KX-{number:03d}7 open?"


def _lost(
    number: int, ends: dict[str, str], answers: Sequence[tuple[str, ...]], ended: subprocess.CompletedProcess[str]
) -> tuple[str, ...]:
    if ended.returncode not in (0, 8):
        return (f"the ingest ended with {ended.returncode}: {ended.stderr.strip()[-300:]}",)
    if ends.get(NEIGHBOUR) != "indexed":
        return (f"the neighbour is {ends.get(NEIGHBOUR, 'missing')}",)
    answer = answers[number] if number < len(answers) else ()
    if not any(uri == f"{number:03d}/{NEIGHBOUR}" for uri in answer):
        return (f"the neighbour does not answer: {answer}",)
    return ()


def _wrong(case: Case, ends: dict[str, str]) -> tuple[str, ...]:
    """Files that ended with a status that is not allowed; members of a container may have any status."""
    allowed = {status.value for status in case.ends}
    own = {uri: end for uri, end in ends.items() if uri != NEIGHBOUR and "!/" not in uri}
    wrong = [f"{uri}: {end}" for uri, end in own.items() if end not in allowed]
    return (*wrong, *(() if own else ("no file of it is known",)))


def _let_in(case: Case, trap: Trap, found_secret: Sequence[str], work: Path) -> tuple[str, ...]:
    outside = [path for path in work.iterdir() if path.name not in ("folder", "kb", "secret")]
    return (
        *(f"called {call}" for call in trap.calls),
        *(f"the secret is in {place}" for place in found_secret),
        *(f"wrote {path}" for path in outside),
    )


def _options(limits: Sequence[str]) -> list[str]:
    return [part for limit in limits for part in ("--set", limit)]


def _strata(*arguments: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(CLEAN)}
    return subprocess.run(
        [sys.executable, "-c", "from flows.cli.app import main; main()", *arguments],
        capture_output=True, text=True, errors="replace", check=False, cwd=ROOT, env={**clean, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


@contextmanager
def _trap() -> Iterator[Trap]:
    class Noted(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            trap.calls.append(self.path)
            self.send_error(404)

        do_POST = do_HEAD = do_PUT = do_GET  # noqa: N815 (the names that the server looks for)

        def log_message(self, *arguments: object) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Noted) as server:
        trap = Trap(f"127.0.0.1:{server.server_port}")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield trap
        finally:
            server.shutdown()


def main() -> None:
    """Print a line for each case that did not survive, and totals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=40_000, help="characters of a trap of text")
    parser.add_argument("--together", type=int, default=20, help="cases in one folder")
    parser.add_argument("--set", action="append", default=[], help="a setting, NAME=VALUE")
    parser.add_argument("--json", type=Path, help="write all verdicts here")
    parser.add_argument("names", nargs="*", help="only these cases")
    chosen = parser.parse_args()
    os.environ["HOSTILE_SIZE"] = str(chosen.size)
    from tests.hostile.all_cases import CASES

    cases = [case for case in CASES if not chosen.names or case.name in chosen.names]
    verdicts: list[Verdict] = []
    for start in range(0, len(cases), chosen.together):
        with tempfile.TemporaryDirectory(prefix="strata-attack-") as work:
            verdicts += attack(cases[start : start + chosen.together], Path(work), chosen.set)
        for verdict in verdicts[start:]:
            if not verdict.survived:
                print(verdict.name, *verdict.wrong, *verdict.lost, *verdict.let_in, sep="\n    ", flush=True)
    if chosen.json:
        told = [{"name": one.name, "ends": one.ends, "survived": one.survived} for one in verdicts]
        chosen.json.write_text(json.dumps(told, indent=1, ensure_ascii=True))
    print(
        f"{len(verdicts)} kinds tried, {sum(one.survived for one in verdicts)} survived, "
        f"{sum(bool(one.lost) for one in verdicts)} neighbours lost, {sum(bool(one.let_in) for one in verdicts)} let in"
    )


if __name__ == "__main__":
    main()
