"""Who calls: a person at a terminal, an agent with its role, or a program that says neither.

    below an agent CLI, or by MCP      an agent; its role is what was said to that agent CLI, else
                                       what is said here. An emptied environment changes nothing.
    in an agent's terminal             an agent: editors run commands of the agents in them in a
                                       terminal like a person's, and say so to what runs there
    a role is said here                an agent, wherever it runs
    at a terminal                      a person
    else                               a program: a person only where it says so, unconfirmed

Whoever can start a process that nothing above it betrays, at a terminal of its own, is taken for a
person: this keeps agents from signing for people by habit or by trick, not a user from lying.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import PurePath

from agentx.host.ancestry import Ancestor, list_ancestors
from agentx.kernel.places import NO_ROLE, SAID_TO_AGENTS, settle_role_name
from agentx.kernel.values import frozen
from agentx.project.config import ROLE_VARIABLE, Environment
from agentx.project.project import Project
from agentx.project.roles.played import decide_role

# Programs of agent CLIs, and the packages that run in an interpreter.
_PROGRAMS = {
    "claude": "claude-code",
    "codex": "codex",
    "gemini": "gemini",
    "opencode": "opencode",
    "copilot": "copilot",
    # Agents too, though nothing of them is captured.
    **{
        name: name
        for name in (
            *("claude-code", "cursor-agent", "aider", "amp", "goose", "crush", "qwen", "droid"),
            *("auggie", "cline", "kiro-cli", "plandex", "openhands", "grok"),
        )
    },
}
_PACKAGES = {
    "@anthropic-ai/claude-code": "claude-code",
    "@openai/codex": "codex",
    "@google/gemini-cli": "gemini",
    "opencode-ai": "opencode",
    "@github/copilot": "copilot",
}
_EDITOR = "editor"
_INTERPRETERS = ("node", "nodejs", "bun", "deno", "python", "sh", "bash", "dash")
_WORDS_LOOKED_AT = 64  # of an interpreter's command line
# Their options that take a word, and those after which comes no program but code.
_VALUED = frozenset(
    {
        *("-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions"),
        *("--env-file", "--env-file-if-exists", "--title", "--preload", "--config", "-X", "-W"),
        *("--check-hash-based-pycs", "--cert", "--location", "-o", "+o", "--rcfile"),
        *("--init-file", "--disable-warning", "--inspect-port", "--icu-data-dir"),
    }
)
_CODE = frozenset({"-c", "-e", "--eval", "-p", "--print", "-pe"})


class Via(StrEnum):
    """How something was said."""

    TERMINAL = "terminal"
    UNCONFIRMED = "unconfirmed"  # a program says that a person said it
    AGENT = "agent"
    PROGRAM = "program"


@frozen
class WhoCalls:
    """Who calls."""

    via: Via = Via.PROGRAM
    role: str = ""
    agent: str = ""  # the agent CLI it runs below, or `mcp`

    @property
    def is_agent(self) -> bool:
        """Whether it is an agent, by its role or by what runs it."""
        return self.via is Via.AGENT

    @property
    def is_person(self) -> bool:
        """Whether it may speak for a person."""
        return self.via in (Via.TERMINAL, Via.UNCONFIRMED)

    @property
    def via_person(self) -> Via:
        """How what they say in a person's name is said."""
        return Via.TERMINAL if self.via is Via.TERMINAL else Via.UNCONFIRMED

    @property
    def said_name(self) -> str:
        """What to call it where it is refused."""
        return self.role or self.agent or "a program"


def find_caller(project: Project, *, as_person: bool = False, by_mcp: bool = False) -> WhoCalls:
    """Return who calls this process; `as_person` where a program says that a person does."""
    agent, role = find_agent(list_ancestors())
    agent = agent or (_EDITOR if _is_told(project.environment.variables) else "")
    if not role:
        played = decide_role(project)
        role = played.role if played.is_said else ""
    if agent or role or by_mcp:
        return WhoCalls(via=Via.AGENT, role=role, agent=agent or ("mcp" if by_mcp else ""))
    if as_person:
        return WhoCalls(via=Via.TERMINAL if _sits_at_terminal() else Via.UNCONFIRMED)
    return WhoCalls(via=Via.TERMINAL if _sits_at_terminal() else Via.PROGRAM)


def find_unsettled_caller(environment: Environment) -> WhoCalls:
    """Return who calls as far as no settings are needed for it: they cannot be read."""
    agent, role = find_agent(list_ancestors())
    agent = agent or (_EDITOR if _is_told(environment.variables) else "")
    role = role or settle_role_name(environment.variables.get(ROLE_VARIABLE, ""))
    role = "" if role == NO_ROLE else role
    return WhoCalls(via=Via.AGENT, role=role, agent=agent) if agent or role else WhoCalls()


def find_agent(above: Iterable[Ancestor]) -> tuple[str, str]:
    """Return the nearest agent CLI among processes, and the role that was said to it.

    Where there is none, an editor whose agent's terminal it is: the farthest process that was told
    so, for what is nearer an agent may have started with other words.
    """
    told = None
    for one in above:
        agent = _name_agent(one)
        if agent:
            return agent, _read_role(one)
        told = one if _is_told(one.variables) else told
    return ("", "") if told is None else (_EDITOR, _read_role(told))


def _is_told(variables: Mapping[str, str]) -> bool:
    return any(variables.get(name) for name in SAID_TO_AGENTS)


def _read_role(one: Ancestor) -> str:
    role = settle_role_name(one.variables.get(ROLE_VARIABLE, ""))
    return "" if role == NO_ROLE else role


def _name_agent(one: Ancestor) -> str:
    named = [one.name, *(_bare(word) for word in one.arguments[:1])]
    is_interpreter = any(name.startswith(_INTERPRETERS) for name in named)
    words = one.arguments[1:_WORDS_LOOKED_AT] if is_interpreter else ()
    script = _find_script(words)
    named += [_bare(script)] if script else []
    for name in named:
        if name in _PROGRAMS:
            return _PROGRAMS[name]
    for part, agent in _PACKAGES.items():
        if any(f"/{part}/" in word for word in (*one.arguments[:1], script)):
            return agent
    return ""


def _find_script(words: Iterable[str]) -> str:
    """Return what an interpreter runs: its first word that is no option, nor an option's value."""
    rest = iter(words)
    for word in rest:
        if word in _CODE:
            return ""
        if word in _VALUED:
            next(rest, "")
        elif not word.startswith("-"):
            return "" if " " in word else word
    return ""


def _bare(word: str) -> str:
    name = PurePath(word).name
    return name.removesuffix(".js").removesuffix(".mjs").removesuffix(".cjs")


def _sits_at_terminal() -> bool:
    """Tell whether somebody types here: what is read, or what is told, is a terminal's."""
    try:
        return os.isatty(0) or os.isatty(2)
    except OSError:
        return False
