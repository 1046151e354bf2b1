"""How words lie on a screen of some width: cells, lines, columns.

A continued line stands under the text it continues. What a person copies (an id, a name, a
command, a path) is never cut: where a row has no room for it, its text goes below; only a command
or a path that is longer than any line runs over the width, as one line for who copies it. Only
what is too long to be read in a list ends with an ellipsis. What goes into a pipe or a file has
no width: there nothing is wrapped and nothing is cut.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from agentx.kernel.text import compile_late, printable, whole_head

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.text import Text

# What a pipe is as wide as: nobody writes a line of a million cells.
CELLS_UNBOUND = 1_000_000

_GAP = 2
_FEW_WORDS = 6  # where there are more it is prose, whose margin no word of it moves
_TEXT_CELLS_MIN = 28  # less than that beside the facts, and a text stands below them
_ELLIPSIS = "\u2026"
_SELECTOR = "\ufe0f"
# Where emoji are and will be; Python knows only those of its own year.
_PICTURES = range(0x1F300, 0x1FB00)
_NO_WIDTH = frozenset({"Mn", "Me", "Cf"})
# Marks that do not begin a line, and those that do not end one, in texts without spaces.
_CLOSING = frozenset(
    "\u3001\u3002\uff0c\uff0e\uff01\uff1f\uff1a\uff1b\u300d\u300f\u3011\uff09\u30fc\u2026"
)
_OPENING = frozenset("\u300c\u300e\u3010\uff08")


def measure(text: str) -> int:
    """Return how many cells of a screen a text takes, at most."""
    if text.isascii():
        return len(text)
    return sum(map(_measure_char, text))


def _measure_char(char: str) -> int:
    if char.isascii():
        return 1
    if char == _SELECTOR:
        return 1  # it makes a sign an emoji, which takes two cells
    if unicodedata.category(char) in _NO_WIDTH:
        return 0
    wide = unicodedata.east_asian_width(char) in ("W", "F") or ord(char) in _PICTURES
    return 2 if wide else 1


def flatten(text: str) -> str:
    """Return a text as one line that cannot do more than be read."""
    return " ".join(printable(text).split())


def shorten_home(path: str, home: str) -> str:
    """Return a path as people write it, with `~` for their home."""
    return "~" + path[len(home) :] if home and path.startswith(home.rstrip("/") + "/") else path


def shorten(text: str, cells: int) -> str:
    """Return as much of a line as fits, with an ellipsis where something is missing."""
    if measure(text) <= cells:
        return text
    end = _find_fold(text, 0, max(cells - 1, 0))
    return text[:end].rstrip() + _ELLIPSIS if cells > 0 else ""


def wrap(text: str, first: int, rest: int, *, lines_max: int = 0) -> list[tuple[int, int]]:
    """Return from where to where each line of a text goes: the first may be shorter than others.

    A line ends at a space, beside a wide character, or, where a word is longer than a line,
    inside it. Spaces at the end of a line belong to none. One line more than `lines_max` is
    looked for, so that one sees that there are more.
    """
    lines: list[tuple[int, int]] = []
    at, room, whole = 0, max(first, 2), max(rest, 2)
    while at < len(text) and (not lines_max or len(lines) <= lines_max):
        end = _find_break(text, at, room, whole=whole)
        lines.append((at, at + len(text[at:end].rstrip(" "))))
        at = end
        while at < len(text) and text[at] == " ":
            at += 1
        room = whole
    return lines or [(0, 0)]


# They stand for what is no place to break at, in what is copied as one.
_JOINED, _JOINED_WIDE = "_", "\uff3f"


def wrap_around(text: str, first: int, rest: int, *, quoted: int = 0) -> list[tuple[int, int]]:
    """Return the lines of a text like `wrap`, none of which ends inside what is copied as one.

    What is longer than a line stands on one of its own. The first `quoted` characters are somebody
    else's words: what looks like a command in them is offered by nobody.
    """
    from agentx.surfaces.cli.copied import find_copied  # only a screen has a width

    found = find_copied(text[quoted:])
    copied = [(start + quoted, end + quoted) for start, end in found]
    if not copied:
        return wrap(text, first, rest)
    joined = _join(text, copied)
    lines: list[tuple[int, int]] = []
    at = 0
    for start, end in _list_too_long(joined, copied, rest):
        room = rest if lines else first
        before = wrap(joined[at:start].rstrip(" "), room, rest) if joined[at:start].strip() else []
        lines += [(at + begins, at + ends) for begins, ends in before]
        lines.append((start, end))
        at = end + len(joined[end:]) - len(joined[end:].lstrip(" "))
    if at < len(text):
        after = wrap(joined[at:], rest if lines else first, rest)
        lines += [(at + begins, at + ends) for begins, ends in after]
    return lines


def _join(text: str, copied: Sequence[tuple[int, int]]) -> str:
    """Return a text in which no line can end inside what is copied."""
    made, at = [], 0
    for start, end in copied:
        one = text[start:end].replace(" ", _JOINED)
        if not one.isascii():
            one = "".join(_JOINED_WIDE if _measure_char(char) == 2 else char for char in one)
        made += [text[at:start], one]
        at = end
    return "".join(made) + text[at:]


def _list_too_long(
    joined: str, copied: Iterable[tuple[int, int]], room: int
) -> Iterator[tuple[int, int]]:
    """Yield from where to where words go that are copied as one and fill more than a line."""
    over = 0
    for begins, ends in copied:
        start = next((at for at in range(begins, over, -1) if _may_break(joined, at)), over)
        end = next(at for at in range(ends, len(joined) + 1) if _may_break(joined, at))
        if start < end and measure(joined[start:end]) > room:
            yield start, end
            over = end


def _find_fold(text: str, at: int, room: int) -> int:
    """Return where a text has to end that fills some cells, never inside what is seen as one."""
    cells, end = 0, at
    while end < len(text):
        cells += _measure_char(text[end])
        if cells > room:
            break
        end += 1
    kept = len(whole_head(text[at : end + 2], end - at))
    return at + kept if kept else end


def _find_break(text: str, at: int, room: int, *, whole: int) -> int:
    """Return where a line that begins somewhere best ends; where it begins, if on the next one."""
    fold = max(_find_fold(text, at, room), at + 1)
    if fold >= len(text):
        return len(text)
    end = next((place for place in range(fold, at, -1) if _may_break(text, place)), at)
    far = min(len(text), fold + whole + 1)
    word_end = next((place for place in range(fold, far) if _may_break(text, place)), far)
    fits_below = measure(text[end:word_end].lstrip(" ")) <= whole
    if end > at:
        # A word that is longer than any line is folded, unless it would only just begin here.
        return end if fits_below or room - measure(text[at:end]) <= whole // 3 else fold
    return at if room < whole and fits_below else fold


def _may_break(text: str, end: int) -> bool:
    if end >= len(text):
        return True
    before, after = text[end - 1], text[end]
    if " " in (before, after):
        return True
    if (before.isascii() and after.isascii()) or _JOINED_WIDE in (before, after):
        return False
    if after in _CLOSING or before in _OPENING or _measure_char(after) == 0:
        return False
    return _measure_char(before) == 2 or _measure_char(after) == 2


def lay(
    lead: Text, body: Text, width: int, *, lines_max: int = 0, indent: int = -1, quoted: int = 0
) -> list[Text]:
    """Return a text behind its lead, as lines; what is continued stands under its beginning.

    `indent` says where else it is continued; `lines_max` bounds the lines, 0 does not; `quoted` as
    in `wrap_around`.
    """
    from rich.text import Text  # as in `render`

    lead, body = Text().append_text(lead), _tame(body)  # the style of a lead is not its text's
    begins = measure(lead.plain)
    indent = begins if indent < 0 else indent
    if width >= CELLS_UNBOUND:
        return [lead.copy().append_text(body)]
    # A lead that takes half of the screen is no margin; nor one that leaves an id no room.
    words = body.plain.split(" ", _FEW_WORDS)
    longest = max(map(measure, words)) if len(words) <= _FEW_WORDS else 0
    indent = min(indent, max(width // 2, 2))
    if width - indent < longest <= width - _GAP:
        indent = width - longest
    if lines_max:
        spans = wrap(body.plain, width - begins, width - indent, lines_max=lines_max)
    else:
        spans = wrap_around(body.plain, width - begins, width - indent, quoted=quoted)
    laid = []
    for number, (start, end) in enumerate(spans):
        line = lead.copy() if number == 0 else Text(" " * indent)
        if lines_max and number == lines_max - 1 and number < len(spans) - 1:
            room = width - (begins if number == 0 else indent)
            rest = body[start:]
            kept = shorten(rest.plain, room)
            cut = rest[: len(kept) - 1]
            laid.append(line.append_text(cut).append(_ELLIPSIS))
            break
        laid.append(line.append_text(body[start:end]))
    for line in laid:
        line.rstrip()
    return laid


_MARGIN = compile_late(r"\s*(?:[-*\u2022] +|\d{1,3}[.)] +)?")


def fold(text: Text, width: int) -> list[Text]:
    """Return words of some lines so that each has room; what is continued keeps its margin."""
    from rich.text import Text  # as in `render`

    if width >= CELLS_UNBOUND:
        return list(text.split("\n", allow_blank=True))
    lines: list[Text] = []
    for line in text.split("\n", allow_blank=True):
        if measure(line.plain) <= width:
            lines.append(line)
            continue
        line.expand_tabs(8)
        begins = _MARGIN.match(line.plain).end()  # type: ignore[union-attr]  # it matches nothing too
        begins = min(begins, width // 2)
        spans = wrap_around(line.plain[begins:], width - begins, width - begins)
        lines += [
            (line[:begins] if number == 0 else Text(" " * begins))
            + line[begins + start : begins + end]
            for number, (start, end) in enumerate(spans)
        ]
    return lines


def fold_words(words: str, width: int) -> str:
    """Return plain words of some lines like `fold`, without what draws."""
    made = []
    for line in words.split("\n"):
        bare = line.expandtabs(8)
        if measure(bare) <= width:
            made.append(line)
            continue
        begins = min(_MARGIN.match(bare).end(), width // 2)  # type: ignore[union-attr]  # as above
        spans = wrap_around(bare[begins:], width - begins, width - begins)
        made += [
            (bare[:begins] if number == 0 else " " * begins) + bare[begins + start : begins + end]
            for number, (start, end) in enumerate(spans)
        ]
    return "\n".join(made)


def _tame(text: Text) -> Text:
    """Return a text as one line that can only be read; its styles stay where it was one."""
    from rich.text import Text  # as in `render`

    plain = text.plain
    if plain.isprintable() and printable(plain) == plain:
        return text
    return Text(flatten(plain), style=text.style)


class Grid:
    """Rows in columns without boxes, readable without colour.

    A column whose name begins with `>` is set to the right; one whose name begins with `~` holds
    a text that gives way: it is wrapped, and stands below the others where it has no room beside
    them. Where none does, the last one is taken for it.
    """

    def __init__(self, *columns: str, lines_max: int = 0, header: bool = True) -> None:
        self._names = [column.lstrip(">~") for column in columns]
        self._right = [column.startswith(">") for column in columns]
        bending = [at for at, column in enumerate(columns) if column.startswith("~")]
        self._text_at = bending[0] if bending else len(columns) - 1
        self._lines_max = lines_max
        self._header = header and any(self._names)
        self._rows: list[list[Text]] = []
        self._styles: list[str] = []

    def add_row(self, *cells: str | Text, style: str = "") -> None:
        """Add a row; a cell that is missing is empty."""
        from rich.text import Text  # as in `render`

        made = [_tame(cell) if isinstance(cell, Text) else Text(flatten(cell)) for cell in cells]
        made += [Text() for _ in range(len(self._names) - len(made))]
        self._rows.append(made)
        self._styles.append(style)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        yield from self.draw(options.max_width)

    def draw(self, width: int) -> list[Text]:
        """Return the lines, for a screen of some width."""
        from rich.text import Text  # as in `render`

        header = [Text(name, style="bold") for name in self._names]
        rows = [header, *self._rows] if self._header else self._rows
        widths = [max((measure(row[at].plain) for row in rows), default=0) for at in self._all]
        facts = [at for at in self._all if at != self._text_at and widths[at]]
        beside = sum(widths[at] + _GAP for at in facts)
        room = width - beside
        stacked = room < min(widths[self._text_at], _TEXT_CELLS_MIN)
        lines: list[Text] = []
        if self._header and not stacked:
            lines += self._lay_beside(header, widths, room)
        elif self._header and self._is_wide_enough(header, widths, facts, width):
            lines += self._lay_stacked(header, widths, facts, width)[:1]
        for row, style in zip(self._rows, self._styles, strict=True):
            if stacked:
                laid = self._lay_stacked(row, widths, facts, width)
            else:
                laid = self._lay_beside(row, widths, room)
            for line in laid:
                if style:
                    line.stylize_before(style)
                lines.append(line)
        return lines

    def _pad(self, cell: Text, at: int, wide: int) -> Text:
        from rich.text import Text  # as in `render`

        blank = Text(" " * (wide - measure(cell.plain)))
        return blank + cell if self._right[at] else cell + blank

    @property
    def _all(self) -> range:
        return range(len(self._names))

    def _lay_beside(self, row: list[Text], widths: list[int], room: int) -> list[Text]:
        """Return a row with its text in its column."""
        from rich.text import Text  # as in `render`

        shown = [at for at in self._all if widths[at]]
        bound = min(room, widths[self._text_at]) if room < CELLS_UNBOUND // 2 else CELLS_UNBOUND
        text = lay(Text(), row[self._text_at], bound, lines_max=self._lines_max)
        lines = []
        for number, part in enumerate(text):
            line = Text()
            for at in shown:
                cell = part if at == self._text_at else row[at] if number == 0 else Text()
                wide = min(widths[at], bound) if at == self._text_at else widths[at]
                line.append_text(self._pad(cell, at, wide)).append(" " * _GAP)
            line.rstrip()
            lines.append(line)
        return lines

    def _is_wide_enough(
        self, row: list[Text], widths: Sequence[int], facts: Sequence[int], width: int
    ) -> bool:
        """Tell whether the facts of a row have room in their columns."""
        before = sum(widths[at] + _GAP for at in facts[:-1])
        return before + max(measure(row[at].plain) for at in facts[-1:]) <= width

    def _lay_stacked(
        self, row: list[Text], widths: Sequence[int], facts: Sequence[int], width: int
    ) -> list[Text]:
        """Return a row with its text below its facts; in columns, where those have room."""
        cells = [row[at] for at in facts]
        if self._is_wide_enough(row, widths, facts, width):
            cells = [self._pad(row[at], at, widths[at]) for at in facts]
        lines = lay_facts(cells, width)
        if row[self._text_at].plain:
            from rich.text import Text  # as in `render`

            lines += lay(Text("  "), row[self._text_at], width, lines_max=self._lines_max)
        return lines


def lay_facts(cells: Iterable[Text], width: int, *, indent: int = 4) -> list[Text]:
    """Return short facts side by side, as many on a line as go there whole."""
    from rich.text import Text  # as in `render`

    lines: list[Text] = []
    line = Text()
    for cell in cells:
        if not cell.plain.strip():
            line = line + cell + " " * _GAP if cell.plain else line
            continue
        bare = cell.copy()
        bare.rstrip()
        if line.plain.strip() and measure(line.plain + bare.plain) > width:
            lines.append(line)
            line = Text(" " * indent)
        if measure(line.plain + bare.plain) > width:
            folded = lay(line, bare, width, indent=indent)
            lines += folded[:-1]
            line = folded[-1] + " " * _GAP
            continue
        line = line + (bare if measure(line.plain + cell.plain) > width else cell) + " " * _GAP
    if line.plain.strip():
        lines.append(line)
    for each in lines:
        each.rstrip()
    return lines
