"""A knowledge base to look at and to ask: HTTP API, explorer in the browser, MCP server. Nothing is written to it.

settings.py      ServeSettings: what a server is given: knowledge bases, address, key, limits
library.py       Library: the knowledge bases of a server, each open by its name
documents.py     what is in a document, read from catalog, artifacts and graph
names.py         tags and entities
around.py        the bounded neighbourhood of a node
overview.py      counts, languages, cost, failures with what to do
sources.py       the source files, where they are still what was ingested
pictures.py      pages drawn in a process of their own
turns.py         how many work at once
asking.py        questions, and their answers as a stream of events
views.py         the values that the API returns
problems.py      errors as problem JSON
guard.py         hosts, keys, sizes of bodies, headers of every reply
api.py           the routes below /api
pages.py         the explorer's pages
app.py           all of it as one application, and the server that runs it
mcp_server.py    the same knowledge base for agents (extra `mcp`)
"""
