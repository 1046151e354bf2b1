"""What whoever looks at a run is told while somebody drives it."""

from __future__ import annotations

from agentx.kernel.ids import shorten_run
from agentx.runs.claiming.own_claims import OwnClaims
from agentx.runs.claiming.telling import say_until
from agentx.runs.holding.settling import say_holder, settle
from agentx.runs.model import Run
from agentx.runs.replies import NextStep


def tell_driven(run: Run, own: OwnClaims) -> NextStep | None:
    """Return that a run is driven now, with what takes it up: nobody else begins its tasks."""
    claim = None if run.over else settle(run.drives).claim
    seen = None if claim is None else own.see(claim)
    if seen is None or not seen.holds_at(own.now_ms):
        return None
    is_own = seen.checkout == own.known
    who = "from here" if is_own else f"by {say_holder(seen)}"
    gone, take = ("where that driver is gone this", "") if is_own else ("this", " --take")
    return NextStep(
        text=f"it is driven {who}, {say_until(seen, own.now_ms)}: its driver gives its tasks out; "
        f"{gone} takes it over",
        command=f"agentx run drive {shorten_run(run.id)}{take}",
        is_persons=True,
    )
