"""What is told at an action: commands that failed here, and files with a decision or a trap.

Prepared for hooks, as digests are: a file of at most 64 KB, a caution a line, the best first.

    command       what a command begins with that does not work here
    command-cut   the same, of a command that was too long to be kept whole
    failure       the program that failed, a blank, and a piece of what it printed
    file          a file, relative to the root of the repository

A check that fails has done its work, so nothing is said before one is run: only what came of it
is told when it fails like that again. And a line that is told of a file names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from posixpath import basename

from agentx.adapters.hook_actions import JOINT, join_commands
from agentx.exchanges.commands import is_routine, only_looks
from agentx.kernel.text import compile_late
from agentx.kernel.tokens import estimate
from agentx.kernel.values import frozen
from agentx.observations.model import Category
from agentx.prose.sentences import ELLIPSIS
from agentx.recall.section.kinds import Kind
from agentx.recall.section.learnt import WeighedMemory, value_line, weigh
from agentx.recall.section.moment import Present
from agentx.recall.section.render import say_line
from agentx.recall.telling.bar import Bar

CAUTIONS_BYTES_MAX = 65_536
CAUTIONS_LOOKED_AT = 1_000

_COMMAND = compile_late(r"`([^`]+)` failed\b[^:]{0,130}: (.+)")
_WORKED = compile_late(r"; `[^`]+` worked")
_WAY_OUT = compile_late(r"; `[^`]+` worked|\b(?:Fixed by|Cause|Root cause): ")
_ERROR_ENDS = compile_late(r"; (?:Cause|Fixed by|Not seen|It passed|`)|\n")
# What is the same in every way in which JSON may be written.
_PLAIN_RUN = compile_late(r"[ !#-\[\]-~]+")
_FRAGMENT_CHARS_MIN, _FRAGMENT_CHARS_MAX = 20, 80
_FRAGMENT_WORDS_MIN = 3
_SAYS_ONLY_THAT = compile_late(r"exit(?:ed)?(?: with)?(?: status| code)\b", re.IGNORECASE)
_COMMAND_CHARS_MIN = 3
_FILES_MAX = 4  # what speaks of more is about none of them
_OF_FILE = (Kind.DECISION, Kind.PREFERENCE, Kind.ERROR)
_TABS = 4
_PLANNED = "The user approved a plan:"


@frozen
class Caution:
    """A line, and the action at which it is told."""

    kind: str
    key: str
    session: str  # that it was learnt in: to that one it is no news
    doc_id: str
    text: str

    def row(self) -> str:
        """Return it as hooks read it."""
        return f"{self.kind}\t{self.key}\t{self.session}\t{self.doc_id}\t{self.text}"


def prepare_cautions(memories: Iterable[WeighedMemory], now: Present, bar: Bar) -> str:
    """Return what hooks look actions up in; empty where nothing is to be told."""
    rows: list[str] = []
    room = CAUTIONS_BYTES_MAX
    for caution in find_cautions(memories, now, bar):
        row = caution.row()
        size = len(row.encode("utf-8", "replace")) + 1
        if size <= room and row.count("\t") == _TABS and "\n" not in row:
            rows.append(row)
            room -= size
    return "".join(f"{row}\n" for row in rows)


def find_cautions(memories: Iterable[WeighedMemory], now: Present, bar: Bar) -> Iterator[Caution]:
    """Yield what is told at an action, the most worthy first."""
    given = {one.observation.id: one for one in memories if _stands(one)}
    told = weigh(tuple(given.values()))
    for one in sorted(told, key=lambda each: -each.worth):
        observed = given[one.doc_id].observation
        if value_line(one.kind, one.text) < bar.worth or one.text.rstrip(".").endswith(ELLIPSIS):
            continue
        line = now.line(
            group=one.kind,
            text=one.text,
            doc_id=one.doc_id,
            at_ms=one.at_ms,
            source=one.author,
            tokens=estimate(one.text),
        )
        keys = [*_of_command(observed.content)] if observed.category is Category.ERROR else []
        if bar.tells_of_files and one.kind in _OF_FILE:
            keys += _of_files(one.text, observed.files)
        for kind, key in keys:
            yield Caution(
                kind=kind, key=key, session=one.session, doc_id=one.told_as, text=say_line(line)
            )


def _stands(one: WeighedMemory) -> bool:
    return not (one.observation.superseded_by or one.mark)


def _of_command(content: str) -> Iterator[tuple[str, str]]:
    """Yield the actions at which an error is worth its line."""
    found = _COMMAND.match(content)
    if found is None:
        return
    command, rest = found.groups()
    joined = join_commands(command.removesuffix(ELLIPSIS)).removesuffix(JOINT).removeprefix(JOINT)
    if len(joined) < _COMMAND_CHARS_MIN or "\t" in joined:
        return
    has_way_out = _WAY_OUT.search(content) is not None
    is_check = is_routine(command) or only_looks(command)
    if _WORKED.search(content) or (has_way_out and not is_check):
        yield ("command-cut" if command.endswith(ELLIPSIS) else "command"), joined
    fragment = _find_fragment(_ERROR_ENDS.split(rest, maxsplit=1)[0])
    if has_way_out and fragment:
        yield "failure", f"{joined.split(' ', 1)[0]} {fragment}"


def _find_fragment(error: str) -> str:
    """Return the longest piece of what was printed that is found again however it is quoted."""
    pieces = [piece.strip() for piece in _PLAIN_RUN.findall(error)]
    best = max(pieces, key=len, default="")[:_FRAGMENT_CHARS_MAX].strip()
    is_telling = len(best) >= _FRAGMENT_CHARS_MIN and len(best.split()) >= _FRAGMENT_WORDS_MIN
    return best if is_telling and not _SAYS_ONLY_THAT.search(best) else ""


def _of_files(text: str, files: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield the files that a line names and is about."""
    if len(files) > _FILES_MAX or text.startswith(_PLANNED):
        return
    for path in files:
        if basename(path) in text and "\t" not in path and "\n" not in path:
            yield "file", path
