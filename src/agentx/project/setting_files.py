"""Files of settings: read within a bound, and written without losing a comment.

The user's own files may be links, as those who keep them elsewhere have them; whatever it leads
to must be a plain file of a sensible size.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

from agentx.host.files.atomic import replace_file
from agentx.host.files.plain import read_bytes
from agentx.kernel.errors import CorruptRecord, InvalidValue, UnsafePath
from agentx.project.setting_rows import (
    Value,
    change_row,
    find_row,
    list_defaults,
    name_now,
    read_word,
)
from agentx.project.trust.record import ACTING_FILE_BYTES_MAX

if TYPE_CHECKING:
    import tomlkit


def read_values(path: Path) -> Iterator[tuple[str, object]]:
    """Yield what a file of the user's sets; nothing where there is no such file.

    Raises: CorruptRecord for what is no TOML or cannot be read, InvalidValue.
    """
    content = _read_own(path)
    if content is not None:
        yield from parse_values(content, path)


def parse_values(content: bytes, path: Path) -> Iterator[tuple[str, object]]:
    """Yield what the content of a file sets, as key and value.

    Raises: as `read_values`.
    """
    import tomllib  # noqa: PLC0415  most folders have no settings of their own

    try:
        document = tomllib.loads(content.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CorruptRecord(f"{path}: {error}", hint="mend the line it names") from error
    except RecursionError:
        raise CorruptRecord(f"{path}: nested too deeply", hint="mend the file") from None
    for section, table in document.items():
        if not isinstance(table, dict):
            raise InvalidValue(
                f"{path}: {section[:80]} stands outside a section", hint="write it under [section]"
            )
        for name, value in table.items():
            if not isinstance(value, str | int | float | bool):
                raise InvalidValue(f"{path}: {section[:80]}.{name[:80]} must be one plain value")
            yield name_now(f"{section}.{name}"), value


def render_set(content: bytes | None, path: Path, key: str, text: str) -> tuple[bytes, Value]:
    """Return a file with one setting written into it, keeping its comments, and the value.

    Raises: InvalidValue, CorruptRecord.
    """
    key = name_now(key)
    rows = {row.key: row for row in list_defaults()}
    find_row(rows, key, "the command line")
    word = read_word(rows[key].default, text)
    value = change_row(rows, key, word, "the command line").value
    document = _document(content, path)
    section, name = key.split(".", 1)
    if section not in document:
        document[section] = {}
    cast("dict[str, Value]", document[section])[name] = value
    return document.as_string().encode(), value


def render_unset(content: bytes | None, path: Path, key: str) -> bytes | None:
    """Return a file without one setting; None where it was not set in it.

    Raises: as `render_set`.
    """
    find_row({row.key: row for row in list_defaults()}, key, "the command line")
    document = _document(content, path)
    section, name = key.split(".", 1)
    table = document.get(section)
    if not isinstance(table, dict) or name not in table:
        return None
    del table[name]
    if not table:
        del document[section]
    return document.as_string().encode()


def set_value(path: Path, key: str, text: str) -> Value:
    """Write one setting into a file of the user's.

    Raises: InvalidValue, CorruptRecord, UnavailableError.
    """
    content, value = render_set(_read_own(path), path, key, text)
    replace_file(Path(os.path.realpath(path)), content)
    return value


def unset_value(path: Path, key: str) -> bool:
    """Take one setting out of a file of the user's; tell whether it was there.

    Raises: as `set_value`.
    """
    content = render_unset(_read_own(path), path, key)
    if content is not None:
        replace_file(Path(os.path.realpath(path)), content)
    return content is not None


def _read_own(path: Path) -> bytes | None:
    try:
        return read_bytes(path, bytes_max=ACTING_FILE_BYTES_MAX)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except UnsafePath as error:
        raise CorruptRecord(error.message, hint=error.hint) from error
    except OSError as error:
        reason = error.strerror or error
        raise CorruptRecord(
            f"{path}: cannot be read: {reason}", hint="mend or move the file"
        ) from error


def _document(content: bytes | None, path: Path) -> tomlkit.TOMLDocument:
    import tomlkit  # noqa: PLC0415  slow to load, and most commands write no settings
    from tomlkit.exceptions import TOMLKitError  # noqa: PLC0415  as above

    if content is None:
        return tomlkit.document()
    try:
        return tomlkit.parse(content.decode("utf-8"))
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise CorruptRecord(f"{path}: {error}", hint="mend the line it names") from error
