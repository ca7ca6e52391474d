"""Tests that after each of several edits a knowledge base equals one built from scratch."""

import shutil
from pathlib import Path

import pytest

from pipelines import build
from pipelines.ingest.fsck import fsck
from pipelines.ingest.report import Report
from tests.ingest.knowledge import assert_same

TAKEN = (
    "datasheets/DS-2041_rev_D.pdf",
    "manuals/Maintenance Manual K-Series.docx",
    "meetings/2025-02-11_quality_meeting.md",
    "parts/price_list_2025.xlsx",
    "policies/POL-008_isolation.html",
    "reports/IR-2024-031_pump_noise.md",
    "reports/IR-2024-044_compressor_trip.txt",
    "suzhou/压力变送器安装说明.md",
)


def step(folder: Path, kb: Path) -> Report:
    """Ingest, and compare the knowledge base to one built from scratch."""
    report = build(folder, kb)
    fresh = kb.with_name("fresh")
    shutil.rmtree(fresh, ignore_errors=True)
    build(folder, fresh)
    assert_same(kb, fresh)
    return report


@pytest.mark.slow
def test_the_knowledge_base_equals_a_fresh_one_after_each_edit_removal_and_rename(
    examples: Path, tmp_path: Path
) -> None:
    folder, kb = tmp_path / "folder", tmp_path / "kb"
    for name in TAKEN:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(examples / name, folder / name)
    assert step(folder, kb).stages["embed"].done == len(TAKEN)
    warm = build(folder, kb)
    assert all(count.done == 0 for count in warm.stages.values())

    report = folder / "reports" / "IR-2024-031_pump_noise.md"
    whole = report.read_text()
    report.write_text(whole.replace("pump", "feed pump", 2) + "\n\nSee POL-008, section 2.\n")
    assert step(folder, kb).stages["embed"].done == 1

    (folder / "meetings" / "2025-02-11_quality_meeting.md").unlink()
    (folder / "parts" / "price_list_2025.xlsx").rename(folder / "parts" / "prices.xlsx")
    shutil.copy(examples / "reports" / "IR-2025-007_oil_leak.md", folder / "reports")
    assert step(folder, kb).stages["embed"].done == 2

    report.write_text(whole)
    shutil.copy(examples / TAKEN[2], folder / TAKEN[2])
    back = step(folder, kb)
    assert back.stages["parse"].done == 2  # a removed document was forgotten, so it is parsed again
    assert fsck(kb).clean
