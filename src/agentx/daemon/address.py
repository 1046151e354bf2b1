"""Where a daemon listens: a Unix socket that only its user can reach, and TCP on request.

A socket's path is short and plain or it does not work: the kernel cuts it off, and
gRPC reads some characters as part of an address. Where the folder of the store
gives no such path, the socket lies in a private folder and is named by a hash.
"""

from __future__ import annotations

import os
import socket
import stat
import time
from contextlib import suppress
from pathlib import Path

from agentx.daemon.limits import UNIX_SOCKET_PATH_BYTES_MAX
from agentx.kernel.errors import InvalidValue, LimitError
from agentx.kernel.paths import StorePaths
from agentx.kernel.values import frozen
from agentx.memory.wire.address import is_loopback

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@")
_PORT_MAX = 65_535
_SOCKET_YOUNG_S = 10
_SOCKET_ANSWER_S = 0.2


@frozen
class Tcp:
    """A TCP address to listen on, and the files of its TLS; none on loopback."""

    host: str
    port: int
    certificate: Path | None = None
    key: Path | None = None

    @property
    def text(self) -> str:
        """The address as gRPC writes it."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def tcp(text: str, certificate: Path | None = None, key: Path | None = None) -> Tcp:
    """Read `HOST:PORT` and hold it to the rules.

    Raises: InvalidValue.
    """
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isascii() or not port.isdigit() or int(port) > _PORT_MAX:
        raise InvalidValue(
            f"{text[:80]!r} is not HOST:PORT", hint="for example 127.0.0.1:7777 or [::1]:7777"
        )
    if (certificate is None) != (key is None):
        raise InvalidValue("TLS needs a certificate and its key", hint="give both files")
    if certificate is None and not is_loopback(host):
        raise InvalidValue(
            f"{host} can be reached from other machines: TCP there needs TLS",
            hint="give --tls-cert and --tls-key, or listen on 127.0.0.1",
        )
    return Tcp(host=host, port=int(port), certificate=certificate, key=key)


def socket_path(paths: StorePaths, short_folder: Path) -> Path:
    """Return where the socket of a store lies, in a folder that is made and private.

    Raises: InvalidValue when the folder is somebody else's, LimitError when no path is short.
    """
    if _works(paths.socket):
        private_folder(paths.root)
        return paths.socket
    short = paths.socket_in(short_folder)
    if not _works(short):
        raise LimitError(
            f"{short} cannot be the path of a socket",
            hint=f"set XDG_RUNTIME_DIR to a folder with a plain path of less than "
            f"{UNIX_SOCKET_PATH_BYTES_MAX - 40} bytes",
        )
    private_folder(short_folder)
    return short


def sweep_sockets(short_folder: Path) -> int:
    """Remove the sockets that daemons left behind which were killed; return how many."""
    swept = 0
    with suppress(OSError):
        for path in sorted(short_folder.iterdir()):
            if _is_forsaken(path):
                path.unlink(missing_ok=True)
                swept += 1
    return swept


def _is_forsaken(path: Path) -> bool:
    """Tell whether a file is a socket of ours on which nobody listens."""
    try:
        there = path.lstat()
        is_ours = stat.S_ISSOCK(there.st_mode) and there.st_uid == os.getuid()
        # One that was just made may not listen yet.
        if not is_ours or time.time() - there.st_mtime < _SOCKET_YOUNG_S:
            return False
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as caller:
            caller.settimeout(_SOCKET_ANSWER_S)
            caller.connect(str(path))
    except ConnectionRefusedError:
        return True
    except OSError:
        return False
    return False


def hatch_path(paths: StorePaths, socket: Path) -> Path:
    """Return where the hatch of a store lies, whose socket lies there."""
    return paths.hatch if socket == paths.socket else paths.hatch_in(socket.parent)


def private_folder(path: Path) -> None:
    """Make a folder that only its user can enter, or see that it is one.

    Raises: InvalidValue when it is a link or belongs to somebody else.
    """
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    there = path.lstat()
    if not stat.S_ISDIR(there.st_mode) or there.st_uid != os.getuid():
        raise InvalidValue(
            f"{path} is not a folder of yours: no socket can be trusted there",
            hint="remove it, or set XDG_RUNTIME_DIR to a folder of your own",
        )
    if stat.S_IMODE(there.st_mode) & 0o077:
        path.chmod(0o700)


def _works(path: Path) -> bool:
    return len(os.fsencode(path)) <= UNIX_SOCKET_PATH_BYTES_MAX and _PLAIN.issuperset(str(path))
