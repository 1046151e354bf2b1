"""What makes a step's output valid: its template's parts, the words of who judges. Pure."""

from __future__ import annotations

import re

from agentx.kernel.text import compile_late, preview
from agentx.work.walk.model import StepVerdict

# Who says whether work passes; everybody else writes or builds.
JUDGES = frozenset({"reviewer", "tester"})
_HEADING = compile_late(r"^(#{1,6})[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_COMMENT = compile_late(r"<!--.*?-->", re.DOTALL)
_FENCED = compile_late(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_VERDICT = compile_late(
    r"^[ \t#*_>-]*verdict[ \t*_]*:?[ \t*_]*\n?\s*[*_`]*(approved|changes needed)\b(.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_CRITERIA = compile_late(
    r"^[ \t#*_>-]*criteria[ \t*_]*:[ \t*_]*(not met|met)\b", re.IGNORECASE | re.MULTILINE
)


def find_faults(text: str, template: str) -> tuple[str, ...]:
    """Return what is wrong with a document that follows a template; nothing where all is there."""
    if not text.strip():
        return ("it is empty",)
    parts = _parts(text)
    faults = []
    for name in _parts(template):
        body = parts.get(name)
        if body is None:
            faults.append(f"the part `## {name}` is missing")
        elif not body:
            faults.append(f"the part `## {name}` is empty")
    return tuple(faults)


def read_verdict(text: str) -> StepVerdict | None:
    """Return what who judges says at last; None where it is not said."""
    found = _VERDICT.findall(_FENCED.sub("", _COMMENT.sub("", text)))
    if not found:
        return None
    said, rest = StepVerdict(found[-1][0].casefold()), found[-1][1].casefold()
    is_both = any(each in rest for each in StepVerdict if each is not said)
    return None if is_both else said  # both are what was to choose from


def read_criteria(text: str) -> bool | None:
    """Return whether an agent says at last that the criteria are met; None where it does not."""
    found = _CRITERIA.findall(_FENCED.sub("", text))
    return found[-1].casefold() == "met" if found else None


def _parts(text: str) -> dict[str, str]:
    """Return what stands under each heading of the second level, by its name."""
    plain = _FENCED.sub(lambda found: found[0].replace("#", "x"), _COMMENT.sub("", text))
    seen = list(_HEADING.finditer(plain))
    ends = [*(each.start() for each in seen[1:]), len(plain)]
    found: dict[str, str] = {}
    inside = ""
    for each, end in zip(seen, ends, strict=False):  # without a heading there is an end alone
        name, body = preview(each[2].strip().casefold(), 80), plain[each.end() : end].strip()
        if len(each[1]) <= 2:
            inside = name if len(each[1]) == 2 else ""
            if inside:
                found[inside] = body
        elif inside:
            found[inside] += f"\n{each[2]}\n{body}"
    return found
