"""The calls of a memory that a daemon serves: one table, read by clients and by servers.

A row says which verb of `Memory` a call is. What travels is what the verb takes and
returns: its signature is read once, when the call is first made. How it travels is known to
`messages` (gRPC) and to `plain` (JSON), which costs a command less to import. A new verb is
a method of the port, an `rpc` with its messages in the proto, and a row here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from inspect import signature
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar

from agentx.memory.limits import RPC_LONG_WAIT_MS, RPC_WAIT_MS
from agentx.memory.port import Memory

if TYPE_CHECKING:
    from agentx.memory.wire.codec import Exemption

Given = ParamSpec("Given")
Reply = TypeVar("Reply")


class Call(Generic[Given, Reply]):
    """One question and its answer."""

    def __init__(
        self,
        name: str,
        verb: Callable[Concatenate[Any, Given], Reply],
        *,
        part: str = "",
        wait_ms: int = RPC_WAIT_MS,
        exemptions: tuple[Exemption, ...] = (),
    ) -> None:
        """Name a call and its verb.

        `part` holds what it returns in a message, where that is not the answer; `exemptions`
        say what of it travels otherwise than its fields do, for what is no call of the memory.
        """
        self.name = name
        self.verb = verb
        self.part = part
        self.wait_ms = wait_ms
        self.exemptions = exemptions

    def bind(self, *arguments: Given.args, **named: Given.kwargs) -> dict[str, Any]:
        """Return what the verb is given, by its parameters; what was left out has its default."""
        bound = self._signature.bind(None, *arguments, **named)
        bound.apply_defaults()
        return dict(bound.arguments)

    @cached_property
    def _signature(self) -> Any:
        return signature(self.verb)


MEMORY_CALLS: dict[Callable[..., Any], Call[..., Any]] = {
    call.verb: call
    for call in (
        Call("IngestEvent", Memory.append, part="receipt"),
        Call("GetEvents", Memory.events),
        Call("GetEvent", Memory.event, part="event"),
        Call("ListSessions", Memory.sessions, part="sessions"),
        Call("GetStatus", Memory.status),
        Call("DrainSpool", Memory.drain, wait_ms=RPC_LONG_WAIT_MS),
        Call("ForgetEvents", Memory.forget, wait_ms=RPC_LONG_WAIT_MS),
        Call("SyncViews", Memory.catch_up, wait_ms=RPC_LONG_WAIT_MS),
        Call("RebuildToc", Memory.rebuild_toc, wait_ms=RPC_LONG_WAIT_MS),
        Call("RebuildIndex", Memory.rebuild_index, part="entries", wait_ms=RPC_LONG_WAIT_MS),
        Call("GetTocRoot", Memory.toc_roots, part="nodes"),
        Call("GetNode", Memory.toc_node, part="node"),
        Call("BrowseToc", Memory.browse),
        Call("ExpandGrip", Memory.expand),
        Call("GetRetrievalCapabilities", Memory.capabilities),
        Call("GetIndexStatus", Memory.index_report),
    )
}

# Asked for by who reads, which is by the hatch.
FRESHEN = Call("Freshen", Memory.freshen)

# One verb, and a call for each of its modes: the name of the call is the mode.
SEARCH_CALLS = {
    "auto": Call("RouteQuery", Memory.search),
    "bm25": Call("TeleportSearch", Memory.search),
    "vector": Call("VectorTeleport", Memory.search),
    "hybrid": Call("HybridSearch", Memory.search),
}
