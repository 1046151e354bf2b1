"""Whether the changes of a branch came into another one as other commits: rebased, or squashed.

What comes in is committed after it was made, so only the commits since then are looked at, and of
those only what they change in the files of the branch. A commit that was rebased or picked keeps
its author's time and its subject, and adds and removes as many lines of the same files; a squash is
compared line by line with all that the branch changed. No commit is written to find out.
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
    alike = [one.commit for one in landed if one.numbers == wanted][:_ALIKE_MAX]
    ours = _print_patch(path, fork, tip, paths, wait_ms) if alike else ""
    prints = (_print_patch(path, f"{one}^", one, paths, wait_ms) for one in alike)
    return "squashed" if ours and any(each == ours for each in prints) else ""


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


def _print_patch(path: Path, before: str, after: str, paths: Sequence[str], wait_ms: int) -> str:
    """Return what two commits differ in, as a hash: without places in files and white space."""
    named = (f":(top,literal){name}" for name in paths)
    words = ("diff", "--full-index", *PLAIN_DIFF, "--no-color", before, after, "--", *named)
    said = ask_git(path, *words, settings=_COMPARED, wait_ms=wait_ms, is_costly=True)
    if said is None or said.code != 0 or not said.out:
        return ""
    kept, index = [], ""
    for line in said.out.split("\n"):
        if line.startswith("index "):
            index = line
        elif line.startswith("Binary files "):
            kept.append(index.split(" ")[1].rpartition("..")[2])
        elif not line.startswith("@@"):
            kept.append("".join(line.split()))
    return digest(*kept).hex()
