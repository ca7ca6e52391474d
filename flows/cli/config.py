"""`strata config`, `prompts` and `cache`: settings, prompts and cached replies of a knowledge base."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.options import DEFAULT_KB, Json, Kb, Set, folder_at
from flows.cli.stdio import say, say_json
from pipelines.core.errors import NotFound, SettingsError
from pipelines.core.safe_output import shown

if TYPE_CHECKING:
    from pipelines.llm.cache import ReplyStore
    from pipelines.llm.prompt import Prompt
    from pipelines.trust import Permission

config_app = typer.Typer(invoke_without_command=True)
_Kb = Annotated[Path, typer.Argument(metavar="KB", help="The knowledge base, a folder.")]
prompts_app = typer.Typer(help="Show the prompts, and replace them by your own files.", no_args_is_help=True)

_ROOTS = ("pipelines", "qa")

Language = Annotated[str, typer.Option(help="The variant for a language, such as zh.")]
cache_app = typer.Typer(help="The cached replies of language models.", no_args_is_help=True)


@config_app.callback()
def config(
    context: typer.Context,
    kb: Kb = DEFAULT_KB,
    changed: Annotated[bool, typer.Option("--changed", help="Only settings that differ from the default.")] = False,
    json: Json = False,
    set: Set = None,
) -> None:
    """Print the settings in force and where each value came from."""
    if context.invoked_subcommand is not None:
        return
    from flows.cli.options import pairs_to_options
    from flows.cli.printing import print_rows
    from pipelines.core.settings_section import paths, value_at
    from pipelines.settings import read
    from qa.settings import QaSettings

    loaded = read(kb, pairs_to_options(set), QaSettings)
    rows = [(path, value_at(loaded.settings, path), loaded.origins.get(path, "default")) for path in paths(QaSettings)]
    rows = [row for row in rows if not changed or row[2] != "default"]
    value = {path: {"value": _plain(value), "from": origin} for path, value, origin in rows}
    cells = [(path, _written(value), origin) for path, value, origin in rows]
    styles = ["dim" if origin == "default" else None for _, _, origin in rows]
    print_rows(("setting", "value", "from"), cells, value, json, styles)


@config_app.command()
def trust(kb: _Kb) -> None:
    """Show what a knowledge base's settings reach outside its folder, and allow it until one of them changes."""
    from pipelines.core.errors import NotFound
    from pipelines.settings import read
    from pipelines.trust import confirm, links_of, record_path
    from qa.settings import QaSettings

    if not kb.is_dir():
        raise NotFound(f"no folder {kb}", ids=(str(kb),))
    settings, links = read(kb, None, QaSettings).permissions, links_of(kb)
    if not settings and not links:
        say(shown(f"{kb} needs no permission"))
        return
    for permission in (*settings, *links):
        say(shown(_line(permission)))
    confirm(kb, settings, links)
    say(shown(f"allowed for {kb.resolve()}, recorded in {record_path()}; `strata config distrust {kb}` revokes it"))


@config_app.command()
def distrust(kb: _Kb) -> None:
    """Revoke the permissions of a knowledge base."""
    from pipelines.trust import withdraw

    say(shown(f"{kb}: {'no longer allowed' if withdraw(kb) else 'nothing was allowed'}"))


@config_app.command()
def trusted(json: Json = False) -> None:
    """List the knowledge bases with permissions."""
    from flows.cli.printing import print_rows
    from pipelines.trust import confirmed

    found = sorted(confirmed())
    print_rows(("knowledge base",), [(path,) for path in found], found, json)


def _line(permission: Permission) -> str:
    return f"{permission.name} = {permission.value} {permission.does}"


def _written(value: object) -> str:
    """Return a value as strata.toml and `--set` take it; empty for one that is not set."""
    from json import dumps

    return "" if value is None else dumps(_plain(value), ensure_ascii=False)


def _plain(value: object) -> object:
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)


@prompts_app.command()
def show(
    name: Annotated[str, typer.Argument(help="The prompt; without a name, all are listed.")] = "",
    kb: Kb = DEFAULT_KB,
    language: Language = "",
) -> None:
    """Print the prompts in force: a list of all, or the text of one."""
    if name:
        say(_load(name, kb).variant(language).text.rstrip())
    else:
        _list_prompts(kb)


@prompts_app.command()
def override(
    name: Annotated[str, typer.Argument(help="The prompt.")],
    kb: Kb = DEFAULT_KB,
    language: Language = "",
) -> None:
    """Copy a prompt into the knowledge base, where it can be edited and overrides the shipped one."""
    from pipelines.core.file_access import private_file, private_folder

    variant = _load(name, kb).variant(language)
    suffix = f".{variant.language}" if variant.language else ""
    path = _own(kb) / f"{name}{suffix}.md"
    if path.exists():
        raise SettingsError(f"{path} already exists", hint="edit it, or delete it to restore the shipped one")
    private_folder(path.parent)
    private_file(path).write_text(variant.text, encoding="utf-8")
    say(f"edit {path}; keep its placeholders: {', '.join(sorted(variant.placeholders)) or 'none'}")


def _list_prompts(kb: Path) -> None:
    from flows.cli.printing import TextTable, console
    from pipelines.llm.prompt import Prompt, find_prompts

    table = TextTable("prompt", "package", "languages", "placeholders", "own file")
    for package, name in find_prompts(*_ROOTS):
        prompt = Prompt.load(package, name, _own(kb))
        languages = " ".join(sorted(prompt.variants)).strip() or "all"
        own = ", ".join(sorted(variant.origin for variant in prompt.variants.values() if variant.origin != package))
        table.row(name, package, languages, ", ".join(sorted(prompt.placeholders)), own)
    console().print(table)


def _load(name: str, kb: Path) -> Prompt:
    from pipelines.llm.prompt import Prompt, find_prompts

    found = [package for package, known in find_prompts(*_ROOTS) if known == name]
    if not found:
        raise NotFound(f"no prompt {name}", ids=(name,), hint="`strata prompts show` lists them")
    return Prompt.load(found[0], name, _own(kb))


def _own(kb: Path) -> Path:
    from pipelines.store.folder import KnowledgeBaseFolder

    return KnowledgeBaseFolder(kb).prompts


@cache_app.command()
def stats(kb: Kb = DEFAULT_KB, json: Json = False) -> None:
    """Print what is cached, by role and model."""
    from pipelines.core.codec import encode

    with _open(kb) as store:
        lines = store.stats()
    if json:
        say_json(encode(lines).decode())
        return
    from flows.cli.printing import TextTable, console

    table = TextTable("role", "model", "replies", "tokens in", "tokens out", "bytes")
    for line in lines:
        counts = (line.replies, line.input_tokens, line.output_tokens, line.size)
        table.row(line.role, line.model, *(f"{count:,}" for count in counts))
    console().print(table if lines else "no replies are cached")


@cache_app.command()
def prune(
    kb: Kb = DEFAULT_KB,
    unused_days: Annotated[
        int, typer.Option(min=0, help="Only replies not used for this number of days; 0 for all.")
    ] = 0,
    role: Annotated[str, typer.Option(help="Only replies for this role (distil, answer, ...).")] = "",
    model: Annotated[str, typer.Option(help="Only replies of this model.")] = "",
) -> None:
    """Remove cached replies, and free their space."""
    with _open(kb) as store:
        removed = store.prune(unused_days, role, model)
    say(f"{removed} replies removed")


def _open(kb: Path) -> closing[ReplyStore]:
    from pipelines.llm.cache import ReplyStore

    return closing(ReplyStore(folder_at(kb).replies))
