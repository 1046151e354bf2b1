"""Where the agent CLIs and editors live. Every command asks; most need nothing else of them."""

from __future__ import annotations

from pathlib import Path

from agentx.kernel.values import frozen


@frozen
class Homes:
    """Where each agent CLI keeps its settings and its history."""

    home: Path
    claude_code: Path  # ~/.claude or $CLAUDE_CONFIG_DIR
    codex: Path  # ~/.codex or $CODEX_HOME
    gemini: Path  # ~/.gemini
    opencode_config: Path  # ~/.config/opencode
    opencode_db: Path  # ~/.local/share/opencode/opencode.db or $OPENCODE_DB
    copilot: Path  # ~/.copilot or $COPILOT_HOME
    vscode: tuple[Path, ...] = ()  # the user folder of each edition of VS Code
