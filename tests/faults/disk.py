"""Faults of disk space: the run must end with an error, and the next one must complete it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.faults.bench import Account, Bench, Outcome, difference_after_ingest
from tests.faults.process import ROOT, command, environment

SHARES = (0.1, 0.2, 0.3, 0.45, 0.6, 0.75)
"""Sizes of the disk as shares of the knowledge base, so that it is full in different stages."""
_PAGE = 4096
_LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)
from flows.cli.app import main
main()
"""
_ON_SMALL_DISK = """
mount -t tmpfs -o size=${SIZE}k none "$KB" || exit 77
"$@"; code=$?
mount -o remount,size=200m "$KB"
cp -r "$KB/." "$OUT"
exit $code
"""


def can_mount() -> bool:
    """Whether a small disk can be mounted on this machine."""
    if shutil.which("unshare") is None or os.geteuid() != 0:
        return False
    probe = ["unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=100k none /mnt"]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


def fill_disk(bench: Bench) -> Outcome:
    """Ingest onto disks that are too small, then with enough space."""
    account = Account("disks filled")
    whole = sum(-(-path.stat().st_size // _PAGE) * _PAGE for path in bench.whole.rglob("*"))
    shares = list(SHARES)
    bench.chance.shuffle(shares)
    for share in [shares[number % len(shares)] for number in range(bench.times)] if can_mount() else []:
        mounted, kb = bench.new("disk"), bench.new()
        mounted.mkdir()
        kb.mkdir()
        words = ["unshare", "-m", "sh", "-c", _ON_SMALL_DISK, "sh", *_ingest(bench, mounted)]
        more = {"SIZE": str(int(share * whole / 1024)), "KB": str(mounted), "OUT": str(kb)}
        account.note(
            f"{share:.0%} of what it takes",
            _wrong(words, more) or difference_after_ingest(bench.folder, kb, bench.state),
        )
    return account.outcome()


def limit_files(bench: Bench) -> Outcome:
    """Ingest with a limit on the size of files, then without it."""
    account = Account("files that may not grow")
    sizes = [20_000, 60_000, 120_000]
    for size in [sizes[number % len(sizes)] for number in range(bench.times)]:
        kb = bench.new()
        words = [sys.executable, "-c", _LIMITED, str(size), *_ingest(bench, kb)[3:]]
        account.note(f"{size} bytes", _wrong(words, {}) or difference_after_ingest(bench.folder, kb, bench.state))
    return account.outcome()


def _ingest(bench: Bench, kb: Path) -> list[str]:
    return command("ingest", bench.folder, "--kb", kb, "--no-flow", "--quiet")


def _wrong(words: list[str], more: dict[str, str]) -> str:
    ended = subprocess.run(
        words, capture_output=True, text=True, env=environment() | more, cwd=ROOT, timeout=900, check=False
    )
    if ended.returncode == 5 and "Traceback" not in ended.stderr and "strata: " in ended.stderr:
        return ""
    return f"it ended with {ended.returncode}: {ended.stderr[-300:]}"
