"""Tests of the explorer's translations: catalogues with equal entries, and no text outside of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from string import Formatter
from typing import TYPE_CHECKING

import httpx2
import pytest
from starlette.datastructures import Headers

from pipelines.atomize.extractive_distiller import CO_OCCURRENCE
from pipelines.atomize.tag_classes import NAMED_KINDS, UNNAMED_KIND
from pipelines.core.graph import EdgeKind, NodeKind
from pipelines.core.outcome import Status
from pipelines.ingest.report import Stage
from pipelines.parse.registry import built_in_formats
from serve.language import (
    FOLDER,
    LANGUAGE_COOKIE,
    catalogue,
    languages,
    name_in_table,
    preferred,
    script_words,
    speaking,
    written_number,
)
from serve.problems import _STATUSES
from serve.render import STATIC
from tests.conftest import ROOT
from tests.serve.conftest import KEY, Served
from tests.serve.pages import pages, text_of
from tests.serve.test_explorer import WAIT

if TYPE_CHECKING:
    from playwright.sync_api import Browser

TEMPLATES = ROOT / "serve" / "templates"
SOURCES = [*TEMPLATES.iterdir(), *STATIC.glob("*.js"), *(ROOT / "serve").glob("*.py")]
OTHERS = ["de", "zh"]


def values(text: str) -> set[str]:
    """The names of the placeholders of an entry."""
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("language", OTHERS)
def test_catalogues_have_the_same_entries_and_placeholders(language: str) -> None:
    english, other = catalogue("en"), catalogue(language)
    assert list(other) == list(english)
    assert {entry for entry in english if values(english[entry]) != values(other[entry])} == set()
    assert {entry for entry, text in other.items() if not text.strip()} == set()


def test_catalogue_entries_and_their_uses_match() -> None:
    """Entries of open lists, whose names are computed (`name_in_table`), count by their table."""
    said, tables = set(), set()
    for file in SOURCES:
        text = file.read_text("utf-8")
        said |= set(re.findall(r"""say\(\s*f?["'`]([a-z_]+\.\w+)["'`]""", text))
        said |= set(re.findall(r'"(script\.\w+)"', text))
        tables |= set(re.findall(r"""called\(\s*["']([a-z_]+)["']""", text))
        tables |= set(re.findall(r"""say\(\s*f?["'`]([a-z_]+)\.(?:["']\s*~|\$?\{|[a-z_]+\$?\{)""", text))
    entries = {entry for entry in catalogue("en") if "." in entry}
    open_lists = tables | {"number", "place"}
    assert said - entries == set()
    assert {entry for entry in entries - said if entry.split(".")[0] not in open_lists} == set()


def test_tables_of_names_are_complete() -> None:
    entries = catalogue("en")
    names = {"status": Status, "kind": NodeKind, "edge": EdgeKind, "stage": Stage}
    missing = [f"{table}.{one.value}" for table, kinds in names.items() for one in kinds]  # type: ignore[attr-defined]
    missing += [f"remedy.{one.value}" for one in Status if one is not Status.INDEXED]
    missing += [f"problem.{status.value}" for _, status in _STATUSES]
    missing += [f"media.{one.media_type}" for one in built_in_formats()]
    kinds = {
        kind for file in (ROOT / "qa").rglob("*.py") for kind in re.findall(r'\bStep\(\s*"([a-z ]+)"', file.read_text())
    }
    missing += [f"step.{kind}" for kind in kinds - {"round"}]  # whose text says what it is
    missing += [f"class.{name}" for name in (*NAMED_KINDS, UNNAMED_KIND, CO_OCCURRENCE)]
    assert [entry for entry in missing if entry not in entries] == []
    assert name_in_table("kind", "Something new") == "Something new"


def test_every_count_of_the_contents_has_a_name(client: httpx2.Client) -> None:
    counted = client.get("/api/kb/kb").json()["contents"]
    assert "sections" in counted
    assert {f"count.{name}" for name in counted} - set(catalogue("en")) == set()


@pytest.mark.parametrize("file", sorted(TEMPLATES.iterdir()), ids=lambda file: file.name)
def test_no_template_contains_text_outside_the_catalogue(file: object) -> None:
    text = re.sub(r"(?s)\{%.*?%\}|\{\{.*?\}\}", "", file.read_text("utf-8"))  # type: ignore[attr-defined]
    attributes = re.findall(r'(?:alt|aria-label|placeholder|title)="([^"]*)"', text)
    left = re.sub(r"(?s)<[^>]*>", " ", text)
    found = set(re.findall(r"[^\W\d_]{2,}", " ".join([left, *attributes])))
    assert found <= {"Strata"}


@pytest.mark.parametrize("file", sorted(STATIC.glob("*.js")), ids=lambda file: file.name)
def test_no_script_contains_text_outside_the_catalogue(file: object) -> None:
    """A string with a capitalized word before another word, or with three words, would be a sentence."""
    code = re.sub(r"(?m)^\s*//.*$", "", file.read_text("utf-8"))  # type: ignore[attr-defined]
    strings = re.findall(r'"([^"\n]*)"', code)
    assert [one for one in strings if re.search(r"[A-Z][a-z]+ [a-z]|[a-z] [a-z]+ [a-z]", one)] == []


@pytest.mark.parametrize(
    ("accept", "cookie", "language"),
    [
        ("", "", "en"),
        ("de-AT,de;q=0.9,en;q=0.8", "", "de"),
        ("fr, en;q=0.3, zh-Hans;q=0.5", "", "zh"),
        ("de;q=0, en", "", "en"),
        ("sv", "", "en"),
        ("de", f"a=b; {LANGUAGE_COOKIE}=zh", "zh"),
        ("de", f"{LANGUAGE_COOKIE}=../../etc/passwd", "de"),
        ("de;q=x, zh;q=0.1, ,=,;", "", "zh"),
    ],
)
def test_the_language_is_that_of_the_cookie_or_the_browser(accept: str, cookie: str, language: str) -> None:
    assert preferred(Headers({"accept-language": accept, "cookie": cookie})) == language


def test_numbers_are_formatted_in_the_language() -> None:
    with speaking("de"):
        assert (written_number(1234567), written_number(0.5, 2)) == ("1.234.567", "0,50")
    assert written_number(1234.5, 1) == "1,234.5"


def test_pages_problems_and_citations_are_in_the_readers_language(
    client: httpx2.Client, id_of: Callable[[str], str]
) -> None:
    german = {"accept-language": "de-DE,de;q=0.9,en;q=0.5"}
    page = client.get("/kb/kb/documents", headers=german).text
    assert '<html lang="de">' in page
    assert "Anzeigen" in page
    assert "Nicht gefunden" in client.get("/kb/none", headers=german).text
    question = {"question": "What is the efficiency of the K80-250?"}
    places = [
        client.post("/api/kb/kb/ask", json=question, headers={"accept-language": one}).json()["citations"][0]["place"]
        for one in ("de", "zh", "en")
    ]
    assert [place.split(" (")[0] for place in places] == ["Seite 1", "第 1 页", "page 1"]
    remedies = client.get("/api/kb/kb/failures", headers=german).json()["items"][0]["remedy"]
    assert remedies.startswith("Mit dem Programm")


def test_choosing_a_language_returns_to_the_same_page(client: httpx2.Client, served: Served) -> None:
    came = {"referer": f"{served.url}/kb/kb/documents?q=manual", "accept-language": "en"}
    done = client.post("/language", content="to=zh", headers=came)
    assert (done.status_code, done.headers["location"]) == (303, "/kb/kb/documents?q=manual")
    assert '<html lang="zh">' in client.get("/kb/kb", headers={"accept-language": "en"}).text
    for elsewhere in ("http://example.org/kb/kb", "", f"{served.url}//example.org/"):
        back = client.post("/language", content="to=de", headers={"referer": elsewhere}).headers["location"]
        assert back in ("/", "/example.org/?")
    assert "set-cookie" not in client.post("/language", content="to=xx").headers


def test_a_language_can_be_chosen_without_a_key(guarded: Served) -> None:
    with guarded.client() as client:
        assert client.post("/language", content="to=de").status_code == 303
        assert "Dieser Server verlangt" in client.get("/login").text
        assert "nicht der Schlüssel" in client.post("/login", content=f"key={KEY}x").text


@pytest.mark.browser
@pytest.mark.parametrize("language", OTHERS)
def test_a_browser_shows_every_page_in_the_chosen_language(
    browser: Browser, served: Served, api: httpx2.Client, id_of: Callable[[str], str], language: str
) -> None:
    """A text of the English catalogue that is missing in the other catalogue must not be shown."""
    english = {text for text in catalogue("en").values() if not values(text)} - set(catalogue(language).values())
    for kind in ("tags", "entities"):  # names from the documents
        items = api.get(f"/{kind}", params={"limit": 200}).json()["items"]
        english -= {one["name"] for one in items}
    english.discard("title")  # a metadata field, shown with its own name
    with browser.new_context(base_url=served.url, locale=language) as context:
        page = context.new_page()
        page.set_default_timeout(WAIT)
        for path in pages(id_of):
            page.goto(path)
            page.wait_for_load_state("networkidle")
            assert page.locator("html").get_attribute("lang") == language
            assert english & set(text_of(page)) == set(), path
        page.goto("/kb/kb/ask?q=What is the efficiency of the K80-250?")
        page.locator(".cites li").first.wait_for()
        assert english & set(text_of(page)) == set()


@pytest.mark.browser
def test_switching_the_language_keeps_the_question(browser: Browser, served: Served) -> None:
    with browser.new_context(base_url=served.url) as context:
        page = context.new_page()
        page.set_default_timeout(WAIT)
        page.goto("/kb/kb/ask")
        page.get_by_label("Question").fill("What torque do the casing bolts need?")
        page.keyboard.press("Enter")
        page.locator(".cites li").first.wait_for()
        page.get_by_role("button", name="Deutsch").click()
        page.get_by_role("heading", name="Quellen").wait_for()
        assert page.get_by_label("Frage").input_value() == "What torque do the casing bolts need?"


@pytest.mark.browser
def test_languages_of_documents_have_their_names_in_the_language_of_the_page(
    browser: Browser, served: Served, id_of: Callable[[str], str]
) -> None:
    with browser.new_context(base_url=served.url, locale="de") as context:
        page = context.new_page()
        page.set_default_timeout(WAIT)
        page.goto("/kb/kb")
        page.get_by_role("link", name="Englisch").click()
        assert page.get_by_label("Sprache").locator("option:checked").text_content() == "Englisch"
        assert set(page.locator("td [data-language]").all_text_contents()) == {"Englisch"}
        page.goto(f"/kb/kb/documents/{id_of('manual.md')}")
        assert page.locator("[data-language]").all_text_contents() == ["Englisch"]


def test_scripts_receive_their_texts_in_the_language(client: httpx2.Client) -> None:
    page = client.get("/kb/kb/ask", headers={"accept-language": "de"}).text
    (told,) = re.findall(r"data-words='([^']*)'", page)
    with speaking("de"):
        assert json.loads(told) == script_words()
    assert languages() == ("de", "en", "zh")
    assert {file.suffix for file in FOLDER.iterdir()} == {".toml"}
