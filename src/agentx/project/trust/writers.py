"""Who writes questions here: a name for this checkout, and the user's own secret.

    <data folder>/writers.json            the writer's name of each checkout, by its folder
    <data folder>/keys/signing.key        32 bytes of chance, 0600
    <data folder>/keys/signing.pub        a view: of which seed, and its public key

The name is that of the files a checkout appends to. With the secret a view is sealed, so that what
somebody else wrote into it is known; with the seed the events are signed (`keyring`). Neither is
made by who only reads.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from agentx.host.files.atomic import make_private_directory, replace_file
from agentx.host.files.disk import write_all
from agentx.host.files.ground import opening
from agentx.host.files.json_text import parse_json
from agentx.host.files.plain import create_in, temporary_name
from agentx.host.system import SystemClock
from agentx.kernel.errors import AgentXError
from agentx.kernel.ids import Entropy, digest
from agentx.kernel.paths import DataPaths
from agentx.project.trust.ed25519 import find_public
from agentx.project.trust.marker import read_small

_KEY_BYTES = 32
_NAME_BYTES = 3
_PUBLIC_BYTES_MAX = 256
_NOTED = 2  # of which seed, and the key
_NAMES_BYTES_MAX = 4 * 1024 * 1024


class Hand:
    """The user's hand in one checkout."""

    def __init__(self, data: DataPaths, root: Path, entropy: Entropy) -> None:
        self._data = data
        self._root = str(root)
        self._entropy = entropy
        self._secret = b""
        self._seed = b""
        self._public = ""
        self._writer = ""

    @property
    def writer(self) -> str:
        """The name of this checkout's files; made when it is asked for first."""
        if not self._writer:
            self.make_key()
            self._writer = self._name_writer()
        return self._writer

    def find_writer(self) -> str:
        """Return the name of this checkout's files, where it has one; none is made."""
        return self.list_checkouts().get(self._root, "")

    def list_checkouts(self) -> dict[str, str]:
        """Return the names of all checkouts of the user that have one, by their folders."""
        raw = read_small(self._data.writers, _NAMES_BYTES_MAX)
        with suppress(ValueError):
            names = None if raw is None else parse_json(raw)
            known = names if isinstance(names, dict) else {}
            return {str(root): str(name) for root, name in known.items() if _is_name(name)}
        return {}

    def begin_anew(self, former: str) -> str:
        """Return another name than one whose key is gone: nobody writes on under its card."""
        self._writer = self._name_writer(former)
        return self._writer

    def _name_writer(self, former: str = "") -> str:
        # Who only reads waits for no lock.
        from agentx.host.documents.json_file import json_file  # noqa: PLC0415  see above

        file = json_file(self._data.writers, SystemClock(), owner="writer")
        try:
            known = (file.read() or {}).get(self._root)
            if not _is_name(known) or known == former:
                with file.editing() as names:
                    known = names.get(self._root)
                    if not _is_name(known) or known == former:
                        known = names[self._root] = self._entropy(_NAME_BYTES).hex()
        except (AgentXError, OSError):
            known = None
        # Where nothing can be noted, the place itself is the name.
        named = (
            digest(self._root, former, size=_NAME_BYTES)
            if former
            else digest(self._root, size=_NAME_BYTES)
        )
        return str(known) if _is_name(known) else named.hex()

    @property
    def secret(self) -> bytes:
        """What views are sealed with; nothing where the user has none yet."""
        if not self._secret and self.key:
            self._secret = digest("view", self.key.hex(), size=32)
        return self._secret

    @property
    def seed(self) -> bytes:
        """What events are signed with; nothing where the user has no key yet."""
        if not self._seed and self.key:
            self._seed = digest("sign", self.key.hex(), size=32)
        return self._seed

    @property
    def public(self) -> str:
        """The user's public key, as text; nothing where the user has no key yet.

        It is noted: what finds it takes longer to load than most commands take to read.
        """
        if not self._public and self.seed:
            mark = digest("public", self.seed.hex()).hex()
            known = (read_small(self._data.public_key, _PUBLIC_BYTES_MAX) or b"").split()
            if len(known) == _NOTED and known[0] == mark.encode("ascii"):
                self._public = known[1].decode("ascii", "replace")
            else:
                self._public = find_public(self.seed)
                with suppress(AgentXError, OSError):
                    said = f"{mark} {self._public}\n".encode("ascii")
                    replace_file(self._data.public_key, said, is_synced=False)
        return self._public

    @property
    def key(self) -> bytes:
        """The user's key; nothing where there is none."""
        key = read_small(self._data.signing_key, 4 * _KEY_BYTES) or b""
        return key if len(key) == _KEY_BYTES else b""

    def make_key(self) -> None:
        """Make the user's key where there is none; what cannot be written is done without."""
        if not self.key:
            with suppress(AgentXError, OSError):
                _create(self._data.signing_key, self._entropy(_KEY_BYTES))


def _is_name(known: object) -> bool:
    return isinstance(known, str) and known.isascii() and known.isalnum() and len(known) <= 32


def _create(path: Path, content: bytes) -> None:
    """Write a file once: of two who do at the same time, both read the same."""
    make_private_directory(path.parent)
    with opening(path.parent) as folder:
        try:
            create_in(
                folder,
                path.name,
                0o600,
                lambda descriptor: write_all(descriptor, content),
                temporary=temporary_name(path.name),
            )
        except OSError:
            if read_small(path, 4 * _KEY_BYTES) is None:  # a disk that knows no second names
                replace_file(path, content)
