"""Which files of `.agent-memory/` are facts: all else on the branch is made from them again."""

from __future__ import annotations

from agentx.kernel.ids import is_run_id
from agentx.kernel.text import compile_late

MEMORY = ".agent-memory"
PARTS = ("runs", "archive", "index.yaml", "aside")  # what AgentX keeps apart from the code
PACKED = ".tar.gz"
_PASSING = (".tmp", ".lock", ".guard")  # of a write that is under way, or was killed
_NAME = r'[^/."\x00-\x1f][^/"\x00-\x1f]*'
# What AgentX lays there, in any version, ends with digits of what it holds; else it is somebody's.
_ASIDE = r"[a-z][\w-]*-[0-9a-f]{8,16}\.[a-z]{2,5}"
_ASIDE_OF_RUN = rf'{_NAME}-[0-9a-f]{{8}}(?:\.[^/."\x00-\x1f]*)?'
_FACT = compile_late(
    rf"\.agent-memory/(?:runs/({_NAME})/(?:(?:lanes/{_NAME}/)?events/{_NAME}/{_NAME}\.jsonl"
    rf"|aside/{_ASIDE_OF_RUN})|aside/{_ASIDE}|archive/({_NAME})\.tar\.gz)"
)


def is_fact(path: str) -> bool:
    """Tell whether a path of the branch holds facts, and may be laid out in a checkout."""
    found = _FACT.fullmatch(path)
    if found is None or ".." in path.split("/"):
        return False
    run = found.group(1) or found.group(2)
    return run is None or is_run_id(run)


def is_aside(path: str) -> bool:
    """Tell whether a fact was kept aside for people to look at; a writer's card is no such."""
    is_card = path.startswith(f"{MEMORY}/aside/writer-")
    return is_fact(path) and "/aside/" in path and not path.endswith(".jsonl") and not is_card


def is_kept(path: str) -> bool:
    """Tell whether a file belongs on the branch at all."""
    return not path.endswith(_PASSING) and "\n" not in path and '"' not in path


def is_page(path: str) -> bool:
    """Tell whether a file that we made from facts may be laid out as we left it."""
    parts = path.split("/")
    is_plain = not any(part.startswith(".") or not part for part in parts[1:])
    return is_plain and is_kept(path) and not is_fact(path) and parts[0] == MEMORY


def run_of(path: str) -> str:
    """Return the run that a path belongs to, packed or not; empty for what belongs to all."""
    _, part, *rest = path.split("/")
    if part == "runs" and rest:
        return rest[0]
    return rest[0].removesuffix(PACKED) if part == "archive" and rest else ""
