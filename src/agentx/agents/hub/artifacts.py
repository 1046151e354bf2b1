"""The texts that a question is about: the files in which an issue's work is written down.

The outputs that its workflow names come first, then the usual places (PRD, UX, ADR and
specification of the issue). Only files inside the project are read, and only so much of
each as an agent can take in.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from agentx.agents.limits import CLARIFY_ARTIFACT_CHARS_MAX, CLARIFY_ARTIFACTS_MAX
from agentx.agents.runners.port import Reference
from agentx.agents.store import read_head
from agentx.kernel.paths import ProjectPaths, check_number
from agentx.kernel.text import cut


def artifacts_of(
    paths: ProjectPaths, issue: int, outputs: Iterable[str] = ()
) -> tuple[Reference, ...]:
    """Return what is written down about an issue, in the order it should be read."""
    root = paths.root
    named = (
        *(root / output for output in outputs if output and ".." not in Path(output).parts),
        *_usual_places(root, issue),
    )
    found: dict[str, Reference] = {}
    for path in named:
        if not path.is_relative_to(root) or len(found) >= CLARIFY_ARTIFACTS_MAX:
            continue
        text = _text(path, root)
        if text:
            name = str(path.relative_to(root))
            found[name] = Reference(name=name, text=text)
    return tuple(found.values())


def _usual_places(root: Path, issue: int) -> tuple[Path, ...]:
    number, docs = check_number(issue), root / "docs"
    return (
        docs / "prd" / f"PRD-{number}.md",
        docs / "ux" / f"UX-{number}.md",
        docs / "adr" / f"ADR-{number}.md",
        docs / "specs" / f"SPEC-{number}.md",
    )


def _text(path: Path, root: Path) -> str:
    """Return a file as far as an agent can take it in; nothing for what is no readable file."""
    return cut(read_head(path, root, CLARIFY_ARTIFACT_CHARS_MAX * 4), CLARIFY_ARTIFACT_CHARS_MAX)
