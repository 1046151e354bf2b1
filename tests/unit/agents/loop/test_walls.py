"""Goal: no path and no command leads a model out of the project's folder, or to what acts there.

Method: the real tools on a real folder, with treasure beside it, links, pipes and devices in it;
every escape is tried by every tool that takes a path, and the treasure is looked at afterwards.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agentx.agents.loop.port import ToolOutcome
from agentx.agents.loop.store.workspace import Workspace
from agentx.agents.loop.tools.commands import (
    check_command,
    list_broad,
    make_surroundings,
    read_allowed,
)
from agentx.agents.loop.tools.files import FileWork
from agentx.agents.loop.tools.running import CommandWork
from agentx.host import program
from agentx.host.system import pid_alive
from agentx.kernel.errors import AgentXError, InvalidValue, UnsafePath
from tests.support.company import until
from tests.support.time_and_chance import CountingEntropy, FakeClock

pytestmark = pytest.mark.promise("loop.walls")

TREASURE = "the treasure of the house"
ALLOWED = "cat, git status, git diff, make, python3 check.py, ls, grep, ./tool.sh, sleep"
# Refused by every tool, whether it reads or writes.
PATHS = (
    *("/etc/passwd", "//etc/passwd", "/", "~/treasure", "~root/x", "..", "../treasure.txt"),
    *("src/../../treasure.txt", "./../treasure.txt", "src/../..", "src/..", "a/./../../b"),
    *("..\\treasure.txt", "src\\..\\..\\x", "C:\\x", "C:/x", "file:///etc/passwd", "http://x/y"),
    *(" ../treasure.txt/..", ".. /treasure.txt", "../ ", "...", ". ./x/..", "src/.. /x", "src/ .."),
    *("\uff0e\uff0e/treasure.txt", "\u2025/treasure.txt", "src/\uff0e\uff0e"),
    *("a\0b", "a\nb", "a\u202eb", "a\u200bb", "\ud800", "", " ", "x" * 2_000, "x" * 300),
    *(".git", ".git/config", ".git/hooks/pre-commit", ".GIT/config", "src/.git/x", ".git /x"),
    *(".git./config", "git~1/config", ".g\u200cit/config", "\uff0egit/config"),
    *(".ssh/id_rsa", ".aws/credentials", ".gnupg/x", ".kube/config", ".env", ".env.local"),
    *("deploy/server.pem", "server.key", ".netrc", ".git-credentials", ".npmrc", "id_ed25519"),
    *("link.txt", "up/treasure.txt", "home", "pipe", "socket", "deep/link.txt", "hard.txt"),
)
# Refused where something would be written.
ACTING = (
    *(".agentx/config.toml", ".agentx/agents/engineer.md", ".AGENTX/x", ".agentx", ".agentx /x"),
    *(".agent-memory/runs/x", ".claude/settings.json", ".mcp.json", ".codex/config.toml"),
    *(".vscode/tasks.json", ".VSCode/mcp.json", "opencode.json", "opencode.jsonc", ".claude.json"),
    *(".envrc", ".gemini/settings.json", ".opencode/x", "sub/.claude/settings.json", "."),
    # What a person's tools run of themselves: hooks, editors, what is read before a commit.
    *(".husky/pre-commit", ".githooks/pre-push", "lefthook.yml", ".pre-commit-config.yaml"),
    *(".idea/workspace.xml", ".devcontainer/devcontainer.json", "shop.code-workspace", ".vimrc"),
    *(".exrc", ".nvim.lua", ".dir-locals.el", ".zed/tasks.json", "sub/.Husky/_/husky.sh"),
    # What git takes for a repository of its own, and for its settings.
    *("bare.git/refs/x", "bare.git/config", "bare.git/hooks/post-checkout", "HEAD"),
)
COMMANDS: tuple[tuple[str, ...], ...] = (
    (),
    ("",),
    ("rm", "-rf", "."),
    ("sh", "-c", "id"),
    ("bash", "-c", "cat x"),
    ("/bin/sh", "-c", "id"),
    ("env", "cat", "x"),
    ("xargs", "cat"),
    ("sudo", "cat", "x"),
    ("busybox", "sh"),
    ("timeout", "1", "cat", "x"),
    ("nohup", "make"),
    ("python3", "-c", "print(1)"),
    ("python3", "other.py"),
    ("python3",),
    ("cat; rm x",),
    ("cat x | sh",),
    ("cat", "../treasure.txt"),
    ("cat", "/etc/passwd"),
    ("cat", "~/treasure"),
    ("cat", "src/../../treasure.txt"),
    ("cat", ".git/config"),
    ("cat", ".env"),
    ("cat", "deploy/server.pem"),
    ("cat", "/proc/self/environ"),
    ("cat", "--file=/etc/passwd"),
    ("cat", "-f/etc/passwd"),
    ("cat", "a:/etc/passwd"),
    ("cat", "@/etc/passwd"),
    ("cat", "file:///etc/passwd"),
    ("cat", "--into=/tmp/a://out.xml"),
    ("cat", "--paths=x://y,/etc/passwd"),
    (
        "cat",
        "..",
    ),
    ("cat", "x", "--", "../y"),
    ("cat", "a\0b"),
    ("cat", *["x"] * 300),
    ("cat", "x" * 30_000),
    ("git", "push"),
    ("git", "-c", "core.pager=sh", "status"),
    ("git", "-C", "/", "status"),
    ("git", "status", "--git-dir=/x/.git"),
    ("git", "diff", "--no-index", "/etc/passwd", "x"),
    ("git", "diff", "--output=../out"),
    ("git", "diff", "--output=.claude/settings.json"),
    ("git", "diff", "--output=.envrc"),
    ("ls", ".AGENTX/sessions"),
    ("git", "statuses"),
    ("Git", "status"),
    ("make", "-C", ".."),
    ("make", "-C/"),
    ("make", "-f", "/x/Makefile"),
    ("make", "-f../Makefile"),
    ("make", "SHELL=/bin/sh"),
    ("make", "--directory=/tmp"),
    ("grep", "-r", "x", "/"),
    ("ls", "~"),
    ("ls", ".ssh"),
    ("ls", ".agentx/sessions"),
    ("tool.sh",),
    ("../tool.sh",),
    ("./other.sh",),
    ("/usr/bin/cat", "x"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    root = tmp_path / "shop"
    (root / "src").mkdir(parents=True)
    (root / "deep").mkdir()
    (root / "src" / "app.py").write_text("price = 1\n", encoding="utf-8")
    (tmp_path / "treasure.txt").write_text(TREASURE, encoding="utf-8")
    for name in (".git", ".agentx", ".ssh", ".claude", "deploy"):
        (root / name).mkdir()
    for name in (".git/config", ".ssh/id_rsa", ".env", "deploy/server.pem", ".agentx/config.toml"):
        (root / name).write_text(TREASURE, encoding="utf-8")
    (root / "link.txt").symlink_to(tmp_path / "treasure.txt")
    (root / "deep" / "link.txt").symlink_to("../../treasure.txt")
    (root / "up").symlink_to(tmp_path)
    (root / "home").symlink_to(Path.home())
    os.link(tmp_path / "treasure.txt", root / "hard.txt")
    for name in ("bare.git/HEAD", "bare.git/objects/x", "bare.git/refs/y", "refs/x", "objects/x"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x", encoding="utf-8")
    os.mkfifo(root / "pipe")
    where = Path.cwd()
    os.chdir(root)  # the path of a socket is short
    listening = socket.socket(socket.AF_UNIX)
    listening.bind("socket")
    os.chdir(where)
    yield root
    listening.close()


def files_of(root: Path) -> FileWork:
    return FileWork(Workspace(root), FakeClock())


def snapshot(root: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


def tries(path: str) -> dict[str, dict[str, Any]]:
    return {
        "read_file": {"path": path},
        "list_files": {"path": path},
        "search_text": {"text": "treasure", "path": path},
        **writes(path),
    }


def writes(path: str) -> dict[str, dict[str, Any]]:
    return {
        "edit_file": {"path": path, "old_text": "treasure", "new_text": "x"},
        "create_file": {"path": path, "content": "x"},
    }


def refused(tool: Callable[[dict[str, Any]], ToolOutcome], given: dict[str, Any]) -> bool:
    try:
        outcome = tool(given)
    except (AgentXError, OSError):
        return True
    assert TREASURE not in outcome.text
    return "found nowhere" in outcome.text


def test_there_are_enough_of_them() -> None:
    assert len(set(PATHS)) >= 60
    assert len(set(COMMANDS)) >= 50


@pytest.mark.parametrize("path", PATHS, ids=lambda path: ascii(path)[:40])
def test_no_path_leads_out(folder: Path, path: str) -> None:
    before = snapshot(folder.parent)
    tools = files_of(folder).tools

    let = [name for name, given in tries(path).items() if not refused(tools[name], given)]

    assert let == []
    assert snapshot(folder.parent) == before


@pytest.mark.parametrize("path", ACTING)
def test_nothing_that_acts_is_written(folder: Path, path: str) -> None:
    before = snapshot(folder.parent)
    tools = files_of(folder).tools

    let = [name for name, given in writes(path).items() if not refused(tools[name], given)]

    assert let == []
    assert snapshot(folder.parent) == before


@pytest.mark.parametrize(
    "order", [("HEAD", "objects/x", "refs/x"), ("refs/x", "objects/x", "HEAD")]
)
def test_no_repository_is_made_that_git_would_take_for_one(
    tmp_path: Path, order: tuple[str, ...]
) -> None:
    tools = files_of(tmp_path).tools
    for name in ("config", *order[:2]):
        tools["create_file"]({"path": f"sub/{name}", "content": "ref: refs/heads/main"})

    with pytest.raises(InvalidValue, match="repository of git"):
        tools["create_file"]({"path": f"sub/{order[2]}", "content": "ref: refs/heads/main"})
    with pytest.raises(FileNotFoundError):
        (tmp_path / "sub" / order[2]).read_bytes()


def test_what_is_installed_by_links_is_read_unless_it_is_private(tmp_path: Path) -> None:
    (tmp_path / "store").write_text(TREASURE, encoding="utf-8")
    root = tmp_path / "shop"
    (root / "node_modules").mkdir(parents=True)
    os.link(tmp_path / "store", root / "node_modules" / "index.js")
    tools = files_of(root).tools

    assert TREASURE in tools["read_file"]({"path": "node_modules/index.js"}).text
    (tmp_path / "store").chmod(0o600)
    with pytest.raises(UnsafePath, match="another name"):
        tools["read_file"]({"path": "node_modules/index.js"})


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words)[:40])
def test_no_command_is_run_that_was_not_allowed_or_leads_out(words: tuple[str, ...]) -> None:
    with pytest.raises(InvalidValue):
        check_command(words, read_allowed(ALLOWED), "/srv/shop")


@pytest.mark.parametrize(
    "words",
    [
        ("cat", "src/app.py"),
        ("cat", "a..b", "x;y", "$(id)", "`id`", "*"),  # no shell reads them
        ("git", "diff", "main..topic"),
        ("make", "test", "-j2"),
        ("./tool.sh", "--fast"),
        ("cat", "/srv/shop/src/app.py"),
        ("python3", "check.py", "-x"),
        ("cat", "https://example.org/a"),
        ("cat", "--index=https://example.org/a,git+ssh://b@c/d"),
    ],
)
def test_what_the_user_allowed_is_run(words: tuple[str, ...]) -> None:
    check_command(words, read_allowed(ALLOWED), "/srv/shop")


@pytest.mark.parametrize(
    "entry",
    [
        *("sh", "bash -c", "env", "sudo make", "xargs", "*", "/bin/sh"),
        *("python3", "python", "python3.11 -c", "python3 -m", "python3 -I -c x", "/usr/bin/perl"),
        *("perl -e", "ruby", "node", "node --eval", "awk", "gawk", "php -r", "deno eval", "pypy3"),
    ],
)
def test_a_setting_that_would_allow_everything_is_refused(entry: str) -> None:
    with pytest.raises(InvalidValue, match="every program"):
        read_allowed(f"make, {entry}")


@pytest.mark.parametrize(
    "entry",
    ["python3 check.py", "python3 -m pytest", "node --test", "perl tool.pl", "awk -f x.awk"],
)
def test_an_interpreter_may_be_named_with_what_it_runs(entry: str) -> None:
    assert read_allowed(entry) == (tuple(entry.split()),)
    assert list_broad(read_allowed(entry)) == ()


@pytest.mark.parametrize("entry", ["git", "find", "find .", "tar", "sed", "npx", "docker", "curl"])
def test_a_program_that_runs_any_other_or_sends_files_is_named_as_that(entry: str) -> None:
    assert list_broad(read_allowed(f"make test, {entry}")) == (entry,)


@pytest.mark.parametrize("entry", ["git diff", "git status", "go test", "cargo test", "docker ps"])
def test_a_part_of_such_a_program_may_be_named_without_a_word(entry: str) -> None:
    assert list_broad(read_allowed(entry)) == ()


def test_without_a_setting_nothing_is_run() -> None:
    with pytest.raises(InvalidValue, match="not among") as caught:
        check_command(("ls",), read_allowed(""), "/srv/shop")
    assert "agentx config set --user agents.commands" in caught.value.hint


def test_a_command_sees_no_secret_of_the_environment() -> None:
    seen = make_surroundings(
        {
            "PATH": "bin:/usr/bin::./x:/bin",
            "HOME": "/home/dev",
            "LC_ALL": "C.UTF-8",
            "ANTHROPIC_API_KEY": "k",
            "AWS_SECRET_ACCESS_KEY": "s",
            "GITHUB_TOKEN": "t",
            "SSH_AUTH_SOCK": "/tmp/agent",
            "GIT_SSH_COMMAND": "ssh -i x",
            "LD_PRELOAD": "/tmp/x.so",
            "PYTHONPATH": "/tmp",
            "AGENTX_AGENTS_COMMANDS": "sh",
        },
        "engineer",
    )

    assert seen["PATH"] == "/usr/bin:/bin"
    assert seen["AGENTX_AGENT"] == "engineer"
    assert {
        "ANTHROPIC_API_KEY",
        "AWS_SECRET_ACCESS_KEY",
        "GITHUB_TOKEN",
        "SSH_AUTH_SOCK",
    }.isdisjoint(seen)
    assert {"GIT_SSH_COMMAND", "LD_PRELOAD", "PYTHONPATH", "AGENTX_AGENTS_COMMANDS"}.isdisjoint(
        seen
    )


def command_work(root: Path) -> CommandWork:
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
    return CommandWork(root, read_allowed("python3 check.py"), environment, CountingEntropy())


def test_a_command_is_killed_with_all_that_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "check.py").write_text(
        "import os, sys, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        open('left', 'w').write(str(os.getpid()))\n"
        "        time.sleep(300)\n"
        "    os._exit(0)\n"
        "while not os.path.exists('left'): time.sleep(0.01)\n"
        "print('begun', flush=True)\n"
        "time.sleep(300)\n",
        encoding="utf-8",
    )

    waits: list[float] = []
    join = program._Ear.join

    def wait(ear: program._Ear, until_s: float) -> None:
        waits.append(until_s)
        join(ear, until_s)

    monkeypatch.setattr(program._Ear, "join", wait)
    outcome = command_work(tmp_path).run(
        {"command": ["python3", "check.py"], "seconds": 3}, left_ms=60_000
    )

    assert len(waits) == 2
    assert len(set(waits)) == 1, "its two pipes are waited for together"
    assert outcome.failed
    assert "begun" in outcome.text
    assert "ended, with all it started" in outcome.text
    left = int((tmp_path / "left").read_text("utf-8"))
    until(lambda: not pid_alive(left))  # a process that is killed takes a moment to go


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody takes orphans in")
def test_who_left_the_session_without_an_environment_is_ended_too(tmp_path: Path) -> None:
    (tmp_path / "check.py").write_text(
        "import os\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        '        code = \'open("left", "w").write(str(os.getpid())); time.sleep(300)\'\n'
        "        for fd in (0, 1, 2): os.close(fd)\n"
        "        run = ['env', 'python3', '-c', 'import os, time; ' + code]\n"
        "        os.execve('/usr/bin/env', run, {})\n"
        "    os._exit(0)\n"
        "os.wait()\n"
        "import time\n"
        "while not os.path.exists('left') or not open('left').read(): time.sleep(0.01)\n",
        encoding="utf-8",
    )

    outcome = command_work(tmp_path).run({"command": ["python3", "check.py"]}, left_ms=60_000)

    assert not outcome.failed
    left = int((tmp_path / "left").read_text("utf-8"))
    until(lambda: not pid_alive(left))


def test_what_a_command_prints_is_bounded_and_its_end_is_kept(tmp_path: Path) -> None:
    (tmp_path / "check.py").write_text(
        "for n in range(20_000): print('line', n)\nraise SystemExit(3)\n", encoding="utf-8"
    )

    outcome = command_work(tmp_path).run({"command": ["python3", "check.py"]}, left_ms=60_000)

    assert outcome.failed
    assert len(outcome.text) < 31_000
    assert "line 0\n" in outcome.text
    assert "line 19999\n" in outcome.text
    assert outcome.text.endswith("Exit Code: 3")


def test_folders_without_end_and_without_leave_stop_no_search(folder: Path) -> None:
    deep = folder / "deep"
    for number in range(200):
        deep = deep / f"d{number}"
    deep.mkdir(parents=True)
    (folder / "shut").mkdir(mode=0o000)

    found = files_of(folder).tools["search_text"]({"text": "price"})

    assert "src/app.py:1: price = 1" in found.text
    (folder / "shut").chmod(0o700)
