"""Names, places and ages that the hook computes too: it has no time for `pathlib`.

What a hook captured goes to the user's data folder. When that cannot be written (a full
disk, a read-only home) a folder under the system's temporary directory takes its part;
whoever drains the spool reads all of them.

A text that is prepared beforehand holds the times of its lines; whoever prints it says how old
they are by then.
"""

# ruff: noqa: PTH114, PTH116, PTH117, PTH118

import os
import os.path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_NAME_BYTES_MAX = 200
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
_MARK = "\x1f"  # around the minutes of a time; no text that is told has one
_MINUTE_MS = 60_000
_UNITS = ((1_440 * _MINUTE_MS, "d"), (60 * _MINUTE_MS, "h"), (_MINUTE_MS, "min"))
_VERSION_CHARS_MAX = 100
_NO = ("", "0", "false", "no", "off")
ROLE_ALIASES = {"pm": "product-manager", "ux": "ux-designer", "devops": "devops-engineer"}
OPEN_ROLE = "?"  # noted where a role is to be found out anew
MARKER_NAME = "agentx.json"  # where git keeps what all worktrees share
NO_ROLE = "none"  # said where a session is to play no role, whatever is set elsewhere
_TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108  the folder beneath is private and checked
DIGESTS_STAMP = "questions.stamp"  # beside digests: what was asked when they were made
NOTICES_STAMP = "notices.stamp"  # the same of the notices, which are made more often
SETTINGS_STAMP = "settings.stamp"  # beside digests: how the settings were by which they were made
_QUESTION_FILES_MAX = 2_000
_NOTHING = "0:"  # all that is said where no file is there


def age(then_ms: int, *, now_ms: int) -> str:
    """Say how long ago something was, in two or three characters and a unit."""
    passed = now_ms - then_ms
    # The clocks of two machines, and of two lines of one program, are never quite the same.
    if passed < -_MINUTE_MS:
        return "in the future"
    for unit_ms, name in _UNITS:
        if passed >= unit_ms:
            return f"{passed // unit_ms} {name} ago"
    return "just now"


def stamp_time(at_ms: int) -> str:
    """Return what stands for the age of something in a text that is printed later.

    It is as long as a date, so that what fits now will fit then.
    """
    return f"{_MARK}{at_ms // _MINUTE_MS}{_MARK}"


def tell_ages(text: str, now_ms: int) -> str:
    """Return a prepared text with the ages that its times have now."""
    parts = text.split(_MARK)
    if len(parts) % 2 == 0:
        return text.replace(_MARK, "")  # not as it was prepared
    for at in range(1, len(parts), 2):
        if parts[at].isdecimal():
            said = age(int(parts[at][:12]) * _MINUTE_MS, now_ms=now_ms)
            parts[at] = said.removesuffix(" ago")
    return "".join(parts)


def is_no(said: str) -> bool:
    """Tell whether a variable of the environment says no: empty counts as that."""
    return said.strip().lower() in _NO


def is_older(version: str, than: str) -> bool:
    """Tell whether a version comes before another; one that cannot be read comes before none."""
    one, other = _numbers(version), _numbers(than)
    return bool(one) and one < other


def _numbers(version: str) -> list[int]:
    """Return the numbers that a version begins with; of `1.2rc3` those are 1 and 2."""
    found: list[int] = []
    for part in version[:_VERSION_CHARS_MAX].split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        found.append(int(digits))
        if digits != part:
            break
    return found


# Said to what an agent in an editor runs: by VS Code, and by who keeps to the same words.
SAID_TO_AGENTS = ("AI_AGENT", "COPILOT_AGENT", "VSCODE_AGENT")


def settle_role_name(said: str) -> str:
    """Return the one name of a role, whichever way it is written; nothing where nothing is said."""
    plain = said.strip().lower().replace(" ", "-").replace("_", "-")
    return ROLE_ALIASES.get(plain, plain)


def role_note(data: str, harness: str, session: str) -> str:
    """Return where it stands which role was set for one session."""
    return os.path.join(data, "roles", encode_name(f"{harness}+{session}"))


def encode_name(name: str) -> str:
    """Return a file name that stands for any text, the same one every time.

    Letters, digits, `.`, `_` and `-` stay; the rest is `%XX`. A leading dot is encoded, so that
    neither `..` nor a hidden file can come out. A long name ends in a hash.
    """
    raw = name.encode("utf-8", "surrogateescape")
    text = "".join([chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in raw])
    if text.startswith("."):
        text = "%2E" + text[1:]
    if len(text) <= _NAME_BYTES_MAX:
        return text or "%"
    from hashlib import blake2b  # noqa: PLC0415  only long names need it, and it is slow to import

    return text[: _NAME_BYTES_MAX - 33] + "~" + blake2b(raw, digest_size=16).hexdigest()


def origin_of(directory: str, project: str = "", data: str = "") -> str:
    """Return what a spool folder stands for, as its note says and its name encodes it.

    That is the working directory; after a NUL the project that `MEMORY_PROJECT_ID` named, and after
    another the data folder that could not be written, where one of the two is to be told.
    """
    return f"{directory}\0{project}\0{data}".rstrip("\0")


