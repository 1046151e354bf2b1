"""Goal: the drawing of the error tree is the error tree.

Method: the docstring is parsed and compared with the classes.
"""

from __future__ import annotations

import re

from agentx.kernel import errors
from agentx.kernel.errors import AgentXError


def _drawn() -> dict[str, str]:
    """Return child -> parent as the docstring draws it."""
    parents: dict[str, str] = {}
    stack: list[tuple[int, str]] = []
    for line in (errors.__doc__ or "").splitlines():
        found = re.match(r"^    ([ |`-]*)([A-Z]\w+)", line)
        if found is None:
            continue
        depth, name = len(found[1]), found[2]
        while stack and stack[-1][0] >= depth:
            stack.pop()
        if stack:
            parents[name] = stack[-1][1]
        stack.append((depth, name))
    return parents


def _real(kind: type[AgentXError] = AgentXError) -> dict[str, str]:
    found: dict[str, str] = {}
    for child in kind.__subclasses__():
        if child.__module__ == errors.__name__:
            found[child.__name__] = kind.__name__
            found.update(_real(child))
    return found


def test_the_drawing_is_the_tree() -> None:
    assert _drawn() == _real()


def test_every_error_has_a_code_of_its_own() -> None:
    codes = [getattr(errors, name).code for name in (*_real(), "AgentXError")]

    assert len(codes) == len(set(codes))


def test_an_error_carries_its_sentence_and_its_hint() -> None:
    error = errors.NotFound("s-9: no such session", hint="list them")

    assert (str(error), error.hint, error.code) == (
        "s-9: no such session",
        "list them",
        "not_found",
    )
