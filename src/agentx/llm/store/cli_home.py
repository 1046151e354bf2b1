"""The folder in which an agent CLI is at home while it is a model: ours, and for it alone.

    <data>/clis/<provider>/home/     its settings and whatever it keeps
                           work/     an empty repository: nothing above it is looked at
                           rest.json until when it is left alone, and why
    <data>/clis/<provider>.lock      held while it runs: one at a time, whoever asks

No secret is copied here. A login file of the user's is linked to, so that a login that the
CLI renews is renewed where it belongs; or its token is lent to one call by the environment.
A login that somebody made in this home is left as it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from agentx.host.files.atomic import make_private_directory, replace_file, write_if_changed
from agentx.host.files.plain import exists, is_file, read_bytes, remove, remove_tree
from agentx.host.locks.flock import Flock
from agentx.kernel.errors import AgentXError
from agentx.kernel.values import frozen

_BYTES_MAX = 4 * 1024 * 1024
_GIT = {"HEAD": "ref: refs/heads/main\n", "objects/.keep": "", "refs/.keep": ""}


@frozen
class Rest:
    """Until when a CLI is left alone, and why."""

    until_ms: int = 0
    why: str = ""
    failures: int = 0  # in a row


@frozen(kw_only=False)
class CliHome:
    """The folder of one agent CLI."""

    root: Path

    @property
    def home(self) -> Path:
        """Where the CLI is at home."""
        return self.root / "home"

    @property
    def work(self) -> Path:
        """Where it works: an empty repository, so that it looks for nothing further up."""
        return self.root / "work"

    def claim(self) -> Flock | None:
        """Hold the CLI for one call; None when another call holds it.

        Raises: OSError, AgentXError.
        """
        make_private_directory(self.root.parent)
        return Flock.claim(self.root.with_name(f"{self.root.name}.lock"))

    def prepare(self, files: Mapping[str, str], links: Mapping[str, Path]) -> None:
        """Lay out the home as a call needs it: files, and links to what is the user's.

        Raises: OSError, AgentXError.
        """
        remove_tree(self.work)
        for folder in (self.root, self.home, self.work):
            make_private_directory(folder)
        for name, text in _GIT.items():
            _write(self.work / ".git" / name, text)
        for name, text in files.items():
            _write(self.home / name, text)
        for name, target in links.items():
            self._link(self.home / name, target)

    def sweep(self, remains: Iterable[str]) -> None:
        """Take away what a CLI keeps of its sessions."""
        for name in remains:
            path = self.home / name
            with suppress(OSError, AgentXError):
                if path.is_dir() and not path.is_symlink():
                    remove_tree(path)
                else:
                    remove(path)

    def has_file(self, name: str) -> bool:
        """Tell whether a file lies in the home."""
        return is_file(self.home / name)

    def _link(self, path: Path, target: Path) -> None:
        if exists(path) and not path.is_symlink():
            return  # a login of this home's own
        with suppress(FileNotFoundError):
            path.unlink()
        if is_file(target) or target.is_symlink():
            make_private_directory(path.parent)
            path.symlink_to(target)

    def read_rest(self) -> Rest:
        """Return until when the CLI is to be left alone."""
        said = _read_object(self.root / "rest.json")
        until, why = said.get("until_ms"), said.get("why")
        failures = said.get("failures", 0)
        if isinstance(until, int) and isinstance(why, str) and isinstance(failures, int):
            return Rest(until_ms=until, why=why, failures=failures)
        return Rest()

    def note_rest(self, rest: Rest) -> None:
        """Leave the CLI alone for a while, in every process."""
        with suppress(AgentXError):
            replace_file(
                self.root / "rest.json",
                json.dumps(asdict(rest)).encode(),
            )


def read_lent_token(login: Path, now_ms: int) -> str:
    """Return the token of the user's own Claude login while it is valid; nothing otherwise.

    It is never renewed from here: what renews a token replaces it for everybody else.
    """
    said = _read_object(login / ".credentials.json").get("claudeAiOauth")
    if not isinstance(said, dict):
        return ""
    token, expires_ms = said.get("accessToken"), said.get("expiresAt")
    if not isinstance(token, str) or not isinstance(expires_ms, int | float):
        return ""
    return token if expires_ms > now_ms else ""


def read_opencode_settings(folder: Path) -> tuple[Mapping[str, object], str]:
    """Return the providers that the user set up for OpenCode, and the small model named there."""
    said = _read_object(folder / "opencode.json")
    providers, small = said.get("provider"), said.get("small_model") or said.get("model")
    return (
        providers if isinstance(providers, dict) else {},
        small if isinstance(small, str) else "",
    )


def _read_object(path: Path) -> dict[str, object]:
    try:
        value = json.loads(read_bytes(path, bytes_max=_BYTES_MAX))
    except (OSError, ValueError, RecursionError, AgentXError):
        return {}
    return value if isinstance(value, dict) else {}


def _write(path: Path, text: str) -> None:
    make_private_directory(path.parent)
    write_if_changed(path, text.encode())
