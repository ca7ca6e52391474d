"""Tests of traces and metrics of a run, collected with the OpenTelemetry SDK."""

from pathlib import Path

import pytest

from flows.ingest import ingest
from flows.telemetry import Telemetry
from pipelines.ingest.report import Event
from pipelines.settings import Settings

sdk = pytest.importorskip("opentelemetry.sdk.trace", reason="the extra otel is not installed")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "pump.md").write_text("# Pump\n\nThe pump P-100 weighs 40 kg.\n")
    (tmp_path / "folder" / "broken.pdf").write_bytes(b"%PDF-1.7\nbroken")
    return tmp_path / "folder"


def test_a_run_is_a_trace_of_its_steps_and_document_stages_with_metrics(folder: Path, tmp_path: Path) -> None:
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import InMemoryMetricReader
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
    from opentelemetry.trace import StatusCode

    spans, figures, heard = InMemorySpanExporter(), InMemoryMetricReader(), list[Event]()
    tracers = sdk.TracerProvider()
    tracers.add_span_processor(SimpleSpanProcessor(spans))
    settings = Settings.model_validate({"ingest": {"workers": 1}})
    telemetry = Telemetry(tracers, MeterProvider([figures]))
    report = ingest(folder, tmp_path / "kb", settings, progress=heard.append, flow=False, telemetry=telemetry)

    found = spans.get_finished_spans()
    run = next(span for span in found if span.name == "ingest")
    assert run.parent is None
    assert {span.context.trace_id for span in found} == {run.context.trace_id}
    assert all(span.parent.span_id == run.context.span_id for span in found if span is not run and span.parent)
    assert {"compile", "gate", "link", "load vectors", "load graph", "load links", "index"} <= {s.name for s in found}
    pump = {span.name for span in found if (span.attributes or {}).get("strata.document") == "pump.md"}
    assert {"parse", "chunk", "atomize", "embed"} <= pump
    failed = [span for span in found if span.status.status_code is StatusCode.ERROR]
    assert [(span.name, (span.attributes or {})["strata.document"]) for span in failed] == [("parse", "broken.pdf")]
    assert failed[0].status.description == report.failures[0].reason
    assert any(event.subject == "pump.md" for event in heard), "the events are passed on"

    data = figures.get_metrics_data()
    assert data is not None
    metrics = {one.name: one.data.data_points for one in data.resource_metrics[0].scope_metrics[0].metrics}
    counted = {dict(point.attributes)["status"]: point.value for point in metrics["strata.documents"]}
    assert counted == report.documents
    timed = {dict(point.attributes)["stage"]: point.count for point in metrics["strata.stage.duration"]}
    assert timed["chunk"] == 1
    assert [dict(point.attributes)["stage"] for point in metrics["strata.failures"]] == ["parse"]


def test_reused_stages_have_no_spans(folder: Path, tmp_path: Path) -> None:
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    settings = Settings.model_validate({"ingest": {"workers": 1}})
    ingest(folder, tmp_path / "kb", settings, flow=False)
    spans, tracers = InMemorySpanExporter(), sdk.TracerProvider()
    tracers.add_span_processor(SimpleSpanProcessor(spans))
    ingest(folder, tmp_path / "kb", settings, flow=False, telemetry=Telemetry(tracers, MeterProvider()))
    assert not [span for span in spans.get_finished_spans() if span.name in {"chunk", "atomize", "embed"}]
