"""The agent CLIs and the editors that the house knows, a table each."""

from __future__ import annotations

from agentx.adapters.port import Adapter, EditorName, KnownEditor
from agentx.kernel.capture import Harness

ADAPTERS: dict[Harness, Adapter] = {
    adapter.harness: adapter
    for adapter in (
        Adapter(
            harness=Harness.CLAUDE_CODE,
            title="Claude Code",
            package="claude_code",
            commands=("claude",),
            keeps_transcripts_days=30,
        ),
        Adapter(
            harness=Harness.CODEX,
            title="Codex",
            package="codex",
            commands=("codex",),
            keeps_transcripts_days=None,
        ),
        Adapter(
            harness=Harness.GEMINI,
            title="Gemini CLI",
            package="gemini",
            commands=("gemini",),
            keeps_transcripts_days=30,
        ),
        Adapter(
            harness=Harness.OPENCODE,
            title="OpenCode",
            package="opencode",
            commands=("opencode",),
            keeps_transcripts_days=None,
        ),
        Adapter(
            harness=Harness.COPILOT,
            title="Copilot CLI",
            package="copilot",
            commands=("copilot",),
            keeps_transcripts_days=None,
        ),
    )
}

EDITORS: dict[EditorName, KnownEditor] = {
    EditorName.VSCODE: KnownEditor(name=EditorName.VSCODE, title="VS Code", package="vscode"),
}


def find_installer(name: Harness | EditorName) -> Adapter | KnownEditor:
    """Return who knows how the settings files of an agent CLI or an editor change."""
    return EDITORS[name] if isinstance(name, EditorName) else ADAPTERS[name]


def adapter_for(name: str) -> Adapter | None:
    """Return the adapter of an agent CLI by its name; None when the house knows none."""
    return next((adapter for adapter in ADAPTERS.values() if adapter.harness == name), None)
