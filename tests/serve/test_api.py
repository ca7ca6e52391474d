"""Tests of the HTTP API on a real server: documents, knowledge, search, answers and problems."""

from __future__ import annotations

import io
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import httpx2
from PIL import Image

from serve.library import open_library
from serve.overview import overview
from serve.settings import ServeSettings
from tests.serve.conftest import Served

Find = Callable[[str], str]
TORQUE = {"question": "What torque do the casing bolts need?", "documents": ["manual.md"]}


def events(reply: httpx2.Response) -> list[tuple[str, dict[str, object]]]:
    found = re.findall(r"event: (\w+)\ndata: (.*)\n\n", reply.text)
    return [(name, json.loads(data)) for name, data in found]


def test_the_overview_counts_files_by_status_languages_and_contents(client: httpx2.Client) -> None:
    told = client.get("/api/kb/kb").json()
    assert told["statuses"] == {"indexed": 6, "malformed": 1}
    assert told["documents"] == 7
    assert told["searchable"] == 6
    assert list(told["reasons"].values()) == [1]
    assert told["languages"]["en"] == 6
    assert told["contents"]["chunks"] >= 6
    assert (told["amiss"], told["strategy"], told["spending"]) == ("", "extractive", [])


def test_the_overview_has_the_changed_settings(client: httpx2.Client, made: Path, tmp_path: Path) -> None:
    assert client.get("/api/kb/kb").json()["settings"] == {"ingest.workers": "1"}  # set for all tests
    assert "<code>ingest.workers</code>" in client.get("/kb/kb").text
    copied = shutil.copytree(made / "kb", tmp_path / "kb")
    (copied / "strata.toml").write_text("[qa.answer]\nchunks = 7\n")
    with open_library(ServeSettings((copied,))) as library:
        assert overview(library.named("kb", None)).settings["qa.answer"] == '{"chunks":7}'


def test_knowledge_bases_are_listed_by_folder_name(client: httpx2.Client) -> None:
    assert client.get("/api/kb").json() == [{"name": "kb", "documents": 7, "searchable": 6}]


def test_all_files_are_listed_including_failed_ones(api: httpx2.Client) -> None:
    told = api.get("/documents").json()
    assert told["total"] == 7
    assert [one["uri"] for one in told["items"]] == sorted(one["uri"] for one in told["items"])
    (broken,) = api.get("/documents", params={"status": "malformed"}).json()["items"]
    assert (broken["uri"], broken["searchable"]) == ("broken.pdf", False)
    assert broken["reason"]
    assert api.get(f"/documents/{broken['id']}").json()["line"] == broken


def test_documents_can_be_searched_and_paged(api: httpx2.Client) -> None:
    (found,) = api.get("/documents", params={"q": "STOP.txt"}).json()["items"]
    assert found["uri"] == "policies/stop.txt"
    whole = api.get("/documents").json()["items"]
    second = api.get("/documents", params={"offset": 2, "limit": 3}).json()
    assert (second["total"], second["offset"], second["items"]) == (7, 2, whole[2:5])
    assert api.get("/documents", params={"language": "zh"}).json()["total"] == 0


def test_failures_have_a_remedy(api: httpx2.Client) -> None:
    (broken,) = api.get("/failures").json()["items"]
    assert broken["status"] == "malformed"
    assert "save it again" in broken["remedy"]


def test_a_document_has_its_structure_tags_and_references(api: httpx2.Client, id_of: Find) -> None:
    manual = id_of("manual.md")
    told = api.get(f"/documents/{manual}").json()
    assert [one["title"] for one in told["sections"]] == ["Storage", "Bolts"]
    assert told["tags"]
    (reference,) = told["references"]
    assert reference["other"] == id_of("DS-2041_rev_D.pdf")
    assert reference["resolved"]
    cited = api.get(f"/documents/{reference['other']}").json()["cited_by"]
    assert manual in [one["other"] for one in cited]


def test_chunks_are_ordered_slices_and_tables_have_their_rows(api: httpx2.Client, id_of: Find) -> None:
    manual = id_of("manual.md")
    chunks = api.get(f"/documents/{manual}/chunks").json()["items"]
    assert [one["position"] for one in chunks] == list(range(len(chunks)))
    assert all(len(one["text"]) == one["end"] - one["start"] for one in chunks)
    (table,) = api.get(f"/documents/{manual}/tables").json()["items"]
    assert table["rows"] == [["Joint", "Torque, Nm"], ["Casing bolts", "68"], ["Seal cover", "18"]]
    assert table["header_rows"] == 1
    atoms = api.get(f"/documents/{manual}/atoms").json()["items"]
    assert {one["chunk"] for one in atoms} <= {one["id"] for one in chunks}
    figures = api.get(f"/documents/{id_of('DS-2041_rev_D.pdf')}/figures").json()["items"]
    assert [one["page"] for one in figures] == [1]


