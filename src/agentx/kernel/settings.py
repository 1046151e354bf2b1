"""How a floor declares what a user may set. `project.config` gathers the declarations."""

from __future__ import annotations

from dataclasses import field
from typing import Any


def setting(default: Any, about: str, *, choices: tuple[str, ...] = (), name: str = "") -> Any:
    """Declare a field of a settings class: its default, what it does, what it may be.

    `name` is its key in the file where that is not the field's own name.
    """
    return field(default=default, metadata={"about": about, "choices": choices, "name": name})
