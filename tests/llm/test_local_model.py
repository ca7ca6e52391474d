from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from pydantic import BaseModel, Field

from pipelines.core.errors import CallFailed
from pipelines.llm.ask import CallEnding, ask
from pipelines.llm.chat import Chat, Message
from pipelines.llm.local_model import LocalServer
from pipelines.llm.settings import LlmSettings
from pipelines.llm.stack import open_chat

MODEL = Path.home() / ".cache/strata/models/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"

needs_llama = pytest.mark.skipif(find_spec("xllamacpp") is None, reason="the extra local is not installed")
needs_model = pytest.mark.skipif(not MODEL.is_file(), reason="`make local-model` has not fetched the model")


class Parts(BaseModel):
    parts: list[str] = Field(max_length=5)
    count: int


@needs_llama
@pytest.mark.slow
def test_a_file_that_is_not_a_model_cannot_be_served(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF, but not really")
    with pytest.raises(CallFailed, match=r"broken\.gguf cannot be served"):
        LocalServer(LlmSettings(gguf=str(broken)))


@needs_llama
@needs_model
@pytest.mark.model
class TestLocalModel:
    @pytest.fixture
    async def chat(self) -> AsyncIterator[Chat]:
        opened = open_chat(LlmSettings(gguf=str(MODEL), gguf_context=1024, timeout=300))
        yield opened
        await opened.close()

    async def test_it_replies_by_schema_and_counts_tokens(self, chat: Chat) -> None:
        text = "The pump has an impeller, a shaft and a seal. List its parts and their number, as JSON."
        asked = await ask(chat, (Message("user", text),), Parts, role="test", max_tokens=60)
        assert asked.ending is CallEnding.DONE
        assert asked.value is not None
        assert {"impeller", "shaft", "seal"} <= {part.casefold() for part in asked.value.parts}
        assert asked.tries == 1
        assert asked.usage.input_tokens > 20

    def test_the_server_process_ends_on_close(self) -> None:
        server = LocalServer(LlmSettings(gguf=str(MODEL), gguf_context=512))
        child = server._child.pid
        assert is_running(child)
        server.close()
        server.close()
        assert not is_running(child)

    def test_the_server_process_ends_when_its_parent_is_killed(self) -> None:
        code = (
            "import sys, time; from pipelines.llm.local_model import LocalServer;"
            "from pipelines.llm.settings import LlmSettings;"
            "server = LocalServer(LlmSettings(gguf=sys.argv[1], gguf_context=512));"
            "print(server._child.pid, flush=True); time.sleep(600)"
        )
        parent = subprocess.Popen([sys.executable, "-c", code, str(MODEL)], stdout=subprocess.PIPE, text=True)
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        parent.stdout.close()
        for _ in range(200):
            if not is_running(child):
                return
            time.sleep(0.05)
        pytest.fail("the server outlived its parent")


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    # A process that has ended but was not waited for is still listed, as a zombie.
    return b") Z " not in Path(f"/proc/{process}/stat").read_bytes() if Path("/proc").is_dir() else True
