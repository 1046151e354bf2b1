"""The settings of the floors that are not rooms. A room keeps its own `Settings`.

A setting must have a user who would set it. Every default is safe and offline,
and no default is ever written to a user's file.
"""

from __future__ import annotations

from agentx.kernel.values import frozen, setting


@frozen
class ProjectSettings:
    """Which project this is."""

    id: str = setting(
        "", "Name of the project's store; empty derives it from the git repository.", persons=True
    )


@frozen
class StorageSettings:
    """Where memory lives."""

    mode: str = setting(
        "per-project",
        "One store a project, or one store for all of them.",
        choices=("per-project", "unified"),
        persons=True,
    )
    wait_ms: int = setting(
        800,
        "How long a command that reads waits for what is new, and for who else has the store.",
    )


@frozen
class DaemonSettings:
    """The background process."""

    auto: bool = setting(
        True,
        "Let hooks start the daemon where a session begins, asks or ends; it leaves when idle.",
        persons=True,
    )
    idle_minutes: int = setting(
        30, "How long a daemon that hooks started stays when nobody needs it."
    )


@frozen
class RecallSettings:
    """What a session is told while it runs."""

    at_prompt: str = setting(
        "on",
        "Tell what is close to a prompt: never, only what is very close, or what is worth it. "
        "Questions and answers for the session are told in any case.",
        choices=("off", "quiet", "on"),
    )
    at_action: str = setting(
        "on",
        "Tell at an action: nothing, what failed here, or also files with a decision or a trap.",
        choices=("off", "quiet", "on"),
    )


@frozen
class TocSettings:
    """The table of contents."""

    timezone: str = setting(
        "", "Time zone of days and weeks; empty is this machine's.", shared=True
    )


@frozen
class SearchSettings:
    """How far a search may reach."""

    all_projects: bool = setting(
        False,
        "Let a search look into every project on this machine, when it asks for that.",
        persons=True,
    )


@frozen
class McpSettings:
    """What agents are offered over MCP."""

    tools: str = setting(
        "auto",
        "Toolsets that are listed beside search, timeline, get, recall and remember: proofs, "
        "questions, issues, runs, with commas; all; memory for none; auto lists what is in use.",
    )


@frozen
class AgentsSettings:
    """Who plays the roles."""

    role: str = setting(
        "",
        "The role that sessions play, such as engineer (`agentx agent roles` lists them): what is "
        "captured and learnt is the role's, and it is told what waits for one; `none` for no role.",
        shared=True,
        persons=True,
    )
    runner: str = setting(
        "",
        "Who answers when an agent is asked: an agent CLI, `loop` or `person`, for all or "
        "role=runner; "
        "empty lets questions wait.",
        persons=True,
    )
    commands: str = setting(
        "",
        "Commands that the loop (`agent run --runner loop`) may run, by their first words, with "
        "commas: `pytest, make test, git diff`; empty for none. So may agent CLIs on an issue, "
        "and in lanes of a run.",
        persons=True,
    )
    environment: str = setting(
        "",
        "Names of variables, with commas, that agents in lanes of a driven run are given besides "
        "those that they need.",
        persons=True,
    )


@frozen
class NotifySettings:
    """How a person is told that something waits for them."""

    command: str = setting(
        "",
        "A program of yours that is run when a question waits for you, such as "
        "`notify-send AgentX`; what to say is its last argument.",
        persons=True,
    )


@frozen
class CaptureSettings:
    """What is taken into a memory."""

    exclude: str = setting(
        "",
        "Folders that are never taken into a memory: paths or globs with commas; "
        "a repository's file adds some of its own.",
        shared=True,
    )


@frozen
class RetentionSettings:
    """How long a memory is kept."""

    days: int = setting(
        0,
        "Forget events with all made of them, and settled questions (memory keeps what they came "
        "to), after so many days; 0 keeps all.",
        persons=True,
    )


@frozen
class BackupSettings:
    """What is kept against damage."""

    keep_days: int = setting(
        7, "How many days the daily backup of a memory is kept; 0 makes none.", persons=True
    )
