"""A connection to a daemon: calls of the tables, each with its deadline.

What goes wrong over there is raised here as the same error.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import grpc

from agentx.kernel.errors import InvalidValue
from agentx.memory.limits import RPC_MESSAGE_BYTES_MAX
from agentx.memory.wire.address import PROJECT_HEADER, UNIX, bearer, is_loopback
from agentx.memory.wire.calls import Call, Given, Reply
from agentx.memory.wire.errors import error_of
from agentx.memory.wire.messages import messages_of

_HEALTH_WAIT_MS = 1_000
_OPTIONS = (
    ("grpc.max_receive_message_length", RPC_MESSAGE_BYTES_MAX),
    ("grpc.max_send_message_length", RPC_MESSAGE_BYTES_MAX),
    # A daemon is on this machine, or where the user said: never behind a proxy.
    ("grpc.enable_http_proxy", 0),
    # Whether to try again is the caller's decision.
    ("grpc.enable_retries", 0),
)


class Connection:
    """One channel, who calls on it, and of which project. Safe to use from many threads."""

    def __init__(self, channel: grpc.Channel, token: str = "", project: str = "") -> None:
        self.channel = channel
        self.metadata = (*bearer(token), *(((PROJECT_HEADER, project),) if project else ()))
        self._token = token

    @property
    def grpc(self) -> Connection:
        """The way by which a stream goes: this one."""
        return self

    def of_project(self, project: str) -> Connection:
        """Return the same connection for another project in the same store."""
        return Connection(self.channel, self._token, project)

    def ask(self, call: Call[Given, Reply], *arguments: Given.args, **named: Given.kwargs) -> Reply:
        """Make a call; return what its verb returned over there.

        Raises: what the verb raised over there, DaemonUnavailable.
        """
        messages = messages_of(call)
        send = self.channel.unary_unary(
            messages.path,
            request_serializer=messages.request_class.SerializeToString,
            response_deserializer=messages.reply_class.FromString,
        )
        request = messages.write_request(*arguments, **named)
        with raise_failures():
            reply = send(request, timeout=call.wait_ms / 1000, metadata=self.metadata)
        return messages.read_reply(reply)

    def close(self) -> None:
        """Let nothing more be asked."""
        self.channel.close()


def connect_to(
    address: str, *, token: str = "", root_certificates: bytes | None = None, project: str = ""
) -> Connection:
    """Return a connection; nothing is sent before the first call.

    Raises: InvalidValue when a token would travel in the clear to another machine.
    """
    return Connection(_channel(address, root_certificates), token, project)


def is_healthy(address: str, *, token: str = "", root_certificates: bytes | None = None) -> bool:
    """Tell whether a daemon at an address says that it serves."""
    from grpc_health.v1 import health_pb2, health_pb2_grpc  # noqa: PLC0415  needed only to start one

    with _channel(address, root_certificates) as channel:
        try:
            answer = health_pb2_grpc.HealthStub(channel).Check(
                health_pb2.HealthCheckRequest(),
                timeout=_HEALTH_WAIT_MS / 1000,
                metadata=bearer(token),
            )
        except grpc.RpcError:
            return False
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


@contextmanager
def raise_failures() -> Iterator[None]:
    """Let a call that failed raise the error that it stands for."""
    try:
        yield
    except grpc.RpcError as failure:
        raise error_of(failure) from failure


def _channel(address: str, root_certificates: bytes | None) -> grpc.Channel:
    if root_certificates is not None:
        credentials = grpc.ssl_channel_credentials(root_certificates)
        return grpc.secure_channel(address, credentials, options=_OPTIONS)
    host = address.rpartition(":")[0].removeprefix("[").removesuffix("]")
    if address.startswith(UNIX):
        # Other servers than Python's refuse a path as the name of a host.
        options = (*_OPTIONS, ("grpc.default_authority", "localhost"))
        return grpc.insecure_channel(address, options=options)
    if not is_loopback(host):
        raise InvalidValue(
            f"{address} is another machine: nothing is sent there in the clear",
            hint="give the certificate of its TLS",
        )
    return grpc.insecure_channel(address, options=_OPTIONS)
