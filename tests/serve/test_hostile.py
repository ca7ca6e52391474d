"""Tests of hostile names and texts of documents, and of requests that try to leave the folder."""

from __future__ import annotations

import html
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from pipelines import build
from pipelines.core.document import Source
from pipelines.parse.image import draw_page
from serve.settings import ServeSettings
from tests.serve.conftest import HIDDEN, HOSTILE, Served, running

Find = Callable[[str], str]


def test_text_of_documents_is_escaped_on_every_page(client: httpx2.Client, id_of: Find) -> None:
    document = id_of("onmouseover")
    tags = client.get("/api/kb/kb/tags", params={"q": "script"}).json()["items"]
    entities = client.get("/api/kb/kb/entities", params={"q": "hostile"}).json()["items"]
    paths = [f"/documents/{document}", "/documents", "/failures", "/tags", "/entities", f"/graph?node={document}"]
    paths += [f"/tags/{one['id']}" for one in tags] + [f"/entities/{one['id']}" for one in entities]
    paths += [f"/ask?q={HOSTILE}", f"/documents?q={HOSTILE}", f"/graph?node={HOSTILE[:90]}"]
    for path in paths:
        page = client.get(f"/kb/kb{path}")
        assert page.status_code == 200, path
        assert "<script>" not in page.text, path
        assert not re.search(r"<img[^>]*onerror|<b onmouseover", page.text), path
    assert html.escape(HOSTILE, quote=False)[:20] in client.get(f"/kb/kb/documents/{document}").text


def test_bidirectional_control_characters_are_displayed(client: httpx2.Client) -> None:
    page = client.get("/kb/kb/documents", params={"q": HIDDEN}).text
    assert "\u202e" not in page
    assert "&lt;U+202E&gt;txt.exe" in page


def test_an_invalid_parameter_is_escaped_in_the_problem_page(client: httpx2.Client) -> None:
    page = client.get("/kb/kb/documents", params={"limit": 1, "offset": HOSTILE})
    assert page.status_code == 422
    assert "<script>" not in page.text


@pytest.mark.parametrize(
    "id", ["..", "../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%00", "/etc/passwd", "a" * 5000, "broken.pdf", "'--"]
)
def test_an_invalid_id_is_not_found(client: httpx2.Client, id: str) -> None:
    for path in (f"/api/kb/kb/documents/{id}", f"/api/kb/kb/documents/{id}/pages/1.png", f"/kb/kb/documents/{id}"):
        reply = client.get(path)
        assert reply.status_code in (404, 422) or path.endswith("/.."), path
        assert "root:" not in reply.text


def test_a_knowledge_base_cannot_be_addressed_by_a_path(client: httpx2.Client, made: Path) -> None:
    for name in ("..", "%2e%2e", str(made / "kb").replace("/", "%2f"), ".", "kb%2f..%2fkb"):
        assert client.get(f"/api/kb/{name}/documents").status_code == 404


def test_a_replaced_file_is_not_rendered(made: Path, tmp_path: Path) -> None:
    """Neither another file's content nor a file outside the folder is shown under the name of a document."""
    folder = Path(shutil.copytree(made / "folder", tmp_path / "folder"))
    sheet, secret = folder / "datasheets" / "DS-2041_rev_D.pdf", tmp_path / "secret.pdf"
    with running(ServeSettings((made / "kb",), (folder,))) as server, server.client() as client:
        (document,) = client.get("/api/kb/kb/documents", params={"q": "DS-2041_rev_D"}).json()["items"]
        path = f"/api/kb/kb/documents/{document['id']}/pages"
        shutil.copy(sheet, secret)
        sheet.unlink()
        sheet.symlink_to(secret)
        assert client.get(f"{path}/1.png").json()["detail"] == "the file is a link that leads out of the folder"
        sheet.unlink()
        sheet.write_bytes(secret.read_bytes() + b"%")
        assert client.get(f"{path}/1.png").json()["detail"] == "the file has changed since it was ingested"
        sheet.unlink()
        assert client.get(f"{path}/1").json()["page"]["reason"] == "the file is no longer in the folder"
        shutil.copy(secret, sheet)
        assert client.get(f"{path}/1.png").status_code == 200


def test_a_file_that_cannot_be_rendered_has_no_image(tmp_path: Path) -> None:

    bad = tmp_path / "bad.pdf"
    bad.write_bytes(b"%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 1 0 R/Kids[1 0 R]>>endobj\ntrailer<</Root 1 0 R>>")
    assert draw_page(bad, "application/pdf", 1) == b""
    assert draw_page(bad, "image/png", 1) == b""
    assert draw_page(bad, "text/plain", 1) == b""


def test_a_new_ingest_is_served_without_a_restart(made: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(made / "folder", tmp_path / "folder"))
    kb = Path(shutil.copytree(made / "kb", tmp_path / "kb"))
    with running(ServeSettings((kb,), (folder,))) as server, server.client() as client:
        query = {"question": "Who invented the quokka valve?", "limit": 1}
        before = client.post("/api/kb/kb/search", json=query).json()["hits"]
        assert "quokka" not in "".join(hit["text"] for hit in before)
        (folder / "valve.md").write_text("# Valve\n\nThe quokka valve was invented by Ada Brook.\n")
        build(folder, kb)
        assert "quokka valve" in client.post("/api/kb/kb/search", json=query).json()["hits"][0]["text"]
        assert "Ada Brook" in client.post("/api/kb/kb/ask", json=query).json()["text"]
        assert client.get("/api/kb/kb").json()["documents"] == 8


def test_a_failed_file_has_an_id_and_a_page(client: httpx2.Client, id_of: Find) -> None:
    broken = id_of("broken.pdf")
    page = client.get(f"/kb/kb/documents/{broken}")
    assert page.status_code == 200
    assert "malformed" in page.text
    assert broken.startswith(Source("a", "", 0, "").document_id.partition(":")[0])


def test_two_knowledge_bases_with_the_same_name_get_distinct_names(made: Path, tmp_path: Path, served: Served) -> None:
    other = Path(shutil.copytree(made / "kb", tmp_path / "kb"))
    with running(ServeSettings((made / "kb", other))) as server, server.client() as client:
        assert [one["name"] for one in client.get("/api/kb").json()] == ["kb", "kb-2"]
        assert 'href="/kb/kb-2"' in client.get("/").text
        assert client.get("/api/kb/kb-2/documents").json()["total"] == 7
