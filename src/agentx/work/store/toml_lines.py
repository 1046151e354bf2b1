"""On which line of a TOML file a field stands: the parser does not say.

Meant for text that the parser has accepted. It follows strings and brackets only as
far as needed to know where a line begins a field, and which table it belongs to.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentx.kernel.text import compile_late

Lines = dict[tuple[int, str], int]  # (number of the table, field) -> line, from 1
TOP = -1  # what stands before the first table; its field "" is the file's first line

_TABLE = compile_late(r"\s*\[\[\s*([A-Za-z0-9_-]+)\s*\]\]")
_FIELD = compile_late(r"\s*(?:\"([^\"]*)\"|'([^']*)'|([A-Za-z0-9_-]+))\s*=")
_LONG_QUOTES = ('"""', "'''")
_TOKEN = compile_late(r"\"\"\"|'''|\"(?:\\.|[^\"\\\n])*\"|'[^'\n]*'|#[^\n]*|[\[\]{}]|\n")


def field_lines(text: str, table: str) -> Lines:
    """Return the line of every field, of the file and of each `[[table]]`; "" is the table itself.

    Tables of other names count as fields of the file.
    """
    found: Lines = {(TOP, ""): 1}
    number = TOP
    for line, start in _line_starts(text):
        header = _TABLE.match(start)
        if header is not None and header[1] == table:
            number += 1
            found[number, ""] = line
            continue
        if start.lstrip().startswith("["):
            name = start.strip().strip("[]").split(".")[0].strip()
            found.setdefault((TOP, name), line)
            continue
        field = _FIELD.match(start)
        if field is not None:
            found.setdefault((number, field[1] or field[2] or field[3] or ""), line)
    return found


def _line_starts(text: str) -> Iterator[tuple[int, str]]:
    """Yield each line that begins outside every string and bracket, with its number."""
    lines = text.split("\n")
    yield 1, lines[0]
    depth, line, position = 0, 1, 0
    while (token := _TOKEN.search(text, position)) is not None:
        said, position = token[0], token.end()
        if said == "\n":
            line += 1
            if depth == 0:
                yield line, lines[line - 1]
        elif said in _LONG_QUOTES:
            end = text.find(said, position)
            closed = len(text) if end < 0 else end + len(said)
            line += text.count("\n", position, closed)
            position = closed
        elif said in "[{":
            depth += 1
        elif said in "]}":
            depth = max(depth - 1, 0)
