"""Tests of the manual page."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
import typer

from flows.cli.app import app, manual_page


@pytest.fixture(scope="module")
def page() -> str:
    return manual_page(typer.main.get_command(app))  # type: ignore[arg-type]


def test_every_command_and_option_is_in_the_page(page: str) -> None:
    named = re.findall(r'\.SS "strata ([^"]*)"', page)
    assert {"ingest", "ask", "serve", "graph export", "verdicts merge", "man"} <= set(named)
    assert "\\-\\-allow\\-changes" in page


def test_help_texts_contain_no_roff_requests(page: str) -> None:
    requests = {line.split(" ")[0] for line in page.splitlines() if line.startswith((".", "'"))}
    assert requests <= {".TH", ".SH", ".SS", ".PP", ".TP", ".B"}


@pytest.mark.skipif(shutil.which("groff") is None, reason="no groff here")
def test_groff_accepts_the_page(page: str) -> None:
    told = subprocess.run(["groff", "-man", "-ww", "-z"], input=page, capture_output=True, text=True, check=True)
    assert told.stderr == ""
