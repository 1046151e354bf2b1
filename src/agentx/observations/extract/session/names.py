"""Which files a text speaks of, where it names them as people do: `hooks.go:153`, `cli/hooks.go`.

A name is looked up among the files that the session read and wrote; where no file is named, the
code that is named is looked up among what the session wrote into them. What could be in several
of them is in none: an observation must not be called stale for a file it does not speak of.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

from agentx.exchanges.exchange import Exchange
from agentx.exchanges.tools import file_edits, list_touched
from agentx.kernel.text import compile_late
from agentx.observations.extract.session.finding import Finding
from agentx.prose.keyphrases import code_names

_NAME = compile_late(r"[\w@+~-][\w./@+-]*\.[A-Za-z]\w{0,9}\b")
_DEFINES = compile_late(
    r"^[ \t]*(?:export\s+|pub(?:\([\w ]+\))?\s+|public\s+|private\s+|protected\s+|static\s+"
    r"|async\s+|default\s+|abstract\s+|final\s+)*"
    r"(?:def|class|func(?:\s*\([^)]*\))?|fn|function|interface|struct|enum|trait|type|impl|module"
    r"|test|it|describe"
    r"|CREATE (?:UNIQUE )?(?:TABLE|INDEX|VIEW)(?: CONCURRENTLY)?(?: IF NOT EXISTS)?)"
    r"[\s(]+['\"]?(\w[\w:]*)",
    re.MULTILINE,
)
_ASSIGNED = compile_late(r"^(?:export\s+)?(?:const|let|var)\s+(\w+)\s*[:=]", re.MULTILINE)


class Files:
    """The files of a session."""

    def __init__(self, found: Iterable[Exchange]) -> None:
        self._found = tuple(found)
        self._by_name: dict[str, list[str]] = {}
        paths = (path for one in self._found for step in one.steps for path in list_touched(step))
        for path in dict.fromkeys(paths):
            self._by_name.setdefault(path.rsplit("/", 1)[-1], []).append(path)

    def place(self, finding: Finding) -> Finding:
        """Return a finding with the files its text names, unless it is known from some."""
        if finding.files:
            return finding
        named = tuple(filter(None, map(self._find_known, _NAME.findall(finding.content))))
        files = named or self._list_defining(finding.content)
        return replace(finding, files=tuple(dict.fromkeys(files)))

    def _find_known(self, name: str) -> str:
        plain = name.removeprefix("./")
        alike = [
            path
            for path in self._by_name.get(plain.rsplit("/", 1)[-1], ())
            if path == plain or path.endswith(f"/{plain}") or plain.endswith(f"/{path}")
        ]
        return alike[0] if len(alike) == 1 else ""

    def _list_defining(self, content: str) -> list[str]:
        places = (self._defined.get(name, set()) for name in code_names(content))
        return [path for place in places if len(place) == 1 for path in place]

    @cached_property
    def _defined(self) -> dict[str, set[str]]:
        """In which files the session defined a name."""
        held: dict[str, set[str]] = {}
        for exchange in self._found:
            for step in exchange.steps:
                for edit in file_edits(step):
                    for name in list_definitions(edit.added):
                        held.setdefault(name, set()).add(edit.path)
        return held


def list_definitions(side: Iterable[str]) -> list[str]:
    """Return the names that lines of code define."""
    text = "\n".join(side)
    return [*_DEFINES.findall(text), *_ASSIGNED.findall(text)]


def list_paths(content: str) -> tuple[str, ...]:
    """Return the files that a text names by a path."""
    names = (name for name in code_names(content) if "/" in name and "." in name.rsplit("/", 1)[-1])
    return tuple(dict.fromkeys(name for name in names if not name.startswith(("/", "http", "~"))))
