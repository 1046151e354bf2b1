"""A BERT, forward, in numpy: enough of one to turn a sentence into a vector.

    words + places -> layers of (attention, two dense maps) -> the mean over the words

The weights' names are those that every BERT on a hub has. Results agree with the reference
to five digits; the rest is the order of additions.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentx.kernel.errors import CorruptRecord
from agentx.kernel.values import frozen
from agentx.search.vectors.safetensors import Tensors, read_tensors

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

# What a masked place scores: far below every other, and still finite.
_NOWHERE = np.float32(-1e9)


@frozen
class BertShape:
    """How large a BERT is."""

    hidden: int
    heads: int
    layers: int
    places: int
    words: int
    epsilon: float

    @classmethod
    def read(cls, path: Path) -> BertShape:
        """Read the shape out of a model's `config.json`.

        Raises: CorruptRecord, OSError.
        """
        try:
            said: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            shape = cls(
                hidden=int(said["hidden_size"]),
                heads=int(said["num_attention_heads"]),
                layers=int(said["num_hidden_layers"]),
                places=int(said["max_position_embeddings"]),
                words=int(said["vocab_size"]),
                epsilon=float(said.get("layer_norm_eps", 1e-12)),
            )
        except (ValueError, KeyError, TypeError) as error:
            raise CorruptRecord(f"{path}: not the description of a BERT") from error
        if min(shape.hidden, shape.heads, shape.layers) < 1 or shape.hidden % shape.heads:
            raise CorruptRecord(f"{path}: {shape.hidden} does not divide by {shape.heads} heads")
        return shape


class Bert:
    """The network. Safe to use from several threads."""

    def __init__(self, shape: BertShape, tensors: Tensors) -> None:
        self._shape = shape
        self._embedding = _Embedding(shape, tensors)
        self._layers = [_Layer(shape, tensors, number) for number in range(shape.layers)]

    @classmethod
    def read(cls, config: Path, weights: Path) -> Bert:
        """Read a network from its two files.

        Raises: CorruptRecord, OSError.
        """
        tensors = read_tensors(weights)
        # Some files keep the network under a name of its own.
        bare = {name.removeprefix("bert."): tensor for name, tensor in tensors.items()}
        try:
            return cls(BertShape.read(config), bare)
        except KeyError as error:
            raise CorruptRecord(f"{weights}: there is no tensor {error.args[0]}") from error

    @property
    def dimensions(self) -> int:
        """How long the vectors are."""
        return self._shape.hidden

    def forward(self, ids: Ints, mask: Ints) -> Floats:
        """Return the states of every place: texts x places x dimensions."""
        states = self._embedding.forward(ids)
        bias = np.where(mask[:, None, None, :] > 0, np.float32(0), _NOWHERE)
        for layer in self._layers:
            states = layer.forward(states, bias)
        return states


def mean_pooled(states: Floats, mask: Ints) -> Floats:
    """Return the mean over the words of each text, of length one."""
    weights = mask[:, :, None].astype(np.float32)
    mean = (states * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1)
    return unit(mean)


def unit(rows: Floats) -> Floats:
    """Return rows of length one; a row of nothing stays nothing."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    made: Floats = rows / np.maximum(lengths, np.float32(1e-12))
    return made


class _Norm:
    """Centres and scales states, place by place."""

    def __init__(self, tensors: Tensors, name: str, shape: BertShape) -> None:
        self._scale = _take(tensors, f"{name}.weight", (shape.hidden,))
        self._shift = _take(tensors, f"{name}.bias", (shape.hidden,))
        self._epsilon = np.float32(shape.epsilon)

    def forward(self, states: Floats) -> Floats:
        centred: Floats = states - states.mean(axis=-1, keepdims=True)
        spread = np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + self._epsilon)
        centred /= spread
        centred *= self._scale
        centred += self._shift
        return centred


