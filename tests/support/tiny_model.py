"""A model of a few kilobytes with random weights: the right files, the right shapes, no meaning.

Texts that share words come out more alike than texts that do not, because the words are most
of what a shallow network with small weights passes on. That is all a test needs.
"""

from __future__ import annotations

import json
import struct
import zipfile
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

HIDDEN, HEADS, LAYERS, PLACES = 32, 4, 2, 64
# Letters make every word spellable; the words are those that the tests speak of.
WORDS = """how do i reset my password forgot can it the old cat sleeps on a warm roof we keep keys
for seven days because offices retry rename store find free berths money taken twice refund harbour
ship sails wind storm captain booking""".split()
VOCABULARY = (
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]"),
    *dict.fromkeys(WORDS),
    *(f"##{letter}" for letter in "abcdefghijklmnopqrstuvwxyz0123456789"),
    *"bcdefghjklmnopqrstuvwxyz0123456789.,?!-_",
)


def tiny_model(folder: Path, *, seed: int = 7, kind: str = "F32") -> Path:
    """Write a model into a folder; another seed gives another model."""
    folder.mkdir(parents=True, exist_ok=True)
    _tokenizer().save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(
        json.dumps(
            {
                "hidden_size": HIDDEN,
                "num_attention_heads": HEADS,
                "num_hidden_layers": LAYERS,
                "max_position_embeddings": PLACES,
                "vocab_size": len(VOCABULARY),
                "layer_norm_eps": 1e-12,
            }
        ),
        encoding="utf-8",
    )
    (folder / "sentence_bert_config.json").write_text(
        json.dumps({"max_seq_length": PLACES}), encoding="utf-8"
    )
    (folder / "model.safetensors").write_bytes(safetensors(tensors(seed), kind))
    return folder


def tiny_wheel(path: Path, folder: Path) -> Path:
    """Pack a model as a wheel does: inside a package."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("some_model/__init__.py", "")
        for file in folder.iterdir():
            archive.write(file, f"some_model/model/{file.name}")
    return path


def tensors(seed: int) -> dict[str, np.ndarray]:
    """Return random weights of the right shapes."""
    chance = np.random.default_rng(seed)

    def small(*shape: int) -> np.ndarray:
        return (chance.normal(size=shape) * 0.05).astype(np.float32)

    made = {
        "embeddings.word_embeddings.weight": small(len(VOCABULARY), HIDDEN) * 20,
        "embeddings.position_embeddings.weight": small(PLACES, HIDDEN),
        "embeddings.token_type_embeddings.weight": small(2, HIDDEN),
        **_norm("embeddings.LayerNorm", small),
    }
    for number in range(LAYERS):
        name = f"encoder.layer.{number}"
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            made[f"{name}.attention.{part}.weight"] = small(HIDDEN, HIDDEN)
            made[f"{name}.attention.{part}.bias"] = small(HIDDEN)
        made |= {
            f"{name}.intermediate.dense.weight": small(4 * HIDDEN, HIDDEN),
            f"{name}.intermediate.dense.bias": small(4 * HIDDEN),
            f"{name}.output.dense.weight": small(HIDDEN, 4 * HIDDEN),
            f"{name}.output.dense.bias": small(HIDDEN),
            **_norm(f"{name}.attention.output.LayerNorm", small),
            **_norm(f"{name}.output.LayerNorm", small),
        }
    return made


def _norm(name: str, small: object) -> dict[str, np.ndarray]:
    assert callable(small)
    return {f"{name}.weight": 1 + small(HIDDEN), f"{name}.bias": small(HIDDEN)}


def safetensors(held: dict[str, np.ndarray], kind: str = "F32") -> bytes:
    """Return tensors as the bytes of a safetensors file."""
    table: dict[str, object] = {"__metadata__": {"format": "pt"}}
    body = b""
    for name, tensor in held.items():
        if kind == "BF16":
            raw = (tensor.view(np.uint32) >> 16).astype("<u2").tobytes()
        else:
            raw = tensor.astype("<f2" if kind == "F16" else "<f4").tobytes()
        table[name] = {
            "dtype": kind,
            "shape": list(tensor.shape),
            "data_offsets": [len(body), len(body) + len(raw)],
        }
        body += raw
    head = json.dumps(table).encode()
    return struct.pack("<Q", len(head)) + head + body


def _tokenizer() -> Tokenizer:
    vocabulary = {word: number for number, word in enumerate(VOCABULARY)}
    made = Tokenizer(models.WordPiece(vocab=vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    # As the files of real models have it; whoever opens them must undo it.
    made.enable_padding(length=PLACES)
    made.enable_truncation(8)
    return made
