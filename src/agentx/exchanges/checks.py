"""Whether a run of a check tells anything of one that failed before.

    pytest tests/api          the program, and what it was run on
    pytest                    runs more: if it passes, the first one would
    pytest tests/unit         runs something else: it tells nothing of the first
    pytest tests/api -k 'not slow'    leaves something out, perhaps just what failed
    make docs                 another target than `make`; `npm run build:css` another script

Law: what passed speaks for what failed only if it ran all of that, or what is named as failing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from functools import lru_cache

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen

_WORD = compile_late(r"(?:[^\s'\"]|'[^']*'|\"[^\"]*\")+")
_PIPE = compile_late(r"(?<!\|)\|(?!\|).*\Z")
_STREAM = compile_late(r"\A(?:\d?&?>{1,2}.*|&)\Z")
_ASSIGNED = compile_late(r"\A\w+=")
_BARE = compile_late(r"[A-Za-z][\w:-]*")
_NUMBER = compile_late(r"[\d.]+[a-z]?")
_SUFFIX = compile_late(r"[:-](?:auto)?fix\Z|:write\Z")
_NEGATED = compile_late(r"\A['\"]?\s*(?:not\b|!|~|-)")
_ARROWS = compile_late(r"\s*(?:>|/|::|#)\s*")


def _set(table: str) -> frozenset[str]:
    return frozenset(table.split())


_BEFORE = _set("time sudo nohup command exec env nice stdbuf xvfb-run npx bunx uvx dotenv pipx")
# Programs that run another one: behind one of these words stands what is run.
_RUN_BY = {
    "uv": _set("run"),
    "poetry": _set("run"),
    "pipenv": _set("run"),
    "hatch": _set("run"),
    "pdm": _set("run"),
    "rye": _set("run"),
    "bundle": _set("exec"),
    "mise": _set("exec x"),
    "direnv": _set("exec"),
    "nix": _set("develop"),
}
_MANAGERS = _set("npm pnpm yarn bun deno")
_OWN_OF_MANAGERS = _set("install i add ci remove up update upgrade publish pack link audit dedupe")
_INTERPRETERS = _set("python python3 node ruby perl php bash sh zsh deno tsx ts-node Rscript")
_IN_CONTAINERS = _set("exec run")
# What these are given says where they look, not what they do.
_SCOPED = _set(
    """
    pytest py.test vitest jest mocha ava tap rspec phpunit pest eslint stylelint prettier oxlint xo
    standard tsc vue-tsc mypy pyright flake8 pylint black isort shellcheck ctest unittest nose2 bats
    prove busted yamllint markdownlint hadolint swiftlint ktlint clang-tidy cppcheck phpstan psalm
    phpcs rubocop staticcheck gofmt karma jasmine cucumber behave minitest
    """
)
# Each word that these are given is something to do.
_TARGETED = _set(
    "make gmake just task rake invoke ninja ant gradle mvn sbt tox nox pre-commit turbo nx"
)
_OF_JAVASCRIPT = _set(
    "vitest jest mocha ava tap eslint stylelint prettier tsc vue-tsc playwright cypress karma"
    " jasmine biome oxlint"
)
# What comes later in a row does all that comes before it.
_ROWS = {
    "cargo": ("check", "build", "test"),
    "go": ("build", "test"),
    "dotnet": ("restore", "build", "test"),
    "swift": ("build", "test"),
    "mix": ("compile", "test"),
    "sbt": ("compile", "test"),
    "gradle": ("classes", "test", "check", "build"),
    "mvn": ("validate", "compile", "test", "package", "verify", "install", "deploy"),
}
# Options whose value says which tests or parts are run.
_PICKS = _set(
    """
    -k -m -t -g -p --package --test --tests --testNamePattern --test-name-pattern -run --run --grep
    --example -e --group --testsuite --suite --filter -f --file --project --select -s --module
    -only-testing --spec --include -R --tests-regex --testPathPattern --test-path-pattern -L --bin
    """
)
_LEAVES_OUT = _set(
    """
    --ignore --ignore-glob --ignore-pattern --ignore-path --exclude --exclude-dir --deselect --skip
    -skip -skip-testing -E --exclude-regex --exclude-task --exclude-group --grep-invert --invert
    --testPathIgnorePatterns --test-path-ignore-patterns --exclude-tag -LE --skip-dirs -short
    """
)
# Options with a value that says nothing of what is run.
_VALUED = _set(
    """
    --reporter --format -o --output --output-format --timeout --maxWorkers --max-workers -j -n -w
    --config -c --tb --cov --cov-report --durations --color --log-level --seed -C --prefix --dir
    --cwd -chdir --workspace --rootdir -count -timeout -parallel --profile --shard --retries
    --jobs --threads -scheme -destination -sdk -configuration -F
    """
)
# Without one of these it is a milder check.
_STRICTER = _set(
    "-race --release --all-features --features -tags --target --strict --all-targets -Werror"
    " --max-warnings --no-default-features"
)
_STRICTER_VALUED = _set("--features -tags --target --max-warnings")
_PLACED = _set("--filter -F -w --workspace --prefix -C --dir --cwd")
# Not run at all, or run so that it cannot fail.
_NO_RUN = _set(
    """
    --collect-only --co --dry-run --list --listTests --list-tests --help --version --exit-zero
    -h --watch --watchAll --just-print --no-run --print-config --showConfig
    """
)
_FAILED_ONLY = _set("--lf --last-failed --onlyFailures --only-failures --rerun --failed")
_TAKES_VALUE = _PICKS | _LEAVES_OUT | _VALUED | _STRICTER_VALUED
# Options that have no value with some programs, and one that picks a plug-in.
_ALONE = {
    "pytest": _set("-s -e"),
    "make": _set("-s -k -e -B -w -n"),
    "prettier": _set("-c -w"),
    "gradle": _set("-m -s"),
    "go": _set("-c"),
    "tsc": _set("-w"),
    "rspec": _set("-c"),
    "git": _set("-p -m -s -e"),
}
_PICKS_NOTHING = frozenset({("pytest", "-p"), ("rspec", "-f"), ("helm", "-f"), ("docker", "-f")})
_ALL = _set("all everything --all *")
_EVERYTHING = _set(". ./ ./... ... * --all")


class RunExtent(Enum):
    """What a later run tells of a check, by what both were run on."""

    SAME = "same"
    WIDER = "wider"
    NARROWER = "narrower"  # or of another part; what it names may be what failed
    OTHER = "other"


@frozen
class CommandCheck:
    """A command as far as it says what is checked."""

    program: str
    does: tuple[str, ...]
    scopes: frozenset[str]  # on what, and which of it
    leaves_out: frozenset[str]
    stricter: frozenset[str]
    can_fail: bool
    only_failed: bool  # what failed the last time


@lru_cache(maxsize=512)
def read_check(part: str) -> CommandCheck:
    """Return what one command checks."""
    words = [word for word in _WORD.findall(_PIPE.sub("", part)) if not _STREAM.match(word)]
    program, words = _find_program(words)
    if program in _INTERPRETERS and words:
        if words[0] in ("-c", "-e"):
            words = ["-c", *" ".join(words[1:]).strip("'\"").split()[:2]]
            return CommandCheck(
                program=program,
                does=tuple(words),
                scopes=frozenset(),
                leaves_out=frozenset(),
                stricter=frozenset(),
                can_fail=True,
                only_failed=False,
            )
        program, words = _base(words[0]), words[1:]
    given, picked, left_out, flags = _part_words(words, program)
    named = {flag.partition(" ")[0] for flag in flags}
    does, scopes = _tell_doing(program, given)
    return CommandCheck(
        program=program,
        does=does,
        scopes=frozenset(_strip(each) for each in (*scopes, *picked)) - _EVERYTHING - {""},
        leaves_out=frozenset(left_out),
        stricter=frozenset(flag for flag in flags if flag.partition(" ")[0] in _STRICTER),
        can_fail=not _NO_RUN.intersection(named),
        only_failed=bool(_FAILED_ONLY.intersection(named)),
    )


def compare_checks(failed: CommandCheck, later: CommandCheck) -> RunExtent:
    """Return what a later run of a check tells of one that failed."""
    if failed.program != later.program or not later.can_fail:
        return RunExtent.OTHER
    if later.leaves_out - failed.leaves_out or failed.stricter - later.stricter:
        return RunExtent.OTHER
    wider = _does_more(failed, later)
    if failed.does != later.does and not wider:
        return RunExtent.OTHER
    if failed.scopes == later.scopes and not later.only_failed:
        return RunExtent.WIDER if wider else RunExtent.SAME
    takes_in = not later.only_failed and all(
        any(_is_within(each, other) for other in later.scopes) for each in failed.scopes
    )
    if not later.only_failed and (not later.scopes or (failed.scopes and takes_in)):
        return RunExtent.WIDER
    return RunExtent.NARROWER


def names_all(later: CommandCheck, failing: Iterable[str]) -> bool:
    """Tell whether a run picks by name all that is said to have failed."""
    rows = list(failing)
    if later.only_failed:
        return True
    picked = [_last_names(each) for each in later.scopes]
    return bool(rows and picked) and all(
        any(all(name in row for name in names) for names in picked if names) for row in rows
    )


def names_part(failed: CommandCheck, later: CommandCheck, told: str) -> bool:
    """Tell whether a run is of just the part that a failed run of all of them names.

    `deploy.sh all` failed with "node4 timeout": `deploy.sh node4`.
    """
    if failed.program != later.program or not later.can_fail:
        return False
    before, after = ({*one.does, *one.scopes} for one in (failed, later))
    picked, left, said = after - before, before - after, told.lower()
    if not (picked and left):
        return False
    return left <= _ALL and all(each.lower() in said for each in picked)


def may_count_for(failed: CommandCheck, later: CommandCheck) -> bool:
    """Tell whether two may run the same tests, so that their counts can be compared."""
    if later.leaves_out - failed.leaves_out or not later.can_fail:
        return False
    if failed.program == later.program:
        return not (later.scopes and failed.does != later.does)
    pair = (failed.program, later.program)
    if "script" in pair:
        return bool(_OF_JAVASCRIPT.intersection(pair) or _TARGETED.intersection(pair))
    return bool(_TARGETED.intersection(pair)) or any(each.endswith((".sh", ".py")) for each in pair)


def _does_more(failed: CommandCheck, later: CommandCheck) -> bool:
    """Tell whether a run does all that another did, and more."""
    wanted, done = set(failed.does), set(later.does)
    if wanted == done:
        return False
    if failed.program in _TARGETED and wanted and wanted < done:
        return True
    row = _ROWS.get(failed.program, ())
    ranks = {word: number for number, word in enumerate(row)}
    reached = max((ranks.get(word, -1) for word in done), default=-1)
    left = {word.rsplit(":", 1)[-1] if word.startswith(":") else word for word in wanted}
    if not left or not done:
        return False
    done_by_name = left <= done and left != wanted
    return done_by_name or all(ranks.get(word, len(row)) < reached for word in left - done)


def _find_program(words: list[str]) -> tuple[str, list[str]]:
    """Return the program that a command runs in the end, and what it is given."""
    while words:
        first, rest = _base(words[0]), words[1:]
        if _ASSIGNED.match(words[0]) or first in _BEFORE:
            words = _skip_options(rest) if first in _BEFORE else rest
        elif first == "timeout":
            words = _skip_options(rest)[1:]
        elif first in _RUN_BY and any(word in _RUN_BY[first] for word in rest[:3]):
            at = next(number for number, word in enumerate(rest) if word in _RUN_BY[first])
            words = _skip_options(rest[at + 1 :])
        elif first in ("docker", "docker-compose", "podman") and _IN_CONTAINERS & set(rest[:4]):
            at = next(number for number, word in enumerate(rest) if word in _IN_CONTAINERS)
            words = _skip_options(rest[at + 1 :])[1:] or [first]
        elif first in ("python", "python3") and rest[:1] == ["-m"]:
            words = rest[1:]
        elif first in _MANAGERS:
            return _find_script(first, rest)
        else:
            return {"gradlew": "gradle", "mvnw": "mvn", "py.test": "pytest"}.get(first, first), rest
    return "", []


def _find_script(manager: str, words: list[str]) -> tuple[str, list[str]]:
    """Return what a package manager runs: a program of its own, or a script of the project."""
    left = list(words)
    while left and (left[0].startswith("-") or left[0] in ("run", "exec", "dlx", "x", "workspace")):
        word = left.pop(0)
        if (word in _PLACED and "=" not in word) or word == "workspace":
            left[:1] = []
    if not left:
        return manager, []
    if left[0] in _OWN_OF_MANAGERS or (manager == "deno" and left[0] != "task"):
        return manager, left
    left = left[1:] if manager == "deno" else left
    name = _base(left[0]) if left else ""
    if name in _SCOPED or name in _OF_JAVASCRIPT:
        return name, left[1:]
    name = "test" if manager == "npm" and name == "t" else name
    return "script", [name, *left[1:]]


def _skip_options(words: list[str]) -> list[str]:
    at = 0
    while at < len(words) and (words[at].startswith("-") or _ASSIGNED.match(words[at])):
        at += 1
    return words[at:]


def _part_words(
    words: list[str], program: str
) -> tuple[list[str], list[str], list[str], frozenset[str]]:
    """Return what a command is given: words, what it picks, what it leaves out, its options."""
    given: list[str] = []
    picked: list[str] = []
    left_out: list[str] = []
    flags: set[str] = set()
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if not word.startswith("-") or word == "-":
            if not _ASSIGNED.match(word) and not _NUMBER.fullmatch(word):
                given.append(word)
            continue
        name, _, value = word.partition("=")
        if name.startswith(("-only-testing:", "-skip-testing:")):
            name, _, value = word.partition(":")
        takes = name in _TAKES_VALUE and name != "-short" and name not in _alone(program)
        if takes and not value:
            value = words[at] if at < len(words) else ""
            at += 1
        flags.add(f"{name} {value}".strip() if name in _STRICTER_VALUED else name)
        if name in _LEAVES_OUT or (name in _PICKS and _NEGATED.match(value)):
            left_out.append(f"{name} {value}")
        elif program == "gradle" and name == "-x":
            left_out.append(f"{name} {words[at] if at < len(words) else ''}")
            at += 1
        elif name in _PICKS and takes and (program, name) not in _PICKS_NOTHING:
            picked.append(value)
    return given, picked, left_out, frozenset(flags)


def _alone(program: str) -> frozenset[str]:
    return _ALONE.get(program, frozenset())


def _tell_doing(program: str, given: list[str]) -> tuple[tuple[str, ...], list[str]]:
    """Part what a program is told to do from what it is told to do it with."""
    if program in _SCOPED:
        return (), [word for word in given if word not in ("run", "watch")]
    if program in _TARGETED:
        return tuple(sorted(given)), []
    if program == "script" or not given:
        return tuple(given[:1]), [word for word in given[1:] if word != "--"]
    bare = [word for word in given[:2] if _BARE.fullmatch(word)]
    if given[0] in ("compose", "buildx", "mod", "db") and len(bare) > 1:
        return tuple(given[:2]), given[2:]
    count = 1 if bare[:1] == given[:1] else 0
    return tuple(given[:count]), given[count:]


def _is_within(scope: str, other: str) -> bool:
    """Tell whether what one scope names lies in another."""
    wide = other.removesuffix("...").rstrip("/").strip("+")  # "+model": and what it is made of
    narrow = scope.removesuffix("...").rstrip("/")
    return narrow == wide or narrow.startswith((f"{wide}/", f"{wide}::", f"{wide}:", f"{wide}."))


def _strip(word: str) -> str:
    return word.strip("'\"").removeprefix("./") or word


def _last_names(scope: str) -> list[str]:
    """Return the words by which a scope is named in what fails: its file, its test."""
    parts = [each for each in _ARROWS.split(scope.removesuffix("...").strip("^$/'\" ")) if each]
    named = parts[-2:] if "::" in scope or "#" in scope else parts[-1:]
    return [each for each in named if len(each) > 2]


def _base(word: str) -> str:
    return word.strip("'\"").rsplit("/", 1)[-1].removesuffix(".exe")


def same_kind(one: CommandCheck, other: CommandCheck) -> bool:
    """Tell whether two run the same program to the same end."""
    return one.program == other.program and one.does == other.does


def is_fixing_form(failed: CommandCheck, later: CommandCheck) -> bool:
    """Tell whether a script is the form of another that mends what it finds: `lint:fix`."""
    if not (failed.does and later.does) or failed.program != later.program:
        return False
    return tuple(_SUFFIX.sub("", word) for word in later.does) == failed.does != later.does


def read_checks(parts: Iterable[str]) -> Iterator[CommandCheck]:
    """Yield what each of some commands checks."""
    for part in parts:
        check = read_check(part)
        if check.program:
            yield check
