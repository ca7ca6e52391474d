"""Files that programs export: whether what they say is found.

    python -m benchmarks.exports

Each folder of `exports.toml` has a chat, tickets, a log, appointments, address cards, subtitles, configurations and
data in YAML, INI, XML and JSON, and questions to all of them; some have no answer there. An answer is right if it has
the words.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.asked_folders import print_answered

EXPORTS = Path(__file__).with_suffix(".toml")


def write_exports(source: Path, folder: Mapping[str, Any]) -> None:
    for file in folder["file"]:
        (source / file["name"]).write_text(file["text"], encoding="utf-8")


def main() -> None:
    print_answered(tomllib.loads(EXPORTS.read_text(encoding="utf-8"))["folder"], write_exports)


if __name__ == "__main__":
    main()