class _Dense:
    """Multiplies and adds."""

    def __init__(self, tensors: Tensors, name: str, sides: tuple[int, int] | None = None) -> None:
        weight = tensors[f"{name}.weight"]
        if weight.ndim != 2 or (sides is not None and weight.shape != sides):
            raise CorruptRecord(f"tensor {name}.weight has the shape {weight.shape}, not {sides}")
        self._weight = np.ascontiguousarray(weight.T)
        self._bias = _take(tensors, f"{name}.bias", (weight.shape[0],))

    def forward(self, states: Floats) -> Floats:
        flat: Floats = states.reshape(-1, states.shape[-1]) @ self._weight
        flat += self._bias
        return flat.reshape(*states.shape[:-1], -1)


class _Embedding:
    """Words and places become states."""

    def __init__(self, shape: BertShape, tensors: Tensors) -> None:
        wide = shape.hidden
        self._words = _take(tensors, "embeddings.word_embeddings.weight", (shape.words, wide))
        places = _take(tensors, "embeddings.position_embeddings.weight", (shape.places, wide))
        # There is one sentence, so its kind is the same everywhere.
        self._places = places + tensors["embeddings.token_type_embeddings.weight"][0]
        self._norm = _Norm(tensors, "embeddings.LayerNorm", shape)

    def forward(self, ids: Ints) -> Floats:
        return self._norm.forward(self._words[ids] + self._places[: ids.shape[1]])


class _Layer:
    """Every place looks at every other, then thinks by itself."""

    def __init__(self, shape: BertShape, tensors: Tensors, number: int) -> None:
        name = f"encoder.layer.{number}"
        square = (shape.hidden, shape.hidden)
        parts = ("query", "key", "value")
        self._parts = [_Dense(tensors, f"{name}.attention.self.{part}", square) for part in parts]
        self._mixed = _Dense(tensors, f"{name}.attention.output.dense", square)
        self._seen = _Norm(tensors, f"{name}.attention.output.LayerNorm", shape)
        self._up = _Dense(tensors, f"{name}.intermediate.dense")
        self._down = _Dense(tensors, f"{name}.output.dense")
        self._out = _Norm(tensors, f"{name}.output.LayerNorm", shape)
        self._heads = shape.heads
        self._scale = np.float32((shape.hidden / shape.heads) ** -0.5)

    def forward(self, states: Floats, bias: Floats) -> Floats:
        query, key, value = (self._split(part.forward(states)) for part in self._parts)
        query *= self._scale
        scores: Floats = query @ key.transpose(0, 1, 3, 2)
        scores += bias
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        looked: Floats = (scores @ value).transpose(0, 2, 1, 3).reshape(states.shape)
        mixed = self._mixed.forward(looked)
        mixed += states
        seen = self._seen.forward(mixed)
        thought = self._down.forward(_gelu(self._up.forward(seen)))
        thought += seen
        return self._out.forward(thought)

    def _split(self, states: Floats) -> Floats:
        texts, places, wide = states.shape
        split = states.reshape(texts, places, self._heads, wide // self._heads)
        return split.transpose(0, 2, 1, 3)


def _take(tensors: Tensors, name: str, shape: tuple[int, ...]) -> Floats:
    tensor = tensors[name]
    if tensor.shape != shape:
        raise CorruptRecord(f"tensor {name} has the shape {tensor.shape}, not {shape}")
    return tensor


def _gelu(states: Floats) -> Floats:
    """x times the share of a normal distribution below x; off by less than a millionth."""
    # Abramowitz and Stegun, 7.1.26, for the error function of |x| / sqrt(2).
    steep = np.abs(states)
    steep *= np.float32(2**-0.5)
    part = 1 / (1 + np.float32(0.3275911) * steep)
    rest = np.full_like(part, 1.061405429)
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        rest *= part
        rest += np.float32(factor)
    rest *= part
    np.square(steep, out=steep)
    np.negative(steep, out=steep)
    np.exp(steep, out=steep)
    rest *= steep
    rest *= np.float32(0.5)  # the share beyond |x|
    made: Floats = states * np.where(states < 0, rest, 1 - rest)
    return made
