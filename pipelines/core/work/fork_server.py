"""A process that forks the workers: what they all import and load is there once, and a new worker takes milliseconds.

A worker that begins with nothing imports for a processor second, and so does each one that replaces a killed one.
`multiprocessing.forkserver` would do, but it imports the caller's main module into each process: a script that builds a
knowledge base without a guard would run again in its own workers.

The parent sends the ends of four pipes over a socket: stdin, stdout, stderr, and one on which the server says the
number of the new process and, once that has ended, its exit code. The server removes the folder of a worker that has
ended: a parent that is killed cannot, and the folder can hold a copy of a document. A server ends when its parent is
gone and its last worker has ended, and after ten seconds without a worker.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import os
import select
import selectors
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

_NUMBER = struct.Struct("<q")
_PIPES = 4
_LONGEST_PATH = 1 << 16
_IDLE_S = 10
_END_S = 5
_STDERR_TAIL = 400

Preload = Callable[[], None]
ServerKey = tuple[int, str, tuple[tuple[str, str], ...]]


@dataclass(slots=True)
class Forked:
    """A worker process as its parent sees it; `code` is its exit code, negative for a signal, None while it runs."""

    pid: int
    status: int
    code: int | None = None

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end of the process, for some seconds at most; return whether it has ended."""
        if self.code is None and _readable(self.status, timeout):
            told = os.read(self.status, _NUMBER.size)
            os.close(self.status)
            self.code = _NUMBER.unpack(told)[0] if told else -signal.SIGKILL  # the server was killed
        return self.code is not None


def _readable(descriptor: int, timeout: float | None) -> bool:
    poll = select.poll()  # unlike `select.select` it takes numbers over 1023
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(None if timeout is None else timeout * 1000))


