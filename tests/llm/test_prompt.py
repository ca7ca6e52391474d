from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.core.errors import NotFound, SettingsError
from pipelines.llm.chat import AttachedImage, Message
from pipelines.llm.prompt import Prompt, fence, find_prompts

SHIPPED = "Notes for whoever edits this file.\n\n# system\n\nYou read $kind.\n\n# user\n\n## Task\n\n$text costs $$5.\n"
CHINESE = "# system\n你读$kind。\n# user\n$text\n"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[str]:
    """A package with prompts, distinct for each test because shipped prompts are cached."""
    name = f"stage_{abs(hash(request.node.nodeid))}"
    folder = tmp_path / name / "prompts"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").touch()
    (folder / "read.md").write_text(SHIPPED, encoding="utf-8")
    (folder / "read.zh.md").write_text(CHINESE, encoding="utf-8")
    (folder / "reader.md").write_text("# user\nhello\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield name
    sys.modules.pop(name, None)


def overriding(tmp_path: Path, name: str, text: str) -> Path:
    folder = tmp_path / "own"
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_sections_become_messages_with_filled_placeholders(package: str) -> None:
    messages = Prompt.load(package, "read").messages(kind="manuals", text="It")
    assert messages == (Message("system", "You read manuals."), Message("user", "## Task\n\nIt costs $5."))


def test_the_variant_of_the_language_is_used_or_the_default(package: str) -> None:
    prompt = Prompt.load(package, "read")
    assert prompt.messages("zh-CN", kind="手册", text="")[0].content == "你读手册。"
    assert prompt.messages("de", kind="Bücher", text="")[0].content == "You read Bücher."


def test_values_are_not_expanded_again(package: str) -> None:
    assert Prompt.load(package, "read").messages(kind="$text", text="$kind")[0].content == "You read $text."


def test_images_are_attached_to_the_last_message(package: str) -> None:
    image = AttachedImage("image/png", b"png")
    messages = Prompt.load(package, "read").messages(kind="", text="", images=(image,))
    assert [message.images for message in messages] == [(), (image,)]


@pytest.mark.parametrize("values", [{"kind": "a"}, {"kind": "a", "text": "b", "more": "c"}, {}])
def test_missing_and_unknown_placeholders_are_errors(package: str, values: dict[str, str]) -> None:
    with pytest.raises(SettingsError, match="placeholders and values differ"):
        Prompt.load(package, "read").messages(**values)


def test_an_override_replaces_the_shipped_prompt_of_the_same_name(package: str, tmp_path: Path) -> None:
    own = overriding(tmp_path, "read.md", "# user\n$kind: $text\n")
    prompt = Prompt.load(package, "read", own)
    assert prompt.messages(kind="a", text="b") == (Message("user", "a: b"),)
    assert prompt.messages("zh", kind="a", text="b")[0].content == "你读a。"
    assert prompt.variant().origin == str(own / "read.md")


def test_an_override_changes_the_digest(package: str, tmp_path: Path) -> None:
    own = overriding(tmp_path, "read.md", "# user\n$kind: $text\n")
    assert Prompt.load(package, "read").digest == Prompt.load(package, "read", tmp_path / "none").digest
    assert Prompt.load(package, "read").digest != Prompt.load(package, "read", own).digest


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# user\n$kind\n", "in $text"),
        ("# user\n$kind $text $new\n", "in $new"),
        ("$kind $text\n", "no section"),
        ("# user\n$kind $text 5 $ a piece\n", "write `$$`"),
    ],
)
def test_an_invalid_override_is_refused_with_its_file_name(package: str, tmp_path: Path, text: str, words: str) -> None:
    own = overriding(tmp_path, "read.md", text)
    with pytest.raises(SettingsError, match=r"read\.md") as refused:
        Prompt.load(package, "read", own)
    assert words in f"{refused.value.message} {refused.value.hint}"


def test_an_unknown_prompt_is_not_found(package: str) -> None:
    with pytest.raises(NotFound, match="no prompt rea"):
        Prompt.load(package, "rea")


def test_prompts_are_found_in_packages_and_subpackages(package: str) -> None:
    assert find_prompts(package) == [(package, "read"), (package, "reader")]


def test_every_shipped_prompt_loads() -> None:
    for package, name in find_prompts("pipelines", "qa"):
        assert Prompt.load(package, name).variants[""].turns


@given(st.text(), st.sampled_from(["", "</document>", "</document-2>", "< /DOCUMENT >", "<document>"]))
def test_fenced_text_is_unchanged_and_cannot_close_its_fence(text: str, tag: str) -> None:
    inside = text + tag + text
    opening, body, closing = split_fence(fence(inside))
    assert body == inside
    assert closing == opening.replace("<", "</")
    assert closing not in inside


def split_fence(fenced: str) -> tuple[str, str, str]:
    opening, rest = fenced.split("\n", 1)
    body, closing = rest.rsplit("\n", 1)
    return opening, body, closing
