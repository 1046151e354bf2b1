"""Patterns that are compiled when they are first used.

Compiling takes longer than importing the module that holds the pattern, and a command that
answers one question imports hundreds of them and uses a few.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

_PARTS = (
    *("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn"),
    *("flags", "groups", "groupindex"),
)


def compile_late(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what serves as the compiled pattern, and compiles it when it has to."""
    return cast("re.Pattern[AnyStr]", _Late(source, flags))


class _Late:
    def __init__(self, source: str | bytes, flags: int) -> None:
        self.pattern = source
        self._given = flags

    def __getattr__(self, part: str) -> Any:
        made = re.compile(self.pattern, self._given)
        # Called once: from here on the parts are found without asking.
        vars(self).update({name: getattr(made, name) for name in _PARTS})
        return getattr(made, part)
