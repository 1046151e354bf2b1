"""A golden set on disk: how a house is packed into one, and laid out again somewhere else.

    v0.1/house/    every file, as text where it is text; folders of binary files as `*.golden.tgz`
    v0.1/files.json    when the story ended; each file's mode and time of change
    v0.1/answers/  what the reading commands said of it: `{"asked": [...], "answer": ...}`

A name that begins with a dot begins with `dot-` there, so that git and tools do not take it for
theirs. Where the house stood, its files say `/@golden`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from agentx.project.project import find_natural_id
from tests.golden.story import Town

HERE = Path(__file__).parent
MADE_IN = Path("/tmp/agentx-golden")
ANYWHERE = "/@golden"
_MEASURED = {"pid", "bytes_on_disk"}
_TARRED = {".git", "db", "bm25-index", "observation-words", "worktrees"}
_TAR = ".golden.tgz"
_CHANCE_CHARS = 8  # of the name of a temporary folder
# The launchers name the interpreter of this machine; RocksDB writes its own diary; notes tell what
# files looked like.
_LEFT_OUT = {
    *("bin", "LOG", "LOCK", "tracked.json", "notes.json", "brought.json", "inventory.json"),
    "run-branch",
}
# What the file system and the processes of this machine say, and the chance of hooks.
_RANDOM = tuple(
    (re.compile(pattern), instead)
    for pattern, instead in (
        (r"\b(\d{13})-\d+-[0-9a-f]{12}\b", r"\1-<hook>"),
        (r'(?<="pid":)\d+', "<pid>"),
        (r"\b\d{19}\b", "<changed>"),
        (r"127\.0\.0\.1:\d+", "<address>"),
        (r"(?<=github/pages/)[0-9a-f]{32}", "<hash of the address>"),
        (r"(?<=/projects/)([a-z]+)-[0-9a-f]{12}(?=\.toml)", r"\1-<hash of the place>"),
        (r"\A[0-9a-f]{32}\Z", "<stamp>"),  # of the digests: made of times of files
    )
)


_OWN_SETTINGS = re.compile(r"(?<=/projects/)([a-z]+)-[0-9a-f]{12}(?=\.toml)")


def golden_sets() -> list[Path]:
    """Return every set there is, oldest first."""
    return sorted(path.parent for path in HERE.glob("v*/files.json"))


def pack(town: Town, target: Path) -> None:
    """Write the files of a house into a new set."""
    notes: dict[str, list[int]] = {}
    for path in _kept(town.root):
        name = str(path.relative_to(town.root))
        to = target / "house" / _moved(_undotted(name), str(town.root), ANYWHERE)
        to.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            with tarfile.open(f"{to}{_TAR}", "w:gz") as tar:
                tar.add(path, path.name, filter=_without_diary)
            continue
        stat = path.stat()
        notes[_moved(name, str(town.root), ANYWHERE)] = [stat.st_mode & 0o777, stat.st_mtime_ns]
        to.write_bytes(_rewritten(path.read_bytes(), str(town.root), ANYWHERE))
    told = {"end_ms": town.now_ms, "files": dict(sorted(notes.items()))}
    (target / "files.json").write_text(json.dumps(told, indent=0) + "\n", encoding="utf-8")


def lay_out(golden: Path, root: Path, *, spooled: bool = False) -> Town:
    """Lay a set out as a house, at the time the story ended; `spooled` with what is not taken."""
    notes = json.loads((golden / "files.json").read_text(encoding="utf-8"))
    town = Town(root, git=False)
    town.now_ms = notes["end_ms"]
    house = golden / "house"
    for path in sorted(house.rglob("*")):
        name = _moved(_dotted(str(path.relative_to(house))), ANYWHERE, str(root))
        if path.is_dir() or (not spooled and name.endswith(".evt")):
            continue
        to = root / name
        to.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if name.endswith(_TAR):
            _unpack(path, to.parent)
        else:
            to.write_bytes(_rewritten(path.read_bytes(), ANYWHERE, str(root)))
    for marked, (mode, changed_ns) in notes["files"].items():
        path = root / _moved(marked, ANYWHERE, str(root))
        if path.exists():
            path.chmod(mode)
            os.utime(path, ns=(changed_ns, changed_ns))
    for link in (town.home / ".local/share/agent-memory").glob("*/worktrees/*/*/.git"):
        town.git("worktree", "repair", str(link.parent))  # git notes where its folders are
    for folder in (town.project, town.ledger):
        town.now_ms -= 1  # chance stands still while time does: markers must not be the same
        _take_up(town, folder)
    town.now_ms = notes["end_ms"]
    return town


def _unpack(path: Path, folder: Path) -> None:
    """Unpack a folder of binary files; in Python the thousand files of a set take ten times it."""
    how = ("--extract", "--gzip", "--no-same-owner", "--file", str(path))
    subprocess.run(["tar", *how, "--directory", str(folder)], check=True, timeout=60)


def _take_up(town: Town, folder: Path) -> None:
    """Do what a person does whose project moved, or was made before anything had to be trusted.

    What the old settings file says is kept among the user's own, under the project's new name.
    """
    own = town.home / ".config" / "agentx" / "projects"
    for path in own.glob(f"{folder.name}-*.toml"):
        path.rename(own / f"{find_natural_id(folder, town.data)}.toml")
    old = folder / ".agentx" / "config.toml"
    said = tomllib.loads(old.read_text(encoding="utf-8")) if old.exists() else {}
    for section, table in said.items():
        for name, value in table.items():
            words = ("config", "set", "--here", f"{section}.{name}", str(value))
            town.agentx(*words, cwd=folder)
    if not town.json("trust", "--show", cwd=folder)["at"]:
        town.agentx("trust", "--yes", cwd=folder)


def contents(root: Path) -> dict[str, bytes]:
    """Return every file that is kept as such by its name, as if the house stood anywhere."""
    return {
        _moved(str(path.relative_to(root)), str(root), ANYWHERE): _rewritten(
            path.read_bytes(), str(root), ANYWHERE
        )
        for path in _kept(root)
        if path.is_file()
    }


def shapes(root: Path) -> dict[str, list[str]]:
    """Return the text files of a house, and their modes, without what varies in them."""
    found: dict[str, list[str]] = {}
    for name, raw in contents(root).items():
        if _is_text(raw):
            mode = (root / _moved(name, ANYWHERE, str(root))).stat().st_mode & 0o777
            found.setdefault(shape(name), []).append(f"{mode:o}\n{shape(raw.decode())}")
    return {name: sorted(texts) for name, texts in sorted(found.items())}


def shape(text: str) -> str:
    """Return a text, or the name of a file, without what varies in it."""
    for pattern, instead in _RANDOM:
        text = pattern.sub(instead, text)
    return text


@contextmanager
def elsewhere() -> Iterator[Path]:
    """Lend a folder whose name is as long as that of the making: sizes are told, too.

    It lies where tests write, which may be memory, if that leaves room for a name.
    """
    where = Path(tempfile.gettempdir())
    if _count_free(where) < 1:
        where = MADE_IN.parent
    with tempfile.TemporaryDirectory(prefix="g" * _count_free(where), dir=where) as folder:
        assert len(folder) == len(str(MADE_IN))
        yield Path(folder)


def _count_free(where: Path) -> int:
    """Return how many characters are left for a folder's name, besides those drawn by chance."""
    return len(str(MADE_IN)) - len(f"{where}/") - _CHANCE_CHARS


