"""Whether the changes of a branch came into another one as other commits: rebased, or squashed.

What comes in is committed after it was made, so only the commits since then are looked at, and of
those only what they change in the files of the branch. A commit that was rebased or picked keeps
its author's time and its subject, and adds and removes as many lines of the same files; a squash is
compared line by line with all that the branch changed, and where a conflict was resolved on the way
by what the branch added. No commit is written to find out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from agentx.host.git.branches import is_full_hash
from agentx.host.git.command import ask_git
from agentx.host.git.facts import PLAIN_DIFF
from agentx.kernel.ids import digest
from agentx.kernel.values import frozen

_OWN_MAX = 200
_LANDED_MAX = 500
_PATHS_MAX = 40
_LINES_MAX = 5_000
_ALIKE_MAX = 3
_CARRIED_SHARE, _NAMESAKE_SHARE = 0.9, 0.5  # of what a branch added
_SAYS_NOTHING_CHARS = 2  # such as "}" and "})"
_SLACK_S = 24 * 60 * 60  # the clocks of two machines
# A file that is larger is compared by its hash: no such text is held.
_COMPARED = ("core.bigFileThreshold=512k", "diff.algorithm=myers", "diff.context=3")

Numbers = dict[str, str]  # path -> lines added and removed


@frozen
class CountedCommit:
    """A commit with what it changes, in numbers."""

    commit: str
    authored_s: int
    committed_s: int
    subject: str
    numbers: Numbers


def find_landing(path: Path, base: str, fork: str, tip: str, wait_ms: int) -> str | None:
    """Return how the changes of a tip since `fork` came into `base`: picked, squashed or not.

    None where git could not say in time.
    """
    own = _list_counted(path, (f"{fork}..{tip}",), (), _OWN_MAX, wait_ms)
    changed = _count_changed(path, fork, tip, wait_ms)
    if own is None or changed is None:
        return None
    paths = sorted({name for one in own for name in one.numbers} | changed.keys())[:_PATHS_MAX]
    if not paths:
        return ""
    since = max((one.committed_s for one in own), default=0) - _SLACK_S
    landed = _list_counted(path, (f"--since={since}", base), paths, _LANDED_MAX, wait_ms)
    if landed is None:
        return None
    if _are_picked(own, landed, frozenset(paths)):
        return "picked"
    wanted = {name: changed[name] for name in paths if name in changed}
    if not wanted or _sum_lines(wanted) > _LINES_MAX:
        return None if wanted else ""
    look = _Look(path=path, paths=paths, wait_ms=wait_ms)
    return "squashed" if _is_squashed(look, (fork, tip), own, landed, wanted) else ""


@frozen
class _Look:
    """A look at what commits differ in, in some files."""

    path: Path
    paths: Sequence[str]
    wait_ms: int

    def compare(self, before: str, after: str, *options: str) -> str:
        """Return what one commit changed since another; nothing where git could not say."""
        named = (f":(top,literal){name}" for name in self.paths)
        words = ("diff", *options, *PLAIN_DIFF, "--no-color", before, after, "--", *named)
        said = ask_git(self.path, *words, settings=_COMPARED, wait_ms=self.wait_ms, is_costly=True)
        return "" if said is None or said.code != 0 else said.out


def _is_squashed(
    look: _Look,
    branch: tuple[str, str],
    own: Sequence[CountedCommit],
    landed: Sequence[CountedCommit],
    wanted: Numbers,
) -> bool:
    """Tell whether one commit is all of a branch, or all but for a conflict that was resolved."""
    alike = [one.commit for one in landed if one.numbers == wanted][:_ALIKE_MAX]
    ours = _print_patch(look, *branch) if alike else ""
    if ours and any(_print_patch(look, f"{one}^", one) == ours for one in alike):
        return True
    # A commit that is called as the branch's only one may have changed more of it on the way.
    subject = own[0].subject if len(own) == 1 else ""
    whole = [one for one in landed if wanted.keys() <= one.numbers.keys()]
    whole.sort(key=lambda one: not _is_called(one.subject, subject))
    added = _list_added(look, *branch) if whole else frozenset()
    for one in whole[:_ALIKE_MAX] if added else ():
        share = _NAMESAKE_SHARE if _is_called(one.subject, subject) else _CARRIED_SHARE
        if len(added & _list_added(look, f"{one.commit}^", one.commit)) >= share * len(added):
            return True
    return False


def _is_called(subject: str, wanted: str) -> bool:
    """Tell whether a subject is another's, or that with the number of a request: `(#91)`."""
    number = subject.removeprefix(wanted)
    is_same = bool(wanted) and subject.startswith(wanted)
    return is_same and (not number or number[1:].isdigit())


