"""What an error tells to do next, for who has tools and no command line.

The house speaks of its commands and their flags. An agent is told of the tool that does the
same; what only a command can do is the user's to run, and is said to be.
"""

from __future__ import annotations

import re

_TOOLS = (
    (r"search, recall and toc\b", "other tools"),
    (r"agentx memory (?:list|search)[^`;,]*", "observations"),
    (r"agentx (?:events|toc|sessions)\b[^`;,]*", "timeline"),
    (r"agentx clarify answer\b", "answer"),
    (r"agentx clarify ask\b", "ask with"),
    (r"agentx clarify(?: inbox)?(?=`|$| lists)", "inbox"),
    (r"agentx issue list\b", "ready"),
    (r"agentx run (?:list|show|task list|lane list)\b", "run_status"),
    (r"agentx run event --type (\S+?)(?=`|$|\s)", r"run_event with type \1"),
)
_FLAG = re.compile(r"--([a-z][a-z-]*)(?: [A-Z]{2,}\b)?")


def speak_hint(hint: str) -> str:
    """Return a hint in the words of tools."""
    said = hint
    for command, tool in _TOOLS:
        said = re.sub(command, tool, said)
    if "agentx " in said:
        return f"for the user: {said}"
    return _FLAG.sub(lambda found: found[1].replace("-", "_"), said)
