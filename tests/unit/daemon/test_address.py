"""Goal: a daemon listens only where it is safe, and always finds a path for its socket.

Method: addresses as users write them; folders that are long, foreign or links.
"""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

import pytest

from agentx.daemon.address import private_folder, socket_path, sweep_sockets, tcp
from agentx.daemon.limits import UNIX_SOCKET_PATH_BYTES_MAX
from agentx.kernel.errors import InvalidValue, LimitError
from agentx.kernel.paths import StorePaths, runtime_folder


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("127.0.0.1:7777", "127.0.0.1", 7777),
        ("[::1]:0", "::1", 0),
        ("localhost:65535", "localhost", 65535),
    ],
)
def test_loopback_needs_no_tls(text: str, host: str, port: int) -> None:
    address = tcp(text)

    assert (address.host, address.port, address.certificate) == (host, port, None)
    assert address.text == text


@pytest.mark.parametrize("text", ["0.0.0.0:7777", "[::]:7777", "192.168.1.4:1", "example.org:7777"])
def test_an_address_that_others_can_reach_is_refused_without_tls(text: str) -> None:
    with pytest.raises(InvalidValue, match="needs TLS"):
        tcp(text)
    assert tcp(text, Path("cert.pem"), Path("key.pem")).certificate


@pytest.mark.parametrize(
    "text", ["", "7777", ":7777", "host:", "host:http", "host:65536", "host:-1"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(InvalidValue, match="is not HOST:PORT"):
        tcp(text)


def test_a_certificate_without_its_key_is_refused() -> None:
    with pytest.raises(InvalidValue, match="certificate and its key"):
        tcp("127.0.0.1:1", Path("cert.pem"))


def test_the_socket_lies_in_the_folder_of_the_store(short_path: Path) -> None:
    store = StorePaths(short_path / "store")

    assert socket_path(store, short_path / "short") == store.socket
    assert store.root.stat().st_mode & 0o777 == 0o700
    assert not (short_path / "short").exists()


@pytest.mark.parametrize("name", ["x" * 120, "with space", "per%cent", "\u6f22\u5b57", "quest?ion"])
def test_a_folder_that_cannot_hold_a_socket_gets_a_short_private_one(
    short_path: Path, name: str
) -> None:
    store = StorePaths(short_path / name)
    other = StorePaths(short_path / (name + "2"))
    folder = short_path / "short"

    path = socket_path(store, folder)

    assert path.parent == folder
    assert folder.stat().st_mode & 0o777 == 0o700
    assert len(os.fsencode(path)) <= UNIX_SOCKET_PATH_BYTES_MAX
    assert socket_path(store, folder) == path
    assert socket_path(other, folder) != path


def test_the_short_folder_is_in_the_runtime_folder_or_the_users_own_temporary_one() -> None:
    assert runtime_folder(Path("/run/user/7"), Path("/tmp"), 7) == Path("/run/user/7/agentx")
    assert runtime_folder(None, Path("/tmp"), 7) == Path("/tmp/agentx-7")


def test_no_short_folder_either_is_told_with_a_hint(short_path: Path) -> None:
    with pytest.raises(LimitError) as failure:
        socket_path(StorePaths(short_path / ("x" * 120)), short_path / ("y" * 100))
    assert "XDG_RUNTIME_DIR" in failure.value.hint


def test_a_link_in_place_of_the_folder_is_refused(short_path: Path) -> None:
    (short_path / "elsewhere").mkdir()
    link = short_path / "link"
    link.symlink_to(short_path / "elsewhere")

    with pytest.raises(InvalidValue, match="not a folder of yours"):
        private_folder(link)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make a folder that belongs to another")
def test_a_folder_of_somebody_else_is_refused(short_path: Path) -> None:
    folder = short_path / "theirs"
    folder.mkdir()
    os.chown(folder, 12345, 12345)

    with pytest.raises(InvalidValue, match="not a folder of yours"):
        private_folder(folder)


def test_a_folder_of_ours_that_others_could_enter_is_closed(short_path: Path) -> None:
    folder = short_path / "open"
    folder.mkdir(mode=0o755)

    private_folder(folder)

    assert folder.stat().st_mode & 0o777 == 0o700


def test_sockets_that_nobody_listens_on_are_swept_and_nothing_else(tmp_path: Path) -> None:
    long_ago = time.time() - 60
    kept = tmp_path / "note.json"
    kept.write_text("{}", encoding="utf-8")
    for name in ("killed", "young"):
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(str(tmp_path / name))
    with socket.socket(socket.AF_UNIX) as living:
        living.bind(str(tmp_path / "living"))
        living.listen()
        for name in ("living", "killed", "note.json"):
            os.utime(tmp_path / name, (long_ago, long_ago))

        assert sweep_sockets(tmp_path) == 1

        assert {each.name for each in tmp_path.iterdir()} == {"living", "young", "note.json"}
    assert sweep_sockets(tmp_path / "none") == 0