def test_a_page_is_rendered_and_has_the_boxes_of_its_blocks(api: httpx2.Client, id_of: Find) -> None:
    sheet = id_of("DS-2041_rev_D.pdf")
    told = api.get(f"/documents/{sheet}/pages/2").json()
    assert told["blocks"]
    boxes = [box for block in told["blocks"] for box in block["boxes"]]
    assert {box["page"] for box in boxes} == {2}
    assert all(0 <= box["left"] < box["right"] <= 1 for box in boxes)
    drawn = api.get(f"/{told['page']['picture']}")
    assert drawn.headers["content-type"] == "image/png"
    picture = Image.open(io.BytesIO(drawn.content))
    assert picture.width > 800
    assert len(picture.convert("L").getcolors() or ()) > 10


def test_a_page_of_an_attachment_is_rendered_from_the_stored_member(api: httpx2.Client, id_of: Find) -> None:
    part = id_of("RMA-0192.pdf")
    assert api.get(f"/documents/{part}/pages/1.png").content.startswith(b"\x89PNG")


def test_a_missing_page_image_has_a_reason(guarded: Served, api: httpx2.Client, id_of: Find) -> None:
    manual, sheet = id_of("manual.md"), id_of("DS-2041_rev_D.pdf")
    assert api.get(f"/documents/{manual}/pages/1.png").status_code == 404
    missing = api.get(f"/documents/{sheet}/pages/3.png")
    assert (missing.status_code, missing.json()["detail"]) == (404, "the document has no page 3")
    with guarded.client(headers={"x-api-key": guarded.settings.keys[0].secret}) as client:
        page = client.get(f"/api/kb/kb/documents/{sheet}/pages/1").json()["page"]
        assert page["picture"] == ""
        assert "--folder" in page["reason"]
        refused = client.get(f"/api/kb/kb/documents/{sheet}/pages/1.png")
        assert (refused.status_code, refused.json()["detail"]) == (404, page["reason"])


def test_search_returns_passages_with_the_shares_of_their_scores(api: httpx2.Client) -> None:
    hits = api.post("/search", json={"question": "How long may EPDM rings be stored?", "limit": 3}).json()["hits"]
    assert 1 <= len(hits) <= 3
    assert "7 years" in hits[0]["text"]
    assert hits[0]["uri"] == "manual.md"
    assert abs(sum(hits[0]["shares"].values()) - hits[0]["score"]) < 1e-4


def test_an_answer_cites_exact_character_spans(api: httpx2.Client, id_of: Find) -> None:
    answer = api.post("/ask", json=TORQUE).json()
    assert (answer["ending"], answer["abstained"]) == ("answered", False)
    assert "68" in answer["text"]
    (citation, *_) = answer["citations"]
    chunks = api.get(f"/documents/{id_of('manual.md')}/chunks").json()["items"]
    around = next(one for one in chunks if one["start"] <= citation["start"] < one["end"])
    assert around["text"][citation["start"] - around["start"] : citation["end"] - around["start"]] == citation["quote"]


def test_a_citation_of_a_page_has_its_boxes(api: httpx2.Client) -> None:
    asked = {"question": "What is the efficiency of the K80-250?", "folders": ["datasheets"]}
    citation = api.post("/ask", json=asked).json()["citations"][0]
    assert citation["place"] == "page 1"
    assert [box["page"] for box in citation["boxes"]] == [1]


def test_a_streamed_answer_sends_its_trace_first_and_equals_the_plain_answer(api: httpx2.Client) -> None:
    reply = api.post("/ask/stream", json=TORQUE)
    assert reply.headers["content-type"].startswith("text/event-stream")
    told = events(reply)
    assert [name for name, _ in told][-1] == "answer"
    assert {name for name, _ in told[:-1]} == {"trace"}
    answer = told[-1][1]
    assert answer["trace"] == [step for _, step in told[:-1]]
    assert answer["text"] == api.post("/ask", json=TORQUE).json()["text"]


def test_a_question_that_no_document_answers_is_refused(api: httpx2.Client) -> None:
    answer = api.post("/ask", json={"question": "Who was the king of Sweden in 1632?"}).json()
    assert (answer["ending"], answer["abstained"]) == ("not_in_documents", True)


def test_a_problem_is_an_event_of_a_stream_and_a_status_of_a_reply(api: httpx2.Client) -> None:
    asked = TORQUE | {"documents": ["manuel.md"]}
    ((name, told),) = events(api.post("/ask/stream", json=asked))
    assert (name, told["status"]) == ("problem", 404)
    reply = api.post("/ask", json=asked)
    assert reply.status_code == 404
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.json() == told
    assert "manual.md" in str(told["hint"])


