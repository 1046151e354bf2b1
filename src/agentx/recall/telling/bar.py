"""How much something must be worth to be told while a session runs: saying nothing is the rule."""

from __future__ import annotations

from agentx.kernel.values import frozen


@frozen
class Bar:
    """What something must reach."""

    worth: float  # by its kind and its words
    cover: float  # of what is asked and what is said, how much is the same
    shared: float  # how many words no other memory has it takes to say so much in common
    tells_of_files: bool  # at an action, also of files


_BARS = {
    "on": Bar(worth=0.85, cover=0.18, shared=2.0, tells_of_files=True),
    "quiet": Bar(worth=1.0, cover=0.25, shared=2.0, tells_of_files=False),
}


def bar_of(said: str) -> Bar | None:
    """Return the bar that a setting stands for; None where nothing is to be told."""
    return _BARS.get(said)
