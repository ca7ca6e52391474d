"""A knowledge base to look at and to ask: HTTP API, explorer in the browser, MCP server.

Routes and tools read, but for those of `changes.py`; what they return are values of `views.py` and `results.py`.

    settings.py                   what a server is given: knowledge bases, address, limits
    access.py, confined/          callers and keys; a knowledge base restricted to the documents of some folders
    library.py                    the knowledge bases of a server, each open by its name
    services.py                   what routes and tools work with; routes that read, each one moment of a knowledge base
    views.py, results.py          the values that the API returns and the pages show
    documents.py                  what is in a document, and on a page of it
    names.py                      tags and entities; the bounded neighbourhood of a node
    overview.py                   counts, languages, cost, ingests so far; failures with what to do
    pictures.py, printed.py       pages drawn in a process of their own; pages of office documents
    asking.py                     questions, and answers as a stream of events
    problems.py, guard.py         errors as problem details, how many at once; hosts, keys, sizes, headers of replies
    api.py                        the routes below /api that read
    changes.py, corrections.py    those that change something; what is said of answers and of the graph
    jobs.py                       ingests in a process of their own
    explorer.py, render.py, language.py, languages/, templates/, static/    the explorer
    app.py                        all of it as one application, and its process
    tools.py, mcp_server.py       the same for agents (extra `mcp`)
"""
