"""The files a task is about: those of its contract, and the tests that look like theirs.

Only files inside the checkout are read, whatever a contract says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from agentx.host.documents.yaml_file import YAML
from agentx.host.files.plain import open_to_read
from agentx.host.git.command import read_git
from agentx.kernel.text import compile_late, cut
from agentx.runs.limits import RUN_CONTEXT_FILE_CHARS_MAX

_FILES_MAX = 40
_FOLDER_FILES_MAX = 20_000
_WILD = compile_late(r"[*?\[]")


def sources(root: Path, wanted: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield the files that a contract names, with their text; then the tests of them."""
    everything = _files(root)
    named: list[str] = []
    for name in wanted:
        if _WILD.search(name):
            named += [file for file in everything if fnmatch(file, name)]
        else:
            named.append(name.removeprefix("./"))
    tests = [file for file in everything if file not in named and _is_test_of(file, named)]
    for name in islice(dict.fromkeys((*named, *tests)), _FILES_MAX):
        text = _read(root, name)
        if text is not None:
            yield name, text


def _files(root: Path) -> tuple[str, ...]:
    said = read_git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    return said.names[:_FOLDER_FILES_MAX] if said.code == 0 else ()


def _is_test_of(file: str, named: list[str]) -> bool:
    stem = PurePosixPath(file).name.split(".", 1)[0].lower()
    if "test" not in file.lower() and "spec" not in file.lower():
        return False
    for name in named:
        of = PurePosixPath(name).name.split(".", 1)[0].lower()
        if stem in (of, f"test_{of}", f"{of}_test", f"{of}test", f"{of}tests", f"{of}_spec"):
            return True
    return False


def _read(root: Path, name: str) -> str | None:
    try:
        with open_to_read(root / name, ground=root) as file:
            raw = file.read(4 * RUN_CONTEXT_FILE_CHARS_MAX + 1)
    except OSError:
        return None
    if b"\0" in raw:
        return None
    return cut(raw.decode("utf-8", "replace"), RUN_CONTEXT_FILE_CHARS_MAX)


def yaml_text(value: Mapping[str, Any]) -> str:
    """Return a mapping as a page of YAML."""
    return YAML.dump(dict(value)).decode("utf-8")