def _list_added(look: _Look, before: str, after: str) -> frozenset[str]:
    """Return the lines that say something which one commit has and an earlier one has not."""
    rows = look.compare(before, after, "--unified=0").split("\n")
    lines = ("".join(row[1:].split()) for row in rows if row[:1] == "+" and row[:4] != "+++ ")
    return frozenset(line for line in lines if len(line) > _SAYS_NOTHING_CHARS)


def _are_picked(
    own: Sequence[CountedCommit], landed: Sequence[CountedCommit], paths: frozenset[str]
) -> bool:
    """Tell whether each commit is there as another; one that changes nothing needs not be."""

    def name(one: CountedCommit) -> tuple[object, ...]:
        numbers = sorted((path, count) for path, count in one.numbers.items() if path in paths)
        return one.authored_s, one.subject, *numbers

    there = set(map(name, landed))
    asked = [name(one) for one in own if not paths.isdisjoint(one.numbers)]
    return bool(asked) and all(each in there for each in asked)


def _list_counted(
    path: Path, span: Sequence[str], paths: Sequence[str], count: int, wait_ms: int
) -> list[CountedCommit] | None:
    """Return the commits of a span with what each changes, newest first."""
    words = ("log", "--no-merges", "--numstat", "-z", *PLAIN_DIFF, "--no-show-signature")
    named = (f":(top,literal){name}" for name in paths)
    said = ask_git(
        path,
        *(*words, f"--max-count={count}", "--format=%H %at %ct %f", *span, "--", *named),
        settings=_COMPARED,
        wait_ms=wait_ms,
        is_costly=True,
    )
    if said is None or said.code != 0:
        return None
    return list(_read_counted(said.names))


def _read_counted(words: Collection[str]) -> Iterator[CountedCommit]:
    head: list[str] = []
    rows: list[str] = []
    for word in (*words, ""):
        text = word.strip("\n")
        if "\t" in text:
            rows.append(text)
            continue
        if head:
            yield CountedCommit(
                commit=head[0],
                authored_s=int(head[1]),
                committed_s=int(head[2]),
                subject=head[3],
                numbers=dict(_read_counts(rows)),
            )
        parts = text.split(" ")
        head, rows = (parts, []) if len(parts) == 4 and is_full_hash(parts[0]) else ([], [])


def _count_changed(path: Path, fork: str, tip: str, wait_ms: int) -> Numbers | None:
    words = ("diff", "--numstat", "-z", *PLAIN_DIFF, fork, tip, "--")
    said = ask_git(path, *words, settings=_COMPARED, wait_ms=wait_ms, is_costly=True)
    if said is None or said.code != 0:
        return None
    return dict(_read_counts(said.names))


def _read_counts(rows: Collection[str]) -> Iterator[tuple[str, str]]:
    for row in rows:
        added, tab, rest = row.partition("\t")
        removed, second, name = rest.partition("\t")
        if tab and second:
            yield name, f"{added} {removed}"


def _sum_lines(numbers: Mapping[str, str]) -> int:
    return sum(int(each) for row in numbers.values() for each in row.split() if each.isdigit())


def _print_patch(look: _Look, before: str, after: str) -> str:
    """Return what two commits differ in, as a hash: without places in files and white space."""
    said = look.compare(before, after, "--full-index")
    if not said:
        return ""
    kept, index = [], ""
    for line in said.split("\n"):
        if line.startswith("index "):
            index = line
        elif line.startswith("Binary files "):
            kept.append(index.split(" ")[1].rpartition("..")[2])
        elif not line.startswith("@@"):
            kept.append("".join(line.split()))
    return digest(*kept).hex()
