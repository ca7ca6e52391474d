"""`strata cache`: the cached replies of language models."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.options import DEFAULT_KB, Json, Kb, folder_at
from flows.cli.stdio import say, say_json

if TYPE_CHECKING:
    from pipelines.llm.cache import ReplyStore

app = typer.Typer(help="The cached replies of language models.", no_args_is_help=True)


@app.command()
def stats(kb: Kb = DEFAULT_KB, json: Json = False) -> None:
    """Print what is cached, by role and model."""
    from pipelines.core.codec import encode

    with _open(kb) as store:
        lines = store.stats()
    if json:
        say_json(encode(lines).decode())
        return
    from flows.cli.console import TextTable, console

    table = TextTable("role", "model", "replies", "tokens in", "tokens out", "bytes")
    for line in lines:
        counts = (line.replies, line.input_tokens, line.output_tokens, line.size)
        table.row(line.role, line.model, *(f"{count:,}" for count in counts))
    console().print(table if lines else "no replies are cached")


@app.command()
def prune(
    kb: Kb = DEFAULT_KB,
    unused_days: Annotated[int, typer.Option(help="Only replies not used for so many days; 0 for all.")] = 0,
    role: Annotated[str, typer.Option(help="Only replies for this work (distill, answer, ...).")] = "",
    model: Annotated[str, typer.Option(help="Only replies of this model.")] = "",
) -> None:
    """Remove cached replies, and free their space."""
    with _open(kb) as store:
        removed = store.prune(unused_days, role, model)
    say(f"{removed} replies removed")


def _open(kb: Path) -> closing[ReplyStore]:
    from pipelines.llm.cache import ReplyStore

    return closing(ReplyStore(folder_at(kb).replies))
