"""Pages of web sites and intranets: whether what they say is found, whatever surrounds it.

    python -m benchmarks.web_pages

Each folder of `web_pages.toml` has pages as content management systems write them (encyclopedia, wiki, shop, ticket,
help desk, forum, comparison, branches, release notes, settings of a device), with their menus, notes on cookies, tabs,
icons and buttons, and questions to all of them; some have no answer there. An answer is right if it has the words.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.asked_folders import print_answered

PAGES = Path(__file__).with_suffix(".toml")


def write_pages(source: Path, folder: Mapping[str, Any]) -> None:
    for page in folder["page"]:
        (source / page["file"]).write_text(page["html"], encoding="utf-8")


def main() -> None:
    print_answered(tomllib.loads(PAGES.read_text(encoding="utf-8"))["folder"], write_pages)


if __name__ == "__main__":
    main()
