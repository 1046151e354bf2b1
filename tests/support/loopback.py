"""Servers that listen on the loopback for as long as a block lasts."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.server import ThreadingHTTPServer

import httpx


@contextmanager
def listening(server: ThreadingHTTPServer) -> Iterator[int]:
    """Let a server answer until the block ends; give its port."""
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join(60)


def open_client() -> httpx.Client:
    """Return a client that asks no proxy."""
    return httpx.Client(trust_env=False, verify=_read_certificates())


@cache
def _read_certificates() -> ssl.SSLContext:
    return ssl.create_default_context()  # they take longer to read than most tests
