"""How long an agent waits for its hook.

The hook as it is installed is run in turn with bare Python, so that both meet the
same load of the machine; the figure is the ratio of the medians.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from statistics import median
from threading import Thread

from agentx import __version__
from agentx.kernel.paths import DataPaths, StorePaths
from agentx.memory.limits import HATCH_REQUEST_BYTES_MAX
from agentx.memory.wire.hatch import receive_frame, send_frame
from agentx.memory.wire.plain import encode
from tests.bench.row import Row

_RUNS = {"small": 40, "full": 200}


def run(size: str) -> list[Row]:
    """Measure the hook against bare Python."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        environment = {
            **os.environ,
            "XDG_DATA_HOME": str(home / "data"),
            "HOME": str(home),
        }
        environment.pop("AGENTX_INTERNAL", None)
        _prepare_digest(DataPaths(home / "data" / "agent-memory"), home)
        hook = [str(Path(sys.executable).with_name("agentx-hook")), "--harness", "claude-code"]
        commands = {
            "bare": ([sys.executable, "-I", "-S", "-c", "pass"], b""),
            "plain": (hook, _payload("PostToolUse", "all is well\n" * 300)),
            "looked up": (hook, _payload("PreToolUse", "")),
            "secret": (hook, _payload("PostToolUse", "pass" + 'word = "hunter2!"\n' * 200)),
            "start": (hook, _payload("SessionStart", "")),
            "served": (hook, _payload("SessionStart", "")),
        }
        store = StorePaths(home / "data" / "agent-memory" / "bench")
        listener = _listen(store)
        presence = store.daemon.read_bytes()
        timings: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(_RUNS.get(size, _RUNS["small"])):
            for name, (command, payload) in commands.items():
                store.daemon.write_bytes(presence if name == "served" else b"{}")
                began = time.perf_counter()
                subprocess.run(
                    command,
                    input=payload,
                    cwd=home,
                    env={**environment, "AGENTX_DAEMON_AUTO": "on" if name == "served" else "off"},
                    stdout=subprocess.DEVNULL,
                    check=True,
                )
                timings[name].append(time.perf_counter() - began)
        listener.close()
    medians = {name: median(times) for name, times in timings.items()}
    bare = medians["bare"]
    return [
        Row("bare python3 -I -S -c pass", bare * 1000, "ms"),
        Row("hook, 4 KB payload", medians["plain"] / bare, "x bare", at_most=2.5),
        Row("hook, a call looked up", medians["looked up"] / bare, "x bare", at_most=2.5),
        Row("hook, 4 KB with a secret", medians["secret"] / bare, "x bare", at_most=8),
        Row("hook, session start with a digest", medians["start"] / bare, "x bare", at_most=5),
        Row("the same, told by a daemon", medians["served"] / bare, "x bare", at_most=5),
    ]


def _payload(event: str, output: str) -> bytes:
    payload = {
        "session_id": "c27a4d0f-b49b-46e7-95b7-8d9723e031e0",
        "cwd": "/home/dev/proj",
        "hook_event_name": event,
        "tool_name": "Bash",
        "tool_input": {"command": "make test"},
        "tool_response": {"stdout": output},
    }
    return json.dumps(payload).encode()


def _listen(store: StorePaths) -> socket.socket:
    """Be there as a daemon is, and answer at once: what is measured is the hook."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(store.hatch))
    store.hatch.chmod(0o600)
    listener.listen(1_000)
    prepared = store.digest("claude-code").read_text(encoding="utf-8")
    answer = encode({"reply": {"prepared": prepared}})

    def serve() -> None:
        with suppress(OSError):
            while True:
                with suppress(EOFError, TimeoutError), listener.accept()[0] as caller:
                    deadline = time.monotonic() + 1
                    receive_frame(caller, deadline, HATCH_REQUEST_BYTES_MAX)
                    send_frame(caller, answer, deadline)

    Thread(target=serve, daemon=True).start()
    said = {"pid": os.getpid(), "version": __version__, "hatch": str(store.hatch)}
    store.daemon.write_text(json.dumps(said), encoding="utf-8")
    return listener


def _prepare_digest(data: DataPaths, working_directory: Path) -> None:
    spool = data.spool(str(working_directory))
    store = StorePaths(data.root / "bench")
    for folder in (spool.tmp, spool.new, store.digests):
        folder.mkdir(parents=True)
    spool.store.write_text(str(store.root), encoding="utf-8")
    lines = ["[agentx:recall]", *("obs-1\t- a decision that was taken" for _ in range(200))]
    text = "\n".join((*lines, "[/agentx:recall]"))
    store.digest("claude-code").write_text(text, encoding="utf-8")
    known = [f"command\tmake x{number}\ts-1\tobs-{number}\t- a line" for number in range(1_600)]
    store.cautions.write_text("\n".join(known), encoding="utf-8")
