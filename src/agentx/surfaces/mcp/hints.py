"""What an error tells to do next, for who has tools and no command line.

The house speaks of its commands and their flags. An agent is told of the tool that does the
same; what only a command can do is the user's to run, and is said to be.
"""

from __future__ import annotations

import re

_TOOLS = (
    (
        r"give an existing folder with --project",
        "if it was a lane, it was merged: go on in the main checkout",
    ),
    (r"search, recall and toc\b", "other tools"),
    (r"agentx memory (?:list|search)[^`;,]*", "observations"),
    (r"agentx (?:events|toc|sessions)\b[^`;,]*", "timeline"),
    (r"agentx clarify accept (\S+) (\S+)", r"answer with id=\1, accept=true, source=\2"),
    (r"agentx clarify answer\b", "answer"),
    (r"agentx clarify ask\b", "ask with"),
    (r"agentx clarify(?: inbox)?(?=`|$| lists)", "inbox"),
    (r"agentx issue list\b", "ready"),
    (r"agentx run (?:list|show|task list|lane list)\b", "run_status"),
    (r'agentx run start(?: "TITLE")?(?=`|$|\s)', "run_do with action start"),
    (r"agentx run task (take|release) ([A-Z]+-\w+)", r"run_do with action \1, task \2"),
    (r'agentx run task add(?: "?TITLE"?)?(?=`|$|\s|\))', "run_do with action add-task, title"),
    (r"agentx run lane open --task (\S+?)(?=`|$|\s)", r"run_do with action open-lane, task \1"),
    (r"agentx run lane open\b", "run_do with action open-lane"),
    (r"agentx run lane finish(?: (lane-[\w-]+|LANE))?", r"run_do with action finish-lane, lane \1"),
    (
        r"agentx run lane merge(?: (lane-[\w-]+|LANE))?",
        r"run_do with action finish-lane, merge, lane \1",
    ),
    (r"agentx run resume(?=`|$)", "run_do with action resume"),
    (r"agentx run task start (\S+?)(?=`|$|\s)", r"run_event with type task-started, task \1"),
    (r"agentx run event --type (\S+?)(?=`|$|\s)", r"run_event with type \1"),
)
_FLAG = re.compile(r"--([a-z][a-z-]*)(?: [A-Z]{2,}\b)?")


def speak_command(command: str) -> str:
    """Return a command in brackets as its tool, or as it is typed where no tool does it."""
    said = speak_hint(command)
    return f" ({command if 'agentx ' in said else said})" if command else ""


def speak_hint(hint: str) -> str:
    """Return a hint in the words of tools."""
    said = hint
    for command, tool in _TOOLS:
        said = re.sub(command, tool, said)
    if "agentx " in said:
        return f"for the user: {said}"
    return _FLAG.sub(lambda found: found[1].replace("-", "_"), said)
