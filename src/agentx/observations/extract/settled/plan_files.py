"""Which plans of a session were written over by another one, in the file that held them.

An agent CLI may keep one file for all plans of a session: who writes a plan for another task into
it takes nothing back. A plan on the same code does.
"""

from __future__ import annotations

from collections.abc import Mapping

from agentx.exchanges.exchange import Exchange
from agentx.kernel.text import compile_late
from agentx.prose.keyphrases import code_names

_PLAN_FILE = compile_late(r"(?:\A|[/\\])plans?[/\\][^/\\]+\.md\Z")
_SHARED_MIN = 2
_PLANS_MAX = 20


def is_written_over(plan: str, title: str, found: list[Exchange]) -> bool:
    """Tell whether the file that held a plan holds another one on the same code by now."""
    held: set[str] = set()
    names = frozenset(code_names(plan))
    for path, text, is_new in _list_texts(found):
        if title and title in text:
            held.add(path)
        elif is_new and path in held and len(names.intersection(code_names(text))) >= _SHARED_MIN:
            return True
    return False


def _list_texts(found: list[Exchange]) -> list[tuple[str, str, bool]]:
    """Return what was read of files of plans, and what was written into them, in order."""
    texts: list[tuple[str, str, bool]] = []
    for step in (step for exchange in found for step in exchange.steps):
        given = step.call.arguments
        path = given.get("file_path") if isinstance(given, Mapping) else None
        if not isinstance(path, str) or not _PLAN_FILE.search(path):
            continue
        content = given.get("content") if isinstance(given, Mapping) else None
        if isinstance(content, str):
            texts.append((path, content, True))
        elif step.result is not None:
            texts.append((path, step.result.text, False))
    return texts[-_PLANS_MAX:]
