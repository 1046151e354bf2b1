"""What agents write, rendered: Markdown as far as they use it, and nothing that could do harm.

HTML in it is text. A link leads to http or https and says where; a picture is a link. Every line
is looked at a fixed number of times and nesting has a bound, so that broken or hostile text costs
no more than its length; what is longer than anybody reads is shown as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from agentx.kernel.text import compile_late, printable
from agentx.surfaces.page.markup import Html, tag
from agentx.surfaces.page.words.code import draw_code
from agentx.surfaces.page.words.inline import draw_inline

_CHARS_MAX = 60_000
_DEPTH_MAX = 6
_COLUMNS_MAX = 24
_TABS = 4
_FENCE = compile_late(r" {0,3}(`{3,}|~{3,})[ \t]*([^\s`]{0,40})[^`\n]*\Z")
_HEADING = compile_late(r" {0,3}(#{1,6})[ \t]+(?=\S)")
_RULE = compile_late(r" {0,3}(?:\*[ \t]*){3,}\Z| {0,3}(?:-[ \t]*){3,}\Z| {0,3}(?:_[ \t]*){3,}\Z")
_ITEM = compile_late(r"( {0,3})([-*+]|\d{1,9}[.)])( {1,4}(?=\S)| *\Z| (?= {4}))")
_QUOTE = compile_late(r" {0,3}> ?")
_TABLE = compile_late(r" {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\Z")
_TASK = compile_late(r"\[([ xX])\] ")
_CELLS = compile_late(r"(?<!\\)\|")
# What the marks of a rule, of a heading or of a table may look like at most.
_LINE_LOOKED_AT = 2_000


def draw_markdown(text: str, *, links: bool = True) -> Html:
    """Return what somebody wrote, rendered; without `links` addresses are only said."""
    if len(text) > _CHARS_MAX:
        return tag("div", text, class_="words")
    lines = printable(text).expandtabs(_TABS).split("\n")
    return tag("div", *_Blocks(links=links).draw(lines, 0), class_="markdown")


class _Blocks:
    def __init__(self, *, links: bool) -> None:
        self._links = links
        self._level = 2  # of the heading before

    def draw(self, lines: Sequence[str], depth: int, *, tight: bool = False) -> Iterator[Html]:
        """Yield the blocks of some lines."""
        if depth > _DEPTH_MAX:
            yield tag("div", "\n".join(lines), class_="words")
            return
        at, said = 0, 0  # where one is, and since where it is a paragraph
        while at < len(lines):
            end = self._find_block(lines, at)
            if end == at:
                if not lines[at].strip():
                    yield from self._draw_paragraph(lines[said:at], tight=tight)
                    said = at + 1
                at += 1
                continue
            yield from self._draw_paragraph(lines[said:at], tight=tight)
            yield self._draw_block(lines[at:end], depth)
            at = said = end
        yield from self._draw_paragraph(lines[said:], tight=tight)

    def _find_block(self, lines: Sequence[str], at: int) -> int:
        """Return where the block ends that begins here; here where none begins."""
        line = lines[at][:_LINE_LOOKED_AT]
        fence = _FENCE.match(line)
        if fence:
            return _find_fence_end(lines, at, fence[1])
        if _HEADING.match(line) or _RULE.match(line):
            return at + 1
        if _QUOTE.match(line):
            return _find_end(lines, at, lambda each: bool(_QUOTE.match(each)))
        if _ITEM.match(line):
            return _find_list_end(lines, at)
        if _is_table(lines, at):
            return _find_end(lines, at, lambda each: "|" in each)
        return at

    def _draw_block(self, lines: Sequence[str], depth: int) -> Html:
        first = lines[0][:_LINE_LOOKED_AT]
        fence = _FENCE.match(first)
        if fence:
            return _draw_fence(lines, fence[1], fence[2])
        heading = _HEADING.match(first)
        if heading:
            self._level = min(len(heading[1]) + 2, 6, self._level + 1)
            return tag(f"h{self._level}", draw_inline(_read_heading(lines[0]), links=self._links))
        if _RULE.match(first):
            return tag("hr")
        if _QUOTE.match(first):
            inside = [_QUOTE.sub("", line, count=1) for line in lines]
            return tag("blockquote", *self.draw(inside, depth + 1))
        if _ITEM.match(first):
            return self._draw_list(lines, depth)
        return self._draw_table(lines)

    def _draw_paragraph(self, lines: Sequence[str], *, tight: bool) -> Iterator[Html]:
        text = "\n".join(line.lstrip(" ") for line in lines).strip("\n").rstrip()
        if text:
            words = draw_inline(text, links=self._links)
            yield words if tight else tag("p", words)

    def _draw_list(self, lines: Sequence[str], depth: int) -> Html:
        items = _split_items(lines)
        marker = _ITEM.match(lines[0])
        is_loose = any(not line.strip() for item in items for line in item[:-1])
        rows = (tag("li", *self._draw_item(item, depth, tight=not is_loose)) for item in items)
        if marker and marker[2][0].isdigit():
            number = int(marker[2][:-1])
            return tag("ol", *rows, start=number if number != 1 else None)
        return tag("ul", *rows)

    def _draw_item(self, lines: list[str], depth: int, *, tight: bool) -> Iterator[Html]:
        task = _TASK.match(lines[0])
        if task:
            is_done = task[1] != " "
            yield tag("span", "\u2611 " if is_done else "\u2610 ", class_="task")
            lines = [lines[0][task.end() :], *lines[1:]]
        yield from self.draw(lines, depth + 1, tight=tight)

    def _draw_table(self, lines: Sequence[str]) -> Html:
        head, rows = _split_cells(lines[0]), [_split_cells(line) for line in lines[2:]]
        return tag(
            "div",
            tag(
                "table",
                tag("thead", tag("tr", *(self._draw_cell("th", each) for each in head))),
                tag(
                    "tbody",
                    *(tag("tr", *(self._draw_cell("td", each) for each in row)) for row in rows),
                ),
            ),
            class_="wide",
            tabindex="0",
        )

    def _draw_cell(self, name: str, words: str) -> Html:
        return tag(name, draw_inline(words, links=self._links))


def _read_heading(line: str) -> str:
    """Return the words of a heading, without the signs around them."""
    words = line.strip().lstrip("#").strip()
    before = words.rstrip("#")
    return before.rstrip() if before != words and before[-1:] in ("", " ") else words


def _draw_fence(lines: Sequence[str], fence: str, language: str) -> Html:
    is_closed = len(lines) > 1 and _closes(lines[-1], fence)
    inside = lines[1:-1] if is_closed else lines[1:]
    return draw_code("\n".join(inside), language)


def _closes(line: str, fence: str) -> bool:
    said = line.strip(" ")
    return len(said) >= len(fence) and said == fence[0] * len(said)


def _find_fence_end(lines: Sequence[str], at: int, fence: str) -> int:
    for place in range(at + 1, len(lines)):
        if _closes(lines[place], fence):
            return place + 1
    return len(lines)


def _find_end(lines: Sequence[str], at: int, goes_on: Callable[[str], bool]) -> int:
    end = at + 1
    while end < len(lines) and lines[end].strip() and goes_on(lines[end]):
        end += 1
    return end


def _find_list_end(lines: Sequence[str], at: int) -> int:
    """Return where a list ends: before words that stand out again behind an empty line."""
    kind = _kind_of(lines[at])
    end = at + 1
    while end < len(lines):
        line = lines[end]
        if not line.strip():
            after = next((each for each in lines[end + 1 : end + 3] if each.strip()), "")
            if not after or not (after.startswith("  ") or _kind_of(after) == kind):
                return end
        elif not line.startswith(" ") and (_begins_other(line) or _kind_of(line) not in ("", kind)):
            return end
        end += 1
    return end


def _begins_other(line: str) -> bool:
    head = line[:_LINE_LOOKED_AT]
    return bool(_FENCE.match(head) or _HEADING.match(head) or _RULE.match(head))


def _kind_of(line: str) -> str:
    """Return which kind of list a line is an item of; nothing for none."""
    found = _ITEM.match(line[:_LINE_LOOKED_AT])
    if not found or _RULE.match(line[:_LINE_LOOKED_AT]):
        return ""
    return "number" if found[2][0].isdigit() else "sign"


def _split_items(lines: Sequence[str]) -> list[list[str]]:
    """Return the lines of each item, as if they stood alone."""
    items: list[list[str]] = []
    indent, width = 0, 0
    for line in lines:
        found = _ITEM.match(line[:_LINE_LOOKED_AT])
        stands = len(line) - len(line.lstrip(" "))
        if found and (not items or stands < max(width, indent + 2)):
            indent, width = stands, found.end()
            items.append([line[found.end() :]])
        else:
            items[-1].append(line[min(stands, width) :])
    for item in items:
        while len(item) > 1 and not item[-1].strip():
            item.pop()
    return items


def _is_table(lines: Sequence[str], at: int) -> bool:
    if at + 1 >= len(lines) or "|" not in lines[at] or "-" not in lines[at + 1]:
        return False
    marks = lines[at + 1]
    return len(marks) <= _LINE_LOOKED_AT and "|" in marks and bool(_TABLE.match(marks))


def _split_cells(line: str) -> list[str]:
    inside = line.strip().removeprefix("|")
    if inside.endswith("|") and not inside.endswith("\\|"):
        inside = inside[:-1]
    cells = _CELLS.split(inside, maxsplit=_COLUMNS_MAX)
    return [cell.strip().replace("\\|", "|") for cell in cells]
