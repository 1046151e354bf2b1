"""How things stand, as protobuf messages, and back."""

from __future__ import annotations

from agentx.conversation.model import LogStatus
from agentx.kernel.clock import Millis
from agentx.memory.port import MemoryStatus, SpendingToday
from agentx.memory.wire._generated import memory_pb2 as pb2
from agentx.memory.wire.messages import whole


def status_message(status: MemoryStatus) -> pb2.GetStatusResponse:
    """Write how things stand."""
    log = status.log
    return pb2.GetStatusResponse(
        log=pb2.LogStatus(
            events=log.events,
            sessions=log.sessions,
            forgotten=log.forgotten,
            first_ms=log.first_ms,
            last_ms=log.last_ms,
            bytes_on_disk=log.bytes_on_disk,
            by_harness={whole(name): count for name, count in log.by_harness.items()},
            by_type=log.by_type,
        ),
        spool_waiting=status.spool_waiting,
        spool_refused=status.spool_refused,
        served_by=status.served_by,
        daemon_pid=status.daemon_pid,
        daemon_uptime_ms=status.daemon_uptime_ms,
        spending=_spending_message(status.spending),
    )


def status_value(message: pb2.GetStatusResponse) -> MemoryStatus:
    """Read how things stand."""
    log = message.log
    return MemoryStatus(
        log=LogStatus(
            events=log.events,
            sessions=log.sessions,
            forgotten=log.forgotten,
            first_ms=Millis(log.first_ms) if log.HasField("first_ms") else None,
            last_ms=Millis(log.last_ms) if log.HasField("last_ms") else None,
            by_harness=dict(log.by_harness),
            by_type=dict(log.by_type),
            bytes_on_disk=log.bytes_on_disk,
        ),
        spool_waiting=message.spool_waiting,
        spool_refused=message.spool_refused,
        served_by=message.served_by,
        daemon_pid=message.daemon_pid,
        daemon_uptime_ms=message.daemon_uptime_ms,
        spending=_spending_value(message.spending) if message.HasField("spending") else None,
    )


def _spending_message(spent: SpendingToday | None) -> pb2.SpendingToday | None:
    if spent is None:
        return None
    return pb2.SpendingToday(
        model=whole(spent.model),
        tokens=spent.tokens,
        tokens_max=spent.tokens_max,
        usd=spent.usd,
        usd_max=spent.usd_max,
        calls=spent.calls,
    )


def _spending_value(message: pb2.SpendingToday) -> SpendingToday:
    return SpendingToday(
        model=message.model,
        tokens=message.tokens,
        tokens_max=message.tokens_max,
        usd=message.usd,
        usd_max=message.usd_max,
        calls=message.calls,
    )
