"""What waits for the agent while it is at work: what the person typed, and what tasks tell.

`dequeue` means that it comes as a line of its own; `remove`, that it was handed to the running
turn, which older versions record nowhere else. Neither says what of all that waits it means, so
what comes as a line is known by its words, and what a person typed goes before what tasks tell.
"""

from __future__ import annotations

from agentx.adapters.voices import machine_of
from agentx.kernel.capture import text_print


class WaitingWords:
    """What waits, in its order."""

    def __init__(self) -> None:
        self._waiting: list[str] = []
        self._going = 0  # left the queue, and their lines have not come yet

    def wait(self, text: str) -> None:
        """Something is to be told when there is time."""
        if text.strip():
            self._waiting.append(text)

    def go(self) -> None:
        """One of them comes as a line of its own."""
        self._going += 1

    def meet(self, text: str) -> None:
        """A line has come; if it is one of those that go, it waits no more."""
        if not (self._going and text.strip()):
            return
        self._going -= 1
        if not self._drop(text):
            self._take_first(is_machine=machine_of(text) is not None)

    def hand_over(self, text: str) -> str:
        """Return what was handed to the running turn; `text` where the line says it itself."""
        if text:
            self._drop(text)
            return text
        return self._take_first(is_machine=False) or self._take_first(is_machine=True)

    def _drop(self, text: str) -> bool:
        same = text_print(text)
        for place, waiting in enumerate(self._waiting):
            if text_print(waiting) == same:
                del self._waiting[place]
                return True
        return False

    def _take_first(self, *, is_machine: bool) -> str:
        for place, waiting in enumerate(self._waiting):
            if (machine_of(waiting) is not None) is is_machine:
                return self._waiting.pop(place)
        return ""
