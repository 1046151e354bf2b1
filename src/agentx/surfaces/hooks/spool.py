"""The spool: where a hook leaves what it captured, durably, for whoever drains it.

    <spool>/<where it came from, encoded>/tmp/   being written
                                          new/   whole, waiting to be taken

A file appears in `new/` by a rename, when all of it is written: a hook that is killed
leaves nothing half there. The file is synced after the rename, which puts both on disk
at the price of one: nothing that a hook has finished is lost when the power fails. What
fails before that may leave a file in `new/` that is shorter than its first line says.

Folders are opened once and never through a symbolic link; files are made relative to
them, so that no name can lead elsewhere.
"""

import os
import sys

from agentx.kernel.places import (
    data_root,
    encode_name,
    fallback_spool_roots,
    is_excluded_by,
    origin_of,
    spool_root,
)

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NOTE_BYTES_MAX = 65_536
_ESCAPES = {code: f"\\u{code:04x}" for code in range(32)} | {34: '\\"', 92: "\\\\", 127: "\\u007f"}


class Caller:
    """One call of the hook: who called, when, from where, and for which project if it was named.

    `branch` is what is checked out there, empty where that is not known. `agent` is the role;
    `is_role_open` where nobody has settled yet which one is played there.
    """

    __slots__ = ("agent", "at_ms", "branch", "cwd", "harness", "is_role_open", "project")

    def __init__(self, harness: str, at_ms: int, cwd: str, agent: str, project: str = "") -> None:
        self.branch = ""
        self.is_role_open = False
        self.harness = harness
        self.at_ms = at_ms
        self.cwd = cwd
        self.agent = agent
        self.project = project


def deliver(call: Caller, payload: bytes, *, cut: bool = False, kind: str = "") -> bool:
    """Put a payload into the spool of the working directory; return whether a place took it."""
    name = f"{call.at_ms:013d}-{os.getpid()}-{os.urandom(6).hex()}.evt"
    content = header(call, len(payload), cut=cut, kind=kind) + payload
    origin = origin_of(call.cwd, call.project)
    try:
        _write(os.path.join(spool_root(os.environ), encode_name(origin)), origin, name, content)
        return True
    except OSError:
        pass
    # Every home of this user has the same fallback: what lies there says whose it is.
    data = data_root(os.environ)
    content = header(call, len(payload), cut=cut, kind=kind, data=data) + payload
    origin = origin_of(call.cwd, call.project, data)
    for root in fallback_spool_roots(os.environ, os.getuid()):
        try:
            _check_private(root)
            _write(os.path.join(root, encode_name(origin)), origin, name, content)
            return True
        except OSError:
            pass
    return False


def is_excluded(call: Caller) -> bool:
    """Tell whether the user wants nothing of this directory, or of its project, to be captured."""
    root = spool_root(os.environ)
    lines = _read_lines(os.path.join(root, "excluded"))
    if not lines:
        return False
    named = call.project
    if not named:
        # Whose the directory is, as the last drain settled it.
        noted = _read_lines(os.path.join(root, encode_name(call.cwd), "store"))
        named = noted[1] if len(noted) > 1 else ""
    return is_excluded_by(lines, call.cwd, named)


def _read_lines(path: str) -> list[str]:
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return []
    try:
        return os.fsdecode(os.read(file, _NOTE_BYTES_MAX)).split("\n")
    except OSError:
        return []
    finally:
        os.close(file)


def header(call: Caller, size: int, *, cut: bool, kind: str, data: str = "") -> bytes:
    """Return the first line of a file, as `capture.spool_record` reads it."""
    mark = b',"kind":' + quote(kind) if kind else b""
    if call.branch:
        mark += b',"branch":' + quote(call.branch)
    if call.project:
        mark += b',"project":' + quote(call.project)
    if data:
        mark += b',"data":' + quote(data)
    return b'{"v":1,"harness":%b,"at":%d,"cwd":%b,"agent":%b,"bytes":%d,"cut":%b%b}\n' % (
        quote(call.harness),
        call.at_ms,
        quote(call.cwd),
        b"null" if call.is_role_open else quote(call.agent),
        size,
        b"true" if cut else b"false",
        mark,
    )


def quote(text: str) -> bytes:
    """Return a text as JSON; what is no text in a file name becomes an escape."""
    return b'"%b"' % text.translate(_ESCAPES).encode("utf-8", "backslashreplace")


def _write(folder: str, origin: str, name: str, content: bytes) -> None:
    """Write one file into `new/`, all of it or nothing.

    Raises: OSError.
    """
    try:
        tmp, new = _open_folder(folder)
    except FileNotFoundError:
        _make(folder, origin)
        tmp, new = _open_folder(folder)
    file = os.open(name, _FILE, 0o600, dir_fd=tmp)
    place = tmp
    try:
        _write_all(file, content)
        _passing()
        os.rename(name, name, src_dir_fd=tmp, dst_dir_fd=new)
        place = new
        os.fsync(file)
    except BaseException:
        os.unlink(name, dir_fd=place)
        raise
    finally:
        os.close(file)


def _open_folder(folder: str) -> tuple[int, int]:
    """Return `tmp/` and `new/`; they are closed when the hook ends, which is at once."""
    root = os.open(folder, _FOLDER)
    try:
        return os.open("tmp", _FOLDER, dir_fd=root), os.open("new", _FOLDER, dir_fd=root)
    finally:
        os.close(root)


def _make(folder: str, origin: str) -> None:
    """Make a spool folder, private to its user; `new/` comes last and shows that it is complete."""
    spools = os.path.dirname(folder)
    os.makedirs(os.path.dirname(os.path.dirname(spools)), 0o700, exist_ok=True)
    for path in (os.path.dirname(spools), spools, folder, os.path.join(folder, "tmp")):
        _make_folder(path)
    draft = os.path.join(folder, "tmp", f"directory-{os.getpid()}-{os.urandom(6).hex()}")
    file = os.open(draft, _FILE, 0o600)
    try:
        _write_all(file, os.fsencode(origin))
        os.fsync(file)
        os.rename(draft, os.path.join(folder, "directory"))
    except BaseException:
        os.unlink(draft)
        raise
    finally:
        os.close(file)
    _make_folder(os.path.join(folder, "new"))


def _make_folder(path: str) -> None:
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        pass


def _write_all(file: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(file, rest) :]


def _check_private(root: str) -> None:
    """Make the folder in the system's temporary directory, or see that it is ours alone.

    Raises: OSError.
    """
    _make_folder(root)
    status = os.lstat(root)
    is_folder = status.st_mode & 0o170000 == 0o040000
    if not is_folder or status.st_uid != os.getuid() or status.st_mode & 0o077:
        raise PermissionError(root)


def _passing() -> None:
    """Let the fault suite strike here; nobody else has that module loaded."""
    crash = sys.modules.get("agentx.host.crash")
    if crash is not None:
        crash.passing(crash.CrashPoint.SPOOL_TEMP_WRITTEN)
