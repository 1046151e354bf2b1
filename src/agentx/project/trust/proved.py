"""Signatures that were found good here before: a key signed a message once and for all.

    <data folder>/trust/<mark>/proved    a line each: a digest of key, names of the
                                         repository, signature and message

To check one costs a tenth of a millisecond, and a run of a thousand tasks has thousands, in each
command. Whose key counts is no matter of this: that is asked every time.
"""

from __future__ import annotations

import os
from _blake2 import blake2b  # as hashlib has it, which loads OpenSSL first
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from agentx.host.files.atomic import make_private_directory
from agentx.host.files.plain import open_to_write
from agentx.kernel.ids import digest
from agentx.project.trust.ed25519 import is_signed_by, sign
from agentx.project.trust.marker import read_small

_EVENT = b"agentx question event\n"
_NAME_BYTES = 16
_FEW = 32  # are checked as fast as they are noted
_BYTES_MAX = 4 * 1024 * 1024
# A signature and the words -> whether it is theirs.
Check = Callable[[str, bytes], bool]
_APPENDS = os.O_WRONLY | os.O_CREAT | os.O_APPEND


def bind_words(repository: str, message: bytes) -> bytes:
    """Return what is signed: words are of one repository, and nobody's in another."""
    return _EVENT + repository.encode("ascii", "replace") + b"\n" + message


class ProvedSignatures:
    """Checks signatures, and remembers those that hold."""

    def __init__(self) -> None:
        self._path: Path | None = None
        self._known: set[str] = set()
        self._new: list[str] = []

    def checking(self, path: Path, public: str, repositories: tuple[str, ...]) -> Check:
        """Return what tells whether a key signed words for a repository, by one of its names.

        `path` is where it is noted.
        """
        name_proof = self._open(path, public, repositories)

        def check(signature: str, message: bytes) -> bool:
            name = name_proof(signature, message)
            if name in self._known:
                return True
            is_good = any(
                is_signed_by(public, signature, bind_words(each, message)) for each in repositories
            )
            if is_good:
                self._note(name)
            return is_good

        return check

    def sign(
        self, path: Path, seed: bytes, public: str, repositories: tuple[str, ...], message: bytes
    ) -> str:
        """Return a signature for a repository, by its first name; it is noted, and what was found
        good until now.

        Who reads it need not load what checks signatures, which takes longer than the rest.
        """
        signature = sign(seed, bind_words(repositories[0], message))
        name = self._open(path, public, repositories)(signature, message)
        if name not in self._known:
            self._note(name)
        if self._new:
            self._write()
        return signature

    def _open(
        self, path: Path, public: str, repositories: tuple[str, ...]
    ) -> Callable[[str, bytes], str]:
        """Return what names a proof, after what is noted was read."""
        if self._path != path:
            self._path, self._known, self._new = path, _read(path), []
        begun = blake2b(digest(public, *repositories), digest_size=_NAME_BYTES)

        def name_proof(signature: str, message: bytes) -> str:
            made = begun.copy()
            made.update(digest(signature))
            made.update(message)
            return made.hexdigest()

        return name_proof

    def _note(self, name: str) -> None:
        self._known.add(name)
        self._new.append(name)
        if len(self._new) >= _FEW:
            self._write()

    def _write(self) -> None:
        assert self._path is not None, "something was read from there"
        lines = "".join(f"{name}\n" for name in self._new).encode("ascii")
        self._new = []
        with suppress(OSError):  # it only saves work
            make_private_directory(self._path.parent)
            descriptor = open_to_write(self._path, _APPENDS)
            with os.fdopen(descriptor, "ab") as file:
                if file.tell() + len(lines) > _BYTES_MAX:
                    file.truncate(0)
                file.write(lines)


def _read(path: Path) -> set[str]:
    raw = read_small(path, _BYTES_MAX) or b""
    lines = raw.decode("ascii", "replace").split("\n")
    return {line for line in lines if len(line) == 2 * _NAME_BYTES}
