"""One file that carries many records, and knows whether it is whole.

    AGENTX PARCEL 1                    a line
    {"kind": ..., ...}                 a line of JSON: what is in it, and how it is sealed
    length, checksum, chunk            again and again; a chunk is packed records, sealed or not
    ... the last record: ["end", count, digest of all before]

A chunk that was changed fails its checksum or its seal, a file that was cut has no end, and the
digest ties all of it together. With a passphrase every chunk is sealed (AES-256-GCM, the number of
the chunk as its nonce, the header as context) by a key that scrypt makes of it.

A parcel is written under a hidden name that its writer holds a lock on: what nobody holds is what a
kill left behind.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import zstandard
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from agentx.host.files.atomic import temporary_beside
from agentx.host.files.disk import refusal_of, sync_directory
from agentx.host.files.json_text import line_of, parse_json
from agentx.host.files.plain import temporary_name
from agentx.host.system import system_entropy
from agentx.kernel.errors import CorruptRecord, InvalidValue, UnsupportedVersion

Record = list[Any]

_MAGIC = b"AGENTX PARCEL "
_VERSION = 1
_HEADER_BYTES_MAX = 64 * 1024
_CHUNK_BYTES = 1024 * 1024
_CHUNK_BYTES_MAX = 64 * 1024 * 1024
_OPENED_BYTES_MAX = 300 * 1024 * 1024
_LENGTH_BYTES = 8
_SALT_BYTES = 16
_END = "end"
_COST, _BLOCK, _LANES = 2**15, 8, 1
_COST_MAX = 2**20
_MARK_CHARS = len("0123456789abcdef.tmp")
_HINT = "use another copy of the file; nothing was changed"


class _Seal:
    """Seals chunks, or leaves them as they are."""

    def __init__(self, header: bytes, terms: Any, passphrase: str) -> None:
        self._header = header
        self._cipher: AESGCM | None = None
        if terms is None:
            return
        match terms:
            case {"kdf": "scrypt", "n": int(cost), "r": 8, "p": 1, "salt": str(salt)} if (
                cost <= _COST_MAX and cost & (cost - 1) == 0 and cost > 1
            ):
                stretch = Scrypt(salt=bytes.fromhex(salt), length=32, n=cost, r=_BLOCK, p=_LANES)
            case _:
                raise UnsupportedVersion("the file is sealed in a way this AgentX does not know")
        if not passphrase:
            raise InvalidValue(
                "the file is sealed with a passphrase", hint="give it with --passphrase-file FILE"
            )
        self._cipher = AESGCM(stretch.derive(passphrase.encode("utf-8")))

    def close(self, number: int, chunk: bytes) -> bytes:
        """Seal a chunk."""
        if self._cipher is None:
            return chunk
        return self._cipher.encrypt(number.to_bytes(12), chunk, self._header)

    def open(self, number: int, chunk: bytes) -> bytes:
        """Open a chunk.

        Raises: CorruptRecord.
        """
        if self._cipher is None:
            return chunk
        try:
            return self._cipher.decrypt(number.to_bytes(12), chunk, self._header)
        except InvalidTag:
            raise CorruptRecord(
                "the passphrase is another one, or the file was changed", hint=_HINT
            ) from None


def write_parcel(
    path: Path, about: dict[str, Any], records: Iterable[Record], *, passphrase: str = ""
) -> int:
    """Write a parcel, whole or not at all, for this user only; return its size.

    Raises: UnavailableError when the disk refuses.
    """
    terms = None
    if passphrase:
        salt = system_entropy(_SALT_BYTES).hex()
        terms = {"kdf": "scrypt", "n": _COST, "r": _BLOCK, "p": _LANES, "salt": salt}
    header = line_of({**about, "sealed": terms})
    temporary = temporary_beside(path)
    try:
        descriptor = _begin(temporary)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(_MAGIC + b"%d\n" % _VERSION + header + b"\n")
                _write_chunks(file, records, _Seal(header, terms, passphrase))
                file.flush()
                os.fsync(file.fileno())
                size = file.tell()
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        sync_directory(path.parent)
    except OSError as error:
        raise refusal_of(path, error) from error
    return size


def sweep_unfinished(folder: Path, name: str = "") -> int:
    """Remove what killed writers left of a parcel, or of any in a folder; return how many."""
    start = temporary_name(name)[: -_MARK_CHARS - 1] + "." if name else "."
    count = 0
    with suppress(OSError):
        for path in folder.iterdir():
            if path.name.startswith(start) and path.name.endswith(".tmp"):
                count += _remove_unheld(path)
    return count


def _begin(temporary: Path) -> int:
    """Make a file that is known to be held; return its descriptor."""
    while True:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if temporary.exists():
            return descriptor
        os.close(descriptor)  # swept in between, as one that nobody holds


def _remove_unheld(path: Path) -> bool:
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.read(descriptor, len(_MAGIC)) in (_MAGIC, b""):
                path.unlink()
                return True
        finally:
            os.close(descriptor)
    return False


def _write_chunks(file: BinaryIO, records: Iterable[Record], seal: _Seal) -> None:
    packer = msgspec.msgpack.Encoder()
    squeeze = zstandard.ZstdCompressor(level=3)
    digest = hashlib.blake2b(digest_size=32)
    number = count = 0
    packed: list[bytes] = []
    size = 0

    def write() -> None:
        nonlocal number, size
        chunk = seal.close(number, squeeze.compress(b"".join(packed)))
        file.write(len(chunk).to_bytes(4) + zlib.crc32(chunk).to_bytes(4) + chunk)
        number += 1
        packed.clear()
        size = 0

    for record in records:
        raw = packer.encode(record)
        digest.update(raw)
        packed.append(len(raw).to_bytes(4) + raw)
        count += 1
        size += len(raw)
        if size >= _CHUNK_BYTES:
            write()
    raw = packer.encode([_END, count, digest.hexdigest()])
    packed.append(len(raw).to_bytes(4) + raw)
    write()


class Parcel:
    """A parcel to be read: its header at once, its records one after the other."""

    def __init__(self, path: Path, *, passphrase: str = "") -> None:
        """Open a parcel.

        Raises: NotFound, CorruptRecord, UnsupportedVersion, InvalidValue without its passphrase.
        """
        self.path = path
        try:
            self._file = path.open("rb")
        except OSError as error:
            raise InvalidValue(
                f"{path}: cannot be read ({error.strerror})", hint="name a file of `agentx export`"
            ) from error
        try:
            header = self._read_header()
            self._seal = _Seal(header, self.about.get("sealed"), passphrase)
        except BaseException:
            self._file.close()
            raise

    def records(self) -> Iterator[Record]:
        """Yield every record.

        Raises: CorruptRecord, after any number of records, when the file is not whole.
        """
        digest = hashlib.blake2b(digest_size=32)
        decode = msgspec.msgpack.Decoder(Record).decode
        count = number = 0
        while True:
            for raw in self._split(self._read_chunk(number)):
                try:
                    record = decode(raw)
                except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                    raise self._broken(str(error)) from error
                if record[:1] == [_END]:
                    if record != [_END, count, digest.hexdigest()] or self._file.read(1):
                        raise self._broken("its end does not match what is before it")
                    return
                digest.update(raw)
                count += 1
                yield record
            number += 1

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def _read_header(self) -> bytes:
        magic = self._file.readline(len(_MAGIC) + 8)
        if not magic.startswith(_MAGIC) or not magic.endswith(b"\n"):
            raise InvalidValue(
                f"{self.path}: is no file of `agentx export`", hint="name one that it wrote"
            )
        if magic[len(_MAGIC) : -1] != b"%d" % _VERSION:
            raise UnsupportedVersion(
                f"{self.path}: was written by another version of AgentX", hint="update AgentX"
            )
        header = self._file.readline(_HEADER_BYTES_MAX)
        try:
            said = parse_json(header) if header.endswith(b"\n") else None
        except ValueError:
            said = None
        if not isinstance(said, dict):
            raise self._broken("its header cannot be read")
        self.about: dict[str, Any] = said
        return header[:-1]

    def _read_chunk(self, number: int) -> bytes:
        head = self._file.read(_LENGTH_BYTES)
        if len(head) < _LENGTH_BYTES:
            raise self._broken("its end is missing")
        length = int.from_bytes(head[:4])
        if length > _CHUNK_BYTES_MAX:
            raise self._broken("it names a chunk that cannot be")
        chunk = self._file.read(length)
        if len(chunk) < length:
            raise self._broken("its end is missing")
        if zlib.crc32(chunk) != int.from_bytes(head[4:]):
            raise self._broken("a checksum does not match")
        opened = self._seal.open(number, chunk)
        try:
            unpacker = zstandard.ZstdDecompressor(max_window_size=2**27)
            with unpacker.stream_reader(opened) as stream:
                plain = stream.read(_OPENED_BYTES_MAX + 1)
        except zstandard.ZstdError as error:
            raise self._broken(str(error)) from error
        if len(plain) > _OPENED_BYTES_MAX:
            raise self._broken("it names a chunk that cannot be")
        return plain

    def _split(self, plain: bytes) -> Iterator[bytes]:
        at = 0
        while at < len(plain):
            size = int.from_bytes(plain[at : at + 4])
            raw = plain[at + 4 : at + 4 + size]
            if len(raw) < size:
                raise self._broken("a record is cut")
            yield raw
            at += 4 + size

    def _broken(self, why: str) -> CorruptRecord:
        return CorruptRecord(f"{self.path}: is not whole: {why}", hint=_HINT)
