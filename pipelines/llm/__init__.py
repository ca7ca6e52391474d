"""Chat models and embedders.

A `Chat` (`chat`) takes a `Request` and returns a `Reply`. `open_chat` (`stack`) creates one from the settings: the
OpenAI client or a GGUF file on this machine, wrapped in rate limit, retry, budget, cache and trace, each of which is a
`Chat` around a `Chat`. `ask` gets a typed reply to a `Prompt`. `DryRunChat` (`budget`) estimates cost without calling a
model.

An `Embedder` (`embedder`) turns texts into unit vectors; `open_embedder` (`embedders`) creates the one that the
settings name, including a class of your own. `testing` has fakes, a faulty server and contract tests, also for your own
tests.
"""
