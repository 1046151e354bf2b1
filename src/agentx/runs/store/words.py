"""Values of the room as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentx.host.documents.yaml_file import YAML


def yaml_text(value: Mapping[str, Any]) -> str:
    """Return a mapping as a page of YAML."""
    return YAML.dump(dict(value)).decode("utf-8")
