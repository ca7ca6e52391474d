"""Tests of a user-defined reader in a file outside the package."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from flows.cli.app import app
from pipelines import build
from pipelines.core.document import Source
from pipelines.core.errors import SettingsError, Unsupported
from pipelines.core.outcome import Status
from pipelines.parse import registry
from pipelines.parse.parse import ParserPool, parse, source_of
from pipelines.parse.registry import built_in_formats, detect, reader_for
from pipelines.parse.settings import ParseSettings
from pipelines.settings import Settings
from tests.ingest.knowledge import entries_of

FILE = """
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.reader import FileFormat


class FooReader:
    name = "foo"
    formats = (FileFormat("application/x-foo", (".foo",), sniff=lambda sample: sample.head.startswith(b"FOO")),)

    def read(self, path, source, settings):
        builder = DocumentBuilder(source, settings, self.name)
        builder.paragraph(path.read_bytes()[4:].decode())
        return builder.build()
"""
LINE = {"application/x-foo": "foo_reader:FooReader"}
TEXT = b"FOO\x00The pump P-101A delivers 40 m3/h at 6 bar."


@pytest.fixture
def foo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a file of a type unknown to the built-in readers; a module that reads it is on the path."""
    modules = tmp_path / "modules"
    modules.mkdir()
    (modules / "foo_reader.py").write_text(FILE)
    monkeypatch.syspath_prepend(modules)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "pump.foo").write_bytes(TEXT)
    sys.modules.pop("foo_reader", None)
    yield folder / "pump.foo"
    sys.modules.pop("foo_reader", None)


@pytest.fixture
def installed(foo: Path, tmp_path: Path) -> Iterator[None]:
    """Register the same reader by an entry point, like an installed package."""
    info = tmp_path / "modules" / "foo-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: foo\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[strata.readers]\nfoo = foo_reader:FooReader\n")
    registry._installed.cache_clear()
    yield
    registry._installed.cache_clear()


def test_without_the_reader_the_file_is_unsupported(foo: Path) -> None:
    assert parse(foo, source_of(foo, foo.name), ParseSettings()).status is Status.UNSUPPORTED


def test_a_setting_adds_the_reader_to_the_worker_pool(foo: Path) -> None:
    with ParserPool(ParseSettings(engines=LINE), workers=1) as pool:
        parsed = pool.parse(foo, source_of(foo, foo.name)).result()
    assert parsed.document is not None, parsed.reason
    assert (parsed.document.engine, parsed.document.source.media_type) == ("foo", "application/x-foo")


def test_a_file_of_the_new_format_is_ingested(foo: Path, tmp_path: Path) -> None:
    build(foo.parent, tmp_path / "kb", Settings.model_validate({"parse": {"engines": LINE}}))
    assert entries_of(tmp_path / "kb")["pump.foo"].status is Status.INDEXED


def test_an_entry_point_adds_the_reader_without_a_setting(foo: Path, installed: object) -> None:
    parsed = parse(foo, source_of(foo, foo.name), ParseSettings())
    assert parsed.document is not None, parsed.reason
    assert parsed.document.text.startswith("The pump P-101A")
    with ParserPool(ParseSettings(), workers=1) as pool:
        assert pool.parse(foo, source_of(foo, foo.name)).result().status is Status.INDEXED


def test_an_installed_reader_that_cannot_be_loaded_is_named(foo: Path, installed: object) -> None:
    (foo.parents[1] / "modules" / "foo_reader.py").write_text("import nothing_of_the_kind")
    parsed = parse(foo, Source(foo.name, "", len(TEXT), "d"), ParseSettings())
    assert parsed.status is Status.FAILED
    assert "foo_reader:FooReader" in parsed.reason


def test_a_setting_of_an_untrusted_strata_toml_needs_confirmation(foo: Path, tmp_path: Path) -> None:
    run = CliRunner().invoke
    kb = tmp_path / "kb"
    kb.mkdir()
    (kb / "strata.toml").write_text('[parse]\nengines = { "application/x-foo" = "foo_reader:FooReader" }\n')
    refused = run(app, ["parse", str(foo), "--kb", str(kb)])
    assert refused.exit_code != 0
    assert isinstance(refused.exception, SettingsError)
    assert "strata config trust" in refused.exception.hint
    assert run(app, ["config", "trust", str(kb)]).exit_code == 0
    assert run(app, ["parse", str(foo), "--kb", str(kb)]).output == "The pump P-101A delivers 40 m3/h at 6 bar.\n\n"


def test_a_format_without_sniff_is_detected_by_name_after_signatures(foo: Path) -> None:
    (foo.parents[1] / "modules" / "foo_reader.py").write_text(FILE.replace(", sniff=", ", guess="))
    settings = ParseSettings(engines=LINE)
    assert detect(foo, settings=settings).media_type == "application/x-foo"
    foo.write_bytes(b"\x89PNG\r\n\x1a\n....")
    assert detect(foo, "a.png", settings).media_type == "image/png"


def test_an_engine_of_a_new_type_declares_its_format(foo: Path) -> None:
    with pytest.raises(SettingsError, match="declares no format"):
        detect(foo, settings=ParseSettings(engines={"application/x-bar": "foo_reader:FooReader"}))


def test_every_built_in_type_has_one_reader() -> None:
    types = [one.media_type for one in built_in_formats()]
    assert len(types) == len(set(types))
    assert all(media_type in {one.media_type for one in reader_for(media_type, ParseSettings()).formats}
               for media_type in types)  # fmt: skip
    with pytest.raises(Unsupported):
        reader_for("application/x-foo", ParseSettings())
