"""What every store checks before it keeps something."""

from __future__ import annotations

from collections.abc import Iterable

from agentx.kernel.errors import InvalidValue
from agentx.kernel.limits import OBSERVATION_CHARS_MAX
from agentx.observations.ids import parse_observation_id
from agentx.observations.model import Observation


def check(observations: Iterable[Observation]) -> None:
    """Let pass only what has a proper id, belongs to the issue its id names, and is not too long.

    Raises: InvalidValue.
    """
    for each in observations:
        if parse_observation_id(each.id).issue_number != each.issue_number:
            raise InvalidValue(f"{each.id} does not belong to issue {each.issue_number}")
        if len(each.content) > OBSERVATION_CHARS_MAX:
            raise InvalidValue(
                f"{each.id} has {len(each.content):,} characters",
                hint=f"an observation may have {OBSERVATION_CHARS_MAX:,}",
            )
