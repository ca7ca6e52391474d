"""Prompts: Markdown files with `$name` placeholders, in the package of the stage that uses them.

The prompt `distil` of the package `pipelines.atomize` is the file `pipelines/atomize/prompts/distil.md`; variants in
other languages are beside it (`distil.zh.md`). Its messages are the sections `# system`, `# user` and `# assistant`. A
file of the same name in the knowledge base's folder `prompts` overrides it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from string import Template

from pipelines.core.errors import NotFound, SettingsError
from pipelines.core.ids import digest
from pipelines.llm.chat import AttachedImage, Message

_TURN = re.compile(r"^# (system|user|assistant)[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PromptTurn:
    """One section of a prompt file: the role, and the text with its placeholders."""

    role: str
    template: str

    @property
    def placeholders(self) -> frozenset[str]:
        return frozenset(Template(self.template).get_identifiers())


@dataclass(frozen=True, slots=True)
class Variant:
    """One prompt file; `language` is empty for the default of all languages without a variant."""

    language: str
    turns: tuple[PromptTurn, ...]
    origin: str
    text: str

    @property
    def placeholders(self) -> frozenset[str]:
        return frozenset[str]().union(*(turn.placeholders for turn in self.turns))


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt with its language variants; all of them have the same placeholders."""

    package: str
    name: str
    variants: Mapping[str, Variant]

    @staticmethod
    def load(package: str, name: str, overrides: Path | None = None) -> Prompt:
        """Return the prompt; files in the folder `overrides` replace shipped ones of the same name.

        Raises `NotFound` if the package has no such prompt, `SettingsError` if a file has no sections, a stray `$`, or
        other placeholders than the shipped prompt.
        """
        shipped = {file: text for file, text in _shipped(package) if _belongs(file, name)}
        if f"{name}.md" not in shipped:
            raise NotFound(f"{package} has no prompt {name}", ids=(name,))
        variants = {_language(file, name): _read(file, text, package) for file, text in shipped.items()}
        expected = variants[""].placeholders
        for path in _overriding(name, overrides):
            variants[_language(path.name, name)] = _read(path.name, path.read_text("utf-8"), str(path))
        for variant in variants.values():
            _check(variant, expected)
        return Prompt(package, name, variants)

    @property
    def placeholders(self) -> frozenset[str]:
        return self.variants[""].placeholders

    @property
    def digest(self) -> str:
        """The digest of all variants, for the keys of artifacts that depend on this prompt."""
        texts = sorted((language, variant.text) for language, variant in self.variants.items())
        return digest(repr(texts).encode())

    def variant(self, language: str = "") -> Variant:
        """Return the variant for a language ("zh-cn", then "zh"), else the default."""
        wanted = language.casefold()
        for code in (wanted, wanted.split("-")[0]):
            if code in self.variants:
                return self.variants[code]
        return self.variants[""]

    def messages(
        self, language: str = "en", images: tuple[AttachedImage, ...] = (), **values: str
    ) -> tuple[Message, ...]:
        """Return the messages with their placeholders replaced; `images` are attached to the last one.

        A `$` in a value has no meaning. Raises `SettingsError` if a placeholder has no value, or a value no
        placeholder.
        """
        if values.keys() != self.placeholders:
            wrong = ", ".join(sorted(values.keys() ^ self.placeholders))
            raise SettingsError(f"prompt {self.name}: placeholders and values differ in {wrong}", ids=(self.name,))
        turns = self.variant(language).turns
        filled = [Message(turn.role, Template(turn.template).substitute(values)) for turn in turns]
        filled[-1] = Message(filled[-1].role, filled[-1].content, images)
        return tuple(filled)


def fence(text: str, name: str = "document") -> str:
    """Return `text` between tags that do not occur in it, so that it cannot close them: `<document> ... </document>`.

    The tags get a number if the text contains them. Prompts declare the text between them as data.
    """
    tag, number = name, 1
    while re.search(rf"<\s*/?\s*{re.escape(tag)}\s*/?>", text, re.IGNORECASE):
        number += 1
        tag = f"{name}-{number}"
    return f"<{tag}>\n{text}\n</{tag}>"


def find_prompts(*roots: str) -> list[tuple[str, str]]:
    """Return package and name of each shipped prompt in the packages `roots` and their subpackages, in order."""
    found: set[tuple[str, str]] = set()
    for root in roots:
        found |= {(root, file.split(".")[0]) for file, _ in _shipped(root)}
        inner = (entry.name for entry in files(root).iterdir() if (entry / "__init__.py").is_file())
        found |= set(find_prompts(*(f"{root}.{name}" for name in inner)))
    return sorted(found)


@lru_cache(maxsize=32)
def _shipped(package: str) -> tuple[tuple[str, str], ...]:
    folder = files(package) / "prompts"
    if not folder.is_dir():
        return ()
    return tuple((entry.name, entry.read_text("utf-8")) for entry in folder.iterdir() if entry.name.endswith(".md"))


def _belongs(file: str, name: str) -> bool:
    return re.fullmatch(rf"{re.escape(name)}(\.[A-Za-z-]+)?\.md", file) is not None


def _language(file: str, name: str) -> str:
    return file.removeprefix(name).removesuffix("md").strip(".").casefold()


def _overriding(name: str, overrides: Path | None) -> Iterator[Path]:
    if overrides is not None and overrides.is_dir():
        yield from sorted(path for path in overrides.glob("*.md") if _belongs(path.name, name))


def _read(file: str, text: str, origin: str) -> Variant:
    pieces = _TURN.split(text)
    turns = tuple(PromptTurn(role, body.strip()) for role, body in zip(pieces[1::2], pieces[2::2], strict=True))
    language = file.removesuffix(".md").partition(".")[2].casefold()
    return Variant(language, turns, origin, text)


def _check(variant: Variant, expected: frozenset[str]) -> None:
    where = f"prompt file {variant.origin}"
    if not variant.turns:
        raise SettingsError(f"{where} has no section `# system` or `# user`")
    if any(not Template(turn.template).is_valid() for turn in variant.turns):
        raise SettingsError(f"{where} has a `$` that begins no placeholder", hint="write `$$` for a dollar sign")
    if variant.placeholders != expected:
        wrong = ", ".join(f"${name}" for name in sorted(variant.placeholders ^ expected))
        raise SettingsError(f"{where}: placeholders differ from the shipped prompt's in {wrong}")
