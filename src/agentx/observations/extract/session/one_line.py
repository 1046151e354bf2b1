"""A finding on one line: what it teaches before how it was said, and no hash before that."""

from __future__ import annotations

from agentx.kernel.text import compile_late
from agentx.observations.labels import CAUSE, FIXED_BY, PASSED
from agentx.prose.passages import PASSAGE_CHARS_MAX
from agentx.prose.sentences import shorten

_TEACHES = (CAUSE, FIXED_BY, f"{PASSED}after ")  # rather told in part than not at all
_TAUGHT_CHARS = 130
_LONG_CHARS_MAX = 320
_ROOM_MIN = 60

_HASH = r"`?(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}`?"
_HASH_LEAD = compile_late(
    rf"\A(?:[Cc]ommit )?{_HASH}(?: \([^()\n]{{1,40}}\))?(?::| [-\u2013\u2014]+) (?=\S)"
)
_HASH_DOES = compile_late(rf"\A(?:[Cc]ommit )?{_HASH} [a-z]+s ")


def put_on_line(content: str, *, is_long: bool = False) -> str:
    """Return as many of the lines of a finding as fit on one.

    Why something went wrong, and what mended it, is worth more of it than how it was said.
    """
    rows = [" ".join(row.split()).removeprefix("- ") for row in content.split("\n") if row.strip()]
    taught = [row for row in rows[1:] if row.startswith(_TEACHES)]
    # Of several causes one; what mended it is never cut off by why it broke.
    kept = {row: min(len(row), _TAUGHT_CHARS) + 2 for row in (*taught[:1], *taught[-1:])}
    chars = _LONG_CHARS_MAX if kept else PASSAGE_CHARS_MAX
    room = _LONG_CHARS_MAX if is_long else chars - sum(kept.values())
    line = shorten(rows[0], room) if rows else ""
    for row in rows[1:]:
        kept.pop(row, 0)
        left = chars - sum(kept.values())
        joined = f"{line.rstrip('.;')}; {row}"
        if len(joined) <= left:
            line = joined
        elif row.startswith(_TEACHES) and len(line) <= left - _ROOM_MIN:
            lead = joined[: -len(row)]
            line = lead + shorten(row, left - len(lead))
    return line


def cut_hash(text: str) -> str:
    """Return what was said of a commit without its hash before it: "`3f9d2aa`: use DMA"."""
    found = _HASH_LEAD.match(text)
    if found is None:
        return text
    rest = text[found.end() :]
    return rest[:1].upper() + rest[1:]


def is_of_commit(text: str) -> bool:
    """Tell whether a sentence says of a commit what it does: "3f9d2aa puts ..."."""
    return _HASH_DOES.match(text) is not None
