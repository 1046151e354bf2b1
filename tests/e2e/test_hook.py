"""Goal: the installed hook never disturbs an agent, loses nothing, and lets no secret through.

Method: the real program beside the interpreter that runs the tests, in a home of its own,
fed with payloads of every sort; then the same with a home that cannot be written, a full
disk, links where folders should be, and kill -9 at random moments.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agentx.operations.setup.programs.hook_launcher import launcher_text
from agentx.surfaces.hooks.limits import HOOK_PAYLOAD_BYTES_MAX
from tests.support.hook_home import HOOK, HookHome
from tests.support.secrets import corpus

MAIN = Path(__file__).parents[2] / "src" / "agentx" / "surfaces" / "hooks" / "main.py"
MEGABYTE = 1024 * 1024


@pytest.fixture
def home(tmp_path: Path) -> HookHome:
    return HookHome(tmp_path)


# --- payloads ---------------------------------------------------------------------------------


@pytest.mark.promise("hook.never-disturbs")
@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"{}",
        b'{"hook_event_name": "Stop", "n": 1}',
        b"not json at all",
        b'{"hook_event_name": "Stop", "text": "cut o',
        b"\x00\x01\x02\xff\xfe" * 100,
        b"\x00" * 5000,
        b'{"a": "\x00"}',
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a":' * 100_000,
        '{"prompt": "日本語 👩\u200d💻 \u202bשלום\u202c"}'.encode(),
        b'{"half": "\\ud800"}',
        b"\n\n\n",
        b'{"line": "' + b"x" * (MEGABYTE - 100) + b'"}',
    ],
    ids=lambda payload: repr(payload[:12]),
)
def test_whatever_comes_is_kept_as_it_came(home: HookHome, payload: bytes) -> None:
    printed = home.hook(payload)

    (record,) = home.records()
    assert printed == b""
    assert record.payload == payload
    assert record.harness == "claude-code"
    assert record.working_directory == str(home.work)
    assert not record.cut


def test_fifty_megabytes_are_cut_and_marked_and_kept(home: HookHome) -> None:
    payload = json.dumps({"hook_event_name": "PostToolUse", "out": "y" * 50 * MEGABYTE}).encode()

    home.hook(payload)

    (record,) = home.records()
    kept = json.loads(record.payload)
    assert record.cut
    assert kept["hook_event_name"] == "PostToolUse"
    assert len(kept["out"]) < 2 * MEGABYTE
    assert "characters cut by agentx" in kept["out"]


def test_more_than_the_limit_is_read_to_the_end_and_its_head_is_kept(home: HookHome) -> None:
    payload = b'{"hook_event_name": "Stop", "x": "' + b"y" * (HOOK_PAYLOAD_BYTES_MAX + MEGABYTE)

    home.hook(payload)

    (record,) = home.records()
    assert record.cut
    assert record.payload.startswith(b'{"hook_event_name": "Stop"')
    assert len(record.payload) < 2 * MEGABYTE


@pytest.mark.promise("redact.before-disk")
def test_no_secret_and_no_private_text_reaches_the_spool(home: HookHome) -> None:
    secrets = corpus()
    text = "\n".join(f"{secret.text}\n" for secret in secrets)
    payload = {"prompt": f"{text}<private>between us</private>", "password": "x"}

    home.hook(json.dumps(payload).encode())
    home.hook(json.dumps(payload).encode()[:-2])
    home.hook(text.encode())

    spooled = b"".join(path.read_bytes() for path in home.root.rglob("*") if path.is_file())
    assert len(home.records()) == 3
    assert [secret.name for secret in secrets if secret.secret.encode() in spooled] == []
    assert b"between us" not in spooled


# --- arguments and environment ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "harness"),
    [
        (("--harness", "codex"), "codex"),
        (("--harness", "brand-new-cli"), "brand-new-cli"),
        (("--harness", "../../../etc/passwd"), "unknown"),
        (("--harness", "a/b"), "unknown"),
        (("--harness",), "unknown"),
        (("--help",), "unknown"),
        (("--what", "ever", "-x"), "unknown"),
    ],
)
def test_no_arguments_make_it_fail(
    home: HookHome, arguments: tuple[str, ...], harness: str
) -> None:
    printed = home.hook(b"{}", *arguments)

    (record,) = home.records()
    assert printed == b""
    assert record.harness == harness


def test_a_session_that_agentx_itself_runs_is_not_captured(home: HookHome) -> None:
    home.hook(b"{}", AGENTX_INTERNAL="1")

    assert home.records() == []


def test_the_role_travels_with_the_payload(home: HookHome) -> None:
    home.hook(b"{}", AGENTX_AGENT='eng"ineer\n')

    assert home.records()[0].agent == 'eng"ineer'


def test_the_project_directory_of_the_agent_cli_decides_the_folder(home: HookHome) -> None:
    home.hook(b"{}", CLAUDE_PROJECT_DIR="/src/../../../etc/a b")

    (folder,) = home.data.spools.iterdir()
    assert folder == home.data.spool("/etc/a b").root
    assert (folder / "directory").read_bytes() == b"/etc/a b"


def test_files_are_private_and_leave_nothing_behind_in_tmp(home: HookHome) -> None:
    home.hook(b"{}")

    for path in (home.data.root, *home.data.root.rglob("*")):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path
    assert list(home.spool.tmp.iterdir()) == []


def test_without_the_usual_variables_it_still_captures(home: HookHome, tmp_path: Path) -> None:
    home.environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "elsewhere")}

    home.hook(b"{}")

    assert len(home.records(tmp_path / "elsewhere/.local/share/agent-memory/spool")) == 1


def test_without_a_home_it_does_not_fail(home: HookHome) -> None:
    # Under an interpreter that may not write files nothing lands in the real home.
    del home.environment["HOME"], home.environment["XDG_DATA_HOME"]

    home.hook(b"{}", limits={resource.RLIMIT_FSIZE: 0})


def test_a_working_directory_that_is_gone_does_not_matter(home: HookHome) -> None:
    gone = home.root / "gone"
    gone.mkdir()
    script = f'rmdir "{gone}"; echo "{{}}" | "{HOOK}" --harness codex'

    done = subprocess.run(
        ["/bin/sh", "-c", script], cwd=gone, env=home.environment, capture_output=True, timeout=60
    )

    assert (done.returncode, done.stdout) == (0, b"")
    assert len(home.records()) == 1


def test_closed_standard_streams_do_not_matter(home: HookHome) -> None:
    script = f'"{HOOK}" --harness codex <&- >&- 2>&-'

    done = subprocess.run(
        ["/bin/sh", "-c", script], cwd=home.work, env=home.environment, timeout=60
    )

    assert done.returncode == 0


@pytest.mark.parametrize("flag", ["-O", "-OO"])
def test_it_runs_under_an_optimised_interpreter(home: HookHome, flag: str) -> None:
    home.hook(b"{}", program=(sys.executable, flag, "-I", "-S", str(MAIN)))

    assert len(home.records()) == 1


def test_nothing_slow_is_imported_for_a_plain_payload(home: HookHome) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-I", "-S", str(MAIN), "--harness", "codex"],
        input=b'{"prompt": "a quick brown fox"}',
        capture_output=True,
        cwd=home.work,
        env=home.environment,
        timeout=60,
    )

    imported = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
    assert "agentx.surfaces.hooks.capture" in imported
    assert imported.isdisjoint(
        {"re", "json", "pathlib", "argparse", "typing", "dataclasses", "enum", "site", "hashlib"}
    )


def test_many_hooks_at_once_in_a_new_home_lose_nothing(home: HookHome) -> None:
    hooks = [
        subprocess.Popen(
            [str(HOOK), "--harness", "codex"],
            stdin=subprocess.PIPE,
            cwd=home.work,
            env=home.environment,
        )
        for _ in range(8)
    ]
    for number, hook in enumerate(hooks):
        assert hook.stdin is not None
        hook.stdin.write(b"%d" % number)
        hook.stdin.close()

    assert [hook.wait(timeout=60) for hook in hooks] == [0] * 8
    assert {record.payload for record in home.records()} == {b"%d" % n for n in range(8)}
    assert home.spool.directory.read_text(encoding="utf-8") == str(home.work)


# --- the launcher that setup writes -----------------------------------------------------------


def test_the_launcher_of_setup_starts_the_hook(home: HookHome) -> None:
    launcher = home.root / "agentx-hook"
    launcher.write_text(launcher_text(sys.executable, str(MAIN)), encoding="utf-8")
    launcher.chmod(0o755)

    home.hook(b'{"a": 1}', program=(str(launcher),))

    assert home.records()[0].payload == b'{"a": 1}'


@pytest.mark.parametrize("gone", ["python", "main"])
def test_a_launcher_whose_agentx_is_gone_swallows_its_input(home: HookHome, gone: str) -> None:
    python, main = sys.executable, str(MAIN)
    launcher = home.root / "agentx-hook"
    text = launcher_text(
        "/gone/python" if gone == "python" else python, "/gone" if gone == "main" else main
    )
    launcher.write_text(text, encoding="utf-8")
    launcher.chmod(0o755)

    assert home.hook(b"x" * MEGABYTE, program=(str(launcher),)) == b""
    assert home.records() == []


def test_the_installed_command_works_through_a_link(home: HookHome) -> None:
    link = home.root / "bin" / "hook"
    link.parent.mkdir()
    link.symlink_to(HOOK)

    home.hook(b"{}", program=(str(link),))

    assert len(home.records()) == 1


def test_a_copy_that_finds_no_agentx_swallows_its_input(home: HookHome) -> None:
    lonely = home.root / "bin" / "agentx-hook"
    lonely.parent.mkdir()
    shutil.copy(HOOK, lonely)

    assert home.hook(b"x" * MEGABYTE, program=(str(lonely),)) == b""


# --- places that cannot be written ------------------------------------------------------------


def _fallback(home: HookHome) -> Path:
    return home.temporary / "spare"


def test_a_read_only_home_goes_to_the_fallback(home: HookHome) -> None:
    # Root may write to any folder, but nobody may make one in /proc.
    home.hook(b'{"a": 1}', XDG_DATA_HOME="/proc/agentx")

    (record,) = home.records(_fallback(home))
    assert record.payload == b'{"a": 1}'
    assert stat.S_IMODE(_fallback(home).stat().st_mode) == 0o700


def test_a_file_where_the_folder_should_be_goes_to_the_fallback(home: HookHome) -> None:
    home.data.spools.parent.mkdir(parents=True)
    home.data.spools.write_text("", encoding="utf-8")

    home.hook(b"{}")

    assert len(home.records(_fallback(home))) == 1


@pytest.mark.parametrize("part", ["", "tmp", "new"])
def test_a_link_where_a_spool_folder_should_be_is_not_followed(home: HookHome, part: str) -> None:
    trap = home.root / "trap"
    (trap / "tmp").mkdir(parents=True)
    (trap / "new").mkdir()
    for name in ("tmp", "new"):
        (home.spool.root / name).mkdir(parents=True)
    target = home.spool.root / part
    shutil.rmtree(target)
    target.symlink_to(trap if part == "" else trap / part)

    home.hook(b"{}")

    assert [path for path in trap.rglob("*") if path.is_file()] == []
    assert len(home.records(_fallback(home))) == 1


def test_a_fallback_that_others_could_read_is_not_used(home: HookHome) -> None:
    _fallback(home).mkdir(mode=0o755)
    _fallback(home).chmod(0o755)

    home.hook(b"{}", XDG_DATA_HOME="/proc/agentx")

    assert list(_fallback(home).iterdir()) == []


def test_a_fallback_that_is_a_link_is_not_used(home: HookHome) -> None:
    trap = home.root / "trap"
    trap.mkdir(mode=0o700)
    _fallback(home).symlink_to(trap)

    home.hook(b"{}", XDG_DATA_HOME="/proc/agentx")

    assert list(trap.iterdir()) == []


@pytest.mark.promise("hook.never-disturbs")
def test_a_full_disk_leaves_nothing_half_and_disturbs_nobody(home: HookHome) -> None:
    home.hook(b'{"first": 1}')

    printed = home.hook(b"x" * 20_000, limits={resource.RLIMIT_FSIZE: 4096})

    assert printed == b""
    assert [record.payload for record in home.records()] == [b'{"first": 1}']
    assert list(home.spool.tmp.iterdir()) == []


def test_a_full_disk_is_left_for_one_that_is_not(home: HookHome) -> None:
    disk = home.root / "data"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)], capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("needs the right to mount a small disk")
    try:
        home.hook(b"{}")
        home.hook(b"x" * 200_000)

        assert [record.payload for record in home.records()] == [b"{}"]
        assert [len(record.payload) for record in home.records(_fallback(home))] == [200_000]
    finally:
        subprocess.run(["umount", str(disk)], check=True)


# --- kills ------------------------------------------------------------------------------------


def test_kill_9_at_any_moment_leaves_nothing_half(home: HookHome) -> None:
    payload = json.dumps({"out": "pass" + "word = hunter2! \n" * 20_000}).encode()
    chance = random.Random(7)
    finished = 0

    for _ in range(25):
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(MAIN), "--harness", "codex"],
            stdin=subprocess.PIPE,
            cwd=home.work,
            env=home.environment,
        )
        assert process.stdin is not None
        process.stdin.write(payload)
        process.stdin.close()
        time.sleep(chance.uniform(0.0, 0.25))
        process.send_signal(signal.SIGKILL)
        finished += process.wait(timeout=60) == 0

    assert len(home.records()) >= finished


def test_a_hook_that_dies_before_its_rename_leaves_nothing_to_be_taken(home: HookHome) -> None:
    program = (
        "import os, signal\n"
        "from agentx.host.crash import CrashPoint, arm\n"
        "from agentx.surfaces.hooks.spool import Caller, deliver\n"
        "arm(CrashPoint.SPOOL_TEMP_WRITTEN, lambda: os.kill(os.getpid(), signal.SIGKILL))\n"
        "deliver(Caller('codex', 1, os.getcwd(), ''), b'{}')\n"
    )

    died = subprocess.run(
        [sys.executable, "-c", program], cwd=home.work, env=home.environment, timeout=60
    )
    home.hook(b'{"after": 1}')

    assert died.returncode == -signal.SIGKILL
    assert [record.payload for record in home.records()] == [b'{"after": 1}']