def test_tags_and_entities_have_their_chunks(api: httpx2.Client) -> None:
    for kind in ("tags", "entities"):
        told = api.get(f"/{kind}", params={"limit": 5}).json()
        counts = [one["count"] for one in told["items"]]
        assert counts == sorted(counts, reverse=True)
        one = api.get(f"/{kind}/{told['items'][0]['id']}").json()
        assert one["named"]["name"] == told["items"][0]["name"]
        assert one["appearances"]
    (found,) = api.get("/entities", params={"q": "B-03"}).json()["items"]
    assert [one["uri"] for one in api.get(f"/entities/{found['id']}").json()["appearances"]] == ["policies/stop.txt"]


def test_a_neighbourhood_has_all_layers_and_respects_its_limit(api: httpx2.Client, id_of: Find) -> None:
    sheet = id_of("DS-2041_rev_D.pdf")
    near = api.get(f"/graph/{sheet}", params={"hops": 3, "limit": 300}).json()
    assert {one["layer"] for one in near["nodes"]} == {"InformationResource", "Corpus", "DistilledKnowledge"}
    few = api.get(f"/graph/{sheet}", params={"hops": 3, "limit": 10}).json()
    ids = {one["id"] for one in few["nodes"]}
    assert len(ids) == 10
    assert few["cut"]
    assert all({edge["source"], edge["target"]} <= ids for edge in few["edges"])
    assert api.get(f"/graph/{sheet}", params={"hops": 0}).json()["edges"] == []


def test_missing_resources_and_invalid_requests_are_problems_with_a_reason(
    client: httpx2.Client, api: httpx2.Client
) -> None:
    asked = [
        (client.get("/api/kb/none"), 404),
        (client.get("/api/none"), 404),
        (client.put("/api/kb"), 405),
        (api.get("/documents/document:0"), 404),
        (api.get("/tags/tag:0"), 404),
        (api.get("/graph/chunk:0"), 404),
        (api.get("/documents", params={"limit": 100_000}), 422),
        (api.post("/ask", json={"question": ""}), 422),
        (api.post("/ask", json={"question": "  "}), 400),
        (api.post("/ask", json={"question": "What?", "strategy": "os:system"}), 422),
        (api.post("/ask", json={"question": "What?", "strategy": "pike"}), 400),
        (api.post("/ask", json={"question": "What?", "since": "yesterday"}), 400),
        (api.post("/ask", content=b"{", headers={"content-type": "application/json"}), 422),
    ]
    for reply, status in asked:
        assert (reply.status_code, reply.headers["content-type"]) == (status, "application/problem+json"), reply.url
        told = reply.json()
        assert told["status"] == status
        assert told["detail"]
        assert "Traceback" not in reply.text


def test_the_openapi_description_has_every_route(client: httpx2.Client) -> None:
    told = client.get("/api/openapi.json").json()
    assert "/api/kb/{kb}/ask/stream" in told["paths"]
    assert len(told["paths"]) == 29
    for path, methods in told["paths"].items():
        for method in methods.values():
            assert method["description"], path
    assert {"AnswerView", "CitationView", "DocumentView", "GraphView"} <= told["components"]["schemas"].keys()


def test_a_head_request_gets_the_headers_of_a_get_and_no_body(client: httpx2.Client) -> None:
    for path in ("/kb/kb", "/api/kb/kb", "/static/strata.css"):
        whole, head = client.get(path), client.head(path)
        assert (head.status_code, head.headers["content-type"]) == (200, whole.headers["content-type"])
        assert head.content == b""


def test_a_wrong_address_method_or_type_of_body_is_told_the_right_one(client: httpx2.Client) -> None:
    gone = client.get("/api/kbs")
    assert (gone.status_code, gone.json()["hint"]) == (404, "GET /api/openapi.json describes the API")
    wrong = client.get("/api/kb/kb/ask")
    assert (wrong.status_code, wrong.headers["allow"], wrong.json()["hint"]) == (405, "POST", "allowed here: POST")
    form = client.post("/api/kb/kb/ask", data={"question": "What torque?"})
    assert (form.status_code, "application/json" in form.json()["hint"]) == (422, True)


def test_a_status_that_does_not_exist_is_a_problem_and_no_empty_list(api: httpx2.Client) -> None:
    told = api.get("/documents", params={"status": "faild"})
    assert (told.status_code, told.json()["detail"]) == (400, "no status faild")
    assert "failed" in told.json()["hint"]
