"""A tiny embedding model as an ONNX file: a table of token vectors, accessed by one `Gather` node."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import wordllama

FLOAT, INT64 = 1, 7
VOCABULARY = 32_000


def write_model(folder: Path, dimension: int) -> Path:
    """Write model and tokenizer into `folder` as fastembed expects them; the vectors are random with a fixed seed."""
    folder.mkdir(parents=True)
    table = np.random.default_rng(0).standard_normal((VOCABULARY, dimension), dtype=np.float32)
    (folder / "model.onnx").write_bytes(_model(table))
    tokenizers = Path(wordllama.__file__).parent / "tokenizers"
    shutil.copy(next(tokenizers.glob("*.json")), folder / "tokenizer.json")
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0}))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 512, "pad_token": "<unk>"}))
    (folder / "special_tokens_map.json").write_text(json.dumps({"pad_token": "<unk>"}))
    return folder


def _model(table: np.ndarray) -> bytes:
    rows, columns = table.shape
    node = _text(1, "table") + _text(1, "input_ids") + _text(2, "last_hidden_state") + _text(4, "Gather")
    tensor = _int(1, rows) + _int(1, columns) + _int(2, FLOAT) + _text(8, "table") + _bytes(9, table.tobytes())
    inputs = [_value(name, INT64, _text(2, "batch"), _text(2, "tokens")) for name in ("input_ids", "attention_mask")]
    output = _value("last_hidden_state", FLOAT, _text(2, "batch"), _text(2, "tokens"), _int(1, columns))
    graph = _bytes(1, node) + _text(2, "graph") + _bytes(5, tensor)
    graph += b"".join(_bytes(11, value) for value in inputs) + _bytes(12, output)
    opset = _text(1, "") + _int(2, 13)
    return _int(1, 8) + _bytes(7, graph) + _bytes(8, opset)


def _value(name: str, kind: int, *dimensions: bytes) -> bytes:
    shape = b"".join(_bytes(1, dimension) for dimension in dimensions)
    tensor_type = _int(1, kind) + _bytes(2, shape)
    return _text(1, name) + _bytes(2, _bytes(1, tensor_type))


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _int(field: int, number: int) -> bytes:
    return _varint(field << 3) + _varint(number)


def _bytes(field: int, data: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _text(field: int, text: str) -> bytes:
    return _bytes(field, text.encode())
