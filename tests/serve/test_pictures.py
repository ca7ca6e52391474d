"""Tests of the images of pages."""

from __future__ import annotations

from pathlib import Path

from pipelines.core.work.job import Job, JobLimits
from pipelines.core.work.pool import WorkerPool
from pipelines.parse.magic import XPS
from serve.pictures import draw_in_worker
from tests.parse.test_xps import FILE, xps

PNG = b"\x89PNG"


def test_an_xps_file_is_converted_once_for_all_its_pages(tmp_path: Path) -> None:
    file = tmp_path / "a.xps"
    file.write_bytes(FILE)
    with WorkerPool(JobLimits(cpu_s=30, stall_s=30, memory_mb=2048), 1, "draw") as pool:

        def drawn(number: int, name: str) -> bytes:
            job = Job(draw_in_worker, (file, XPS, number, (), 60, name))
            return pool.submit(job, lambda ended: ended.result or b"").result()

        first = drawn(1, "one")
        file.unlink()  # so that it cannot be converted again
        assert first.startswith(PNG)
        assert drawn(2, "one").startswith(PNG)
        assert drawn(1, "one") == first
        assert drawn(1, "another") == b""
        file.write_bytes(xps(((48, "Another file"),)))
        assert drawn(1, "two") not in (first, b"")
        assert drawn(9, "two") == b""
