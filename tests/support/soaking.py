"""Cases that show by real processes what another case, or a test in one process, shows already."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def in_soak(*values: Any, ids: Iterable[str] = ()) -> list[Any]:
    """Return cases that only `make soak` tries."""
    names = [*ids, *(None for _ in values)]
    return [
        pytest.param(value, id=name, marks=pytest.mark.soak)
        for value, name in zip(values, names, strict=False)
    ]
