"""Whether the libraries that would tell their makers how they are used are told not to."""

from __future__ import annotations

import os

from flows.doctor.check import Finding, Place, doubtful, good
from pipelines.core.no_telemetry import TELEMETRY_OFF


def telemetry(place: Place) -> Finding:
    """Which of the switches are as Strata sets them; one that the user has set otherwise stays, and is named."""
    loud = [
        f"{name}={os.environ.get(name, '')}" for name, value in TELEMETRY_OFF.items() if os.environ.get(name) != value
    ]
    if loud:
        return doubtful(f"on by the environment: {', '.join(loud)}", "unset them, and nothing is told to anybody")
    return good(f"off for all libraries that have any ({len(TELEMETRY_OFF)} switches)")
