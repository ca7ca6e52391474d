"""`strata prompts`: the prompts of language models, and files of your own in their place."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.options import DEFAULT_KB, Kb
from flows.cli.stdio import say
from pipelines.core.errors import NotFound, SettingsError

if TYPE_CHECKING:
    from pipelines.llm.prompt import Prompt

app = typer.Typer(help="Show the prompts, and replace them by files of your own.", no_args_is_help=True)

_ROOTS = ("pipelines", "qa")

Language = Annotated[str, typer.Option(help="The variant for a language, such as zh.")]


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="The prompt; without it, the list of all.")] = "",
    kb: Kb = DEFAULT_KB,
    language: Language = "",
) -> None:
    """Print the prompts in force: the list of all, or the text of one."""
    if name:
        say(_load(name, kb).variant(language).text.rstrip())
    else:
        _list(kb)


@app.command()
def override(
    name: Annotated[str, typer.Argument(help="The prompt.")],
    kb: Kb = DEFAULT_KB,
    language: Language = "",
) -> None:
    """Copy a prompt into the knowledge base: the copy can be edited, and is used in place of the one that ships."""
    from pipelines.core.file_access import private_file, private_folder

    variant = _load(name, kb).variant(language)
    suffix = f".{variant.language}" if variant.language else ""
    path = _folder(kb) / f"{name}{suffix}.md"
    if path.exists():
        raise SettingsError(f"{path} is there already", hint="edit it, or remove it to have the shipped one again")
    private_folder(path.parent)
    private_file(path).write_text(variant.text, encoding="utf-8")
    say(f"edit {path}; its placeholders must stay: {', '.join(sorted(variant.placeholders)) or 'none'}")


def _list(kb: Path) -> None:
    from flows.cli.console import TextTable, console
    from pipelines.llm.prompt import Prompt, find_prompts

    table = TextTable("prompt", "of", "languages", "placeholders", "own file")
    for package, name in find_prompts(*_ROOTS):
        prompt = Prompt.load(package, name, _folder(kb))
        languages = " ".join(sorted(prompt.variants)).strip() or "all"
        own = ", ".join(sorted(variant.origin for variant in prompt.variants.values() if variant.origin != package))
        table.row(name, package, languages, ", ".join(sorted(prompt.placeholders)), own)
    console().print(table)


def _load(name: str, kb: Path) -> Prompt:
    from pipelines.llm.prompt import Prompt, find_prompts

    found = [package for package, known in find_prompts(*_ROOTS) if known == name]
    if not found:
        raise NotFound(f"no prompt {name}", ids=(name,), hint="`strata prompts show` lists them")
    return Prompt.load(found[0], name, _folder(kb))


def _folder(kb: Path) -> Path:
    from pipelines.store.folder import KnowledgeBaseFolder

    return KnowledgeBaseFolder(kb).prompts
