"""What a person copies as one, in a text: what stands in backticks, a path, and a command.

Most of what is said names a command as it is, without a mark, and agents and other programs read
the same words. So a command is known by how it begins, with `agentx` or `git` and a verb or a flag
of theirs, and goes on as long as its words can be a command's: flags, names, what is quoted. A
full stop, a comma, a bracket that it did not open, or a word that only prose has, ends it. A word
or two of prose may be taken for its last ones: that costs a break, and cuts no command.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentx.kernel.text import compile_late
from agentx.surfaces.cli import COMMANDS

_BEGINS = compile_late(
    r"`|(?P<path>(?<!\S)[('\"]?~?(?:/[^\s/`]+){4,})|(?<![^\s`('\"\[{])(?:agentx|git)(?= )"
)
_MARKED = compile_late(r"`[^`\n]{1,500}`")
# A word, with what is quoted in it; `'\''` is how a quote stands in what is quoted.
_WORD = compile_late(
    r" +((?:[^\s'\"`=]*=)?(?:'[^'\n]*'(?:\\''[^'\n]*')*|\"(?:[^\"\\\n]|\\.)*\")[^\s'\"`]*"
    r"|[^\s'\"`]+)"
)
_FLAG = compile_late(r"--?[A-Za-z]")
_GIT_VERBS = frozenset(
    "add am apply bisect branch checkout cherry-pick clean clone commit config diff fetch fsck gc "
    "init log ls-files merge mv pull push read-tree rebase remote reset restore rev-parse revert "
    "rm show stash status switch symbolic-ref tag update-ref worktree".split()
)
_VERBS = {"agentx": frozenset(COMMANDS), "git": _GIT_VERBS}
_PROSE = frozenset(
    "a an and are as but by can did does for had has have i if in is it its may of on or so that "
    "the their them then they to was were what when where which who will with you your".split()
)
_PROSE_FLAGS = frozenset({"-m", "-am", "--message"})  # what a commit says is read, and not copied
_PLAIN_MAX = 3  # words in a row that are just words: verbs of verbs, a role
_STOPS = ".,;:!?"
_BRACKETS = {")": "(", "]": "[", "}": "{"}


def find_copied(text: str) -> Iterator[tuple[int, int]]:
    """Yield from where to where each thing goes that is copied as one, in order."""
    at = 0
    while found := _BEGINS.search(text, at):
        start, at = found.span()
        if found["path"] is None:
            end = _end_marked(text, start) if found[0] == "`" else _end_command(text, start)
            if end == start:
                continue
            at = end
        yield start, at


def _end_marked(text: str, start: int) -> int:
    """Return where what stands in backticks ends; where it begins, if it never does."""
    end = _end_command(text, start + 1)  # in what it quotes there may be others
    if end > start + 1 and text[end : end + 1] == "`":
        return end + 1
    found = _MARKED.match(text, start)
    return found.end() if found else start


def _end_command(text: str, start: int) -> int:
    """Return where a command ends; where it begins, if it is none."""
    name = text[start : start + 7].partition(" ")[0]
    word = _WORD.match(text, start + len(name)) if name in _VERBS else None
    verb = _trim(word[1]) if word else ""
    if verb not in _VERBS.get(name, ()) and not _FLAG.match(verb):
        return start
    end, plain = start + len(name), 0
    while word := _WORD.match(text, end):
        said = word[1]
        kept = _trim(said)
        plain = plain + 1 if kept.isalpha() and not kept.isupper() else 0
        if plain > _PLAIN_MAX or _is_prose(kept):
            break
        end = word.start(1) + len(kept)
        if kept != said or (name == "git" and kept in _PROSE_FLAGS):
            break
    return end


def _trim(word: str) -> str:
    """Return a word without what ends a sentence, or a bracket that it did not open."""
    kept, quote = word, max(word.rfind("'"), word.rfind('"'))
    while kept[quote + 1 :] and (kept[-1] in _STOPS or _closes(kept[quote + 1 :])):
        kept = kept[:-1]
    return kept or word  # one of dots alone is a word: `add .`, `ID ...`


def _closes(tail: str) -> bool:
    opener = _BRACKETS.get(tail[-1])
    return opener is not None and tail.count(opener) < tail.count(tail[-1])


def _is_prose(word: str) -> bool:
    """Tell whether a word is none of a command: what is said of it, in brackets, or in prose."""
    if word[0] in "([" and not word.startswith("[-"):
        return True
    if word.isascii() or "'" in word or '"' in word:
        return word.lower() in _PROSE
    return word[0] not in "-./~"
