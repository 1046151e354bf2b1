"""Plain vectors as a yardstick: needs the extra `vectors`, so imported only when asked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from agentx.search.vectors.chunks import chunks
from agentx.search.vectors.minilm import MiniLM
from tests.bench.recall.contestants import LIMIT, Ranking
from tests.bench.recall.data import Corpus, Question, Turn


class PlainDense:
    """MiniLM as it comes: turns in overlapping chunks, the nearest chunk counts."""

    def __init__(self, weights: Path) -> None:
        self._encoder = MiniLM(weights)
        self._turns: list[Turn] = []
        self._vectors = np.zeros((0, self._encoder.dimensions), dtype=np.float32)

    def ingest(self, corpus: Corpus, folder: Path) -> None:
        """Embed the chunks of each turn."""
        pieces = [(turn, piece.text) for turn in corpus.turns for piece in chunks(turn.text)]
        self._turns = [turn for turn, _ in pieces]
        self._vectors = self._encoder.encode([text for _, text in pieces])

    def ask(self, question: Question) -> Ranking:
        """Return turns by their nearest chunk, and sessions by their nearest turn."""
        near = self._vectors @ self._encoder.encode([question.text])[0]
        best = [self._turns[at] for at in np.argsort(-near, kind="stable")[: 8 * LIMIT]]
        return Ranking(
            tuple(dict.fromkeys(turn.turn_id for turn in best)),
            tuple(dict.fromkeys(turn.session for turn in best)),
        )

    def size_bytes(self) -> int:
        """Return what the vectors weigh."""
        return int(self._vectors.nbytes)

    def close(self) -> None:
        """Let go of the vectors."""
        self._turns, self._vectors = [], self._vectors[:0]
