"""Goal: every agent CLI in the table answers what the house asks of an adapter."""

from __future__ import annotations

from importlib import import_module

import pytest

from agentx.adapters.port import Adapter
from agentx.adapters.registry import ADAPTERS

_ASKED = {
    "hooks": ("drafts",),
    "transcripts": ("discover", "read", "in_use"),
    "setup": ("edits",),
}


@pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=lambda adapter: adapter.harness)
@pytest.mark.parametrize("module", _ASKED)
def test_each_module_of_an_adapter_has_the_verbs_that_are_asked_of_it(
    adapter: Adapter, module: str
) -> None:
    made = import_module(f"agentx.adapters.{adapter.package}.{module}")

    assert [verb for verb in _ASKED[module] if not callable(getattr(made, verb, None))] == []
