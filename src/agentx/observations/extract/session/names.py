"""Which files a text speaks of, where it names them as people do: `hooks.go:153`, `cli/hooks.go`.

A name is looked up among the files that the session read and wrote. One that could be several of
them is none: an observation must not be called stale for a file it does not speak of.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from agentx.kernel.text import compile_late
from agentx.observations.extract.session.exchanges import Exchange
from agentx.observations.extract.session.tools import list_touched
from agentx.observations.extract.session.turns import Finding

_NAME = compile_late(r"[\w@+~-][\w./@+-]*\.[A-Za-z]\w{0,9}\b")


class Files:
    """The files of a session."""

    def __init__(self, found: Iterable[Exchange]) -> None:
        self._by_name: dict[str, list[str]] = {}
        paths = (path for one in found for step in one.steps for path in list_touched(step))
        for path in dict.fromkeys(paths):
            self._by_name.setdefault(path.rsplit("/", 1)[-1], []).append(path)

    def place(self, finding: Finding) -> Finding:
        """Return a finding with the files its text names, unless it is known from some."""
        if finding.files:
            return finding
        named = (self._find_known(name) for name in _NAME.findall(finding.content))
        return replace(finding, files=tuple(dict.fromkeys(filter(None, named))))

    def _find_known(self, name: str) -> str:
        plain = name.removeprefix("./")
        alike = [
            path
            for path in self._by_name.get(plain.rsplit("/", 1)[-1], ())
            if path == plain or path.endswith(f"/{plain}") or plain.endswith(f"/{path}")
        ]
        return alike[0] if len(alike) == 1 else ""
