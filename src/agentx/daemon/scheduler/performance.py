"""One run of a job: whatever happens in it, it ends with a sentence."""

from __future__ import annotations

import logging

from agentx.daemon.scheduler.model import JobSpec
from agentx.kernel.errors import AgentXError
from agentx.kernel.values import frozen

_log = logging.getLogger(__name__)


@frozen
class Done:
    """What came of a run: it said something, or it failed."""

    error: str = ""
    said: str = ""


def perform(spec: JobSpec) -> Done:
    """Run a job to its end. A failure is logged and returned as a sentence.

    One that nobody foresaw is logged with its traceback.
    """
    try:
        said = spec.run()
    except AgentXError as error:
        _log.warning("job %s failed; it runs again as scheduled: %s", spec.name, error.message)
        return Done(error=f"{type(error).__name__}: {error}")
    except (Exception, SystemExit) as error:  # noqa: BLE001  one of the three places: a job may fail
        _log.exception("job %s failed; it runs again as scheduled", spec.name)
        return Done(error=f"{type(error).__name__}: {error}".removesuffix(": "))
    return Done(said=said if isinstance(said, str) else "")
