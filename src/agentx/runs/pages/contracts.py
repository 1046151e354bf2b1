"""A task's contract as people write it: YAML fields, or a page of Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentx.kernel.errors import InvalidValue
from agentx.kernel.text import compile_late
from agentx.runs.model import Contract

_HEADING = compile_late(r"^(#{1,6})\s+(.*?)\s*#*\s*$")
_ITEM = compile_late(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?")
_SECTIONS = {
    "goal": "goal",
    "objective": "goal",
    "scope": "scope",
    "files": "files",
    "acceptance": "acceptance",
    "acceptance criteria": "acceptance",
    "dependencies": "depends_on",
    "depends on": "depends_on",
    "checks": "checks",
}
_OTHER_NAMES = {
    "acceptance_criteria": "acceptance",
    "dependencies": "depends_on",
    "objective": "goal",
}


def contract_of(fields: Mapping[str, Any]) -> Contract:
    """Return the contract that some fields describe.

    Raises: InvalidValue.
    """
    given = {_OTHER_NAMES.get(name, name): value for name, value in fields.items()}
    title = given.get("title")
    if not isinstance(title, str) or not title.strip():
        raise InvalidValue("a contract needs a title")
    return Contract(
        title=title.strip(),
        goal=_text(given, "goal"),
        scope=_text(given, "scope"),
        files=_texts(given, "files"),
        acceptance=_texts(given, "acceptance"),
        depends_on=_texts(given, "depends_on"),
        checks=_commands(given),
    )


def contract_on(page: str) -> Contract:
    """Return the contract that a page of Markdown describes: a title and sections.

    Raises: InvalidValue.
    """
    title = ""
    lines: dict[str, list[str]] = {}
    section = ""
    for line in page.splitlines():
        heading = _HEADING.match(line)
        if heading is None:
            lines.setdefault(section, []).append(line)
        elif len(heading[1]) == 1 and not title:
            title = heading[2]
        else:
            section = _SECTIONS.get(heading[2].strip().rstrip(":").lower(), heading[2])
    if not title:
        raise InvalidValue("a contract needs a title", hint="begin the page with `# Title`")
    return Contract(
        title=title,
        goal="\n".join(lines.get("goal", lines.get("", []))).strip(),
        scope="\n".join(lines.get("scope", [])).strip(),
        files=_items(lines, "files"),
        acceptance=_items(lines, "acceptance"),
        depends_on=_items(lines, "depends_on"),
        checks=_items(lines, "checks"),
    )


def fields_of(contract: Contract) -> dict[str, Any]:
    """Return a contract as the detail of an event: what is empty is left out."""
    found: dict[str, Any] = {"title": contract.title}
    for name in ("goal", "scope"):
        if getattr(contract, name):
            found[name] = getattr(contract, name)
    for name in ("files", "acceptance", "depends_on", "checks"):
        if getattr(contract, name):
            found[name] = list(getattr(contract, name))
    return found


def _items(lines: Mapping[str, list[str]], section: str) -> tuple[str, ...]:
    found = (_ITEM.sub("", line).strip().strip("`") for line in lines.get(section, []))
    return tuple(item for item in found if item and item.lower() not in ("none", "-"))


def _text(fields: Mapping[str, Any], name: str) -> str:
    found = fields.get(name, "")
    if isinstance(found, list):
        return "\n".join(f"- {each}" for each in found)
    if found is None:
        return ""
    if not isinstance(found, str):
        raise InvalidValue(f"contract: {name} is not a text")
    return found.strip()


def _commands(fields: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the commands of a contract; one alone may hold commas."""
    found = fields.get("checks")
    return (
        (found.strip(),) if isinstance(found, str) and found.strip() else _texts(fields, "checks")
    )


def _texts(fields: Mapping[str, Any], name: str) -> tuple[str, ...]:
    found = fields.get(name) or []
    if isinstance(found, str):
        found = [part.strip() for part in found.split(",") if part.strip()]
    if not isinstance(found, list | tuple) or not all(isinstance(each, str) for each in found):
        raise InvalidValue(f"contract: {name} is not a list of texts")
    return tuple(found)
