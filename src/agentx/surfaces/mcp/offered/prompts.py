"""Every prompt: agent CLIs show them as slash commands."""

from __future__ import annotations

from typing import Any, NamedTuple


class PromptArgument(NamedTuple):
    """One thing that a person may type behind the command."""

    name: str
    about: str
    required: bool = False


class SlashCommand(NamedTuple):
    """One prompt; `verb` is `module:function` below `tools`."""

    name: str
    verb: str
    title: str
    about: str
    arguments: tuple[PromptArgument, ...] = ()

    def describe(self) -> dict[str, Any]:
        """Return it as a list names it."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.about,
            "arguments": [
                {"name": each.name, "description": each.about, "required": each.required}
                for each in self.arguments
            ],
        }


_ALL = (
    SlashCommand(
        "recall",
        "prompts:recall",
        "What matters",
        "What earlier sessions decided, what went wrong and how it ended.",
        (PromptArgument("context", "what you are about to do"),),
    ),
    SlashCommand(
        "standup",
        "prompts:standup",
        "Stand-up",
        "What was done since yesterday, where it stopped, what is left and who waits.",
        (PromptArgument("since", "yesterday, last week, 2026-03-02"),),
    ),
    SlashCommand(
        "why",
        "prompts:why",
        "Why this is remembered",
        "From an id down to the words that prove it: who said them, and when.",
        (PromptArgument("id", "an id of a recalled line or row", required=True),),
    ),
    SlashCommand(
        "clarify",
        "prompts:clarify",
        "Clarifications",
        "What agents ask each other: all active ones, or the thread of an issue.",
        (PromptArgument("issue", "its number"),),
    ),
    SlashCommand(
        "search",
        "prompts:search",
        "Search memory",
        "Rows of what was said, decided and done, best first.",
        (PromptArgument("query", "a question, or words", required=True),),
    ),
    SlashCommand(
        "get",
        "prompts:get",
        "Full text",
        "The whole text of something that search or recall named.",
        (PromptArgument("ids", "one or more ids", required=True),),
    ),
    SlashCommand(
        "stats", "prompts:stats", "Figures", "What this memory holds, and how it is used."
    ),
    SlashCommand(
        "compact",
        "prompts:compact",
        "Merge old observations",
        "Merges observations that are old and alike, now; the originals go to the archive.",
        (PromptArgument("issue", "only of this one"),),
    ),
)

PROMPTS = {each.name: each for each in _ALL}
