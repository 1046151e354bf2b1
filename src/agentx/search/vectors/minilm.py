"""MiniLM, or any small BERT of its kind: text to vector.

    texts -> tokens (256 at most) -> batches of like length -> network -> mean -> length one

The weights are files on this machine; nothing here can fetch anything.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Protocol

import numpy as np
from tokenizers import Tokenizer

from agentx.kernel.errors import CorruptRecord, NotFound, UnavailableError
from agentx.search.limits import PASSAGE_CHARS_MAX, VECTOR_BATCH_TOKENS_MAX, VECTOR_TOKENS_MAX
from agentx.search.vectors.bert import Bert, BertShape, Floats, Ints, mean_pooled
from agentx.search.vectors.model_files import CONFIG, SENTENCES, TOKENIZER, WEIGHTS, is_complete

# The weights are told apart by their size, their head and their tail: reading all of them at
# every start would take longer than the search.
_SAMPLE_BYTES = 256 * 1024


class Network(Protocol):
    """Turns tokens into states."""

    @property
    def dimensions(self) -> int: ...

    def forward(self, ids: Ints, mask: Ints) -> Floats: ...


class MiniLM:
    """An encoder over the files of one folder. Safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        """Open a model.

        Raises: NotFound when the files are not there, CorruptRecord when they are no model,
            UnavailableError when a library is missing.
        """
        if not is_complete(folder):
            raise NotFound(f"{folder}: there is no model", hint="run `agentx vectors install`")
        weights = next(path for path in _weights(folder) if path.is_file())
        self._tokenizer = _tokenizer(folder)
        self._network = _network(folder, weights)
        self._name = _name(weights)

    @property
    def name(self) -> str:
        """Which model it is, down to its weights."""
        return self._name

    @property
    def dimensions(self) -> int:
        """How long its vectors are."""
        return self._network.dimensions

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return one row for each text."""
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        if not texts:
            return rows
        told = self._tokenizer.encode_batch([_readable(text) for text in texts])
        for batch in _batches([len(each.ids) for each in told]):
            longest = max(len(told[at].ids) for at in batch)
            ids = np.zeros((len(batch), longest), dtype=np.int64)
            mask = np.zeros_like(ids)
            for row, at in enumerate(batch):
                count = len(told[at].ids)
                ids[row, :count] = told[at].ids
                mask[row, :count] = 1
            rows[batch] = mean_pooled(self._network.forward(ids, mask), mask)
        return rows


def _weights(folder: Path) -> list[Path]:
    return [folder / PurePosixPath(name).name for name in WEIGHTS]


def _name(weights: Path) -> str:
    size = weights.stat().st_size
    with weights.open("rb") as file:
        sample = file.read(_SAMPLE_BYTES)
        file.seek(max(0, size - _SAMPLE_BYTES))
        sample += file.read(_SAMPLE_BYTES)
    return (
        f"minilm-{hashlib.blake2b(sample, digest_size=8, salt=size.to_bytes(8, 'big')).hexdigest()}"
    )


def _network(folder: Path, weights: Path) -> Network:
    if weights.suffix == ".safetensors":
        return Bert.read(folder / CONFIG, weights)
    try:
        from agentx.search.vectors.onnx import OnnxBert  # noqa: PLC0415  half a second to import
    except ImportError as error:
        raise UnavailableError(
            f"{weights}: this model needs onnxruntime", hint="pip install onnxruntime"
        ) from error
    return OnnxBert(weights, BertShape.read(folder / CONFIG).hidden)


def _tokenizer(folder: Path) -> Tokenizer:
    path = folder / TOKENIZER
    try:
        made = Tokenizer.from_file(str(path))
    except Exception as error:
        raise CorruptRecord(f"{path}: not a tokenizer: {error}") from error
    made.no_padding()
    made.enable_truncation(min(_read_window(folder), VECTOR_TOKENS_MAX))
    return made


def _read_window(folder: Path) -> int:
    """Return how many tokens the model was taught with."""
    try:
        said = json.loads((folder / SENTENCES).read_text(encoding="utf-8"))
        return max(8, int(said["max_seq_length"]))
    except (OSError, ValueError, KeyError, TypeError):
        return VECTOR_TOKENS_MAX


def _readable(text: str) -> str:
    """Return what a tokenizer takes: no lone surrogates, and no more than it would look at."""
    return text[:PASSAGE_CHARS_MAX].encode("utf-8", "replace").decode("utf-8")


def _batches(lengths: list[int]) -> Iterator[list[int]]:
    """Yield places of texts of like length, few enough that a batch stays small."""
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    batch: list[int] = []
    for at in order:
        if batch and lengths[at] * (len(batch) + 1) > VECTOR_BATCH_TOKENS_MAX:
            yield batch
            batch = []
        batch.append(at)
    if batch:
        yield batch
