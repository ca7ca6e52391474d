"""Tests that removed or forgotten documents leave no byte in the knowledge base."""

from __future__ import annotations

import base64
import io
import os
from collections.abc import Callable, Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest
from PIL import Image

from pipelines import build
from pipelines.core.errors import StoreError
from pipelines.ingest.dry_run import diff
from pipelines.ingest.erase import ERASE_FACT, forget
from pipelines.ingest.fsck import fsck
from pipelines.llm.settings import EmbedSettings, LlmSettings
from pipelines.llm.testing.fakes import answer_by_schema
from pipelines.llm.testing.loopback import LoopbackServer
from pipelines.llm.testing.loopback_wire import Call
from pipelines.resources import open_stores
from pipelines.retrieve.retriever import Retriever
from pipelines.store.lancedb.table import VectorTable
from qa.knowledge_base import KnowledgeBase
from qa.settings import QaSettings
from tests.ingest.knowledge import FEW, entries_of, exported, write_folder
from tests.ingest.remains import remains

WORDS = {
    name: name.encode()
    for name in ("qzftitle", "qzftext", "qzfcell", "qzfcaption", "qzftag", "qzfentity", "qzfattached", "qzfmail",
                 "qzfsubject", "qzfname", "qzfquestion")
}  # fmt: skip


def picture(size: int) -> bytes:
    """A picture of random pixels, whose bytes occur nowhere else."""
    out = io.BytesIO()
    Image.frombytes("RGB", (size, size), os.urandom(3 * size * size)).save(out, "PNG")
    return out.getvalue()


def page(data: bytes) -> str:
    """An HTML page with a distinct word in each kind of place, and a picture."""
    shown = base64.b64encode(data).decode()
    return f"""<html><head><title>Manual of Qzftitle</title></head><body><h1>Manual of Qzftitle</h1>
<p>The pump Qzftext-7 runs at 1450 rpm. <b>Qzftag coupling</b> is what the qzftag coupling of the pump is called.
The qzftag coupling was made by Qzfentity Works GmbH in Hamburg. Qzfentity Works GmbH also made the valve.</p>
<table><tr><th>Part</th><th>Material</th></tr><tr><td>Shaft</td><td>qzfcell steel</td></tr></table>
<figure><img src="data:image/png;base64,{shown}"><figcaption>Figure 1: the qzfcaption valve</figcaption></figure>
</body></html>"""


def mail() -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "a@example.org", "b@example.org", "About Qzfsubject"
    message.set_content("The valve was replaced, says Qzfmail. Details are attached.")
    message.add_attachment("# Attached\n\nThe seal qzfattached was worn.\n", subtype="markdown", filename="more.md")
    return message.as_bytes()


def with_canaries(folder: Path) -> dict[str, bytes]:
    """Write canary documents to remove beside others to keep; return the data that must not remain."""
    write_folder(folder)
    data = picture(48)
    (folder / "qzfname.html").write_text(page(data))
    (folder / "letter.eml").write_bytes(mail())
    return {**WORDS, "picture": data[200:240]}


def answer(call: Call) -> str:
    """Reply as `answer_by_schema`, but induce no tag classes."""
    if call.schema is not None and "classes" in str(call.schema.get("properties")):
        return '{"classes": []}'
    return answer_by_schema(call)


@pytest.fixture(params=["keyless", "model"])
def settings(request: pytest.FixtureRequest) -> Iterator[QaSettings]:
    if request.param == "keyless":
        yield QaSettings(ingest=FEW)
        return
    with LoopbackServer(answer) as server:
        yield QaSettings(
            llm=LlmSettings(base_url=server.url, model="loopback"),
            embed=EmbedSettings(name="openai", base_url=server.url, model="hashing", dimension=256),
            ingest=FEW,
        )


def forgotten(folder: Path, kb: Path, settings: QaSettings) -> None:
    forget("qzfname.html", kb, settings)
    forget("letter.eml", kb, settings)


def taken_away(folder: Path, kb: Path, settings: QaSettings) -> None:
    (folder / "qzfname.html").unlink()
    (folder / "letter.eml").unlink()
    build(folder, kb, settings)


def rewritten(folder: Path, kb: Path, settings: QaSettings) -> None:
    (folder / "qzfname.html").rename(folder / "page.html")
    (folder / "page.html").write_text("<p>The pump is out of use.</p>")
    (folder / "letter.eml").write_text("From: a@example.org\nSubject: Nothing\n\nNothing happened.\n")
    build(folder, kb, settings)


