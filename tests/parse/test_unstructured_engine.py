import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pipelines.core.document import Document
from pipelines.core.outcome import Status
from pipelines.parse.settings import ParseSettings
from tests.parse.conftest import ParseBytes
from tests.parse.pieces import assert_whole, pieces

ENGINE = "pipelines.parse.unstructured_engine:UnstructuredReader"
SETTINGS = ParseSettings(engines=dict.fromkeys(("text/html", "text/plain", "text/csv", "application/pdf"), ENGINE))
pytestmark = pytest.mark.slow


def test_unstructured_can_be_selected_for_a_format(document_of: Callable[..., Document]) -> None:
    page = "<h1>Pump</h1><p>The valve is stuck.</p><table><tr><th>A<th>B<tr><td>1<td>2</table>"
    document = document_of("a.html", page, SETTINGS)
    assert document.engine == "unstructured"
    assert ("heading", 1, "Pump") in pieces(document)
    assert document.tables[0].grid() == [["A", "B"], ["1", "2"]]
    assert_whole(document)


def test_unstructured_is_not_used_for_pdf(parse_bytes: ParseBytes) -> None:
    assert parse_bytes("a.pdf", b"%PDF-1.4\n", SETTINGS).status is Status.UNSUPPORTED


def test_unstructured_needs_no_network_and_no_model(tmp_path: Path) -> None:
    code = (
        "import socket, sys\n"
        "def refuse(*a, **k): raise SystemExit('wanted the network')\n"
        "socket.socket.connect = refuse; socket.getaddrinfo = refuse\n"
        "from pathlib import Path\n"
        "from pipelines.core.document import Source\n"
        "from pipelines.parse.settings import ParseSettings\n"
        "from pipelines.parse.unstructured_engine import UnstructuredReader\n"
        "path = Path(sys.argv[1]); path.write_text('The valve is stuck. It was opened on Monday.')\n"
        "parsed = UnstructuredReader().read(path, Source('a.txt', 'text/plain', 1, 'd'), ParseSettings())\n"
        "print(parsed.status.value, parsed.document.text)\n"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("DO_NOT", "SCARF"))}
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "a.txt")],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("indexed The valve is stuck.")


def test_the_model_stub_is_on_the_path_only_while_used() -> None:
    code = "import sys, pipelines.parse.parse; print(any('spacy_stub' in entry for entry in sys.path))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
