"""What the edits of a session changed without a word: a value, a library that is used no more.

    batch_size: 128  ->  batch_size: 256        `batch_size` was 128 and is 256
    gem "sidekiq"    ->  gem "good_job"         `sidekiq` is in the Gemfile no more

Laws: only an edit that shows both sides tells what a value was. What was taken back in the same
session was not changed; nor does a test, an example or a document set anything.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from agentx.exchanges.exchange import Exchange
from agentx.exchanges.tools import FileChange, Use, file_edits
from agentx.exchanges.undone import find_undone
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.prose.keyphrases import terms

_EDITS_MAX = 400
_LINE_CHARS_MAX = 200
_CHANGED_MAX = 60
# A name and its value, as in YAML, in code, or behind `#define`.
_VALUE = compile_late(
    r"\A\W*(?:(?:#\s*define|export|const|let|var|val|pub|static|final|public|private|int|long|uint\w*"
    r"|unsigned|double|float|auto|constexpr|size_t|self|this|config|cfg|settings|set|ARG|ENV)"
    r"[\s.:(]+)*"
    r"[\"']?(?P<name>[A-Za-z_][\w.-]*?)[\"']?"
    r"(?:\s*:\s*[A-Za-z][\w<>]*\s*=|\s*(?:=>|:=|[=:])|\s)\s*"
    r"[\"'(]*(?P<value>\d[\d_]*(?:\.\d+)?(?:e-?\d+)?)\s?(?P<unit>[A-Za-z%]{0,8})"
    r"[\"')]*\s*[,;]*\s*(?:(?:#|//|--|/\*).*)?\Z"
)
# A name and a word, as in settings: what is used is called by it.
_NAMED = compile_late(
    r"\A\s*(?:-\s+)?(?:(?:export|const|let|var|val|set|self|this|config|cfg|settings)[\s.]+)*"
    r"[\"']?(?P<name>[A-Za-z_][\w.-]*)[\"']?\s*(?:=>|:=|[=:])\s*"
    r"[\"':]*(?P<value>[A-Za-z][\w.+-]{1,30}\w)[\"']?\s*[,;]?\s*(?:(?:#|//).*)?\Z"
)
# A name and when something runs, as cron has it: `schedule: "0 4 * * *"`.
_CRON = compile_late(
    r"\A\s*(?:-\s+)?(?:(?:export|const|let|var|val|set|self|this|config|cfg|settings)[\s.]+)*"
    r"[\"']?(?P<name>[A-Za-z_][\w.-]*)[\"']?\s*(?:=>|:=|[=:])\s*"
    r"[\"'](?P<value>(?:[\d*][\d*/,-]* ){4}[\d*A-Za-z][\d*/,A-Za-z-]*)[\"']"
    r"\s*[,;]?\s*(?:(?:#|//).*)?\Z"
)
_PIECE = compile_late(r"[\w@][\w./:@+-]*\w")
PATH_SIGN = compile_late(r"[/._]")
_ROWS_MAX = 60
_STATES = frozenset(
    {
        "true",
        "false",
        "yes",
        "none",
        "null",
        "off",
        "debug",
        "info",
        "warn",
        "warning",
        "error",
        "always",
        "never",
        "default",
        "auto",
        "enabled",
        "disabled",
        "left",
        "right",
        "center",
        "latest",
        "public",
        "private",
        "readonly",
        "string",
        "number",
        "boolean",
    }
)
# What sets nothing that holds: it is run against the rest, or shows how.
_ASIDE = compile_late(
    r"(?i:(?:\A|[/_.-])(?:tests?|specs?|fixtures?|mocks?|examples?|samples?|docs?|benches|bench"
    r"|snapshots?|migrations?|vendor|node_modules)(?:[/_.-]|\Z)|(?<!CMakeLists)\.(?:md|rst|txt|lock|snap|csv)\Z"
    r"|lock\.(?:json|yaml)\Z)"
)
_MANIFEST = compile_late(
    r"(?:\A|/)(?:Gemfile|Cargo\.toml|package\.json|pyproject\.toml|requirements[\w.-]*\.(?:txt|in)"
    r"|setup\.(?:cfg|py)|Pipfile|go\.mod|pubspec\.yaml|composer\.json|build\.gradle(?:\.kts)?"
    r"|libs\.versions\.toml|pom\.xml|mix\.exs|Podfile|Package\.swift|[\w.-]+\.csproj|[\w-]+\.cabal"
    r"|environment\.ya?ml|deps\.edn|project\.clj)\Z"
)
_LIBRARY = compile_late(
    r"\A\s*[-{(\[]*\s*(?:<\w+ (?:Include=)?|<artifactId>|gem\b|pod\b|\w*[iI]mplementation\b|api\b"
    r"|require\b|\.package\(url:|library\b)?[\s(:\"'{]*"
    r"(?:[\w.]+\.[a-z]+/[\w.-]+/|[\w-]+(?:\.[\w-]+)+:)?"
    r"(?P<name>(?:@[\w.-]+/)?[A-Za-z][\w.-]*\w)"
    r"(?:\[[^\]]*\])?(?=[\"'\s:=<>~^!,;)/]|\Z)"
)
# Keys that stand in such files beside libraries.
_KEYS = frozenset(
    {
        "name",
        "version",
        "description",
        "license",
        "authors",
        "author",
        "edition",
        "dependencies",
        "main",
        "scripts",
        "type",
        "module",
        "engines",
        "node",
        "ruby",
        "source",
        "group",
        "end",
        "require",
        "python",
        "readme",
        "workspace",
        "members",
        "default",
        "features",
        "dev-dependencies",
        "rust-version",
        "optional",
        "path",
        "git",
        "branch",
        "build",
        "test",
        "start",
        "lint",
        "dev",
        "go",
        "toolchain",
        "repository",
        "homepage",
        "keywords",
        "private",
        "files",
        "exports",
        "types",
        "bin",
        "sdk",
        "environment",
    }
)
# Of many libraries: alone it names none.
_GENERIC = frozenset(
    {
        "toolkit",
        "core",
        "client",
        "cli",
        "sdk",
        "react",
        "node",
        "server",
        "common",
        "utils",
        "types",
        "plugin",
        "api",
        "web",
        "app",
    }
)
_DROPPED = compile_late(
    r"(?:\b(?:npm|pnpm|yarn|bun)\s+(?:uninstall|remove|rm|un)"
    r"|\bcargo\s+(?:remove|rm)|\b(?:poetry|uv|pdm|bundle|composer)\s+remove"
    r"|\b(?:flutter|dart) pub remove|\bpipenv uninstall)\s+(?P<names>[^|;&\n]+)"
)
_OPTION = compile_late(r"\A-|\A\W+\Z")


@frozen(kw_only=False)
class EditedValue:
    """A value that an edit replaced."""

    name: str
    was: str
    now: str
    unit: str
    path: str


@frozen(kw_only=False)
class DroppedLibrary:
    """A library that a project uses no more, by each name that says so."""

    name: str
    path: str
    is_back: bool = False  # it is used again


@frozen(kw_only=False)
class EditedWord:
    """What a setting named, and names no more: `store: redis`, then `store: postgres`."""

    name: str
    was: str
    now: str
    path: str


@frozen(kw_only=False)
class EditedOut:
    """What an edit took out of a file: its pieces, and the words of where that was."""

    pieces: frozenset[str]
    where: frozenset[str]


@frozen(kw_only=False)
class Edited:
    """What a session changed in what holds from then on."""

    values: tuple[EditedValue, ...] = ()
    words: tuple[EditedWord, ...] = ()
    libraries: tuple[DroppedLibrary, ...] = ()
    taken_out: tuple[EditedOut, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.values or self.words or self.libraries)


def read_edited(found: Sequence[Exchange]) -> Edited:
    """Return what the edits of a session replaced, as it was when it ended."""
    steps = [step for one in found for step in one.steps]
    changes: list[FileChange] = []
    if any(step.use is Use.EDIT for step in steps):
        undone = find_undone(found)
        lasting = (step for step in steps if not undone.took_back(step))
        changes = [change for step in lasting for change in file_edits(step)][-_EDITS_MAX:]
    commands = [
        step.command
        for step in steps
        if step.use is Use.SHELL and step.result is not None and not step.has_failed
    ]
    return Edited(
        tuple(_list_values(changes))[-_CHANGED_MAX:],
        tuple(_list_words(changes))[-_CHANGED_MAX:],
        tuple(_list_libraries(changes, commands))[-_CHANGED_MAX:],
        tuple(_list_taken_out(changes))[-_CHANGED_MAX:],
    )


def _list_taken_out(changes: Iterable[FileChange]) -> Iterator[EditedOut]:
    """Yield what is in no line of a change any more: `0.0.0.0/0`, `requests`."""
    for change in changes:
        if _ASIDE.search(change.path) or not change.removed:
            continue
        rows = (*change.removed, *change.added)[:_ROWS_MAX]
        there = frozenset().union(*map(_list_pieces, change.added))
        gone = frozenset().union(*map(_list_pieces, change.removed[:_ROWS_MAX])) - there
        if gone:
            where = terms(PATH_SIGN.sub(" ", " ".join((change.path, *rows))))
            yield EditedOut(gone, where)


def _list_pieces(row: str) -> frozenset[str]:
    return frozenset(_PIECE.findall(row[:_LINE_CHARS_MAX]))


def _list_values(changes: Iterable[FileChange]) -> Iterator[EditedValue]:
    folded: dict[tuple[str, str], EditedValue] = {}
    for change in changes:
        if _ASIDE.search(change.path) or not (change.added and change.removed):
            continue
        then, now = _read_values(change.removed), _read_values(change.added)
        for name, (was, unit) in then.items():
            if name not in now or now[name][1] != unit or now[name][0] == was:
                continue
            first = folded.get((change.path, name))
            folded[change.path, name] = EditedValue(
                name, first.was if first else was, now[name][0], unit, change.path
            )
    yield from (one for one in folded.values() if one.was != one.now)


def _list_words(changes: Iterable[FileChange]) -> Iterator[EditedWord]:
    folded: dict[tuple[str, str], EditedWord] = {}
    for change in changes:
        if _ASIDE.search(change.path) or not (change.added and change.removed):
            continue
        then, now = _read_words(change.removed), _read_words(change.added)
        for name, was in then.items():
            if now.get(name, was) == was:
                continue
            first = folded.get((change.path, name))
            folded[change.path, name] = EditedWord(
                name, first.was if first else was, now[name], change.path
            )
    yield from (one for one in folded.values() if one.was != one.now)


def _read_words(rows: Iterable[str]) -> dict[str, str]:
    found = [
        match
        for row in rows
        if len(row) <= _LINE_CHARS_MAX and (match := _NAMED.match(row) or _CRON.match(row))
    ]
    seen = Counter(match["name"] for match in found)
    return {
        match["name"]: match["value"]
        for match in found
        if seen[match["name"]] == 1 and match["value"].casefold() not in _STATES
    }


def _read_values(rows: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return the values of names, and their units; nothing of a name that is set twice."""
    found: dict[str, tuple[str, str]] = {}
    seen: Counter[str] = Counter()
    for row in rows:
        match = _VALUE.match(row) if len(row) <= _LINE_CHARS_MAX else None
        if match is not None:
            seen[match["name"]] += 1
            found[match["name"]] = match["value"].replace("_", ""), match["unit"]
    return {name: value for name, value in found.items() if seen[name] == 1}