def is_excluded_by(lines: "Iterable[str]", directory: str, project: str) -> bool:
    """Tell whether a list of folders and projects names a directory, one above it, or a project."""
    for line in lines:
        if line.startswith("/"):
            if directory == line or directory.startswith(line.rstrip("/") + "/"):
                return True
        elif line and line == project:
            return True
    return False


def data_root(environ: "Mapping[str, str]") -> str:
    """Return `$XDG_DATA_HOME/agent-memory`, or its place in the home directory."""
    data_home = environ.get("XDG_DATA_HOME", "")
    if not os.path.isabs(data_home):
        data_home = os.path.join(home_folder(environ), ".local", "share")
    return os.path.join(data_home, "agent-memory")


def home_folder(environ: "Mapping[str, str]") -> str:
    """Return the user's home; `HOME` counts if it does not depend on where one is."""
    home = environ.get("HOME", "")
    if not os.path.isabs(home):
        import pwd  # noqa: PLC0415  hardly anybody is without

        try:
            home = pwd.getpwuid(os.getuid()).pw_dir
        except KeyError:
            home = ""
    # Where nobody knows it is no folder, so that nothing is made anywhere.
    return home if os.path.isabs(home) else os.devnull


def spool_root(environ: "Mapping[str, str]") -> str:
    """Return the folder of all spool folders."""
    return os.path.join(data_root(environ), "spool")


def fallback_spool_roots(environ: "Mapping[str, str]", uid: int) -> tuple[str, ...]:
    """Return the folders that stand in for `spool_root`, in the order in which they are tried.

    What everybody knows comes first: whoever drains may have another `TMPDIR` than the hook had.
    """
    given = environ.get("AGENTX_SPARE_SPOOL", "")
    if os.path.isabs(given):
        return (os.path.normpath(given),)
    chosen = environ.get("TMPDIR", "")
    places = (*_TEMPORARY, chosen) if os.path.isabs(chosen) else _TEMPORARY
    return tuple(
        dict.fromkeys(
            os.path.join(os.path.normpath(place), f"agentx-spool-{uid}") for place in places
        )
    )


def stamp_questions(root: str, *keys: str) -> bytes:
    """Return how the questions of a repository are, and the files that say whose words count.

    By the files alone, whoever wrote them; nothing where nobody said anything.
    """
    seen = _look(root, keys)
    places = map(os.fsencode, (root, *keys))
    return b"\0".join((seen.encode(), *places)) if seen.strip(_NOTHING) else b""


def find_change(stamp: bytes, root: str) -> str:
    """Return how questions are now, if that is not as a stamp says; nothing where it is.

    Without a stamp that can be read: where anything was asked, in the repository at `root`.
    """
    noted, *places = stamp.split(b"\0")
    if not places:
        seen = _look(root, ())
        return seen if seen.strip(_NOTHING) else ""
    looked_at, *keys = map(os.fsdecode, places)
    seen = _look(looked_at, keys)
    return "" if seen.encode() == noted else seen


def stamp_files(*paths: str) -> bytes:
    """Return how some files of the user are, wherever a link leads, and which they are."""
    return b"\0".join((":".join(map(_look_behind, paths)).encode(), *map(os.fsencode, paths)))


def are_changed(stamp: bytes) -> bool:
    """Tell whether files are not as a stamp says; without a stamp nobody knows of any."""
    places = stamp.split(b"\0")[1:]
    return bool(places) and stamp != stamp_files(*map(os.fsdecode, places))


def _look(root: str, keys: "Iterable[str]") -> str:
    return ":".join((*map(str, _look_at_questions(root)), *map(_look_at, keys)))


def _look_at_questions(root: str) -> tuple[int, int]:
    """Return how many files of questions there are, and when the newest was written."""
    own = os.path.join(root, ".agentx")
    asked = os.path.join(own, "questions")
    newest = count = 0
    if os.path.islink(own) or os.path.islink(asked):
        return count, newest
    try:
        for folder in _list_some(asked):
            if not folder.name.isdigit() or not folder.is_dir(follow_symlinks=False):
                continue
            for file in _list_some(folder.path):
                newest = max(newest, file.stat(follow_symlinks=False).st_mtime_ns)
                count += 1
            if count >= _QUESTION_FILES_MAX:
                break
    except OSError:
        pass
    return count, newest


def _look_at(path: str) -> str:
    return _look_behind(path, follow=False)


def _look_behind(path: str, *, follow: bool = True) -> str:
    try:
        found = os.stat(path, follow_symlinks=follow)
    except (OSError, ValueError):
        return ""
    return f"{found.st_size}.{found.st_mtime_ns}"


def _list_some(folder: str) -> "list[os.DirEntry[str]]":
    with os.scandir(folder) as entries:
        return [entry for _, entry in zip(range(_QUESTION_FILES_MAX), entries, strict=False)]
