"""What is longer than a screen goes through a pager, as git does it.

`AGENTX_PAGER`, else `PAGER`, else `less`; nothing or `cat` means none. A pager is asked only where
a person looks: never for a program, a pipe or a file. What it is given is made to be read: colours
are all that is left of what a terminal would obey.
"""

from __future__ import annotations

from collections.abc import Mapping

from agentx.surfaces.cli.screen import write_drawn

_DEFAULT = "less"
_NONE = frozenset({"", "cat"})
# As git has it: leave when it fits one screen, show colours, leave the screen as it is.
_LESS = "FRX"


def find_pager(variables: Mapping[str, str]) -> list[str]:
    """Return the program that pages and its arguments; nothing where none is wanted."""
    from shlex import split

    said = variables.get("AGENTX_PAGER", variables.get("PAGER", _DEFAULT)).strip()
    if said in _NONE or variables.get("TERM", "") in ("", "dumb"):
        return []
    try:
        words = split(said)
    except ValueError:
        return []  # quotes that do not end: no program is named so
    if words and words[0].rpartition("/")[2] == "less" and "LESS" in variables:
        words.append("-R")  # whoever set LESS may have meant files without colours
    return words


def page(words: str, variables: Mapping[str, str], lines_max: int) -> None:
    """Write words to the terminal: at once if they fit it, else page by page."""
    pager = find_pager(variables) if words.count("\n") >= lines_max else []
    if not pager or not _run_pager(pager, words, variables):
        write_drawn(words)


def _run_pager(pager: list[str], words: str, variables: Mapping[str, str]) -> bool:
    """Let a pager show words; tell whether it could be run."""
    import subprocess

    environment = {"LESS": _LESS, "LESSCHARSET": "utf-8", **variables}
    try:
        running = subprocess.Popen(pager, stdin=subprocess.PIPE, env=environment)
    except OSError:
        return False
    assert running.stdin is not None, "a pipe was asked for"
    try:
        running.stdin.write(words.encode("utf-8", "replace"))
        running.stdin.close()
    except OSError:
        pass  # who reads has seen enough
    while True:
        try:
            running.wait()
        except KeyboardInterrupt:
            continue  # a key for the pager, which knows what it means
        return True
