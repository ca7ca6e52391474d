"""Jobs that misbehave, for the tests of the worker pool."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from pipelines.core.errors import StoreError
from pipelines.core.work.job import JobContext

BURN = "while True: pass"


_LOADED: list[str] = []


def preload() -> None:
    """Set a mark that a job in a forked process can see."""
    _LOADED.append("loaded")


def tell_parent(desk: JobContext) -> bytes:
    """Return the id of the parent process, and whether `preload` was called before the fork."""
    return f"{os.getppid()} {(_LOADED or ['bare'])[0]}".encode()


def give(desk: JobContext, data: bytes) -> bytes:
    return data


def loop(desk: JobContext) -> bytes:
    desk.begin("early")
    desk.begin("late")
    while True:
        pass


def talk(desk: JobContext) -> bytes:
    while True:
        desk.tell(str(sum(range(1_000_000))).encode())


def in_stages(desk: JobContext, stages: int, seconds: float) -> bytes:
    """Use the given processor seconds in each of the stages."""
    for number in range(stages):
        desk.begin(str(number))
        until = time.process_time() + seconds
        while time.process_time() < until:
            pass
    return b"done"


def alternate_waiting_and_working(desk: JobContext, turns: int) -> bytes:
    """Wait for a tenth of a second and compute briefly, repeatedly, as on a busy machine."""
    for _ in range(turns):
        time.sleep(0.1)
        until = time.process_time() + 0.01
        while time.process_time() < until:
            pass
    return b"done"


def sleep(desk: JobContext) -> bytes:
    time.sleep(600)
    return b""


def burn_in_children(desk: JobContext, note: str) -> bytes:
    """Wait while two child processes use processor time."""
    children = [subprocess.Popen([sys.executable, "-c", BURN]) for _ in range(2)]
    Path(note).write_text(" ".join(str(child.pid) for child in children))
    children[0].wait()
    return b""


def burn_in_an_orphan(desk: JobContext, note: str) -> bytes:
    """Start a process in its own session whose parent ends at once."""
    quiet = "stdout=subprocess.DEVNULL, start_new_session=True"
    code = f"import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', {BURN!r}], {quiet}).pid)"
    made = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    Path(note).write_text(made.stdout.strip())
    time.sleep(600)
    return b""


def eat(desk: JobContext) -> bytes:
    held = []
    while True:
        held.append(bytearray(16 << 20))
        time.sleep(0.01)


def gulp(desk: JobContext) -> bytes:
    return bytes(bytearray(64 << 30))


def crash_after_keeping(desk: JobContext) -> bytes:
    desk.begin("read")
    desk.keep(b"the first half")
    desk.keep(b"the text")
    desk.begin("look")
    os._exit(3)


def loop_after_keeping(desk: JobContext) -> bytes:
    desk.keep(b"the text")
    return loop(desk)


def raise_error(desk: JobContext) -> bytes:
    raise StoreError("the disk is full", hint="make room")


def environment(desk: JobContext) -> bytes:
    return json.dumps(dict(os.environ)).encode()


def litter(desk: JobContext) -> bytes:
    (desk.scratch / "left.txt").write_text("left")
    return str(desk.scratch).encode()


def litter_and_wait(desk: JobContext, note: str) -> bytes:
    """Write into the folder for temporary files, say in the file `note` where that is, and wait for ever."""
    litter(desk)
    Path(note + ".new").write_text(str(desk.scratch))
    Path(note + ".new").rename(note)
    while True:
        time.sleep(60)


def double(desk: JobContext, number: int) -> bytes:
    return desk.ask(str(number).encode()).result()


def be_killed(desk: JobContext, note: str, times: int) -> bytes:
    """Get killed by a signal in the first `times` tries, after keeping the number of the try."""
    tries = Path(note)
    number = int(tries.read_text()) + 1 if tries.exists() else 1
    tries.write_text(str(number))
    desk.begin("late")
    desk.keep(f"try {number}".encode())
    if number <= times:
        os.kill(os.getpid(), signal.SIGKILL)
    return f"result of try {number}".encode()


def be_killed_before_keeping_again(desk: JobContext, note: str) -> bytes:
    if not Path(note).exists():
        Path(note).touch()
        desk.keep(b"try 1")
    os.kill(os.getpid(), signal.SIGKILL)
    return b""
