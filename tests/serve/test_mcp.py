"""Tests of the MCP server with the client of the official SDK, over HTTP and over standard streams."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.serve.conftest import Served

pytest.importorskip("mcp")
from mcp import Client, MCPError, StdioServerParameters

TOOLS = {"search", "ask", "read_section", "list_documents", "neighbours"}


async def result_of(client: Client, tool: str, **arguments: object) -> Any:
    reply = await client.call_tool(tool, arguments)
    assert not reply.is_error, reply.content
    assert reply.structured_content is not None
    return reply.structured_content["result"]


async def error_of(client: Client, tool: str, **arguments: object) -> str:
    reply = await client.call_tool(tool, arguments)
    assert reply.is_error
    return str(reply.content[0].text)  # type: ignore[union-attr]


async def test_the_tools_list_search_ask_and_return_neighbours(served: Served) -> None:
    async with Client(f"{served.url}/mcp") as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert tools.keys() == TOOLS
        assert all(tool.description and tool.output_schema for tool in tools.values())
        listed = await result_of(client, "list_documents", words="manual")
        assert [one["uri"] for one in listed["items"]] == ["manual.md"]
        hits = await result_of(client, "search", query="How long may EPDM rings be stored?", limit=2)
        assert "7 years" in hits["hits"][0]["text"]
        answer = await result_of(client, "ask", question="What torque do the casing bolts need?", document="manual.md")
        assert "68" in answer["text"]
        assert answer["citations"][0]["uri"] == "manual.md"
        near = await result_of(client, "neighbours", node="manual.md", limit=5)
        assert len(near["nodes"]) == 5


async def test_read_section_returns_the_outline_or_a_section_by_title(served: Served) -> None:
    async with Client(f"{served.url}/mcp") as client:
        whole = await result_of(client, "read_section", document="manual.md")
        assert [one["title"] for one in whole["outline"]] == ["Storage", "Bolts"]
        section = await result_of(client, "read_section", document="manual.md", section="bolts")
        assert section["text"] == whole["text"][whole["text"].index("Bolts") :]
        rest = await result_of(client, "read_section", document="manual.md", offset=5)
        assert rest["text"] == whole["text"][5:]
        assert not rest["more"]


async def test_tool_errors_have_the_messages_of_the_library(served: Served) -> None:
    async with Client(f"{served.url}/mcp") as client:
        assert "no document nothing.md" in await error_of(client, "read_section", document="nothing.md")
        assert "no section 9" in await error_of(client, "read_section", document="manual.md", section="9")
        assert "malformed" in await error_of(client, "read_section", document="broken.pdf")
        assert "no knowledge base" in await error_of(client, "search", query="pump", kb="../kb")
        assert "at least 1 character" in await error_of(client, "ask", question="")


async def test_documents_are_resources(served: Served) -> None:
    async with Client(f"{served.url}/mcp") as client:
        listed = {one.name: one for one in (await client.list_resources()).resources}
        assert {"manual.md", "policies/stop.txt", "datasheets/DS-2041_rev_D.pdf"} <= listed.keys()
        assert "broken.pdf" not in listed
        (content,) = (await client.read_resource(listed["manual.md"].uri)).contents
        whole = await result_of(client, "read_section", document="manual.md")
        assert (content.mime_type, content.text) == ("text/plain", whole["text"])  # type: ignore[union-attr]
        assert len((await client.list_resource_templates()).resource_templates) == 1
        for uri in ("strata://kb/nothing", "strata://other/document:1", "strata://kb/broken.pdf"):
            with pytest.raises(MCPError):
                await client.read_resource(uri)


@pytest.mark.slow
async def test_the_command_serves_mcp_over_standard_streams(made: Path, tmp_path: Path) -> None:
    code = "from flows.cli.app import main; main()"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    arguments = ["-c", code, "mcp", "--kb", str(made / "kb")]
    command = StdioServerParameters(command=sys.executable, args=arguments, env=environment, cwd=tmp_path)
    async with Client(command) as client:
        listed = await result_of(client, "list_documents", limit=2)
        assert (listed["total"], len(listed["items"])) == (7, 2)
