"""One entry of a thread as a comment on its issue, and how such a comment is known again.

What agents wrote is text, not markup of ours: a comment's hidden marker cannot be forged by a body.
"""

from __future__ import annotations

from agentx.clarification.model import PERSON, Clarification, EntryType
from agentx.clarification.rendering import say_late, speak_entry
from agentx.kernel.clock import to_iso
from agentx.kernel.ids import digest
from agentx.kernel.roles import speak_role
from agentx.kernel.text import preview, printable, refer_to_nothing


def marker(state: Clarification, index: int) -> str:
    """Return the hidden mark by which a comment is known again, however often it is synced.

    It names what was said, and not where it stands: a merge of clones moves numbers, and what was
    asked on one thread to threads of their own.
    """
    entry = state.thread[index]
    said = digest(str(entry.type), entry.speaker, str(entry.at_ms), size=8).hex()
    return f"<!-- agentx:clarification:{state.stem or state.uid or state.id}:{said} -->"


def former_marks(state: Clarification, index: int) -> tuple[str, ...]:
    """Return what a comment of an earlier release holds, all of it, that says the same."""
    named = (state.formerly or state.id).partition("@")[0]
    at = to_iso(state.thread[index].at_ms)
    return (f"<!-- agentx:clarification:{named}:", f"**{_entitle(state, index)}**", f"<sub>{at}<")


def is_post(body: str, state: Clarification, index: int) -> bool:
    """Tell whether a comment is the one of an entry."""
    return marker(state, index) in body or all(part in body for part in former_marks(state, index))


def comment(
    state: Clarification, index: int, people: tuple[str, ...] = (), heard: tuple[str, ...] = ()
) -> str:
    """Return one entry of a thread as a structured comment on its issue.

    `people` are mentioned where one of them is to decide, and nobody else ever is; `heard` are
    those whose reply there is taken.
    """
    entry = state.thread[index]
    late = f",{say_late(state, entry)}".replace("(", "").replace(")", "") if entry.late else ""
    quoted = "\n".join(f"> {line}" for line in _unmark(entry.body).splitlines()) or "> -"
    is_for_person = entry.type is EntryType.ESCALATION or (
        entry.type is EntryType.QUESTION and state.to == PERSON
    )
    called = (*_call_people(state, people, heard), "") if is_for_person and people else ()
    facts = f"({state.id}, round {entry.round}/{state.rounds_max}{late})"
    return "\n".join(
        (
            marker(state, index),
            f"**{_entitle(state, index)}** {facts}",
            "",
            f"**Topic**: {_unmark(preview(state.topic, 200))}",
            "",
            quoted,
            "",
            *called,
            f"<sub>{to_iso(entry.at_ms)}</sub>",
        )
    )


def _entitle(state: Clarification, index: int) -> str:
    entry = state.thread[index]
    return {
        EntryType.QUESTION: f"{speak_role(state.asker)} asks {speak_role(state.to)}",
        EntryType.ANSWER: f"{speak_entry(entry)} answers {speak_role(state.asker)}",
        EntryType.RESOLUTION: f"Resolved by {speak_entry(entry)}",
        EntryType.ESCALATION: "Escalated: a person is needed",
    }[entry.type]


def _call_people(
    state: Clarification, people: tuple[str, ...], heard: tuple[str, ...]
) -> tuple[str, ...]:
    """Call them, and say whose reply decides: of a team's members nobody's does."""
    named = " ".join(f"@{name}" for name in people)
    whose = "A reply" if heard == people else f"A reply of {' or '.join(heard)}"
    how = f"{whose} to this comment decides it. Where several wait, begin it with `{state.id}:`"
    if not heard:
        how = (
            "Replies are not read here. Who works on the project decides it there: "
            f"`agentx clarify answer {state.id}`"
        )
    return (f"cc {named}", "", how)


def _unmark(body: str) -> str:
    """Return a body that cannot pass for one of our markers, and calls nobody."""
    return refer_to_nothing(printable(body).replace("<!--", "&lt;!--"))
