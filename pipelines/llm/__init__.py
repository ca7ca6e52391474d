"""Chat models and embedders, and all that is wrapped around them.

A `Chat` (`chat`) takes a `Request` and gives a `Reply`. `open_chat` (`stack`) makes one of settings: the OpenAI client
or a GGUF file on this machine, inside rate limit, retry, budget, cache and trace, each a `Chat` around a `Chat`. `ask`
gets a typed reply from it, in the words of a `Prompt`. `DryRunChat` (`estimate`) counts instead of calling.

An `Embedder` (`embedder`) makes unit vectors of texts; `open_embedder` (`embedders`) makes the one that settings name,
a class of your own included. `testing` has fakes, a faulty server and contracts for tests, yours too.
"""
