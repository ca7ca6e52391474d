"""Traces and metrics of a run by OpenTelemetry, with `--otel` only. The only module that imports OpenTelemetry.

A run is a trace: a span for the run, one for each step, and one for each stage of each document. Names of documents and
reasons of failures are attributes; document text is never included. OpenTelemetry's own variables set the destination
(OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS, OTEL_SERVICE_NAME), by default this machine.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import TYPE_CHECKING

from pipelines.core.errors import MissingExtra
from pipelines.ingest.report import Event, Phase, Progress, Report, Stage
from pipelines.ingest.run import IngestRun
from pipelines.ingest.steps import RunStep, Steps, Work
from pipelines.ingest.task import SourceItem

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.metrics import Meter, MeterProvider
    from opentelemetry.trace import Span, Tracer, TracerProvider

NAME = "strata"
"""Name of the instrumentation, and of the service unless OTEL_SERVICE_NAME is set."""


class Telemetry:
    """Traces and metrics of runs, sent by the providers of OpenTelemetry's SDK or of the calling program."""

    def __init__(self, tracers: TracerProvider, meters: MeterProvider) -> None:
        self._tracer = tracers.get_tracer(NAME)
        self._meter = meters.get_meter(NAME)

    @contextmanager
    def of_run(self, folder: str, kb: str, progress: Progress) -> Iterator[RunTrace]:
        """Yield the trace of a run, which forwards the run's events to `progress` and ends with the block."""
        attributes = {"strata.folder": folder, "strata.knowledge_base": kb}
        with self._tracer.start_as_current_span("ingest", attributes=attributes):
            yield RunTrace(self._tracer, self._meter, progress)


class RunTrace:
    """The spans and metrics of one run, from its events (`hear`), its steps (`around`) and its report (`record`).

    It must be created in the span of the run.
    """

    def __init__(self, tracer: Tracer, meter: Meter, progress: Progress) -> None:
        from opentelemetry import context, trace

        self._tracer, self._progress = tracer, progress
        self._context: Context = context.get_current()
        self._run: Span = trace.get_current_span()
        self._open: dict[tuple[Stage, str], tuple[Span, float]] = {}
        self._ended = meter.create_counter("strata.stages", "1", "Stages of documents that ended, by stage and phase")
        self._seconds = meter.create_histogram("strata.stage.duration", "s", "Wall-clock seconds of a document's stage")
        self._documents = meter.create_counter("strata.documents", "1", "Documents of the runs, by status")
        self._failures = meter.create_counter("strata.failures", "1", "Failures by stage and error")
        self._usage = meter.create_counter("strata.model", "1", "Calls, tokens and dollars of language models, by role")

    def hear(self, event: Event) -> None:
        """Record an event of the run, and forward it."""
        if event.subject and event.phase is Phase.STARTED:
            self._begin(event)
        elif event.subject:
            self._end(event)
        self._progress(event)

    def around(self, steps: Steps) -> Steps:
        """Return the same steps, each in a span."""
        return _TracedSteps(steps, self._tracer, self._context)

    def record(self, report: Report) -> None:
        """Record documents by status, failures, and the usage of language models."""
        for status, number in report.documents.items():
            self._documents.add(number, {"status": status})
        for failure in report.failures:
            self._failures.add(1, {"stage": failure.stage, "error": failure.error or failure.status.value})
        for role, figures in report.usage.items():
            for name, figure in figures.items():
                self._usage.add(figure, {"role": role, "figure": name})
        self._run.set_attributes({f"strata.documents.{name}": number for name, number in report.documents.items()})
        self._run.set_attribute("strata.stopped", report.stopped)

    def _begin(self, event: Event) -> None:
        span = self._tracer.start_span(event.stage.value, self._context, attributes={"strata.document": event.subject})
        self._open[event.stage, event.subject] = (span, time.monotonic())

    def _end(self, event: Event) -> None:
        from opentelemetry.trace import StatusCode

        self._ended.add(1, {"stage": event.stage.value, "phase": event.phase.value})
        if event.phase is Phase.FAILED and (event.stage, event.subject) not in self._open:
            self._begin(event)
        span, began = self._open.pop((event.stage, event.subject), (None, 0.0))
        if span is None:  # reused from an earlier run, without duration
            return
        if event.phase is Phase.FAILED:
            span.set_status(StatusCode.ERROR, event.detail)
        span.end()
        self._seconds.record(time.monotonic() - began, {"stage": event.stage.value})


class _TracedSteps:
    """Executes the steps of a run by another executor, each in a span."""

    def __init__(self, inner: Steps, tracer: Tracer, context: Context) -> None:
        self._inner, self._tracer, self._context = inner, tracer, context

    async def compile(self, run: IngestRun, items: Sequence[SourceItem]) -> Sequence[SourceItem]:
        with self._tracer.start_as_current_span("compile", self._context, attributes={"strata.items": len(items)}):
            return await self._inner.compile(run, items)

    async def take(self, step: RunStep, work: Work, subject: str = "") -> None:
        with self._tracer.start_as_current_span(step.value, self._context, attributes={"strata.subject": subject}):
            await self._inner.take(step, work, subject)

    def writing(self) -> AbstractAsyncContextManager[None]:
        return self._inner.writing()


@contextmanager
def exporting() -> Iterator[Telemetry]:
    """Yield a telemetry that exports over OTLP to the destination in OpenTelemetry's variables, flushed at the end.

    Raises:
        MissingExtra: OpenTelemetry's SDK is not installed.
    """
    try:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise MissingExtra("otel", "sending traces and metrics") from error
    resource = Resource.create({"service.name": os.environ.get("OTEL_SERVICE_NAME") or NAME})
    tracers = TracerProvider(resource=resource)
    tracers.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    meters = MeterProvider([PeriodicExportingMetricReader(OTLPMetricExporter())], resource=resource)
    try:
        yield Telemetry(tracers, meters)
    finally:
        tracers.shutdown()
        meters.shutdown()
