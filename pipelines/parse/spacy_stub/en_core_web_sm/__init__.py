"""A stub for spaCy's model of this name, without weights: English tokens, and sentences split at punctuation.

unstructured loads the model and would otherwise download it. The texts that it returns are the same with the stub; only
the classification of texts as narrative is less accurate.
"""

from __future__ import annotations

from typing import Any


def load(**overrides: Any) -> Any:
    """Return a blank English pipeline that splits sentences; arguments for a real model are ignored."""
    from spacy.lang.en import English

    pipeline = English()
    pipeline.add_pipe("sentencizer")
    return pipeline
