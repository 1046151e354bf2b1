"""An archive file: the records of many originals, packed.

    {"version": 2, "issueNumber": 29, "updatedAt": "...", "packed": "..."}

`packed` is the list of records as JSON, compressed with zlib and spelt in Base64: originals are
opened rarely and are the larger part of what merging leaves. `agentx memory show ID` reads them.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

_VERSION = 2
_BYTES_MAX = 512 * 1024 * 1024  # of what a small file may blow up to


class PackedRecord(msgspec.Struct, rename="camel"):
    """An archive file."""

    version: int
    issue_number: int
    updated_at: str
    packed: str


def pack(issue: int, updated_at: str, records: Iterable[bytes]) -> bytes:
    """Return an archive file that holds these records."""
    from base64 import b64encode  # noqa: PLC0415  most stores have no archive
    from zlib import compress  # noqa: PLC0415  as above

    listed = b"[" + b",".join(map(bytes, records)) + b"]"
    packed = b64encode(compress(listed, 9)).decode("ascii")
    page = PackedRecord(version=_VERSION, issue_number=issue, updated_at=updated_at, packed=packed)
    return msgspec.json.format(msgspec.json.encode(page), indent=2) + b"\n"


def unpack(packed: str) -> bytes:
    """Return the list of records as JSON.

    Raises: msgspec.DecodeError where it is damaged.
    """
    from base64 import b64decode  # noqa: PLC0415  as above
    from zlib import decompressobj, error  # noqa: PLC0415  as above

    opened = decompressobj()
    try:
        listed = opened.decompress(b64decode(packed, validate=True), _BYTES_MAX)
    except (ValueError, error) as fault:
        raise msgspec.DecodeError(f"not packed records: {fault}") from fault
    if not opened.eof:
        raise msgspec.DecodeError("not packed records: cut short")
    return listed
