"""A session told turn by turn, and what is taken from it."""

from __future__ import annotations

from agentx.exchanges.turns import Turn, TurnKind
from agentx.kernel.clock import Millis
from agentx.observations.extract import extract
from agentx.observations.extract.session.finding import Finding
from agentx.observations.model import Category


class Talk:
    """A session, told turn by turn."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []

    def user(self, text: str) -> Talk:
        """Say something as the user."""
        return self.add(TurnKind.PROMPT, text=text)

    def agent(self, text: str) -> Talk:
        """Say something as the agent."""
        return self.add(TurnKind.REPLY, text=text)

    def shell(self, command: str, output: str = "", code: int = 0) -> Talk:
        """Run a command."""
        call = f"call-{len(self.turns)}"
        self.add(
            TurnKind.CALL,
            text=f"Bash: {command}",
            tool="Bash",
            call_id=call,
            arguments={"command": command},
        )
        return self.add(
            TurnKind.RESULT,
            text=output,
            tool="Bash",
            call_id=call,
            failed=bool(code),
            exit_code=code,
        )

    def edit(self, path: str, old: str, new: str) -> Talk:
        """Change a file."""
        call = f"call-{len(self.turns)}"
        arguments = {"file_path": f"/repo/{path}", "old_string": old, "new_string": new}
        self.add(
            TurnKind.CALL, text=f"Edit: {path}", tool="Edit", call_id=call, arguments=arguments
        )
        return self.add(TurnKind.RESULT, text="updated", tool="Edit", call_id=call)

    def found(self, category: Category) -> list[Finding]:
        """Return what is taken, of one category."""
        return [one for one in extract(self.turns) if one.category is category]

    def add(self, kind: TurnKind, **changes: object) -> Talk:
        """Add a turn of any kind."""
        number = len(self.turns)
        self.turns.append(
            Turn(
                event_id=f"event-{number:03}",
                at_ms=Millis(1_772_445_600_000 + 10_000 * number),
                kind=kind,
                directory="/repo",
                **changes,  # type: ignore[arg-type]  # the fields of a turn
            )
        )
        return self

    def kept(self) -> list[str]:
        """Return the lines that are kept, without the overview."""
        return [
            one.content
            for one in extract(self.turns)
            if one.category is not Category.COMPACTION_SUMMARY
        ]
