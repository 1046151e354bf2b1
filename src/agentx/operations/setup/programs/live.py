"""Send a test event through the hooks as they are installed, and see each arrive.

A hook is called as its agent CLI would: by the very line that stands in its settings, in the
project's folder. What arrives is looked for where hooks leave what they capture, read as the
agent CLI's own, and taken away again: no session that never was comes into the memory, and where
there is no memory yet none is begun. A drain that is faster leaves it, and throws it away later.
What only the agent CLI itself could show is said, and never claimed.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from agentx.adapters.codex.setup import UNTRUSTED
from agentx.adapters.codex.trust import trust_state
from agentx.adapters.port import HookCall, SetupScope
from agentx.adapters.registry import ADAPTERS
from agentx.adapters.settings.changes import find_hook_line
from agentx.adapters.settings.plugins import has_plugin
from agentx.capture import spool_record
from agentx.capture.limits import RECORD_BYTES_MAX
from agentx.capture.spool import list_records
from agentx.capture.spool_record import TRIAL_SESSION
from agentx.host.files import plain
from agentx.kernel.capture import EventType, Harness
from agentx.kernel.errors import AgentXError
from agentx.kernel.ids import mint
from agentx.kernel.paths import SpoolPaths
from agentx.kernel.places import encode_name, origin_of
from agentx.kernel.values import frozen
from agentx.operations.setup.installed import list_switches
from agentx.operations.setup.setup import Setup, SetupInputs, setup_request
from agentx.project.exclusion import is_left_out
from agentx.project.project import Project

_HOOK_WAIT_S = 10
_SAID = "a test event of agentx doctor"
_PLUGIN_LINE = "agentx-hook --harness {}"
# What asks the daemon, or sends for one, is not tried: nobody is there to be told.
_QUIET = {"AGENTX_RECALL_AT_PROMPT": "off", "AGENTX_DAEMON_AUTO": "false"}


@frozen
class HookTrial:
    """What came of a test event of one agent CLI."""

    harness: Harness
    title: str
    arrived: bool
    hook_ms: int
    says: str = ""  # what went wrong
    unsure: str = ""  # why the agent CLI may not call its hook all the same, as far as is known


@frozen
class LiveReply:
    """Whether test events went all the way."""

    arrived: bool  # of every agent CLI that has our hooks, and there is one
    hook_ms: int  # the slowest
    trials: tuple[HookTrial, ...]
    says: str = ""  # why none was sent
    is_excluded: bool = False  # the user wants nothing of this project to be captured

    @property
    def is_wrong(self) -> bool:
        """Say whether something does not work that should."""
        return not (self.arrived or self.is_excluded)


def try_hooks(project: Project, inputs: SetupInputs) -> LiveReply:
    """Call every installed hook as its agent CLI would, and look for what it left."""
    if is_left_out(project, str(project.root), project.id):
        return LiveReply(
            arrived=False,
            hook_ms=0,
            trials=(),
            says="nothing of this project is captured: it is excluded",
            is_excluded=True,
        )
    found = tuple(_list_lines(project, inputs))
    if not found:
        says = "no agent CLI has hooks of AgentX: agentx init"
        return LiveReply(arrived=False, hook_ms=0, trials=(), says=says)
    trials = tuple(_try_one(project, inputs, *one) for one in found)
    return LiveReply(
        arrived=all(one.arrived for one in trials),
        hook_ms=max(one.hook_ms for one in trials),
        trials=trials,
    )


def _list_lines(project: Project, inputs: SetupInputs) -> Iterator[tuple[Harness, str, str]]:
    """Yield each agent CLI that has our hooks, the line that calls them, and what speaks against.

    Both scopes are looked into; what is installed for the user comes first.
    """
    for harness, adapter in ADAPTERS.items():
        line = ""
        for scope in SetupScope:
            wanted = Setup(harness=harness, project_root=project.root, scope=scope)
            with suppress(AgentXError):  # a file that cannot be read calls nothing
                edits = adapter.edits(setup_request(inputs, wanted))
                line = line or next(filter(None, map(find_hook_line, edits)), "")
        if not line and has_plugin(harness, inputs.homes):
            line = _PLUGIN_LINE.format(harness)
        if line:
            yield harness, line, "; ".join(list_switches(project, inputs, harness))


def _try_one(
    project: Project, inputs: SetupInputs, harness: Harness, line: str, against: str
) -> HookTrial:
    session = f"{TRIAL_SESSION}{mint(project.clock.now_ms(), project.entropy)}"
    folders = tuple(_list_spools(project))
    made = [folder for folder in folders if not os.path.lexists(folder.root)]
    began = project.clock.now_ms()
    try:
        failed = _call(project, line, _word_payload(harness, session, str(project.root)))
        took = project.clock.now_ms() - began
        says = failed or _find(folders, harness, session)
    finally:
        for folder in made:
            _clear(folder)
    return HookTrial(
        harness=harness,
        title=ADAPTERS[harness].title,
        arrived=not says,
        hook_ms=took,
        says=says,
        unsure=against or _doubt(inputs, harness),
    )


def _call(project: Project, line: str, payload: dict[str, Any]) -> str:
    """Call a hook; return what went wrong, if that can be seen."""
    root = str(project.root)
    environment = {
        **project.environment.variables,
        **_QUIET,
        "CLAUDE_PROJECT_DIR": root,
        "GEMINI_PROJECT_DIR": root,
    }
    try:
        done = subprocess.run(
            ["/bin/sh", "-c", line],
            input=json.dumps(payload).encode(),
            cwd=project.root,
            env=environment,
            capture_output=True,
            timeout=_HOOK_WAIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"the hook did not end within {_HOOK_WAIT_S} s"
    except (OSError, ValueError) as error:
        return f"the hook could not be called: {error}"
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return f"the hook ended with {done.returncode}: {said[-1] if said else line}"
    return ""


def _list_spools(project: Project) -> Iterator[SpoolPaths]:
    """Yield where a hook leaves what it captures here, and where if it cannot."""
    directory, named = os.path.normpath(project.root), project.environment.project_id
    own, *others = project.environment.spools
    yield SpoolPaths(own / encode_name(origin_of(directory, named)))
    for root in others:
        yield SpoolPaths(root / encode_name(origin_of(directory, named, str(project.data.root))))


def _find(folders: tuple[SpoolPaths, ...], harness: Harness, session: str) -> str:
    """Take a test event away; return what is wrong with it, nothing if it is as it should be."""
    for place, folder in enumerate(folders):
        for path in reversed(list_records(folder)):
            with suppress(OSError):
                raw = plain.read_bytes(path, bytes_max=RECORD_BYTES_MAX, ground=folder.root)
                if session.encode() not in raw:
                    continue
                path.unlink(missing_ok=True)
                if place:
                    return f"it arrived in {folder.root.parent}: the data folder takes nothing"
                return _read(raw, path, harness, session)
    return "nothing arrived"


def _read(raw: bytes, path: Path, harness: Harness, session: str) -> str:
    record = spool_record.parse(raw, path.name)
    try:
        call = HookCall(
            harness=record.harness,
            received_ms=record.received_ms,
            working_directory=record.working_directory,
            payload=json.loads(record.payload),
            delivery="",
        )
        drafts = ADAPTERS[harness].drafts(call)
    except (ValueError, RecursionError, AgentXError) as error:
        return f"what arrived cannot be read: {error}"
    said = [one for one in drafts if one.event_type is EventType.USER_MESSAGE]
    if record.harness != harness or [(one.session_id, one.text) for one in said] != [
        (session, _SAID)
    ]:
        return "what arrived is not what was sent"
    return ""


def _word_payload(harness: Harness, session: str, directory: str) -> dict[str, Any]:
    """Return a prompt, as the agent CLI would tell its hook of it."""
    if harness is Harness.OPENCODE:
        message = {"id": f"{session}-message", "sessionID": session, "role": "user"}
        part = {"id": f"{session}-part", "type": "text", "text": _SAID}
        return {
            "hook": "chat.message",
            "session_id": session,
            "cwd": directory,
            "payload": {"message": message, "parts": [part]},
        }
    if harness is Harness.COPILOT:
        return {"sessionId": session, "cwd": directory, "prompt": _SAID}
    event = "BeforeAgent" if harness is Harness.GEMINI else "UserPromptSubmit"
    said = {"session_id": session, "cwd": directory, "hook_event_name": event, "prompt": _SAID}
    return {**said, "prompt_id": session} if harness is Harness.CLAUDE_CODE else said


def _doubt(inputs: SetupInputs, harness: Harness) -> str:
    """Return why an agent CLI may not call a hook that works, as far as that can be seen."""
    if harness is Harness.CODEX and not has_plugin(harness, inputs.homes):
        with suppress(AgentXError):
            if trust_state(inputs.homes, (str(inputs.data.launcher),)) != "trusted":
                return UNTRUSTED
    return ""


def _clear(folder: SpoolPaths) -> None:
    """Take away a spool folder that was made for a test event, if nothing else came meanwhile."""
    with suppress(OSError):
        folder.new.rmdir()
        folder.tmp.rmdir()
        folder.directory.unlink(missing_ok=True)
        folder.called.unlink(missing_ok=True)
        folder.root.rmdir()
        folder.root.parent.rmdir()
