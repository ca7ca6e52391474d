"""The program of the child process that is Prefect's server; it ends when its standard input does.

So it is gone also when the process that started it was killed.
"""

from __future__ import annotations

import os
import sys
import threading

import uvicorn

APP = "prefect.server.api.server:create_app"


def main() -> None:
    """Serve on loopback at the port that the first argument gives."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    uvicorn.run(APP, factory=True, host="127.0.0.1", port=int(sys.argv[1]), log_level="critical", lifespan="on")


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    main()
