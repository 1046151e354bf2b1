"""Which checks of a run a person approved on this machine, for whoever drives it.

<store>/runs/approved/<run-id>.json     ["make test"]
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from agentx.host.files.atomic import make_private_directory, replace_file
from agentx.host.files.plain import exists, read_text


class ApprovedChecks:
    """The approved checks of one run."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> frozenset[str]:
        """Return them; what cannot be read approves nothing.

        Raises: OSError.
        """
        if not exists(self._path):
            return frozenset()
        try:
            said = json.loads(read_text(self._path))
        except ValueError:
            return frozenset()
        return frozenset(each for each in said if isinstance(each, str))

    def add(self, checks: Iterable[str]) -> None:
        """Approve more.

        Raises: OSError.
        """
        known = self.read()
        found = known | frozenset(checks)
        if found != known:
            make_private_directory(self._path.parent)
            replace_file(self._path, json.dumps(sorted(found)).encode())
