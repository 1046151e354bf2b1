"""Goal: an agent is known for one, whatever it says of itself and however it was started.

Method: processes above as values; real ones in `tests/e2e/test_forgery.py`.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from agentx.clarification.model import PERSON
from agentx.host.ancestry import Ancestor, list_ancestors
from agentx.host.peers import list_holders
from agentx.operations.questions.speaking import judge_speaker
from agentx.project.config import read_environment
from agentx.project.project import open_project
from agentx.project.roles import sender
from agentx.project.roles.caller import Via, WhoCalls, find_agent, find_caller
from tests.support.clarifying import project_at
from tests.support.time_and_chance import FakeClock


def process(*arguments: str, name: str = "", **variables: str) -> Ancestor:
    return Ancestor(
        name=name or Path(arguments[0]).name, arguments=arguments, variables=dict(variables)
    )


SHELL = process("/bin/bash", "-c", "agentx clarify resolve CLR-1-001")
LOGIN = process("-bash", name="bash")


_GEMINI = "/opt/lib/node_modules/@google/gemini-cli/dist/index.js"


@pytest.mark.parametrize(
    ("above", "agent"),
    [
        (process("/usr/local/bin/claude", "-p"), "claude-code"),
        (process("claude"), "claude-code"),
        (process("node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"), "claude-code"),
        (process("node", "--no-warnings", "/home/mira/.npm/bin/gemini"), "gemini"),
        (process("/usr/bin/node", "/opt/lib/node_modules/@google/gemini-cli/dist/x.js"), "gemini"),
        (process("/opt/codex", "exec", "--json"), "codex"),
        (process("node-MainThread", name="claude"), "claude-code"),
        (process("/bin/sh", "/usr/local/bin/opencode", "run"), "opencode"),
        (process("bun", "/x/node_modules/opencode-ai/bin/run.ts"), "opencode"),
        (process("node", "/x/copilot.js"), "copilot"),
        (process("/opt/bin/cursor-agent", "-p"), "cursor-agent"),
        (process("python3", "/home/mira/.local/bin/aider"), "aider"),
        (process("node", "--require", "pre.js", _GEMINI), "gemini"),
        (process("node", "--no-warnings", "--import", "pre.js", _GEMINI), "gemini"),
        (
            process("node", *("--no-warnings", "--enable-source-maps", "--a=1", "--b"), _GEMINI),
            "gemini",
        ),
        (process("python3", "-X", "utf8", "/x/claude"), "claude-code"),
        (process("python3", "-u", "-X", "dev", "-m", "aider"), "aider"),
        (process("node", "--require", "/x/claude", "/y/server.js"), ""),
        (process("node", "-e", "claude"), ""),
        (process("/usr/bin/vim", "/notes/claude"), ""),
        (process("python3", "-m", "pytest", "tests/codex"), ""),
        (process("/bin/bash", "-c", "echo claude codex"), ""),
        (LOGIN, ""),
    ],
)
def test_an_agent_cli_above_is_known(above: Ancestor, agent: str) -> None:
    assert find_agent((SHELL, above, LOGIN))[0] == agent


def test_the_role_is_what_was_said_to_the_nearest_agent_cli() -> None:
    engineer = process("codex", AGENTX_AGENT="engineer")
    architect = process("claude", AGENTX_AGENT=" Architect ")

    assert find_agent((SHELL, architect, engineer)) == ("claude-code", "architect")
    assert find_agent((SHELL, process("claude"), engineer)) == ("claude-code", "")
    assert find_agent((SHELL, process("claude", AGENTX_AGENT="none"))) == ("claude-code", "")
    assert find_agent(()) == ("", "")


@pytest.mark.parametrize("variable", ["AI_AGENT", "COPILOT_AGENT", "VSCODE_AGENT"])
def test_an_agents_terminal_in_an_editor_is_no_persons(variable: str, tmp_path: Path) -> None:
    code = process("/usr/share/code/code", name="code")
    terminal = process("/bin/bash", AGENTX_AGENT="engineer", **{variable: "1"})
    emptied = process("/bin/sh", "-c", "agentx", AGENTX_AGENT="architect", **{variable: "1"})
    claude = process("claude", AGENTX_AGENT="tester")
    said = {"HOME": str(tmp_path), variable: "github_copilot_vscode_agent"}

    assert find_agent((SHELL, emptied, terminal, code)) == ("editor", "engineer")
    assert find_agent((SHELL, terminal, claude, LOGIN)) == ("claude-code", "tester")
    assert find_agent((SHELL, process("/bin/bash", **{variable: ""}), code)) == ("", "")
    assert find_caller(open_project(tmp_path, read_environment(said))).agent == "editor"


AGENT = WhoCalls(via=Via.AGENT, role="engineer", agent="claude-code")
NAMELESS = WhoCalls(via=Via.AGENT, agent="codex")


@pytest.mark.parametrize(
    ("caller", "speaker", "refused"),
    [
        (WhoCalls(via=Via.TERMINAL), PERSON, ""),
        (WhoCalls(via=Via.UNCONFIRMED), PERSON, ""),
        (WhoCalls(via=Via.PROGRAM), PERSON, "nobody sits at a terminal here"),
        (WhoCalls(via=Via.PROGRAM), "architect", ""),
        (WhoCalls(via=Via.TERMINAL), "architect", ""),
        (AGENT, PERSON, "only a person can say this, and engineer is none"),
        (NAMELESS, PERSON, "only a person can say this, and codex is none"),
        (AGENT, "architect", "engineer calls: it cannot speak as architect"),
        (AGENT, "engineer", ""),
        (NAMELESS, "architect", ""),
    ],
)
def test_nobody_speaks_for_somebody_else(caller: WhoCalls, speaker: str, refused: str) -> None:
    refusal = judge_speaker(caller, speaker)

    assert refused in (refusal.message if refusal is not None else "")
    assert bool(refused) == (refusal is not None)


def test_a_role_or_mcp_makes_an_agent_of_who_says_that_it_is_a_person(tmp_path: Path) -> None:
    project = project_at(tmp_path, FakeClock())

    assert find_caller(project, as_person=True, by_mcp=True).via is Via.AGENT
    assert find_caller(project, by_mcp=True).agent


def test_what_is_above_a_process_is_read_though_it_emptied_its_own_surroundings() -> None:
    code = (
        "from agentx.host.ancestry import list_ancestors\n"
        "print(any(one.variables.get('SAID_ABOVE') == 'yes' for one in list_ancestors()))"
    )
    shell = f'env -i {sys.executable} -c "{code}"; true'
    done = subprocess.run(
        ["/bin/sh", "-c", shell],
        env={"PATH": os.environ["PATH"], "SAID_ABOVE": "yes"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert done.stdout.strip() == "True"
    assert list(list_ancestors(begin=2**22 + 1)) == []


def test_a_process_that_became_another_program_is_seen_as_that() -> None:
    script = "sleep 60 & echo $!; read said; exec cat"
    with subprocess.Popen(
        ["/bin/sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as shell:
        assert shell.stdin is not None
        assert shell.stdout is not None
        below = int(shell.stdout.readline())
        before = next(list_ancestors(begin=below))
        shell.stdin.write(b"go on\nit is me\n")
        shell.stdout.readline()  # it is `cat` by now
        after = next(list_ancestors(begin=below))
        os.kill(below, signal.SIGKILL)
        shell.kill()

    assert (before.name, after.name, after.arguments) == ("sh", "cat", ("cat",))


def test_who_holds_the_other_end_of_a_connection_is_known_for_an_agent_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = {os.getpid(): (SHELL, process("claude"))}
    monkeypatch.setattr(sender, "list_line", lambda pid: lines.get(pid, ()))
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as made,
    ):
        ends = made.getsockname(), server.getsockname()
        assert os.getpid() in list_holders(*ends)
        told = [sender.find_sending_agent(*ends)]
        lines[os.getpid()] = (process("firefox", AGENTX_AGENT="Engineer"), LOGIN)
        told.append(sender.find_sending_agent(*ends))
        lines[os.getpid()] = (process("firefox"), LOGIN)
        told.append(sender.find_sending_agent(*ends))
    told.append(sender.find_sending_agent(*ends))

    assert told == ["claude-code", "engineer", "", ""]
