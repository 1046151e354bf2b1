"""A process beside another one that says as many bytes as it is asked for."""

from __future__ import annotations

from collections.abc import Iterator

from agentx.host.beside import answer_jobs


def _say(line: bytes) -> Iterator[bytes]:
    yield b"x" * int(line)


if __name__ == "__main__":
    answer_jobs(_say)
