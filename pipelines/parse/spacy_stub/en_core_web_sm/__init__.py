"""A stand-in for spaCy's model of this name, without its weights: English words, and sentences by their marks.

unstructured asks for the model and would otherwise download it. Its texts are the same with this one; only its guess
which of them are narrative is weaker.
"""

from __future__ import annotations

from typing import Any


def load(**overrides: Any) -> Any:
    """Return a blank English pipeline that splits sentences; what is meant for a real model is passed over."""
    from spacy.lang.en import English

    pipeline = English()
    pipeline.add_pipe("sentencizer")
    return pipeline
