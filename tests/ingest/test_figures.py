"""Tests of figures described by a vision model, from parsing to the graph."""

import struct
import zlib
from pathlib import Path

import pytest

from pipelines import build
from pipelines.core.graph import NodeKind
from pipelines.ingest.dry_run import estimate_ingest
from pipelines.llm.testing.fakes import answer_by_schema
from pipelines.llm.testing.loopback import LoopbackServer
from pipelines.llm.testing.loopback_wire import Call
from pipelines.settings import Settings
from tests.ingest.knowledge import FEW, entries_of, graph_of

SHOWN = "A centrifugal pump feeds the heat exchanger E-5."


def chunk_of(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def noise(size: int = 64) -> bytes:
    """A PNG with many grey levels, so that it is not filtered out as a line or a bullet."""
    rows = b"".join(
        b"\0" + bytes((x * x * 31 + y * y * 17 + x * y * 7) % 251 for x in range(size)) for y in range(size)
    )
    header = struct.pack(">IIBBBBB", size, size, 8, 0, 0, 0, 0)
    parts = chunk_of(b"IHDR", header) + chunk_of(b"IDAT", zlib.compress(rows, 0)) + chunk_of(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def answer(call: Call) -> str:
    if any(turn.images for turn in call.turns):
        return f'{{"kind": "diagram", "description": "{SHOWN}"}}'
    return answer_by_schema(call)


def settings_for(url: str) -> Settings:
    llm = {"base_url": url, "api_key": "none", "model": "m", "max_wait": 0.01, "tries": 1}
    parse = {"describe_figures": True, "ocr": {"figures": False}}
    return Settings.model_validate({"llm": llm, "parse": parse, "ingest": FEW})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    import docx

    (tmp_path / "folder").mkdir()
    (tmp_path / "pump.png").write_bytes(noise())
    made = docx.Document()
    made.add_heading("Cooling circuit", 1)
    made.add_paragraph("The cooling circuit is shown below. It runs day and night.")
    made.add_picture(str(tmp_path / "pump.png"))
    made.save(str(tmp_path / "folder" / "circuit.docx"))
    return tmp_path / "folder"


def image_calls(server: LoopbackServer) -> int:
    return sum(any(turn.images for turn in call.turns) for call in server.calls)


def texts(kb: Path, kind: NodeKind) -> str:
    return " ".join(str(node.properties) for node in graph_of(kb)[0] if node.kind is kind)


def test_a_description_is_text_of_its_chunk_and_an_atom(folder: Path, tmp_path: Path) -> None:
    with LoopbackServer(answer) as server:
        report = build(folder, tmp_path / "kb", settings_for(server.url))
        assert image_calls(server) == 1
    assert report.exit_code == 0
    assert report.usage["describe"]["calls"] == 1
    assert all(SHOWN in texts(tmp_path / "kb", kind) for kind in (NodeKind.CHUNK, NodeKind.FIGURE, NodeKind.ATOM))


def test_a_second_build_does_not_describe_again(folder: Path, tmp_path: Path) -> None:
    with LoopbackServer(answer) as server:
        build(folder, tmp_path / "kb", settings_for(server.url))
        report = build(folder, tmp_path / "kb", settings_for(server.url))
        assert image_calls(server) == 1
    assert report.changes["unchanged"] == 1


def test_a_failed_description_is_reported_and_made_by_the_next_build(folder: Path, tmp_path: Path) -> None:
    with LoopbackServer(answer) as server:
        settings = settings_for(server.url)
    report = build(folder, tmp_path / "kb", settings)
    assert report.exit_code == 8
    assert "describe" in {failure.stage for failure in report.failures}
    assert entries_of(tmp_path / "kb")["circuit.docx"].status.searchable
    with LoopbackServer(answer) as server:
        assert build(folder, tmp_path / "kb", settings_for(server.url)).exit_code == 0
    assert SHOWN in texts(tmp_path / "kb", NodeKind.ATOM)


def test_the_estimate_counts_the_figures(folder: Path, tmp_path: Path) -> None:
    with LoopbackServer(answer) as server:
        estimate = estimate_ingest(folder, tmp_path / "kb", settings_for(server.url))
        assert server.calls == []
        build(folder, tmp_path / "kb", settings_for(server.url))
    assert {line.role: line.usage.calls for line in estimate.lines}["describe"] == 1
    assert SHOWN in texts(tmp_path / "kb", NodeKind.FIGURE)
