"""An ingest in a process of its own, told line by line: what `serve.jobs` starts.

A server that ingested in its own process would answer nobody while it links, and would die with it.
"""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from pipelines.core.codec import encode
from pipelines.core.errors import StrataError
from pipelines.core.work.worker import own_channels
from pipelines.ingest.report import Event, Report

INTERRUPTED = 130
_NICER = 10
"""Steps of priority that an ingest stands back behind the answers of its server (nice(2)): a tenth of their share. With
5 steps 95 of 100 answers came within 0.43 s in `benchmarks/serve_load.py`, with 10 within 0.37."""


@dataclass(frozen=True, slots=True)
class OutputLine:
    """One line of the process: an event, or at its end the report, or a sentence that says why there is none."""

    event: Event | None = None
    report: Report | None = None
    problem: str = ""
    hint: str = ""


def main(folder: Path, kb: Path) -> int:
    """Bring a knowledge base up to a folder, with an `OutputLine` on standard output for each event."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    from pipelines.ingest.build import build

    if hasattr(os, "nice"):
        os.nice(_NICER)
    lock = Lock()
    _, outgoing = own_channels()

    def tell(line: OutputLine) -> None:
        with lock:
            outgoing.write(encode(line) + b"\n")
            outgoing.flush()

    try:
        report = build(folder, kb, progress=lambda event: tell(OutputLine(event)))
    except StrataError as error:
        tell(OutputLine(problem=error.message, hint=error.hint))
        return error.exit_code
    except KeyboardInterrupt:  # it was stopped: what is finished is kept
        return INTERRUPTED
    tell(OutputLine(report=report))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
