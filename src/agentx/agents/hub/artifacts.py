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
from agentx.kernel.paths import ProjectPaths, check_number
from agentx.kernel.text import cut


def artifacts_of(
    paths: ProjectPaths, issue: int, outputs: Iterable[str] = ()
) -> tuple[Reference, ...]:
    """Return what is written down about an issue, in the order it should be read."""
    root = paths.root.resolve()
    named = (
        *(paths.root / output for output in outputs if output),
        *_usual_places(paths.root, issue),
    )
    found: dict[str, Reference] = {}
    for path in named:
        real = path.resolve()
        if not real.is_relative_to(root) or len(found) >= CLARIFY_ARTIFACTS_MAX:
            continue
        text = _text(real)
        if text:
            name = str(real.relative_to(root))
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


def _text(path: Path) -> str:
    """Return a file as far as an agent can take it in; nothing for what is no readable file."""
    if not path.is_file():
        return ""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            head = file.read(CLARIFY_ARTIFACT_CHARS_MAX * 4)
    except OSError:
        return ""
    return cut(head, CLARIFY_ARTIFACT_CHARS_MAX)
