"""A client of the MCP server as a process: one line at a time, over stdin and stdout."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self


class Talk:
    """One server, spoken to a line at a time."""

    def __init__(self, server: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            server,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._number = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(60)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Return what the server answers."""
        assert self.process.stdin is not None
        self._number += 1
        request = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                return answer

    def hear(self, method: str) -> dict[str, Any]:
        """Return what the server tells of itself."""
        while True:
            told = self._read()
            if told.get("method") == method:
                return told

    def begin(self) -> list[dict[str, Any]]:
        """Shake hands, and return the tools: then the server is ready."""
        self.ask(
            "initialize",
            protocolVersion="2025-06-18",
            capabilities={},
            clientInfo={"name": "talk", "version": "1"},
        )
        tools: list[dict[str, Any]] = self.ask("tools/list")["result"]["tools"]
        return tools

    def _read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        said: dict[str, Any] = json.loads(self.process.stdout.readline())
        return said
