"""What a command was, how it went, and which of its lines say so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from agentx.exchanges.tools import ToolStep, Use
from agentx.kernel.text import compile_late, compile_needing
from agentx.prose.sentences import shorten

_CHAIN = compile_late(r"\s*(?:&&|\|\||;|\n)\s*")
_ASSIGNED = compile_late(r"\A(?:\w+=\S*\s+)+")
_NOISE = compile_late(r"(?:\s*(?:2>&1|&?>\s*/dev/null|2>\s*/dev/null|1>&2))+\s*\Z")
_PIPED = compile_late(
    r"\s*\|\s*(?:head|tail|grep|rg|tee|cat|less|sed|awk|wc|sort|uniq|jq|cut)\b.*\Z", re.DOTALL
)


def _word(table: str, *, start: bool = False) -> re.Pattern[str]:
    """Return a pattern for any of some words, which are separated by blanks; `_` is a blank."""
    listed = "|".join(entry.replace("_", " ") for entry in table.split())
    return compile_late(
        rf"\A(?:{listed})(?![\w-])" if start else rf"(?<![\w-])(?:{listed})(?![\w-])"
    )


_SETUP = _word(
    r"cd export source \. set sleep echo mkdir pwd clear true unset printf eval nvm pushd popd",
    start=True,
)
# Commands that only look: that they found nothing is no error, and that they ran is no news.
_LOOKS = _word(
    r"""
    ls cat head tail less find grep egrep rg ag fd which command type stat file wc tree du df ps env
    test \[ diff cmp sed awk jq curl wget sqlite3 open pgrep lsof kill pkill xargs man psql_-c
    git_diff git_status git_log git_show git_blame git_grep git_branch git_stash git_rev-parse
    git_ls-files git_remote git_fetch git_merge-base git_check-ignore git_config git_worktree
    git_cherry git_describe git_tag gh_pr gh_run gh_api gh_issue gh_repo gh_search gh_auth
    kubectl_get kubectl_version kubectl_describe kubectl_logs kubectl_config docker_ps docker_logs
    docker_images docker_inspect npm_view npm_info npm_ls npm_outdated pip_show pip_list cargo_tree
    """,
    start=True,
)
# Commands that people run again and again.
_WORKS = _word(
    r"""
    tests? pytest vitest jest mocha rspec phpunit unittest tox nox e2e build compile check lint
    clippy ruff mypy eslint tsc fmt format prettier gofmt golangci-lint make just mise gradlew? mvn
    bazel cmake ninja cargo go npm pnpm yarn bun uv poetry pip docker compose kubectl helm terraform
    migrate psql dev serve start bundle deploy release sbt mix flutter dart swift xcodebuild dotnet
    composer rake rails ctest meson west zig stack cabal lein alembic flyway liquibase prisma dbt
    ansible-playbook pulumi cdk wrangler tofu packer pre-commit analyze godot hugo jekyll pod
    fastlane deno turbo nx upgrade apply plan nbconvert papermill
    """
)
_HOUSEKEEPING = _word("git gh cp mv rm touch chmod ln tar unzip", start=True)
_TRYOUT = compile_late(
    r"\b(?:python3?|node|ruby|perl|deno|bash|sh|php)\b\s+(?:-\w*[ce]\b|-\s|<<)|<<"
    # A script of somebody's own; what package managers and builds put there is none.
    r"|\A\./(?!gradlew|mvnw|artisan|manage\.py|(?:vendor/|node_modules/\.|\.?venv/)?bin/)"
)
# Good for that day only: a single test, a place that is gone, a version pinned once.
_BRITTLE = compile_late(
    r"\$\(|`|-run[ =]|::|-k \S|-t ['\"]|--precise|\[REDACTED|--version|--help|\b[0-9a-f]{12,}"
    r"|/(?:tmp|private)/"
)

_ERROR_LINES = tuple(
    compile_late(pattern)
    for pattern in (
        # An error that names itself, in one of the ways in which compilers and runtimes do.
        (
            r"^(?:FAILED\s+\S+::|--- FAIL:|fatal:|panic:|npm ERR!|E {2,}\S|Caused by:|e: \S)"
            r"|^[\s\u2502]*(?:[\w.]+\.)?\w*(?:Error|Exception|Panic)\b(?:\[\w+\])?:"
            r"|\berror(?:\[\w+\]|:| TS\d+:?| CS\d+:?) |:\d+:? error:$|: command not found"
            r"|^\s*(?:\[(?:ERROR|error)\] \S|\*\* \(\w|error \u2022 |ERR_[A-Z]\w+ )"
            r"|\b(?:Database|Compilation|Runtime|Parsing|Dependency) Error in \w"
            r"|^Test [Cc]ase '[^']+' failed\b|\bFailure in test \S"
            r"|^npm error (?!code|A complete|path|command|errno|syscall)\S"
        ),
        # Words that seldom tell of anything else.
        (
            r"^\s*(?:FAIL|ERROR|Error)\b|^\s*[\u00d7\u2715-\u2718\u274c] ?\w|\*\*\* FAILED \*\*\*"
            r"|^\s*\d+ - \S+ \((?:Failed|Timeout|SEGFAULT)|\bwas not equal to\b|\S > .+ FAILED$"
            r"|\+\d+ -\d+: .+ \[E\]"
            r"|\b(?:cannot|could not|unable to|undefined|unresolved|mismatch|No such file"
            r"|Permission denied|not found|refused|not defined|expected"
            r"|(?:does|do) not (?:exist|satisfy|match)|already exists)\b"
        ),
        # A place in a file, and what is wrong there.
        r"^\s*\S+\.\w{1,5}(?::\d+){1,2}:? \S|^\s*\S+\.\w{1,5}\(\d+,\d+\)",
    )
)
_LOG_LEVEL = compile_late(
    r"\b(?:INFO|DEBUG|TRACE|WARN(?:ING)?)\b|\blevel=(?:info|debug)|\d+ passed\b"
)
_STAMP = compile_late(r"\A[\[(]?\d{4}-?\d\d-?\d\d[T ][\d:.,Z+-]+[\])]?\s*|\A\d\d:\d\d:\d\d\S*\s*")
_BROKEN_RUN = compile_needing(
    r"^(?:FAIL\b|--- FAIL|FAILED\b|npm ERR!|error(?:\[\w+\])?:|Traceback \(most recent|panic:)|"
    r"^=+ .*\b\d+ failed\b|^\s*Tests?:?\s+\d+ failed|^\d+ failed\b|Build FAILED|BUILD FAILED"
    r"|^\*\* \w+ FAILED \*\*|^fatal: \[[\w.-]+\]: (?:FAILED|UNREACHABLE)!",
    re.MULTILINE,
    needs=("FAIL", " failed", "error", "Traceback", "panic:", "npm ERR!", "UNREACHABLE"),
)
# A runner counts what failed, and that counts more than what was printed on the way.
_FAILED_SOME = compile_needing(
    r"^=+ .*\b[1-9]\d* failed\b|^\s*(?:Tests?:?\s+)?[1-9]\d* fail(?:ed|ures?)?\b"
    r"|test result: FAILED|^Found [1-9]\d* errors?\b|\b(?:failures|errors|failed)=[1-9]"
    r"|\bERROR=[1-9]\d* SKIP=|\bFailed: +[1-9]|, with [1-9]\d* failures?\b"
    r"|\| [1-9]\d* failed\b|\btests?, [1-9]\d* failures?\b",
    re.MULTILINE,
    needs=(
        " fail",
        "result: FAILED",
        "Found ",
        "failures=",
        "errors=",
        "failed=",
        "ERROR=",
        "Failed:",
    ),
)
_FAILED_NONE = compile_needing(
    r"\b0 fail(?:ed|ures?|ing)?\b|test result: ok|^\s*Tests:? +\d+ passed\b|^OK\b(?: \(|$)"
    r"|^=+ \d+ passed\b|^\d+ passed\b|^Found 0 errors\b|\bERROR=0 SKIP=|\bfailed=0\b",
    re.MULTILINE,
    needs=("0 fail", "test result: ok", " passed", "OK", "Found 0 errors", "ERROR=0", "failed=0"),
)
# Says that something failed, and not what.
_SAYS_ONLY_THAT = compile_late(
    r"exit(?:ed)?(?: with)?(?: status| code)?:? \d+|completed with exit code"
    r"|complete log of this run|\breturned \d+ exit status|\[(?:setup|build) failed\]"
    r"|\bcould not compile\b|\Amake(?:\[\d+\])?: \*\*\* (?!No rule)|subprocess-exited-with-error"
    r"|\A(?:FAIL|FAILED|ERROR|Error)\W*\Z|\berrors were \w+ while\b"
    r"|due to (?:\d+ )?previous errors?|\d+ chart\(s\) failed|\bsome tests failed\b"
    r"|\btests unsuccessful\b|\bfailed: total \d|failed to execute goal|\[help \d+\]"
    r"|\bcompilation (?:error|failed)|the following (?:tests|build commands) failed"
    r"|errors while running|re-run maven|to see the full stack trace|for more information about"
    r"|\A(?:ERRORS|FAILURES)!|\bwebpack compiled with|\bbuild failed\b|\btests? failed out of\b"
    r"|\Aerror: tests? failed\Z|\bcompleted with \d+ errors?\b|\bPASS=\d+ WARN="
    r"|expect\(received\)|test result: FAILED|Failure/Error:|\A[\d.]+ passed\b",
    re.IGNORECASE,
)
# What was expected, and what came instead: each says half of it.
_EXPECTED = compile_late(
    r"\A(?:(?:\[\w+\]|E)\s+)?(?:expected|left|want(?:ed)?)\b\s*:?\s*\S",
    re.IGNORECASE,
)
_CAME = compile_late(
    r"\A(?:(?:\[\w+\]|E)\s+)?(?:actual|received|got|right|but was|was|have)\b\s*:?\s*\S",
    re.IGNORECASE,
)
# The name of a test over what went wrong in it.
_NAMES_TEST = compile_late(
    r"\A(?:\d+\) (?P<listed>\S.*)|\u25cf (?P<dotted>\S.*)|--- FAIL: (?P<go>\S+).*"
    r"|.*\+\d+ -\d+: (?P<dart>.+) \[E\]|test (?P<rust>\S+) \.\.\. FAILED"
    r"|(?:\[info\] )?- (?P<scala>.+) \*\*\* FAILED \*\*\*)\Z"
)
_ENDS_OPEN = compile_late(
    r"\A\S+:\d+(?::\d+)?:? (?:fatal )?error:\Z|\A(?i:error message):\Z|\AError: P\d{4}\Z"
    r"|\A(?:(?:Database|Compilation|Runtime|Parsing|Dependency) Error in|Failure in test) \S"
)
# Of which step of a build a line is, and when it was printed in it.
_STEP_OF_BUILD = compile_late(r"\A#\d+ (?:\d+\.\d+ )?")
_LEADS = compile_late(r"\A(?:\[(?:error|info|ERROR)\]|\u2502)\s*")
_COUNTED = compile_late(
    r"\b(?:(\d+) (?:tests? )?passed\b|OK \((\d+) tests?\)|Tests\s+(\d+) passed)"
)
_PASSED = compile_late(r"\b(\d+) (?:tests? )?pass(?:ed|ing)?\b|\bRan (\d+) tests?\b")
_FAILED = compile_late(r"\b([1-9]\d*) (?:tests? )?fail(?:ed|ing|ures?)?\b|\bfailures=([1-9]\d*)")
_ENDS_CHARS = 6_000
_KNOWN_MAX = 256  # commands: each is compared with those that failed before it
_OUTPUTS_KNOWN_MAX = 256
_LINE_CHARS_MAX = 240
_LINES_MAX = 3


@lru_cache(maxsize=_KNOWN_MAX)
def plain(command: str) -> str:
    """Return a command as a person would type it again: without changing folders and piping.

    What is left is a piece of the command as it was given; nothing in it is written anew.
    """
    begin, end = 0, len(command)
    places = list(_find_parts(command))
    working = [place for place in places if not _is_setup(command[slice(*place)])]
    if places:
        begin, end = (working or places[-1:])[0][0], (working or places)[-1][1]
    text = _NOISE.sub("", _PIPED.sub("", command[begin:end]))
    return " ".join(text.split())


@lru_cache(maxsize=_KNOWN_MAX)
def parts_of(command: str) -> tuple[str, ...]:
    """Return the commands that one line runs after another, but for changing folders."""
    parts = tuple(command[begin:end] for begin, end in _find_parts(command))
    return tuple(part for part in parts if not _is_setup(part)) or parts[-1:]


def _find_parts(command: str) -> Iterator[tuple[int, int]]:
    begin = 0
    for sign in (*_CHAIN.finditer(command), None):
        end = sign.start() if sign else len(command)
        if command[begin:end].strip():
            yield begin + len(command[begin:end]) - len(command[begin:end].lstrip()), end
        begin = sign.end() if sign else end


def _is_setup(part: str) -> bool:
    return _SETUP.match(_ASSIGNED.sub("", part.strip())) is not None


@lru_cache(maxsize=_KNOWN_MAX)
def only_looks(command: str) -> bool:
    """Tell whether a command only looks at things."""
    return all(_LOOKS.match(_ASSIGNED.sub("", part)) for part in parts_of(command))


def is_routine(command: str) -> bool:
    """Tell whether a command is one that people run again: a test, a build, a check."""
    text = plain(command)
    return bool(
        len(text) <= 120
        and "\n" not in command.strip()  # several lines told as one are another command
        and _WORKS.search(text)
        and not only_looks(command)
        and not any(_HOUSEKEEPING.match(part) for part in parts_of(command))
        and not _TRYOUT.search(text)
        and not _BRITTLE.search(text)
    )


def went_wrong(step: ToolStep) -> bool:
    """Tell whether a command failed in a way that somebody may want to know."""
    if step.use is not Use.SHELL or step.result is None or step.was_refused:
        return False
    if only_looks(step.command):
        return False
    if step.has_failed:
        return True
    # What ends in a pipe, or in `|| true`, tells nothing by its exit code.
    if "|" not in step.command:
        return False
    return _tells_failure(_ends(step.output))


# What a command said is asked about by one rule after another.
@lru_cache(maxsize=_OUTPUTS_KNOWN_MAX)
def _tells_failure(told: str) -> bool:
    if _FAILED_SOME.search(told):
        return True
    return bool(_BROKEN_RUN.search(told)) and not _FAILED_NONE.search(told)


def error_lines(output: str) -> list[str]:
    """Return the lines of a failed run that say what went wrong, the most telling first."""
    told = find_errors(output)
    if not told:
        last = [line.strip() for line in output.strip().split("\n") if line.strip()]
        return [shorten(last[-1], _LINE_CHARS_MAX)] if last else []
    return told


def find_errors(output: str) -> list[str]:
    """Return the lines of an output that tell of an error by their form."""
    return list(_find_errors(_ends(output)))


@lru_cache(maxsize=_OUTPUTS_KNOWN_MAX)
def _find_errors(told: str) -> tuple[str, ...]:
    found: dict[str, tuple[int, int]] = {}
    lines = (_STEP_OF_BUILD.sub("", raw) for raw in told.split("\n") if raw.strip())
    rows = [line[: 2 * _LINE_CHARS_MAX] for line in lines]
    test = ""
    for number, line in enumerate(rows):
        plain_line = " ".join(line.split())
        named = _NAMES_TEST.match(plain_line)
        if named:
            test = next(filter(None, named.groups()), "")
        if _LOG_LEVEL.search(line):
            continue
        after = " ".join(rows[number + 1].split()) if number + 1 < len(rows) else ""
        rank, text = _read_error(line, plain_line, after)
        if rank is None and after and _CAME.match(after) and _EXPECTED.match(plain_line):
            rank, text = 0, f"{test}: {plain_line}, {after}" if test else f"{plain_line}, {after}"
        if rank is not None and len(text) > 8 and not _SAYS_ONLY_THAT.search(text):
            found.setdefault(text, (rank, number))
    ranked = sorted(found, key=lambda text: found[text])
    whole = (text for text in ranked if not any(text in one for one in ranked if one != text))
    best = list(whole)[:_LINES_MAX]
    return tuple(shorten(text, _LINE_CHARS_MAX) for text in best)


def _read_error(line: str, plain_line: str, after: str) -> tuple[int | None, str]:
    """Return how surely a line tells of an error, and what it says."""
    if _EXPECTED.match(plain_line) and _CAME.match(after):
        return None, ""
    rank = next((at for at, sign in enumerate(_ERROR_LINES) if sign.search(line)), None)
    if rank is None:
        return None, ""
    text = _STAMP.sub("", _LEADS.sub("", plain_line)).strip(
        "=- \u00d7\u2715\u2716\u2717\u2718\u274c"
    )
    # What is wrong there stands on the next line.
    if _ENDS_OPEN.search(text) and after:
        text = f"{text} {_STAMP.sub('', after)}"
    return rank, text


def is_covered(failed: ToolStep, later: ToolStep) -> bool:
    """Tell whether a run of tests that all pass took in one of which some failed.

    A suite is known by its counts: as many at least have passed as ran before, and none failed.
    """
    before, now = _ends(failed.output), _ends(later.output)
    if later.has_failed or not _count(_FAILED, before):
        return False
    passed = _count(_PASSED, now)
    return passed >= _count(_PASSED, before) + _count(_FAILED, before) and not (
        _FAILED.search(now) or _BROKEN_RUN.search(now)
    )


def counts_none_failed(output: str) -> bool:
    """Tell whether a runner counted that nothing failed."""
    return _counts_none_failed(_ends(output))


@lru_cache(maxsize=_OUTPUTS_KNOWN_MAX)
def _counts_none_failed(text: str) -> bool:
    return bool(_FAILED_NONE.search(text)) and not _FAILED_SOME.search(text)


def _count(sign: re.Pattern[str], text: str) -> int:
    """Return the largest number that was counted so."""
    return max((int(one or other) for one, other in sign.findall(text)), default=0)


def find_passed(output: str) -> str:
    """Return how many tests an output says passed, where all of them did."""
    text = _ends(output)
    counts = [number for found in _COUNTED.findall(text) for number in found if number]
    return f"{counts[-1]} passed" if counts and not _BROKEN_RUN.search(text) else ""


def _ends(text: str) -> str:
    if len(text) <= 2 * _ENDS_CHARS:
        return text
    return text[:_ENDS_CHARS] + "\n" + text[-_ENDS_CHARS:]
