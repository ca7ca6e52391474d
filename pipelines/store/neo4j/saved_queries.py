"""The saved queries: Cypher by templates, in `queries.cypher` beside this file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from pipelines.core.errors import NotFound

_HEAD = re.compile(r"^// (?P<name>[a-z]+): (?P<value>.+)$")


@dataclass(frozen=True, slots=True)
class SavedQuery:
    """A statement that only reads. `parameters` are the names of its values besides `kb`, each with an example."""

    name: str
    shows: str
    cypher: str
    parameters: Mapping[str, str]

    def for_browser(self, kb: str, **values: str) -> str:
        """Return what to paste into Neo4j Browser: the parameters set, to the examples where no value is given."""
        lines = [f":param {name} => {literal};" for name, literal in self._literals(kb, values).items()]
        return "\n".join([f"// {self.shows}", *lines, f"{self.cypher};"])

    def inlined(self, kb: str, **values: str) -> str:
        """Return the statement with the values written into it, for a link that opens the Browser with it."""
        literals = self._literals(kb, values)
        return re.sub(r"\$(\w+)", lambda match: literals[match[1]], self.cypher)

    def _literals(self, kb: str, values: Mapping[str, str]) -> dict[str, str]:
        chosen = {"kb": kb} | {name: values.get(name, example) for name, example in self.parameters.items()}
        return {name: _literal(name, value) for name, value in chosen.items()}


def _literal(name: str, value: str) -> str:
    if name == "page":
        return str(int(value))
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


@cache
def queries() -> dict[str, SavedQuery]:
    """Return the saved queries by name, in the order of the file."""
    text = files("pipelines.store.neo4j").joinpath("queries.cypher").read_text("utf-8")
    found = (_read(part) for part in text.split("\n\n")[1:] if part.strip())
    return {query.name: query for query in found}


def query(name: str) -> SavedQuery:
    """Return one saved query. Raises `NotFound`."""
    if name not in queries():
        raise NotFound(f"no saved query {name}", ids=(name,), hint=f"there are {', '.join(queries())}")
    return queries()[name]


def _read(part: str) -> SavedQuery:
    lines = part.strip().splitlines()
    told = {match["name"]: match["value"] for line in lines if (match := _HEAD.match(line))}
    cypher = "\n".join(line for line in lines if not line.startswith("//")).rstrip(";")
    return SavedQuery(told.pop("name"), told.pop("shows"), cypher, told)
