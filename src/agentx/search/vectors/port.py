"""What turns text into vectors, and what is found with them.

Law: vectors of an encoder have length one, so that their product is the cosine; and two
encoders of the same name give the same vectors, so that an index knows whose it holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from agentx.kernel.values import frozen

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]


class Encoder(Protocol):
    """Turns texts into vectors of length one."""

    @property
    def name(self) -> str:
        """Which model it is, down to its weights."""
        ...

    @property
    def dimensions(self) -> int:
        """How long its vectors are."""
        ...

    def encode(self, texts: Sequence[str]) -> Matrix:
        """Return one row for each text; of a text that is too long, its beginning counts."""
        ...


@frozen
class VectorStatus:
    """What a vector index holds."""

    documents: int
    chunks: int
    bytes_on_disk: int
    model: str
    dimensions: int
    in_graph: int  # chunks that the graph finds; the others are compared one by one
