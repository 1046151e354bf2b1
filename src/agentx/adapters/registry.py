"""The agent CLIs that the house knows, in one table."""

from __future__ import annotations

from agentx.adapters.claude_code import hooks as claude_code_hooks
from agentx.adapters.claude_code import setup as claude_code_setup
from agentx.adapters.claude_code import transcripts as claude_code_transcripts
from agentx.adapters.codex import hooks as codex_hooks
from agentx.adapters.codex import setup as codex_setup
from agentx.adapters.codex import transcripts as codex_transcripts
from agentx.adapters.copilot import hooks as copilot_hooks
from agentx.adapters.copilot import setup as copilot_setup
from agentx.adapters.copilot import transcripts as copilot_transcripts
from agentx.adapters.gemini import hooks as gemini_hooks
from agentx.adapters.gemini import setup as gemini_setup
from agentx.adapters.gemini import transcripts as gemini_transcripts
from agentx.adapters.opencode import hooks as opencode_hooks
from agentx.adapters.opencode import setup as opencode_setup
from agentx.adapters.opencode import transcripts as opencode_transcripts
from agentx.adapters.port import Adapter
from agentx.kernel.capture import Harness

ADAPTERS: dict[Harness, Adapter] = {
    adapter.harness: adapter
    for adapter in (
        Adapter(
            harness=Harness.CLAUDE_CODE,
            title="Claude Code",
            commands=("claude",),
            keeps_transcripts_days=30,
            drafts=claude_code_hooks.drafts,
            discover=claude_code_transcripts.discover,
            read=claude_code_transcripts.read,
            edits=claude_code_setup.edits,
            installed=claude_code_setup.is_installed,
            in_use=claude_code_transcripts.in_use,
        ),
        Adapter(
            harness=Harness.CODEX,
            title="Codex",
            commands=("codex",),
            keeps_transcripts_days=None,
            drafts=codex_hooks.drafts,
            discover=codex_transcripts.discover,
            read=codex_transcripts.read,
            edits=codex_setup.edits,
            installed=codex_setup.is_installed,
            in_use=codex_transcripts.in_use,
        ),
        Adapter(
            harness=Harness.GEMINI,
            title="Gemini CLI",
            commands=("gemini",),
            keeps_transcripts_days=30,
            drafts=gemini_hooks.drafts,
            discover=gemini_transcripts.discover,
            read=gemini_transcripts.read,
            edits=gemini_setup.edits,
            installed=gemini_setup.is_installed,
            in_use=gemini_transcripts.in_use,
        ),
        Adapter(
            harness=Harness.OPENCODE,
            title="OpenCode",
            commands=("opencode",),
            keeps_transcripts_days=None,
            drafts=opencode_hooks.drafts,
            discover=opencode_transcripts.discover,
            read=opencode_transcripts.read,
            edits=opencode_setup.edits,
            installed=opencode_setup.is_installed,
            in_use=opencode_transcripts.in_use,
        ),
        Adapter(
            harness=Harness.COPILOT,
            title="Copilot CLI",
            commands=("copilot",),
            keeps_transcripts_days=None,
            drafts=copilot_hooks.drafts,
            discover=copilot_transcripts.discover,
            read=copilot_transcripts.read,
            edits=copilot_setup.edits,
            installed=copilot_setup.is_installed,
            in_use=copilot_transcripts.in_use,
        ),
    )
}


def adapter_for(name: str) -> Adapter | None:
    """Return the adapter of an agent CLI by its name; None when the house knows none."""
    return next((adapter for adapter in ADAPTERS.values() if adapter.harness == name), None)
