"""Server for knowledge bases: HTTP API, explorer in the browser, MCP server.

Routes and tools are read-only, except those in `changes.py`; they return values of `views.py` and `results.py`.

    settings.py                   settings of a server: knowledge bases, address, limits
    access.py, confined/          callers and keys; a knowledge base restricted to the documents of some folders
    library.py                    the open knowledge bases of a server, by name
    services.py                   shared services of routes and tools; routes that read a consistent snapshot
    views.py, results.py          the values that the API returns and the pages show
    documents.py                  the content of a document and of its pages
    names.py                      tags and entities; the bounded neighbourhood of a node
    overview.py                   counts, languages, cost, past ingests; failures with remedies
    pictures.py, printed.py       pages drawn in a separate process; pages of office documents
    asking.py                     questions, and answers as a stream of events
    problems.py, guard.py         errors as problem details, request queue; checks of hosts, keys and sizes, headers
    api.py                        the read-only routes below /api
    changes.py, corrections.py    the routes that change something; feedback and corrections of the graph
    jobs.py                       ingests in separate processes
    explorer.py, render.py, language.py, languages/, templates/, static/    the explorer
    app.py                        the application, and its process
    tools.py, mcp_server.py       tools for agents (extra `mcp`)
"""
