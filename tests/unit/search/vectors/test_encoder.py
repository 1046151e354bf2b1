"""Goal: a model's files become the vectors that its weights mean, whatever the text.

Method: a tiny model with random weights, and the same arithmetic written out number by number.
"""

from __future__ import annotations

import json
import math
import struct
from pathlib import Path

import numpy as np
import pytest

from agentx.kernel.errors import CorruptRecord, NotFound
from agentx.search.vectors.minilm import MiniLM
from tests.support.tiny_model import HEADS, HIDDEN, LAYERS, safetensors, tensors, tiny_model
from tests.support.tiny_onnx import words_to_rows


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def model(folder: Path) -> MiniLM:
    return MiniLM(folder)


def _slowly(ids: list[int], held: dict[str, np.ndarray]) -> np.ndarray:
    """Do what a BERT does, one place at a time, with the exact error function."""

    def dense(name: str, row: np.ndarray) -> np.ndarray:
        made: np.ndarray = held[f"{name}.weight"] @ row + held[f"{name}.bias"]
        return made

    def norm(name: str, row: np.ndarray) -> np.ndarray:
        centred = row - row.mean()
        scaled = centred / math.sqrt((centred**2).mean() + 1e-12)
        made: np.ndarray = scaled * held[f"{name}.weight"] + held[f"{name}.bias"]
        return made

    kind = held["embeddings.token_type_embeddings.weight"][0]
    words = held["embeddings.word_embeddings.weight"]
    places = held["embeddings.position_embeddings.weight"]
    states = [
        norm("embeddings.LayerNorm", words[word] + places[at] + kind) for at, word in enumerate(ids)
    ]
    wide = HIDDEN // HEADS
    for number in range(LAYERS):
        name = f"encoder.layer.{number}"
        parts = [
            [dense(f"{name}.attention.self.{part}", row) for row in states]
            for part in ("query", "key", "value")
        ]
        after = []
        for at in range(len(states)):
            looked = []
            for head in range(HEADS):
                cut = slice(head * wide, (head + 1) * wide)
                scores = [
                    math.exp(float(parts[0][at][cut] @ key[cut]) / math.sqrt(wide))
                    for key in parts[1]
                ]
                values = zip(scores, parts[2], strict=True)
                looked.append(sum(score * value[cut] for score, value in values) / sum(scores))
            row = states[at] + dense(f"{name}.attention.output.dense", np.concatenate(looked))
            seen = norm(f"{name}.attention.output.LayerNorm", row)
            inner = dense(f"{name}.intermediate.dense", seen)
            gelu = np.array([x * (1 + math.erf(x / math.sqrt(2))) / 2 for x in inner.tolist()])
            row = seen + dense(f"{name}.output.dense", gelu)
            after.append(norm(f"{name}.output.LayerNorm", row))
        states = after
    mean: np.ndarray = np.mean(states, axis=0)
    mean /= np.linalg.norm(mean)
    return mean


def test_the_vector_is_the_one_that_the_weights_mean(model: MiniLM) -> None:
    text = "The captain sails, because money was taken twice"
    ids = model._tokenizer.encode(text).ids

    assert len(ids) > 10
    assert np.abs(model.encode([text])[0] - _slowly(ids, tensors(7))).max() < 1e-5


def test_a_text_has_the_same_vector_whatever_stands_beside_it(model: MiniLM) -> None:
    texts = ["ship", "we keep keys for seven days " * 20, "\U0001f680\u6e2f \u05e9", "", "\ud800 x"]

    together = model.encode(texts)
    alone = np.concatenate([model.encode([text]) for text in texts])

    assert together.shape == (5, HIDDEN)
    assert np.abs(together - alone).max() < 1e-5
    assert np.abs(np.linalg.norm(together, axis=1) - 1).max() < 1e-5


def test_a_megabyte_without_a_blank_is_a_text_too(model: MiniLM) -> None:
    assert model.encode(["x" * 1_000_000]).shape == (1, HIDDEN)
    assert model.encode([]).shape == (0, HIDDEN)


@pytest.mark.parametrize(("kind", "close"), [("F16", 1e-2), ("BF16", 5e-2)])
def test_weights_of_half_the_bits_mean_nearly_the_same(
    model: MiniLM, tmp_path: Path, kind: str, close: float
) -> None:
    short = MiniLM(tiny_model(tmp_path, kind=kind))
    text = ["the harbour captain forgot my booking"]

    assert np.abs(short.encode(text) - model.encode(text)).max() < close
    assert short.name != model.name


def test_a_model_is_named_after_its_weights(folder: Path, model: MiniLM, tmp_path: Path) -> None:
    assert MiniLM(folder).name == model.name
    assert MiniLM(tiny_model(tmp_path, seed=8)).name != model.name


def test_weights_in_the_format_of_onnx_work_too(tmp_path: Path) -> None:
    folder = tiny_model(tmp_path)
    (folder / "model.safetensors").unlink()
    rows = tensors(7)["embeddings.word_embeddings.weight"]
    (folder / "model.onnx").write_bytes(words_to_rows(rows))
    model = MiniLM(folder)

    made = model.encode(["ship ship", "wind"])
    ids = model._tokenizer.encode("wind").ids
    mean = rows[ids].mean(axis=0)

    assert np.abs(made[1] - mean / np.linalg.norm(mean)).max() < 1e-5
    assert made.shape == (2, HIDDEN)


def _without(held: dict[str, np.ndarray], name: str) -> dict[str, np.ndarray]:
    return {each: tensor for each, tensor in held.items() if each != name}


DAMAGE = {
    "no file at all": b"",
    "a page of an error": b"<html>rate limited</html>" * 20,
    "a head that lies": struct.pack("<Q", 2**60) + b"{}",
    "a table that is none": struct.pack("<Q", 4) + b"[1] ",
    "cut short": safetensors(tensors(7))[:-100],
    "a tensor missing": safetensors(_without(tensors(7), "encoder.layer.1.output.dense.bias")),
    "a tensor of another shape": safetensors(
        {**tensors(7), "embeddings.position_embeddings.weight": np.zeros((3, 5), np.float32)}
    ),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_damaged_weights_are_an_error_and_not_a_wrong_answer(tmp_path: Path, damage: bytes) -> None:
    folder = tiny_model(tmp_path)
    (folder / "model.safetensors").write_bytes(damage)

    with pytest.raises(CorruptRecord, match=r"safetensors|tensor|table"):
        MiniLM(folder)


def test_a_folder_without_a_model_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no model"):
        MiniLM(tmp_path)
    folder = tiny_model(tmp_path / "m")
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(CorruptRecord, match="tokenizer"):
        MiniLM(folder)
    tiny_model(folder)
    (folder / "config.json").write_text(json.dumps({"hidden_size": 31}))
    with pytest.raises(CorruptRecord, match="description"):
        MiniLM(folder)
