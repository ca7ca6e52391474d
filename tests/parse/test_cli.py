import json
import zipfile
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from flows.cli import parse


@pytest.fixture
def app() -> typer.Typer:
    app = typer.Typer()
    parse.register(app)
    app.command("other")(lambda: None)
    return app


def test_a_file_is_printed_as_markdown_json_or_a_page(app: typer.Typer, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text("<h1>Pump</h1><p>The valve is stuck.</p>")
    run = CliRunner().invoke
    assert run(app, ["parse", str(path)]).output == "# Pump\n\nThe valve is stuck.\n\n"
    shown = json.loads(run(app, ["parse", str(path), "--json"]).output)
    assert {"blocks", "headings", "tables", "pictures", "pages"} <= shown.keys()
    assert run(app, ["parse", str(path), "--html"]).output.startswith("<!DOCTYPE html>")


def test_the_documents_inside_a_file_are_named(app: typer.Typer, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for number in range(12):
            archive.writestr(f"{number}.txt", "text")
    result = CliRunner().invoke(app, ["parse", str(tmp_path / "a.zip")])
    assert "contains documents, which an ingest reads too: 0.txt, 1.txt" in result.stderr
    assert "9.txt and 2 more" in result.stderr


def test_the_result_can_be_written_to_a_file(app: typer.Typer, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The valve is stuck.")
    result = CliRunner().invoke(app, ["parse", str(tmp_path / "a.txt"), "-o", str(tmp_path / "out.md")])
    assert result.exit_code == 0
    assert (tmp_path / "out.md").read_text() == "The valve is stuck.\n"


def test_a_file_that_cannot_be_read_ends_with_its_status(app: typer.Typer, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("")
    result = CliRunner().invoke(app, ["parse", str(tmp_path / "a.txt")])
    assert result.exit_code == 4
    assert "empty: the file is empty" in result.output


def test_settings_are_taken_from_options(app: typer.Typer, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x" * 3_000_000)
    result = CliRunner().invoke(app, ["parse", str(tmp_path / "a.txt"), "--set", "parse.limits.output_mb=1"])
    assert result.exit_code == 4
    assert "too_large" in result.output


def test_only_one_output_format_is_allowed(app: typer.Typer, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    assert CliRunner().invoke(app, ["parse", str(tmp_path / "a.txt"), "--json", "--html"]).exit_code != 0
