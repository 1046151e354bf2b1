"""Which memories are bound to the branch they were learnt on.

Bound is what speaks of the code. What the user wants and how tools behave is so on every branch;
what a person or an agent wrote down by itself is meant for everybody, unless it names files or a
change.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from agentx.kernel.text import compile_late
from agentx.observations.model import Category, Observation
from agentx.prose.cues import DECIDES, PRESCRIBES, finds
from agentx.prose.sentences import sentences
from agentx.prose.settling.rulings import drops_attempt
from agentx.recall.section.kinds import Kind, kind_of
from agentx.recall.section.wording import word_memory

_SAID = "The user said: "
# Programs that behave the same whatever is checked out: by their own names, or as what they are.
# Those that are words of their own count where they are written as a command.
_TOOL = compile_late(
    r"""(?<![\w/.-])(?:
    git|gh|glab|npm|npx|pnpm|yarn|bun|deno|nvm|pip|pipx|uv|conda|python3?|pytest|tox|cargo|rustc|rustup
    |gofmt|golangci-lint|mvn|maven|gradle|dotnet|nuget|bundler|rake|xcodebuild|cmake|bazel|gcc|clang
    |docker|podman|docker-compose|kubectl|helm|minikube|terraform|ansible|psql|mysql|sqlite3|redis-cli
    |mongosh|curl|wget|ssh|rsync|sed|awk|grep|ripgrep|rg|jq|xargs|bash|zsh|pwsh|powershell|eslint
    |prettier|biome|tsc|vitest|jest|playwright|cypress|webpack|vite|esbuild|ruff|mypy|flake8
    |shellcheck|pre-commit|brew|apt-get|dnf|pacman|systemctl|tmux|gcloud|heroku|vercel|netlify
    )(?![\w/-])
    |`(?:make|find|node|go|java|swift|gem|composer|php|ruby|ninja|black|fish|tar|cron|apt|az|aws|poetry
    |claude|codex|gemini|copilot|opencode)[ `]
    |\b(?:CLI|shell|terminal|sandbox|linter|formatter|compiler|type\ checker|package\ manager
    |test\ runner|CI|GitHub\ Actions|VPN|operating\ system|macOS|Linux|Windows|WSL)\b""",
    re.VERBOSE,
)
# A file, a function or a class: what is said is about code.
_CODE = compile_late(
    r"(?<![\w/])[\w.-]*/[\w./-]*\w\.\w{1,6}\b|\b\w[\w-]*\.(?:py|pyi|ts|tsx|js|jsx|mjs|go|rs|java|kt|rb|php|c|h"
    r"|cc|cpp|cs|swift|sql|vue|svelte|css|scss|html|ex|exs|scala|lua|dart)\b|\b\w+\(\)"
)
# "The audit log uses ClickHouse now": not how a tool behaves, but what was done to the project.
_MADE_SO = compile_late(
    r"(?i:\b(?:uses?|takes?|reads?|writes?|runs?|lives?|is|are|has|have|goes|speaks?|keeps?)\b"
    r"[^.;:\n]{1,60}\bnow\b"
    r"|\bnow (?:uses?|takes?|reads?|writes?|runs?|lives?|is|are|has|goes|keeps?)\b"
    r"|\b(?:added|moved|replaced|renamed|removed|switched|migrated|committed)\b)"
    r"|(?<![\w-])[0-9a-f]{7,40}(?![\w-])"
)


def part_wishes(one: Observation) -> tuple[Observation, ...]:
    """Return what was learnt on a branch, what the user wants apart from what was decided there.

    Both have the id of what they are parts of: they are told in different groups.
    """
    is_ruled = one.branch and one.category is Category.DECISION and one.content.startswith(_SAID)
    if not is_ruled or kind_of(one.category, word_memory(one)) is not Kind.PREFERENCE:
        return (one,)
    said = one.content.removeprefix(_SAID)
    wishes: list[str] = []
    others: list[str] = []
    start = 0
    for sentence in sentences(said):
        text = said[start : sentence.end].strip()
        start = sentence.end
        is_wish = kind_of(one.category, _SAID + text) is Kind.PREFERENCE
        (wishes if is_wish else others).append(text)
    settles = any(finds(DECIDES, each) or finds(PRESCRIBES, each) for each in others)
    if not (wishes and settles):
        return (one,)
    return tuple(
        replace(one, content=_SAID + " ".join(each), summary=_SAID + " ".join(each))
        for each in (others, wishes)
    )


def is_bound(one: Observation) -> bool:
    """Tell whether an observation holds only where its branch does."""
    if not one.branch:
        return False
    is_written = not (one.event_ids or one.sources)
    if is_written and not one.files and one.category is not Category.CODE_CHANGE:
        return False
    return _speaks_of_code(one.category, word_memory(one) or one.summary, one.files)


@lru_cache(maxsize=2_000)  # who serves many asks of the same memories again and again
def _speaks_of_code(category: Category, text: str, files: tuple[str, ...]) -> bool:
    if category is Category.CODE_CHANGE:
        return True
    if kind_of(category, text) is Kind.PREFERENCE:
        return False
    # What is decided against a branch is meant for who is not on it.
    if category is Category.DECISION and drops_attempt(text):
        return False
    if category in (Category.KEY_FACT, Category.ERROR) and not files:
        # What was made so in this session is of this branch, whatever tool it names beside that.
        is_made = category is Category.KEY_FACT and _MADE_SO.search(text)
        return bool(_CODE.search(text) or is_made) or not _TOOL.search(text)
    return True
