"""Goal: over TCP only who knows the token is heard, and beyond loopback only over TLS.

Method: the real server on loopback ports that the system chooses, with and without
a certificate made for the test; right, wrong and missing tokens.
"""

from __future__ import annotations

import datetime
import ipaddress
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from grpc_health.v1 import health_pb2, health_pb2_grpc

from agentx.conversation.model import EventQuery
from agentx.daemon.address import Tcp, tcp
from agentx.daemon.remote import STOP
from agentx.kernel.errors import CorruptRecord, DaemonUnavailable, InvalidValue, UnavailableError
from agentx.memory.remote import dial
from agentx.memory.wire.connection import connect_to, is_healthy
from agentx.surfaces.grpc.access import token_in
from agentx.surfaces.grpc.server import RpcServer
from tests.support.drafts import draft
from tests.support.served import Served

TOKEN = "a-token-of-more-than-thirty-two-letters"

Serve = Callable[[Tcp], str]


@pytest.fixture
def serve(served: Served) -> Iterator[Serve]:
    """Serve the memory on TCP too; return the address."""
    servers: list[RpcServer] = []

    def on(address: Tcp) -> str:
        server = RpcServer(served.service, TOKEN)
        servers.append(server)
        bound = server.listen_on_tcp(address)
        server.start()
        return bound

    yield on
    for server in servers:
        server.refuse_new_calls(0)
        server.wait_until_ended()


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for this machine and its key."""
    folder = tmp_path_factory.mktemp("tls")
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "agentx test")])
    begin = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(begin)
        .not_valid_after(begin.replace(year=2120))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return folder / "cert.pem", folder / "key.pem"


def test_who_knows_the_token_is_heard(serve: Serve) -> None:
    address = serve(tcp("127.0.0.1:0"))

    with dial(address, token=TOKEN) as remote:
        assert len(remote.append([draft("over tcp")]).stored) == 1
        assert remote.events(EventQuery()).events[0].text == "over tcp"
    assert is_healthy(address, token=TOKEN)


@pytest.mark.parametrize("token", ["", "x" + TOKEN, TOKEN[:-1], TOKEN.upper()])
def test_who_does_not_know_it_is_refused_whatever_is_called(
    served: Served, serve: Serve, token: str
) -> None:
    address = serve(tcp("127.0.0.1:0"))

    with dial(address, token=token) as remote, closing(connect_to(address, token=token)) as daemon:
        for call in (lambda: remote.append([draft()]), remote.status, lambda: daemon.ask(STOP)):
            with pytest.raises(InvalidValue, match="token is missing or wrong"):
                call()
    assert not is_healthy(address, token=token)
    assert served.memory.batches == []
    assert served.stops == []


def test_the_refusal_is_unauthenticated_for_other_programs(serve: Serve) -> None:
    address = serve(tcp("127.0.0.1:0"))

    with grpc.insecure_channel(address) as channel, pytest.raises(grpc.RpcError) as failure:
        health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=60)

    assert failure.value.code() is grpc.StatusCode.UNAUTHENTICATED


def test_the_socket_asks_for_no_token(served: Served) -> None:
    assert served.remote.status().served_by == "daemon"


def test_over_tls_the_token_travels_encrypted(serve: Serve, tls: tuple[Path, Path]) -> None:
    certificate, key = tls
    address = serve(tcp("127.0.0.1:0", certificate, key))

    with dial(address, token=TOKEN, root_certificates=certificate.read_bytes()) as remote:
        assert remote.status().served_by == "daemon"
    with dial(address, token=TOKEN) as plain, pytest.raises(DaemonUnavailable):
        plain.status()


def test_a_client_sends_nothing_in_the_clear_to_another_machine() -> None:
    with pytest.raises(InvalidValue, match="in the clear"):
        dial("192.168.1.4:7777", token=TOKEN)


def test_files_that_hold_no_tls_are_refused(served: Served, tmp_path: Path) -> None:
    server = RpcServer(served.service, TOKEN)
    with pytest.raises(InvalidValue, match="No such file"):
        server.listen_on_tcp(tcp("127.0.0.1:0", tmp_path / "cert.pem", tmp_path / "key.pem"))
    (tmp_path / "cert.pem").write_text("no certificate", "ascii")
    (tmp_path / "key.pem").write_text("no key", "ascii")
    with pytest.raises((InvalidValue, UnavailableError)):
        server.listen_on_tcp(tcp("127.0.0.1:0", tmp_path / "cert.pem", tmp_path / "key.pem"))
    server.wait_until_ended()


def test_a_port_that_is_taken_is_told_and_never_shared(served: Served, serve: Serve) -> None:
    address = serve(tcp("127.0.0.1:0"))
    second = RpcServer(served.service, TOKEN)

    with pytest.raises(UnavailableError, match="cannot be listened on"):
        second.listen_on_tcp(tcp(address))
    second.wait_until_ended()


def test_a_token_is_made_once_for_its_user_only(tmp_path: Path) -> None:
    path = tmp_path / "daemon.token"

    token = token_in(path)

    assert len(token) >= 32
    assert path.stat().st_mode & 0o777 == 0o600
    assert token_in(path) == token


def test_a_token_that_others_can_read_is_no_token(tmp_path: Path) -> None:
    path = tmp_path / "daemon.token"
    token_in(path)
    path.chmod(0o640)

    with pytest.raises(InvalidValue, match="can be read by others"):
        token_in(path)


@pytest.mark.parametrize("held", ["", "short", "\x00" * 40])
def test_a_damaged_token_is_told_and_not_replaced(tmp_path: Path, held: str) -> None:
    path = tmp_path / "daemon.token"
    path.write_text(held, "ascii")
    path.chmod(0o600)

    with pytest.raises(CorruptRecord, match="holds no token"):
        token_in(path)
    assert path.read_text("ascii") == held
