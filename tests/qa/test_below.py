"""Tests of answers to questions that repeat a fault, in the forms in which manuals write what is to be done."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipelines import build
from pipelines.settings import load
from qa import KnowledgeBase
from qa.settings import QaSettings

FAULTS = [
    ("The pump does not start", "No power at the terminals", "Check the fuse F4 and the supply cable"),
    ("The motor gets too hot", "The impeller is blocked", "Clean the impeller and the strainer"),
    ("The pump vibrates", "Loose foundation bolts", "Tighten the bolts with 60 Nm"),
]
FORMS = {
    "paragraphs.txt": "{}. {}. {}.\n\n",
    "labels.txt": "Fault: {}\nCause: {}\nRemedy: {}\n\n",
    "list.md": "- **{}** – {}. {}.\n",
    "nested.md": "- {}\n  - Cause: {}\n  - Remedy: {}\n",
    "headings.md": "## {}\n\n{}.\n\n{}.\n\n",
    "lines.html": "<div><div>{}</div><div>{}</div><div>{}</div></div>",
    "rows.html": "<table><tr><th colspan=2>{}</th></tr><tr><td>Cause</td><td>{}</td></tr>"
    "<tr><td>Remedy</td><td>{}</td></tr></table>",
}


@pytest.mark.parametrize("name", FORMS)
def test_what_is_to_be_done_about_a_fault_is_quoted_with_it(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "manual"
    folder.mkdir()
    body = "".join(FORMS[name].format(*fault) for fault in FAULTS).replace("</table><table>", "")
    title = "<h1>Pump manual</h1>" if name.endswith("html") else "# Pump manual\n\n"
    (folder / name).write_text(title + body, "utf-8")
    settings = load(None, {"ingest.workers": 1}, QaSettings).settings
    build(folder, tmp_path / "kb", settings)
    with KnowledgeBase.open(tmp_path / "kb", settings) as knowledge:
        assert "60 Nm" in knowledge.ask("What should I do when the pump vibrates?").text
        assert "fuse F4" in knowledge.ask("What do I do if the pump does not start?").text
        assert "impeller is blocked" in knowledge.ask("Why does the motor get too hot?").text
