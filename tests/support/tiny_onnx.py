"""The smallest ONNX model that looks like an encoder: each word becomes its row of a matrix.

ONNX is protobuf; a handful of its fields, by their numbers, is all it takes.
"""

from __future__ import annotations

import numpy as np

_FLOAT, _INT64 = 1, 7


def words_to_rows(rows: np.ndarray) -> bytes:
    """Return a model that gives the row of each word, and ignores the mask."""
    held = b"".join(_number(1, side) for side in rows.shape)
    held += _number(2, _FLOAT) + _text(8, "rows") + _bytes(9, rows.astype("<f4").tobytes())
    node = _text(1, "rows") + _text(1, "input_ids") + _text(2, "out") + _text(4, "Gather")
    given = b"".join(
        _bytes(11, _value(name, _INT64, ("texts", "places")))
        for name in ("input_ids", "attention_mask", "token_type_ids")
    )
    out = _bytes(12, _value("out", _FLOAT, ("texts", "places", rows.shape[1])))
    graph = _bytes(1, node) + _text(2, "tiny") + _bytes(5, held) + given + out
    return _number(1, 8) + _bytes(8, _number(2, 13)) + _bytes(7, graph)


def _value(name: str, kind: int, sides: tuple[int | str, ...]) -> bytes:
    shape = b"".join(
        _bytes(1, _text(2, side) if isinstance(side, str) else _number(1, side)) for side in sides
    )
    return _text(1, name) + _bytes(2, _bytes(1, _number(1, kind) + _bytes(2, shape)))


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*out, value))