def normal(answer: Any, root: Path) -> Any:
    """Return an answer without where the house stands, and what only the machine knows."""
    text = json.dumps(answer).replace(str(root), ANYWHERE)
    return _without_measures(json.loads(_OWN_SETTINGS.sub(r"\1-<hash of the place>", text)))


def _without_measures(answer: Any) -> Any:
    if isinstance(answer, dict):
        return {
            key: "<measured>" if key in _MEASURED else _without_measures(value)
            for key, value in answer.items()
        }
    return [_without_measures(each) for each in answer] if isinstance(answer, list) else answer


def empty(target: Path) -> None:
    """Make room for a set."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)


def _kept(root: Path) -> Iterator[Path]:
    """Yield the files of a house, and the folders that are kept whole."""
    for path in sorted(root.iterdir()):
        if path.name in _LEFT_OUT:
            continue
        if path.is_dir() and path.name not in _TARRED:
            yield from _kept(path)
        else:
            yield path


def _without_diary(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    name = Path(member.name).name
    if name.startswith("LOG") or name in _LEFT_OUT or name.endswith(".sample"):
        return None
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def _is_text(raw: bytes) -> bool:
    try:
        return "\0" not in raw.decode()
    except UnicodeDecodeError:
        return False


def _rewritten(raw: bytes, old: str, new: str) -> bytes:
    return _moved(raw.decode(), old, new).encode() if _is_text(raw) else raw


def _moved(text: str, old: str, new: str) -> str:
    return text.replace(old, new).replace(quote(old, safe=""), quote(new, safe=""))


def _undotted(name: str) -> str:
    return "/".join(f"dot-{part[1:]}" if part[0] == "." else part for part in name.split("/"))


def _dotted(name: str) -> str:
    return "/".join(f".{part[4:]}" if part[:4] == "dot-" else part for part in name.split("/"))
