import subprocess
import sys

import pytest

HEAVY = {"pymupdf", "rapidocr", "onnxruntime", "unstructured", "openpyxl", "docx", "pptx", "spacy", "pandas", "cv2"}


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html", "a.json", "a.csv", "a.eml"])
def test_simple_formats_load_no_heavy_library(tmp_path: object, name: str) -> None:
    code = (
        "import sys, pathlib\n"
        "from pipelines.parse.parse import parse, source_of\n"
        "from pipelines.parse.settings import ParseSettings\n"
        "path = pathlib.Path(sys.argv[1]); path.write_text('From: a@b.c\\nTo: d@e.f\\nSubject: x\\n\\nvalve, "
        "stuck\\n')\n"
        "parsed = parse(path, source_of(path, path.name), ParseSettings())\n"
        "assert parsed.document, parsed.reason\n"
        "print(*{name.split('.')[0] for name in sys.modules})\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, f"{tmp_path}/{name}"], capture_output=True, text=True, check=True
    )
    assert HEAVY.isdisjoint(done.stdout.split())