@pytest.mark.parametrize("remove", [forgotten, taken_away, rewritten])
def test_no_byte_of_a_removed_document_remains(
    remove: Callable[[Path, Path, QaSettings], None], settings: QaSettings, tmp_path: Path
) -> None:
    folder, kb = tmp_path / "folder", tmp_path / "kb"
    wanted = with_canaries(folder)
    build(folder, kb, settings)
    with KnowledgeBase.open(kb, settings) as opened:
        opened.ask("At what speed does the pump Qzftext-7 run? qzfquestion")
    assert wanted.keys() - remains(kb, wanted).keys() <= {"qzfquestion"}
    remove(folder, kb, settings)
    assert remains(kb, wanted) == {}
    assert fsck(kb, settings).clean


def test_the_knowledge_base_after_a_removal_equals_one_without_the_document(tmp_path: Path) -> None:
    folder, kb = tmp_path / "folder", tmp_path / "kb"
    with_canaries(folder)
    build(folder, kb)
    taken_away(folder, kb, QaSettings())
    build(folder, tmp_path / "without")
    assert exported(kb) == exported(tmp_path / "without")


def test_an_interrupted_erasure_is_completed_by_the_next_ingest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, kb = tmp_path / "folder", tmp_path / "kb"
    wanted = with_canaries(folder)
    build(folder, kb)

    def broken(self: VectorTable) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(VectorTable, "wipe", broken)
        with pytest.raises(KeyboardInterrupt):
            taken_away(folder, kb, QaSettings())
    assert remains(kb, wanted)
    build(folder, kb)
    assert remains(kb, wanted) == {}


def test_artifacts_of_a_diff_are_erased_by_the_next_ingest(tmp_path: Path) -> None:
    folder, kb = tmp_path / "folder", tmp_path / "kb"
    write_folder(folder)
    build(folder, kb)
    wanted = with_canaries(folder)
    diff(folder, kb)
    taken_away(folder, kb, QaSettings())
    assert remains(kb, wanted) == {}


def test_an_ingest_without_removals_rewrites_no_vector_files(tmp_path: Path) -> None:
    folder, kb = tmp_path / "folder", tmp_path / "kb"
    write_folder(folder)
    build(folder, kb)

    def files() -> dict[str, int]:
        return {str(path): path.stat().st_ino for path in kb.glob("vectors/**/*.lance") if path.is_file()}

    before = files()
    build(folder, kb)
    assert files() == before
    (folder / "new.md").write_text("# New\n\nThe valve V-13 closes.\n")
    build(folder, kb)
    assert before.keys() <= files().keys()
    with open_stores(kb, QaSettings()) as stores:
        assert not stores.catalog.fact(ERASE_FACT)


def test_forget_keeps_cached_replies_only_if_asked_to(tmp_path: Path) -> None:
    folder, kb = write_folder(tmp_path / "folder"), tmp_path / "kb"
    with LoopbackServer(answer) as server:
        settings = QaSettings(llm=LlmSettings(base_url=server.url, model="loopback"), ingest=FEW)
        build(folder, kb, settings)
        forget("DS-2041.md", kb, settings, keep_cache=True)
        asked = len(server.calls)
        build(folder, kb, settings)
        assert len(server.calls) == asked
        forget("DS-2041.md", kb, settings)
        build(folder, kb, settings)
        assert len(server.calls) > asked


def test_an_edit_keeps_the_cached_replies_about_unchanged_text(tmp_path: Path) -> None:
    folder, kb = tmp_path / "folder", tmp_path / "kb"
    write_folder(folder)
    sections = "\n\n".join(f"## {n} Part\n\n" + f"The part number {n} weighs {n} kg. " * 40 for n in range(1, 9))
    (folder / "long.md").write_text(f"# Long\n\n{sections}\n")
    with LoopbackServer(answer) as server:
        settings = QaSettings(llm=LlmSettings(base_url=server.url, model="loopback"), ingest=FEW)
        build(folder, kb, settings)
        first = len(server.calls)
        for number in range(2):
            with (folder / "long.md").open("a") as file:
                file.write(f"\n\n## {20 + number} More\n\nA further part weighs {number} kg.\n")
            build(folder, kb, settings)
        assert len(server.calls) - first < first / 2


def test_forgetting_one_document_keeps_the_parts_of_a_container(tmp_path: Path) -> None:
    folder, kb = tmp_path / "folder", tmp_path / "kb"
    with_canaries(folder)
    build(folder, kb)
    forget("qzfname.html", kb)
    letter = {uri for uri in entries_of(kb) if uri.startswith("letter.eml")}
    assert len(letter) == 2
    assert build(folder, kb).stages["parse"].done == 1
    assert letter <= entries_of(kb).keys()


def test_forgetting_erases_data_even_if_the_index_cannot_be_rebuilt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, kb = tmp_path / "folder", tmp_path / "kb"
    wanted = with_canaries(folder)
    build(folder, kb)

    def fails(retriever: Retriever) -> None:
        raise StoreError("no index today")

    monkeypatch.setattr(Retriever, "keep_index", fails)
    forgotten(folder, kb, QaSettings())
    assert remains(kb, wanted) == {}
