"""The gRPC servers of a daemon: one on its Unix socket, one on TCP when asked.

Each has the memory service, health and reflection. They share the service and
nothing else, so what is asked of a caller depends on the door it came through:
nothing on the socket, whose folder is private; a token on TCP.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from agentx.daemon.address import Tcp
from agentx.daemon.servers import Offer, Places, Servers
from agentx.kernel.errors import InvalidValue, UnavailableError
from agentx.memory.limits import RPC_MESSAGE_BYTES_MAX
from agentx.memory.wire.address import UNIX
from agentx.memory.wire.messages import SERVICE
from agentx.surfaces.grpc.access import TokenCheck, token_in
from agentx.surfaces.grpc.service import MemoryService

# A stream holds a thread for as long as it is open; more calls than this at once are refused.
_CALLS_MAX = 64
_OPTIONS = (
    ("grpc.max_receive_message_length", RPC_MESSAGE_BYTES_MAX),
    ("grpc.max_send_message_length", RPC_MESSAGE_BYTES_MAX),
    # Two daemons must never share a port without knowing.
    ("grpc.so_reuseport", 0),
)


class RpcServer:
    """One gRPC server on one address."""

    def __init__(self, service: MemoryService, token: str = "") -> None:
        self._pool = ThreadPoolExecutor(_CALLS_MAX, thread_name_prefix="agentx-rpc")
        self._server = grpc.server(
            self._pool,
            interceptors=[TokenCheck(token)] if token else [],
            options=_OPTIONS,
            maximum_concurrent_rpcs=_CALLS_MAX,
        )
        self._health = health.HealthServicer()
        self._server.add_generic_rpc_handlers((service.handler(),))
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        names = (SERVICE.full_name, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, self._server)
        self._ended: Any = None
        self.address = ""

    def listen_on_socket(self, path: Path) -> str:
        """Bind to a Unix socket that only its user can open; return the address."""
        self.address = f"{UNIX}{path}"
        self._bind(self.address, self._server.add_insecure_port)
        path.chmod(0o600)
        return self.address

    def listen_on_tcp(self, tcp: Tcp) -> str:
        """Bind to a TCP address; return it with the port that was given.

        Raises: InvalidValue for files that hold no TLS, UnavailableError when it cannot be bound.
        """
        if tcp.certificate is None or tcp.key is None:
            port = self._bind(tcp.text, self._server.add_insecure_port)
        else:
            credentials = _credentials(tcp.certificate, tcp.key)
            port = self._bind(
                tcp.text, lambda text: self._server.add_secure_port(text, credentials)
            )
        self.address = Tcp(host=tcp.host, port=port).text
        return self.address

    def start(self) -> None:
        """Accept calls."""
        self._server.start()
        for name in (health.OVERALL_HEALTH, SERVICE.full_name):
            self._health.set(name, health_pb2.HealthCheckResponse.SERVING)

    def refuse_new_calls(self, grace_ms: int) -> None:
        """Accept nothing new; what is in flight may take `grace_ms` more, or less if told again."""
        self._health.enter_graceful_shutdown()
        self._ended = self._server.stop(grace_ms / 1000)

    def wait_until_ended(self) -> None:
        """Return when no call runs any more; only then may the memory be closed."""
        if self._ended is None:
            self._ended = self._server.stop(None)
        self._ended.wait()
        self._pool.shutdown(wait=True)

    @staticmethod
    def _bind(address: str, bind: Any) -> int:
        try:
            port: int = bind(address)
        except RuntimeError as error:
            raise UnavailableError(
                f"{address} cannot be listened on: {error}", hint="is another program there?"
            ) from error
        return port


def open_servers(offer: Offer, places: Places) -> Servers:
    """Return a server for each place that gRPC has; none has started yet.

    Raises: as `listen_on_tcp`; InvalidValue and CorruptRecord for a token that is none.
    """
    service = MemoryService(offer)
    servers = [RpcServer(service)]
    try:
        servers[0].listen_on_socket(places.socket)
        if places.tcp is not None:
            servers.append(RpcServer(service, token_in(places.token_file)))
            servers[1].listen_on_tcp(places.tcp)
    except BaseException:
        for server in servers:
            server.wait_until_ended()
        raise
    return Servers(socket=servers[0], tcp=servers[1] if places.tcp else None)


def _credentials(certificate: Path, key: Path) -> grpc.ServerCredentials:
    try:
        pair = (key.read_bytes(), certificate.read_bytes())
    except OSError as error:
        raise InvalidValue(
            f"{error.filename}: {error.strerror}", hint="give PEM files that you can read"
        ) from error
    return grpc.ssl_server_credentials([pair])
