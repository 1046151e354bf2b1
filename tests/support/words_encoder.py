"""An encoder without a model: a text is the sum of the directions of its words."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

DIMENSIONS = 24


@cache
def _direction(word: str, name: str) -> NDArray[np.float32]:
    seed = int.from_bytes(hashlib.blake2b(f"{name}/{word}".encode("utf-8", "replace")).digest()[:8])
    made = np.random.default_rng(seed).normal(size=DIMENSIONS).astype(np.float32)
    unit: NDArray[np.float32] = made / np.float32(np.linalg.norm(made))
    return unit


class WordsEncoder:
    """The same text always has the same vector; texts with the same words are alike."""

    dimensions = DIMENSIONS

    def __init__(self, name: str = "words") -> None:
        self.name = name
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row for each text."""
        self.asked += texts
        rows = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        for at, text in enumerate(texts):
            for word in text.lower().split():
                rows[at] += _direction(word.strip(".,?!"), self.name)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        made: NDArray[np.float32] = rows / np.maximum(lengths, np.float32(1e-12))
        return made
