"""What of a prompt a person wrote, and what was pasted out of a terminal, a log or a trace.

Nobody said what a program printed, so it is nobody's wish and nobody's decision; but what went
wrong in it may be worth knowing. A line is a program's by its form: a shell's prompt, a stamp of
time, a frame of a trace, a place in a file, a hash, what it is at ("Fetching tags..."). What stands
between two such lines of a paragraph was pasted with them, and so was what is indented under one,
and what a program says of what it is at. What is quoted ("> ") is somebody else's, and so is a
mail, and what a line leads to (`material.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import takewhile

from agentx.kernel.text import compile_late
from agentx.prose.whose.material import Material, cut_material, list_material

_LINE_CHARS_READ = 400
_LINES_READ_MAX = 4_000
_MARK = "\u2026 "  # a line goes on behind what is left out of it
_PRINTED = compile_late(
    r"[ \t]*(?:"
    # a shell
    r"[\u276f\u279c\u25b6$%][ \t]+\S|[\w.-]+@[\w.-]+[:~ ][^\n]*[$#%] |PS [A-Z]:\\"
    # stamps and levels
    r"|[\[(]?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|[\[(]?\d\d:\d\d:\d\d\b"
    r"|\[?(?:INFO|WARN|DEBUG|ERROR|TRACE)\b"
    r"|[VDIWEF]/[\w.$ -]{2,40}(?:\( *\d+\))?: |\d\d-\d\d \d\d:\d\d:\d\d\.\d+ +\d+ +\d+ [VDIWEF] "
    # traces
    r"|at [\w.$<>/@]+ ?[(\[]|at \S+:\d+(?::\d+)?\)?[ \t]*$|File \"[^\"]+\", line \d+"
    r"|Traceback \(most recent|Caused by: |\d+: 0x[0-9a-f]+|goroutine \d+"
    r"|Thread \d+(?: Crashed)?(?:: |:$)|#?\d{1,3}[ \t]+\S+[ \t]{2,}\S|#\d{1,3} +0x[0-9a-f]+"
    # what programs say of themselves
    r"|(?:error|fatal|warning|hint|remote|panic|FAIL|note)(?:\[\w+\])?: \S"
    r"|(?:[A-Z]\w*\.)*[A-Z]?\w*(?:Error|Exception)(?: \[\w+\])?: \S|(?:Error|Warning): \S"
    r"|npm (?:ERR!|error|warn) |E {2,}\S"
    # test runs
    r"|--- (?:FAIL|PASS|SKIP)|=== (?:RUN|FAIL)|(?:ok|FAIL|\?)[ \t]{2,}\S|(?:FAIL|PASS|OK)[ \t]*$"
    r"|[\u2713\u2714\u2717\u2715\u00d7\u25cf] \S|(?:PASS|FAIL(?:ED)?) \S+\.\w+"
    # git and diffs
    r"|commit [0-9a-f]{7,40}\b|(?:Author|AuthorDate|Date|Merge|CommitDate): +\S"
    r"|(?:\+\+\+|---|diff|index) [\w./-]+|@@ -\d|\* branch +\S|From https?://\S+[ \t]*$"
    r"|(?:create|delete) mode \d{6} |\d+ files? changed|[0-9a-f]{7,40}\.{2,3}[0-9a-f]{7,40} "
    # a place in a file, something in brackets that goes on, and what has only an id
    r"|[\w./\\-]+\.\w{1,5}[:(]\d+(?:[:,]\d+)?\)?[: ]|\[[\w.: /-]{2,30}\] [A-Z]"
    r"|(?=[0-9a-f-]*\d)[0-9a-f-]{8,40}[ \t]*$|[\w-]+: (?=[0-9a-f-]*\d)[0-9a-f-]{8,40}[ \t]*$"
    r")"
)
# Among printed lines also: how long it took, that it goes on, a long hash.
_PRINTED_TOO = compile_late(r"[ \t(][\d.]+ ?m?s\)?[ \t]*\Z|[^.]\.\.\.[ \t]*\Z|\b[0-9a-f]{40}\b")
# What a program is at; it goes on with what came of it, until somebody is spoken to.
_AT_WORK = compile_late(
    r"[ \t]*(?!(?:Look|Think|Wonder|Consider|See|Read|Hear|Go|Try|Talk|Ask|Guess|Mus)ing\b)"
    r"[A-Z][a-z]+ing (?!about\b)[^\n]*(?:\.\.\.|\u2026)[ \t]*\Z"
)
_SPEAKS = compile_late(
    r"(?i:\b(?:i|we|you|me|us|my|our|your|please|pls|let'?s|why|how|what|should|must|never|always"
    r"|don'?t|use|keep|stop|only|instead|ich|wir|du|bitte|warum|wie|yo|por favor|je|nous|vous)\b)"
    r"|\?\s*\Z|\A\s*[a-z]+[:,]\s*\Z"
)
_QUOTED = compile_late(r"[ \t]*>+(?:[ \t]|$)")
# The head of a mail: who wrote it, and what about.
_SENDER = compile_late(r"(?:From|Von|De|Da): \S")
_HEADER = compile_late(
    r"(?:From|To|Cc|Sent|Date|Subject|Von|An|Gesendet|Datum|Betreff|De|\u00c0|Envoy\u00e9|Objet"
    r"|Para|Enviado|Asunto|Da|A|Inviato|Oggetto): "
)
_SUBJECT = compile_late(r"(?:Subject|Betreff|Objet|Asunto|Oggetto): ")
_HEADERS_MAX = 6
_HEADING = compile_late(r"^#{1,4} \S", re.MULTILINE)
# Somebody speaks: a sentence ends, something is asked, announced or said of oneself.
_TALKS = compile_late(
    r"[.?!:\u2026\u3002\uff1f\uff1a][)\"'`]*\s*\Z|\A\s*[a-z]|\A\s*[-*\d]"
    r"|(?i:\b(?:i|we|you|it|this|that|please|when|why|how|what|still|now|ich|wir|bitte)\b)"
    r"|[^\x00-\x7f]"
)
_SHELL = compile_late(r"[ \t]*(?:[\u276f\u279c\u25b6$%][ \t]+\S|[\w.-]+@[\w.-]+[:~ ][^\n]*[$#%] )")
# What an agent CLI writes before the words, for something that was pasted with them.
_PLACEHOLDERS = compile_late(
    r"\s*(?:\[(?:Image|Screenshot|Pasted text|File)(?: ?#\d+)?(?: \+\d+ lines?)?\]\s*)+",
    re.IGNORECASE,
)


def cut_placeholders(text: str) -> str:
    """Return a prompt without what stands before it for a picture or a paste."""
    found = _PLACEHOLDERS.match(text)
    return text[found.end() :] if found else text


# A statement of a database, and not a sentence that begins with such a word.
_STATEMENT = compile_late(
    r"(?is:\s*(?:update \w+ set \w+ ?=|insert into \w+|delete from \w+ where|alter table \w+"
    r"|create (?:unique )?(?:table|index|view)\b|select \S.*? from \w+|with \w+ as \())"
)


def is_statement(text: str) -> bool:
    """Tell whether a text is a statement of a database."""
    return _STATEMENT.match(text) is not None


@lru_cache(maxsize=64)  # several rules read the same prompt, and a session that runs is read again
def split_pasted(text: str) -> tuple[str, str]:
    """Return a text with empty lines for what was pasted, and what was pasted."""
    text = cut_placeholders(text)
    lines = text.split("\n")
    if len(lines) > _LINES_READ_MAX:
        return text, ""
    quotes = _quotes_others(text)
    mailed = _find_mails(lines)
    quoted = [
        at in mailed or (quotes and _QUOTED.match(line) is not None)
        for at, line in enumerate(lines)
    ]
    printed = [_PRINTED.match(line[:_LINE_CHARS_READ]) is not None for line in lines]
    for at in _list_at_work(lines):
        printed[at] = True
    is_printed = sum(printed) > 1
    if not (is_printed or any(quoted)):
        return cut_material(text, _MARK), ""
    for at, line in enumerate(lines if is_printed else ()):
        printed[at] = printed[at] or (at > 0 and _PRINTED_TOO.search(line[-80:]) is not None)
    spread = _spread(lines, printed) if is_printed else printed
    pasted = [one or other for one, other in zip(spread, quoted, strict=True)]
    told = list(zip(lines, pasted, strict=True))
    left = cut_material(text, _MARK).split("\n")
    own = "\n".join("" if gone else line for line, gone in zip(left, pasted, strict=True))
    return own.strip("\n"), "\n".join(line for line, gone in told if gone)


def _list_at_work(lines: list[str]) -> Iterator[int]:
    """Return the lines of programs that say what they are at, with what they say of it then."""
    begin = -1
    for at, line in enumerate(lines):
        is_at_work = _AT_WORK.match(line[:_LINE_CHARS_READ]) is not None
        speaks = not is_at_work and (begin < 0 or _SPEAKS.search(line[:_LINE_CHARS_READ]))
        if begin < 0 or speaks or not line.strip():
            begin = at if is_at_work else -1
            continue
        yield from (begin, at) if at == begin + 1 else (at,)


def _find_mails(lines: list[str]) -> frozenset[int]:
    """Return the lines of mails that were pasted.

    One goes to the end of its paragraph; where its head is a paragraph of its own, to the end.
    """
    found: set[int] = set()
    for at, line in enumerate(lines):
        if at in found or not _SENDER.match(line):
            continue
        head = list(takewhile(_HEADER.match, lines[at : at + _HEADERS_MAX]))
        if not any(map(_SUBJECT.match, head)):
            continue
        rest = list(takewhile(str.strip, lines[at + len(head) :]))
        end = at + len(head) + len(rest) if rest else len(lines)
        found.update(range(at, end))
    return frozenset(found)


def is_quoted(text: str, at: int) -> bool:
    """Tell whether a place of a text lies in what quotes somebody, or is somebody else's."""
    begin = text.rfind("\n", 0, at + 1) + 1
    if _QUOTED.match(text, begin) is not None and _quotes_others(text):
        return True
    return any(one.start <= at < one.end for one in list_material(text))


