"""Make the table of kindred words from a sentence encoder: `make_kindred.py MODEL_FOLDER OUT`.

Each plain word of the encoder's own vocabulary is encoded by itself; the nearest others are
its kin. Words are told apart by their terms, as the index does, so a plural is no kin.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

from agentx.search.analysis import function_terms, terms
from agentx.search.vectors.minilm import MiniLM

CLOSENESS_MIN = 0.65
KIN_MAX = 4
_BATCH = 1_000
_WORD = re.compile(r"[a-z]{3,}")


def main(model: Path, out: Path) -> None:
    """Encode, compare, write."""
    encoder = MiniLM(model)
    words = [
        word
        for word in (model / "vocab.txt").read_text(encoding="utf-8").split()
        if _WORD.fullmatch(word)
    ]
    named = [(word, terms(word)) for word in words]
    kept = [
        (word, said[0])
        for word, said in named
        if len(said) == 1 and said[0] not in function_terms()
    ]
    rows = np.vstack(
        [
            encoder.encode([word for word, _ in kept[at : at + _BATCH]])
            for at in range(0, len(kept), _BATCH)
        ]
    )
    best: dict[tuple[str, str], float] = {}
    for at in range(0, len(kept), _BATCH):
        near = rows[at : at + _BATCH] @ rows.T
        for row, column in zip(*np.nonzero(near >= CLOSENESS_MIN), strict=True):
            pair = kept[at + row][1], kept[column][1]
            if pair[0] != pair[1]:
                best[pair] = max(best.get(pair, 0.0), float(near[row, column]))
    kin: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for (term, other), closeness in best.items():
        kin[term].append((-closeness, other))
    lines = []
    for term in sorted(kin):
        nearest = sorted(kin[term])[:KIN_MAX]
        lines.append(f"{term} " + " ".join(f"{other} {-less * 100:.0f}" for less, other in nearest))
    out.write_text("\n".join(lines) + "\n", encoding="ascii")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