def _list_libraries(
    changes: Iterable[FileChange], commands: Iterable[str]
) -> Iterator[DroppedLibrary]:
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    for change in changes:
        if not _MANIFEST.search(change.path):
            continue
        gone, there = _read_libraries(change.removed), _read_libraries(change.added)
        for name in gone - there:
            before[name] = change.path
            after.pop(name, None)
        for name in there - gone:
            after[name] = change.path
            before.pop(name, None)
    for command in commands:
        for match in _DROPPED.finditer(command):
            names = (each.strip("\"'") for each in match["names"].split())
            before.update((each, "") for each in names if each and not _OPTION.match(each))
    for name, path in before.items():
        for each in _list_names(_leave_shared(name, after)):
            yield DroppedLibrary(each, posixpath.basename(path))
    for name, path in after.items():
        yield from (DroppedLibrary(each, path, is_back=True) for each in _list_names(name))


def _list_names(name: str) -> Iterator[str]:
    """Yield the names by which people call a library: "@reduxjs/toolkit" is Redux Toolkit."""
    scope, sign, own = name.removeprefix("@").rpartition("/")
    if sign:
        yield f"{scope.removesuffix('js')}-{own}"
    if own not in _GENERIC:
        yield own


def _read_libraries(rows: Iterable[str]) -> set[str]:
    found = (_LIBRARY.match(row) for row in rows if len(row) <= _LINE_CHARS_MAX)
    return {each["name"] for each in found if each and each["name"].casefold() not in _KEYS}


def _leave_shared(name: str, others: Iterable[str]) -> str:
    """Return a name without what it begins with like the one that came in its place.

    "tokio-native-tls" -> "tokio-rustls": "native-tls"
    """
    lead, sign, rest = name.partition("-")
    is_shared = bool(sign) and any(each.startswith(f"{lead}-") for each in others)
    return rest if is_shared else name