def list_quoted(text: str) -> list[Material]:
    """Return what a text quotes with marks by which its end is sure, in its order."""
    found = [one for one in list_material(text) if one.is_marked]
    at, before, begin = 0, "", -1
    for line in (*text.split("\n"), ""):
        is_marked = _quotes_others(text) and _QUOTED.match(line) is not None
        if is_marked and begin < 0:
            begin = at
        elif begin >= 0 and not is_marked:
            found.append(Material(start=begin, end=at - 1, announced=before, is_marked=True))
            begin = -1
        if line.strip() and not is_marked:
            before = line.strip()
        at += len(line) + 1
    return sorted(found, key=lambda one: one.start)


def _quotes_others(text: str) -> bool:
    """Tell whether what a text quotes is somebody else's: a document sets its own words off so."""
    return ">" in text and _HEADING.search(text) is None


def _spread(lines: list[str], printed: list[bool]) -> list[bool]:
    """Return which lines were pasted: the printed ones, and what belongs to them."""
    pasted = list(printed)
    begin = 0
    for end in (*(at for at, line in enumerate(lines) if not line.strip()), len(lines)):
        found = [at for at in range(begin, end) if printed[at]]
        if found:
            from_shell = any(_SHELL.match(lines[at][:_LINE_CHARS_READ]) for at in found)
            last = end - 1 if from_shell else found[-1]
            first = found[0]
            # What leads to printed lines, and nobody would say, was printed with them.
            while len(found) > 1 and first > begin and not _TALKS.search(lines[first - 1]):
                first -= 1
            pasted[first : last + 1] = [True] * (last + 1 - first)
        begin = end + 1
    under = False
    for at, line in enumerate(lines):
        if not line.strip():
            continue
        under = pasted[at] or (under and re.match(r"[ \t]{2,}", line) is not None)
        pasted[at] = under
    return pasted
