"""Words within a line: emphasis, code, links. One pass over the text, with a bounded stack.

What opens waits on a stack for what closes it; what never closes is said as it was written.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from agentx.kernel.text import compile_late
from agentx.surfaces.page.markup import Html, Inside, join, tag

_DEPTH_MAX = 12
_ADDRESS_CHARS_MAX = 2_000
_PARTS = compile_late(
    r"(?P<escape>\\[!-/:-@\[-`{-~])"
    r"|(?P<code>`+)"
    r"|(?P<mark>\*{1,2}|_{1,2}|~~)"
    r"|(?P<open>!?\[)"
    r"|(?P<close>\](?:\((?P<to>[^()\s<>]{1,2000}(?:\([^()\s<>]{0,200}\)[^()\s<>]{0,500})?)"
    r"(?:[ \t]+(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'))?\))?)"
    r"|(?P<bare>(?<![\w@/])https?://[^\s<>\"'`|\\^{}\[\]]{2,2000})"
    r"|(?P<break>(?: {2,9}|\\)?\n)"
)
_ELEMENTS = {"**": "strong", "__": "strong", "*": "em", "_": "em", "~~": "s"}
_TRAILING = ".,;:!?)*_~"


class _Frame:
    """What opened, and what was said since."""

    __slots__ = ("opened", "parts")

    def __init__(self, opened: str) -> None:
        self.opened = opened
        self.parts: list[Inside] = []


def draw_inline(text: str, *, links: bool = True) -> Html:
    """Return the words of a paragraph, a heading or a cell."""
    return _Inline(text, links=links).draw()


class _Inline:
    def __init__(self, text: str, *, links: bool) -> None:
        self._text = text
        self._links = links
        self._stack = [_Frame("")]
        self._fences: dict[int, list[int]] | None = None  # where runs of backticks stand

    def draw(self) -> Html:
        at = 0
        while found := _PARTS.search(self._text, at):
            self._say(self._text[at : found.start()])
            at = self._take(str(found.lastgroup), found.group(), found["to"], found.start())
        self._say(self._text[at:])
        while len(self._stack) > 1:
            self._give_up()
        return join(*self._stack[0].parts)

    def _take(self, kind: str, word: str, address: str | None, start: int) -> int:
        """Take one part; return where the next one may begin."""
        end = start + len(word)
        if kind == "escape":
            self._say(word[1:])
        elif kind == "code":
            return self._take_code(word, end)
        elif kind == "mark":
            self._take_mark(word, start, end)
        elif kind == "open":
            self._push(word)
        elif kind == "bare":
            address = word.rstrip(_TRAILING)
            self._say_link(address, address)
            return start + len(address)
        elif kind == "break":
            self._stack[-1].parts.append(tag("br") if len(word) > 1 else "\n")
        else:
            self._close_link(word, address)
        return end

    def _say(self, words: str) -> None:
        if words:
            self._stack[-1].parts.append(words)

    def _push(self, opened: str) -> None:
        if len(self._stack) > _DEPTH_MAX:
            self._say(opened)
        else:
            self._stack.append(_Frame(opened))

    def _give_up(self) -> None:
        """Say what never closed as it was written."""
        frame = self._stack.pop()
        self._stack[-1].parts += [frame.opened, *frame.parts]

    def _take_mark(self, mark: str, start: int, end: int) -> None:
        before = self._text[start - 1 : start] if start else " "
        after = self._text[end : end + 1] or " "
        may_close, may_open = not before.isspace(), not after.isspace()
        if mark[0] == "_":  # part of a name, within a word
            may_close, may_open = (
                may_close and not after.isalnum(),
                may_open and not before.isalnum(),
            )
        if may_close and self._close(mark):
            return
        if may_open:
            self._push(mark)
        else:
            self._say(mark)

    def _close(self, mark: str) -> bool:
        """Close what the same mark opened, unless a link began since."""
        for at in range(len(self._stack) - 1, 0, -1):
            opened = self._stack[at].opened
            if opened == mark:
                while len(self._stack) > at + 1:
                    self._give_up()
                frame = self._stack.pop()
                self._stack[-1].parts.append(tag(_ELEMENTS[mark], *frame.parts))
                return True
            if opened.endswith("["):
                return False
        return False

    def _close_link(self, word: str, address: str | None) -> None:
        opened = [at for at, frame in enumerate(self._stack) if frame.opened.endswith("[")]
        if not opened:
            self._say(word)
            return
        while len(self._stack) > opened[-1] + 1:
            self._give_up()
        if not address:
            self._give_up()
            self._say(word)
            return
        frame = self._stack.pop()
        is_within = any(each.opened == "[" for each in self._stack[1:])
        self._say_link(address, join(*frame.parts), is_within=is_within)

    def _say_link(self, address: str, words: str, *, is_within: bool = False) -> None:
        said = words if words.strip() else address
        if not _is_safe(address) or is_within or not self._links:
            self._stack[-1].parts += [said, "" if said == address else f" ({address})"]
        else:
            link = tag("a", said, href=address, rel="noreferrer noopener", target="_blank")
            self._stack[-1].parts.append(link)

    def _take_code(self, fence: str, end: int) -> int:
        close = self._find_fence(len(fence), end)
        if close < 0:
            self._say(fence)
            return end
        words = self._text[end:close].replace("\n", " ")
        inner = words[1:-1] if words[:1] == words[-1:] == " " and words.strip() else words
        self._stack[-1].parts.append(tag("code", inner))
        return close + len(fence)

    def _find_fence(self, length: int, after: int) -> int:
        """Return where as many backticks stand next; every run is counted once."""
        if self._fences is None:
            self._fences = {}
            for start, end in _list_runs(self._text):
                self._fences.setdefault(end - start, []).append(start)
            for places in self._fences.values():
                places.reverse()
        places = self._fences.get(length, [])
        while places and places[-1] < after:
            places.pop()
        return places[-1] if places else -1


def _list_runs(text: str) -> Iterator[tuple[int, int]]:
    at = text.find("`")
    while at >= 0:
        end = at
        while end < len(text) and text[end] == "`":
            end += 1
        yield at, end
        at = text.find("`", end)


def _is_safe(address: str) -> bool:
    """Tell whether an address is of the web, and no other kind."""
    if len(address) > _ADDRESS_CHARS_MAX:
        return False
    try:
        split = urlsplit(address)
    except ValueError:
        return False
    return split.scheme in ("http", "https") and bool(split.netloc)