class ForkServer:
    """A running server, from the side of the process that asks it for one worker at a time."""

    def __init__(self, preload: str, environment: Mapping[str, str]) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed in `end`)
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-P", "-m", __name__, str(theirs.fileno()), preload]
        with theirs:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                env=environment,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        self._channel = ours
        threading.Thread(target=self._process.wait, name="fork server", daemon=True).start()  # so it is no zombie

    def fork(self, scratch: str, pipes: Sequence[int]) -> Forked | None:
        """Start a worker whose stdin, stdout and stderr are these; None where the server has ended."""
        ours, theirs = os.pipe()
        try:
            socket.send_fds(self._channel, [os.fsencode(scratch)], [*pipes, theirs])
            os.close(theirs)
            theirs = -1
            told = os.read(ours, _NUMBER.size)
        except OSError:
            told = b""
        finally:
            if theirs >= 0:
                os.close(theirs)
        if not told:
            os.close(ours)
            return None
        return Forked(_NUMBER.unpack(told)[0], ours)

    def end(self) -> str:
        """Have the server end, and return the last line that it wrote to stderr.

        Its workers notice by themselves when their parent is gone.
        """
        self._channel.close()
        try:
            self._process.wait(timeout=_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        with self._errors:
            return last_line(self._errors)


def last_line(file: IO[bytes]) -> str:
    """Return the last line in a file that is not blank, of its last 400 bytes."""
    file.seek(0, os.SEEK_END)
    file.seek(max(0, file.tell() - _STDERR_TAIL))
    lines = file.read().decode("utf-8", "replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


_SERVERS: dict[ServerKey, ForkServer] = {}
_ONE_AT_A_TIME = threading.Lock()


def fork_worker(scratch: str, pipes: Sequence[int], preload: Preload | None, environment: Mapping[str, str]) -> Forked:
    """Start a worker process, by a server that this process has already where one fits.

    Args:
        scratch: its folder for temporary files.
        pipes: descriptors of its stdin, stdout and stderr.
        preload: a function at the top level of a module that the server calls before it forks.
        environment: the variables of the server and its workers.

    Raises `OSError` where no server starts, with what it said last.
    """
    named = f"{preload.__module__}:{preload.__qualname__}" if preload else ""
    key = (os.getpid(), named, tuple(sorted(environment.items())))
    with _ONE_AT_A_TIME:
        server = _SERVERS.get(key)
        forked = server.fork(scratch, pipes) if server is not None else None
        if forked is None:
            if server is not None:
                server.end()
            server = _SERVERS[key] = ForkServer(named, environment)
            forked = server.fork(scratch, pipes)
        if forked is None:
            raise OSError(_SERVERS.pop(key).end() or "the process that forks the workers does not start")
    return forked


@atexit.register
def _end_servers() -> None:
    for (parent, *_), server in _SERVERS.items():
        if parent == os.getpid():
            server.end()


@dataclass(slots=True)
class _Server:
    """The server's own side."""

    channel: socket.socket
    running: dict[int, tuple[int, str]] = field(default_factory=dict)
    """Of each running worker, the pipe on which its end is told, and its folder."""

    def serve(self) -> tuple[str, list[int]] | None:
        """Fork workers until the parent is gone or has no use for any. In a worker, return its folder and pipes."""
        wake, woken = os.pipe()
        os.set_blocking(woken, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
        with selectors.DefaultSelector() as selector:
            selector.register(self.channel, selectors.EVENT_READ)
            selector.register(wake, selectors.EVENT_READ)
            while True:
                ready = {key.fd for key, _ in selector.select(None if self.running else _IDLE_S)}
                if wake in ready:
                    os.read(wake, _LONGEST_PATH)
                    self._reap()
                if self.channel.fileno() in ready:
                    scratch, pipes, _, _ = socket.recv_fds(self.channel, _LONGEST_PATH, _PIPES)
                    if not scratch:
                        break
                    if self._fork(os.fsdecode(scratch), pipes):
                        signal.set_wakeup_fd(-1)
                        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                        os.close(wake)
                        os.close(woken)
                        return os.fsdecode(scratch), pipes[:-1]
                if not ready and not self.running:
                    return None
            selector.unregister(self.channel)
            while self.running:  # each of them ends by itself, because its parent is gone
                selector.select()
                os.read(wake, _LONGEST_PATH)
                self._reap()
        return None

    def _fork(self, scratch: str, pipes: Sequence[int]) -> bool:
        """Fork; return whether this is the new process."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads that a library has, which hold no lock
            pid = os.fork()
        status = pipes[-1]
        if not pid:
            self.channel.close()
            for other, _ in self.running.values():
                os.close(other)
            os.close(status)
            return True
        self.running[pid] = status, scratch
        os.write(status, _NUMBER.pack(pid))
        for pipe in pipes[:-1]:
            os.close(pipe)
        return False

    def _reap(self) -> None:
        while self.running:
            pid, ended = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            if pid in self.running:
                status, scratch = self.running.pop(pid)
                shutil.rmtree(scratch, ignore_errors=True)
                with contextlib.suppress(BrokenPipeError):
                    os.write(status, _NUMBER.pack(os.waitstatus_to_exitcode(ended)))
                os.close(status)


def main() -> None:
    """Serve; in a worker, run its jobs."""
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    _preload(sys.argv[2])
    gc.freeze()  # what is there is shared by all workers, and no collection of theirs touches it
    begun = _Server(socket.socket(fileno=int(sys.argv[1]))).serve()
    if begun is None:
        return
    from pipelines.core.work.worker import run_jobs

    scratch, pipes = begun
    os.setsid()
    for number, pipe in enumerate(pipes):
        os.dup2(pipe, number)
        os.close(pipe)
    run_jobs(Path(scratch))


def _preload(named: str) -> None:
    """Call a function by its name. One that fails is left: the jobs that need the same say why."""
    module, _, name = named.partition(":")
    with contextlib.suppress(Exception):
        if module:
            getattr(importlib.import_module(module), name)()


if __name__ == "__main__":
    main()
