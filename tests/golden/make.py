"""Writes a golden set of today's formats: `python -m tests.golden.make NAME`, such as v0.1.

With `--answers` the sets stay, and only what the commands say of them is written down anew.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

from tests.golden.asking import GITHUB_PORT, ask, drained, name_of, questions, taken_up
from tests.golden.layout import HERE, MADE_IN, elsewhere, empty, golden_sets, lay_out, pack
from tests.golden.story import Town, tell_story


def make(name: str) -> None:
    """Tell the story, and keep its files and what the commands say of them."""
    golden = HERE / name
    empty(golden)
    shutil.rmtree(MADE_IN, ignore_errors=True)
    try:
        town = Town(MADE_IN)
        tell_story(town, GITHUB_PORT)
        pack(town, golden)
    finally:
        shutil.rmtree(MADE_IN, ignore_errors=True)
    with elsewhere() as root:
        asked = list(questions(lay_out(golden, root)))
    write_answers(golden, asked)


def write_answers(golden: Path, asked: list[list[str]]) -> None:
    """Write down what the commands say of a set today."""
    answers = golden / "answers"
    empty(answers)
    with elsewhere() as root:
        town = lay_out(golden, root)
        for number, question in enumerate(asked):
            told = {"asked": question, **ask(town, question)}
            _save(answers / name_of(number, question), told)
    for name, act, spooled in (("drained", drained, True), ("taken-up", taken_up, False)):
        with elsewhere() as root:
            _save(golden / f"{name}.json", act(lay_out(golden, root, spooled=spooled)))


def _save(path: Path, told: object) -> None:
    text = json.dumps(told, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def main() -> None:
    """Do what the command line says."""
    if sys.argv[1:] == ["--answers"]:
        for golden in golden_sets():
            saved = sorted((golden / "answers").iterdir())
            write_answers(golden, [json.loads(path.read_text("utf-8"))["asked"] for path in saved])
    else:
        (name,) = sys.argv[1:]
        if not re.fullmatch(r"v\d+\.\d+", name):
            sys.exit(f"{name!r} is no name of a set: python -m tests.golden.make v0.5")
        make(name)


if __name__ == "__main__":
    main()
