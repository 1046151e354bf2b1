"""Reading, listing, searching, editing and creating files, for a model.

What it is shown is without secrets; what it writes may hold no mark of a secret that was taken out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentx.agents.loop.limits import (
    LOOP_FILES_WALKED_MAX,
    LOOP_FOUND_MAX,
    LOOP_LINES_SHOWN_MAX,
    LOOP_LISTED_MAX,
    LOOP_SEARCH_MS_MAX,
)
from agentx.agents.loop.port import ToolOutcome
from agentx.agents.loop.store.workspace import Workspace
from agentx.agents.loop.tools import specs
from agentx.agents.loop.tools.paths import (
    SKIPPED,
    check_path,
    is_installed,
    is_kept_away,
    makes_repository,
)
from agentx.kernel.clock import Clock
from agentx.kernel.errors import InvalidValue
from agentx.kernel.text import cut, preview
from agentx.redaction.redact import redact

_LINE_CHARS_MAX = 2_000
_LOOKED_AT_BYTES = 8_000  # a text has no NUL in them
_MARK = "[REDACTED:"

Arguments = dict[str, Any]


class FileWork:
    """The tools that work on files of one folder."""

    def __init__(self, workspace: Workspace, clock: Clock) -> None:
        self._space = workspace
        self._clock = clock
        self.tools: dict[str, Callable[[Arguments], ToolOutcome]] = {
            specs.READ: self._read,
            specs.LIST: self._list,
            specs.SEARCH: self._search,
            specs.EDIT: self._edit,
            specs.CREATE: self._create,
        }

    def _read(self, given: Arguments) -> ToolOutcome:
        names = check_path(given["path"])
        text = self._text(names)
        lines = redact(text).splitlines()
        first = max(int(given.get("first_line", 1)), 1)
        count = min(max(int(given.get("lines", LOOP_LINES_SHOWN_MAX)), 1), LOOP_LINES_SHOWN_MAX)
        shown = lines[first - 1 : first - 1 + count]
        told = [f"{first + at}\t{cut(line, _LINE_CHARS_MAX)}" for at, line in enumerate(shown)]
        rest = len(lines) - (first - 1 + len(shown))
        if not lines:
            told.append("(the file is empty)")
        elif not shown:
            told.append(f"(the file has {len(lines)} lines)")
        elif rest > 0:
            told.append(f"({rest} more lines: first_line={first + len(shown)})")
        return ToolOutcome(text="\n".join(told), brief=f"{_say(names)}: {_lines(len(shown))}")

    def _list(self, given: Arguments) -> ToolOutcome:
        names = check_path(given["path"])
        if not self._space.is_folder(names):
            raise InvalidValue(f"{_say(names)} is no folder")
        rows = list(self._find_deep(names) if given.get("deep") else self._find_here(names))
        told = rows[:LOOP_LISTED_MAX]
        if len(rows) > LOOP_LISTED_MAX:
            told.append("(there is more: list a folder below)")
        told = told or ["(nothing lies there)"]
        return ToolOutcome(text="\n".join(told), brief=f"{_say(names)}: {_names(len(rows))}")

    def _find_here(self, names: tuple[str, ...]) -> list[str]:
        found = self._space.list(names)
        folders = [f"{name}/" for name in found.folders]
        odd = [f"{name} (a link or no plain file: not opened)" for name in found.refused]
        return [*folders, *found.files, *odd]

    def _find_deep(self, names: tuple[str, ...]) -> list[str]:
        found: list[str] = []
        for path in self._space.walk(names, lambda name: name in SKIPPED):
            found.append("/".join(path))
            if len(found) > LOOP_LISTED_MAX:
                break
        return found

    def _search(self, given: Arguments) -> ToolOutcome:
        wanted, folds = str(given["text"]), bool(given.get("ignore_case"))
        if not wanted.strip() or "\n" in wanted:
            raise InvalidValue("a search is for a text in one line")
        names = check_path(given.get("path") or ".")
        until_ms = self._clock.now_ms() + LOOP_SEARCH_MS_MAX
        found: list[str] = []
        why = ""
        paths = self._space.walk(names, lambda name: name in SKIPPED)
        for count, path in enumerate(paths if self._space.is_folder(names) else (names,)):
            if len(found) >= LOOP_FOUND_MAX:
                why = "there is more: search below a folder, or for more words"
            elif count >= LOOP_FILES_WALKED_MAX or self._clock.now_ms() > until_ms:
                why = f"{count} files were searched, and not all: search below a folder"
            if why:
                break
            found += self._find_in(path, wanted, folds=folds)
        told = found[:LOOP_FOUND_MAX] or ["(found nowhere)"]
        text = "\n".join((*told, f"({why})") if why else told)
        return ToolOutcome(text=text, brief=f"{preview(wanted, 40)!r}: {len(told) if found else 0}")

    def _find_in(self, path: tuple[str, ...], wanted: str, *, folds: bool) -> list[str]:
        if any(map(is_kept_away, path)):
            return []
        try:
            raw = self._space.read(path, is_installed=is_installed(path))
        except OSError:
            return []  # too large, gone, or no plain file
        if b"\0" in raw[:_LOOKED_AT_BYTES]:
            return []
        text, sought = raw.decode("utf-8", "replace"), wanted
        if folds:
            sought = wanted.casefold()
        if sought not in (text.casefold() if folds else text):
            return []
        name = "/".join(path)
        return [
            f"{name}:{number}: {cut(line.strip(), 300)}"
            for number, line in enumerate(redact(text).splitlines(), start=1)
            if sought in (line.casefold() if folds else line)
        ]

    def _edit(self, given: Arguments) -> ToolOutcome:
        names = self._check_written(given["path"])
        old, new = str(given["old_text"]), str(given["new_text"])
        if not old:
            raise InvalidValue("the old text is empty", hint=f"a new file: {specs.CREATE}")
        if old == new:
            raise InvalidValue("the old text and the new one are the same")
        text = self._text(names)
        if "\r\n" in text and "\r" not in old:
            old, new = old.replace("\n", "\r\n"), new.replace("\n", "\r\n")
        count = text.count(old)
        if count != 1:
            raise InvalidValue(
                f"{_say(names)}: the old text stands there {_times(count)}",
                hint=_mend(old, count),
            )
        after = text.replace(old, new, 1)
        _check_marks(text, after)
        self._space.write(names, after.encode("utf-8"))
        return _tell_change(names, "edited", f"{_lines(old.count(chr(10)) + 1)} replaced")

    def _create(self, given: Arguments) -> ToolOutcome:
        names = self._check_written(given["path"])
        content = str(given["content"])
        if self._space.exists(names):
            raise InvalidValue(f"{_say(names)} is there already", hint=f"change it: {specs.EDIT}")
        _check_marks("", content)
        self._space.write(names, content.encode("utf-8"))
        return _tell_change(names, "created", _lines(len(content.splitlines())))

    def _check_written(self, path: str) -> tuple[str, ...]:
        """Return the names of a path that may be written.

        Raises: InvalidValue, UnsafePath, OSError.
        """
        names = check_path(path, writes=True)
        if makes_repository(names, self._space.names_in):
            raise InvalidValue(
                f"{_say(names)}: its folder is, or would be, a repository of git's own",
                hint="git runs what stands in the settings of one: a person makes it",
            )
        return names

    def _text(self, names: tuple[str, ...]) -> str:
        """Return the text of a file.

        Raises: InvalidValue for what is none, UnsafePath.
        """
        if not names or self._space.is_folder(names):
            raise InvalidValue(f"{_say(names)} is a folder", hint=f"look into it: {specs.LIST}")
        try:
            raw = self._space.read(names, is_installed=is_installed(names))
        except FileNotFoundError:
            raise InvalidValue(f"{_say(names)} is not there", hint=f"look: {specs.LIST}") from None
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            raise InvalidValue(f"{_say(names)} is no UTF-8 text") from None
        if "\0" in text[:_LOOKED_AT_BYTES]:
            raise InvalidValue(f"{_say(names)} is no text")
        return text


def _check_marks(before: str, after: str) -> None:
    if after.count(_MARK) > before.count(_MARK):
        raise InvalidValue(
            f"the new text holds {_MARK}...], which stands in the place of a secret",
            hint="leave what holds the secret as it is, and edit around it",
        )


def _tell_change(names: tuple[str, ...], verb: str, what: str) -> ToolOutcome:
    path = "/".join(names)
    return ToolOutcome(
        text=f"{verb} {path}: {what}",
        brief=f"{path}: {what}",
        changed=(path,),
        has_changed=True,
    )


def _mend(old: str, count: int) -> str:
    if count:
        return "give more of what is around it, so that it stands there once"
    if _MARK in old:
        return "a secret was taken out of what you were shown: leave its line out of the old text"
    return "read the file again: every character counts, the indentation too"


def _say(names: tuple[str, ...]) -> str:
    return preview("/".join(names), 200) or "."


def _times(count: int) -> str:
    return f"{count} times" if count else "nowhere"


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"


def _names(count: int) -> str:
    return "1 name" if count == 1 else f"{count} names"
