"""Weights in a safetensors file: a length, a JSON table of tensors, then their bytes.

Only what a BERT has: one and two dimensions, floats of 16 or 32 bits. Everything is
checked against the file's size, so a truncated download is an error and not a wrong answer.
"""

from __future__ import annotations

import json
import struct
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentx.kernel.errors import CorruptRecord
from agentx.search.limits import MODEL_HEADER_BYTES_MAX

Tensors = dict[str, NDArray[np.float32]]

_WIDTHS = {"F32": 4, "F16": 2, "BF16": 2}


def read_tensors(path: Path) -> Tensors:
    """Return every float tensor of a file, as 32-bit floats.

    Raises: CorruptRecord, OSError.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(8)
        length = struct.unpack("<Q", head)[0] if len(head) == 8 else 0
        if not 2 <= length <= min(MODEL_HEADER_BYTES_MAX, size - 8):
            raise CorruptRecord(f"{path}: not a safetensors file")
        try:
            table = json.loads(file.read(length))
        except ValueError as error:
            raise CorruptRecord(f"{path}: its table of tensors cannot be read") from error
    if not isinstance(table, dict):
        raise CorruptRecord(f"{path}: its table of tensors is none")
    body = np.memmap(path, dtype=np.uint8, mode="r", offset=8 + length)
    return {
        name: _tensor(path, name, entry, body)
        for name, entry in table.items()
        if isinstance(entry, dict) and entry.get("dtype") in _WIDTHS
    }


def _tensor(
    path: Path, name: str, entry: dict[str, Any], body: NDArray[np.uint8]
) -> NDArray[np.float32]:
    try:
        shape = tuple(int(side) for side in entry["shape"])
        begin, end = (int(at) for at in entry["data_offsets"])
    except (KeyError, TypeError, ValueError) as error:
        raise CorruptRecord(f"{path}: tensor {name} is not described") from error
    width = _WIDTHS[entry["dtype"]]
    if not 0 <= begin <= end <= len(body) or end - begin != prod(shape) * width:
        raise CorruptRecord(f"{path}: tensor {name} is cut short", hint="fetch the file again")
    # A copy, because the table before it need not end where a float may begin.
    raw = body[begin:end].tobytes()
    if entry["dtype"] == "BF16":
        wide = np.frombuffer(raw, dtype="<u2").astype(np.uint32) << 16
        return wide.view(np.float32).reshape(shape)
    kind = "<f4" if width == 4 else "<f2"
    return np.frombuffer(raw, dtype=kind).astype(np.float32).reshape(shape)
