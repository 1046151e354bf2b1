"""The settings of the floors that are not rooms. A room keeps its own `Settings`.

A setting must have a user who would set it. Every default is safe and offline,
and no default is ever written to a user's file.
"""

from __future__ import annotations

from dataclasses import dataclass

from agentx.kernel.settings import setting


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectSettings:
    """Which project this is."""

    id: str = setting("", "Name of the project's store; empty derives it from the git repository.")


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageSettings:
    """Where memory lives."""

    mode: str = setting(
        "per-project",
        "One store a project, or one store for all of them.",
        choices=("per-project", "unified"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonSettings:
    """The background process."""

    autostart: bool = setting(
        False, "Start the daemon by itself when a command needs the store; it leaves when idle."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TocSettings:
    """The table of contents."""

    timezone: str = setting("", "Time zone of days and weeks; empty is this machine's.")
