"""Every type of event a run may hold, with the fields of each: one table, checked and documented.

An event of an unknown type, or one whose fields are not those of its type, is refused
when it is written. When it is read it is a fault: named with its file and line, and left
out of the fold. Fields beyond the table are allowed and kept: others may know more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from agentx.kernel.errors import InvalidValue
from agentx.kernel.limits import RUN_TEXT_CHARS_MAX
from agentx.kernel.text import compile_late
from agentx.runs.limits import RUN_ARTIFACT_CHARS_MAX, RUN_DETAILS_MAX
from agentx.runs.model import CANDIDATE_KINDS, CONFIDENCES, Detail, Phase, Verdict
from agentx.runs.rules.kinds.driving import DRIVE_KINDS
from agentx.runs.rules.kinds.shapes import EventKind, Field

_NAME = compile_late(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_ACTOR = compile_late(r"[a-z0-9][a-z0-9._-]{0,63}")


_TEXT, _TEXTS, _FLAG = Field(), Field("texts"), Field("flag")
_CONTRACT = {"goal": _TEXT, "scope": _TEXT, "files": _TEXTS, "acceptance": _TEXTS}
_CONTRACT |= {"depends_on": _TEXTS, "checks": _TEXTS}
# Who holds the task from here on, and until when: put there by the checkout that works on it.
CLAIM_FIELDS = dict.fromkeys(("checkout", "until", "holder", "person", "said_at", "past"), _TEXT)

KINDS: dict[str, EventKind] = {
    "run-started": EventKind(
        group="run",
        about="a run begins",
        needs={"title": _TEXT},
        may={
            **dict.fromkeys(("description", "requester", "base_branch", "base_commit"), _TEXT),
            "checks": _TEXTS,
        },
    ),
    "run-resumed": EventKind(group="run", about="somebody took it up again", may={"text": _TEXT}),
    "note": EventKind(group="run", about="anything worth keeping", needs={"text": _TEXT}),
    "decision-made": EventKind(
        group="run", about="something was decided", needs={"text": _TEXT}, may={"why": _TEXT}
    ),
    "session-attached": EventKind(
        group="run",
        about="a session of an agent CLI worked on the run",
        needs={"session": _TEXT},
        may={"harness": _TEXT, **CLAIM_FIELDS},
    ),
    "phase-entered": EventKind(
        group="phase",
        about="a phase begins; the one before is done, or taken up again",
        needs={"phase": Field("text", tuple(Phase))},
        may={"reason": _TEXT, "without": _TEXT},
    ),
    "task-added": EventKind(
        group="task",
        about="a task with its contract",
        needs={"title": _TEXT},
        may=_CONTRACT,
        of_task=True,
    ),
    "task-revised": EventKind(
        group="task",
        about="a new version of the contract",
        needs={"title": _TEXT},
        may=_CONTRACT,
        of_task=True,
    ),
    "task-claimed": EventKind(
        group="task",
        about="a checkout holds it: it is to be worked on there, until it is renewed or expires",
        needs={"checkout": _TEXT, "until": _TEXT},
        may={
            **dict.fromkeys(("holder", "person", "said_at", "past", "via"), _TEXT),
            **dict.fromkeys(("shared", "taken"), _FLAG),
        },
        of_task=True,
    ),
    "task-released": EventKind(
        group="task",
        about="a checkout holds it no more; what it yields, it never held",
        needs={"checkout": _TEXT},
        may={"yields": _TEXTS, "reason": _TEXT},
        of_task=True,
    ),
    "task-started": EventKind(
        group="task", about="work begins, or begins again", may=CLAIM_FIELDS, of_task=True
    ),
    "task-progressed": EventKind(
        group="task",
        about="an entry of the work log",
        needs={"text": _TEXT},
        may=CLAIM_FIELDS,
        of_task=True,
    ),
    "task-blocked": EventKind(
        group="task",
        about="it cannot go on",
        needs={"reason": _TEXT},
        may=CLAIM_FIELDS,
        of_task=True,
    ),
    "task-completed": EventKind(
        group="task", about="it is done", may={"text": _TEXT}, of_task=True
    ),
    "task-failed": EventKind(
        group="task", about="it was tried and did not work", needs={"reason": _TEXT}, of_task=True
    ),
    "task-dropped": EventKind(
        group="task", about="it is not needed any more", needs={"reason": _TEXT}, of_task=True
    ),
    "task-reopened": EventKind(
        group="task",
        about="it is not done after all; what was verified counts no more",
        needs={"reason": _TEXT},
        may={"without": _TEXT},
        of_task=True,
    ),
    "task-retried": EventKind(
        group="task",
        about="it is reopened and begun again at once",
        may={"reason": _TEXT, **CLAIM_FIELDS},
        of_task=True,
    ),
    "lane-opened": EventKind(
        group="lane",
        about="a lane with a branch of its own",
        needs={"branch": _TEXT},
        may={"commit": _TEXT, **CLAIM_FIELDS},
        of_lane=True,
    ),
    "lane-taken": EventKind(
        group="lane",
        about="it is worked on in another checkout from here on, with its commits",
        needs={"checkout": _TEXT},
        may={"commit": _TEXT, "from": _TEXT},
        of_lane=True,
    ),
    "lane-finished": EventKind(
        group="lane", about="its work is done and committed", may={"commit": _TEXT}, of_lane=True
    ),
    "lane-merged": EventKind(
        group="lane",
        about="its branch is in the work branch",
        may={"commit": _TEXT},
        of_lane=True,
    ),
    "lane-failed": EventKind(
        group="lane", about="it did not work", needs={"reason": _TEXT}, of_lane=True
    ),
    "lane-retried": EventKind(
        group="lane", about="it is tried again", may={"reason": _TEXT}, of_lane=True
    ),
    "lane-reassigned": EventKind(
        group="lane",
        about="its task was given to another lane",
        needs={"to": _TEXT},
        may={"reason": _TEXT},
        of_lane=True,
    ),
    "checkpoint-made": EventKind(
        group="checkpoint",
        about="a point from which work can go on",
        may={"text": _TEXT, "commit": _TEXT, **CLAIM_FIELDS},
    ),
    **DRIVE_KINDS,
    "artifact-written": EventKind(
        group="artifact",
        about="a page of the run, whole",
        needs={"name": _TEXT, "text": _TEXT},
    ),
    "verification-recorded": EventKind(
        group="verification",
        about="what was checked, and the verdict; of a task, or of the whole run",
        needs={"verdict": Field("text", tuple(Verdict))},
        may={"checks": Field("objects"), "summary": _TEXT, "commit": _TEXT},
    ),
    "checks-declared": EventKind(
        group="verification",
        about="the commands that the whole run must pass; an empty list takes them away",
        may={"checks": _TEXTS},
    ),
    "checks-run": EventKind(
        group="verification",
        about="commands were executed: how each ended, what it printed, and at which commit",
        needs={"verdict": Field("text", tuple(Verdict)), "checks": Field("objects")},
        may={
            "commit": _TEXT,
            "dirty": _TEXTS,
            "place": _TEXT,
            "summary": _TEXT,
            **CLAIM_FIELDS,
        },
    ),
    "escalation-raised": EventKind(
        group="escalation",
        about="a question to a person",
        needs={"question": _TEXT},
        may={"tried": _TEXTS, "needed": _TEXT, "options": _TEXTS, "blocking": _FLAG},
    ),
    "escalation-resolved": EventKind(
        group="escalation",
        about="the person's answer",
        needs={"escalation": _TEXT, "resolution": _TEXT},
        may={"via": _TEXT, "about": _TEXT, "saw": _TEXTS},
    ),
    "conflict-found": EventKind(
        group="conflict",
        about="git could not put two changes together: nothing was changed, a person is asked",
        needs={"operation": Field("text", ("merge", "rebase")), "files": _TEXTS},
    ),
    "conflict-resolved": EventKind(
        group="conflict",
        about="a person put them together",
        needs={"conflict": _TEXT},
        may={"resolution": _TEXT, "commit": _TEXT},
    ),
    "branch-made": EventKind(
        group="git", about="a branch was made", needs={"branch": _TEXT}, may={"commit": _TEXT}
    ),
    "commit-made": EventKind(
        group="git",
        about="something was committed",
        needs={"commit": _TEXT},
        may={"branch": _TEXT, "text": _TEXT, "files": _TEXTS},
    ),
    "commit-given-up": EventKind(
        group="git",
        about="a person says that a commit is gone for good: the branch goes on as it is",
        needs={"commit": _TEXT},
        may={"instead": _TEXT, "via": _TEXT},
    ),
    "work-rebased": EventKind(
        group="git",
        about="the work branch stands on a newer base",
        needs={"commit": _TEXT, "onto": _TEXT},
        may={"before": _TEXT, "holds": _TEXTS, "took": _TEXTS},
    ),
    "candidate-proposed": EventKind(
        group="completion",
        about="what the run taught, offered to long-term memory",
        needs={"kind": Field("text", CANDIDATE_KINDS), "text": _TEXT},
        may={
            "evidence": _TEXTS,
            "confidence": Field("text", CONFIDENCES),
            **dict.fromkeys(("source", "name", "context", "area"), _TEXT),
            **dict.fromkeys(("files", "contradicts"), _TEXTS),
        },
    ),
    "run-completed": EventKind(
        group="completion", about="all is done", may={"text": _TEXT, "person": _TEXT}
    ),
    "run-failed": EventKind(
        group="completion", about="it was given up", needs={"reason": _TEXT}, may={"person": _TEXT}
    ),
    "run-reopened": EventKind(
        group="completion", about="it goes on after all", may={"reason": _TEXT}
    ),
}

# What work on a task may renew its claim by.
RENEWS = frozenset(name for name, shape in KINDS.items() if "checkout" in shape.may)

# What people and other tools also say.
_ALIASES = {
    "task-created": "task-added",
    "task-done": "task-completed",
    "task-finished": "task-completed",
    "phase-started": "phase-entered",
    "lane-created": "lane-opened",
    "lane-started": "lane-opened",
    "checkpoint": "checkpoint-made",
    "checkpoint-created": "checkpoint-made",
    "artifact-created": "artifact-written",
    "verification-completed": "verification-recorded",
    "escalation": "escalation-raised",
    "escalation-created": "escalation-raised",
    "conflict": "conflict-found",
    "conflict-detected": "conflict-found",
    "decision": "decision-made",
    "progress": "task-progressed",
    "commit": "commit-made",
    "run-finished": "run-completed",
    "task-retry": "task-retried",
    "task-reopen": "task-reopened",
}


def kind_named(text: str) -> str:
    """Return the type of event a person means: `TASK_STARTED` is `task-started`.

    Raises: InvalidValue, naming the nearest.
    """
    name = re.sub(r"[\s_.]+", "-", text.strip()).lower()
    name = _ALIASES.get(name, name)
    if name in KINDS:
        return name
    from difflib import get_close_matches  # noqa: PLC0415  only who mistyped waits for it

    near = get_close_matches(name, KINDS, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"types are {', '.join(KINDS)}"
    raise InvalidValue(f"{text[:60]!r} is not a type of event", hint=hint)


@lru_cache(maxsize=10_000)
def actor_named(text: str) -> str:
    """Check an actor's name, which becomes a folder.

    Raises: InvalidValue.
    """
    name = text.strip().lower()
    if _ACTOR.fullmatch(name) is None or ".." in name:
        raise InvalidValue(
            f"{text[:60]!r} cannot be an actor",
            hint="use letters, digits, '.', '_' and '-', at most 64: orchestrator, executor, ...",
        )
    return name


@lru_cache(maxsize=10_000)
def name_checked(text: str, what: str) -> str:
    """Check the name of a task, a lane or an artifact, which becomes a file or a branch.

    Raises: InvalidValue.
    """
    if _NAME.fullmatch(text) is None or ".." in text or text.endswith((".", ".lock")):
        raise InvalidValue(
            f"{text[:60]!r} cannot name {what}",
            hint="use letters, digits, '.', '_' and '-', at most 64, a letter or digit first",
        )
    return text


def detail_checked(kind: str, detail: Mapping[str, object]) -> Detail:
    """Check the fields of an event against its type; a text is made what the type asks for.

    Raises: InvalidValue, naming the field.
    """
    shape = KINDS[kind]
    known = {**shape.needs, **shape.may}
    if len(detail) > RUN_DETAILS_MAX:
        raise InvalidValue(f"{kind}: {len(detail)} fields are too many")
    made: dict[str, object] = {}
    for name, value in detail.items():
        if not isinstance(name, str) or not name:
            raise InvalidValue(f"{kind}: a field needs a name")
        made[name] = _check(kind, name, value, known.get(name))
    missing = [name for name in shape.needs if made.get(name, "") in ("", [], ())]
    if missing:
        raise InvalidValue(
            f"{kind} needs {' and '.join(missing)}",
            hint=" ".join(f"--detail {name}=..." for name in missing),
        )
    return made


def _check(kind: str, name: str, value: object, shape: Field | None) -> object:
    if shape is None:
        return _free(kind, name, value, depth=0)
    match shape.type:
        case "flag":
            return _flag(kind, name, value)
        case "texts":
            return _texts(kind, name, value)
        case "objects":
            if isinstance(value, list | tuple) and all(isinstance(each, dict) for each in value):
                return [_free(kind, name, each, depth=0) for each in value]
            raise InvalidValue(f"{kind}: {name} is not a list of objects")
        case _:
            found = _check_choice(kind, name, value, shape.choices)
            # A title is a line wherever it is shown: in a table, a commit, a list of boxes.
            return " ".join(found.split()) if name == "title" else found


def _check_choice(kind: str, name: str, value: object, choices: tuple[str, ...]) -> str:
    if not isinstance(value, str):
        raise InvalidValue(f"{kind}: {name} is not a text")
    if choices:
        for choice in choices:
            if value.replace("-", "_").lower() == choice.replace("-", "_").lower():
                return str(choice)
        raise InvalidValue(f"{kind}: {name} {value[:40]!r} is none of {', '.join(choices)}")
    limit = RUN_ARTIFACT_CHARS_MAX if kind == "artifact-written" else RUN_TEXT_CHARS_MAX
    return _short(kind, name, value, limit)


def _texts(kind: str, name: str, value: object) -> list[str]:
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
        raise InvalidValue(f"{kind}: {name} is not a list of texts")
    return [_short(kind, name, each, RUN_TEXT_CHARS_MAX) for each in value]


def _flag(kind: str, name: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("true", "yes", "1", "false", "no", "0"):
        return value.lower() in ("true", "yes", "1")
    raise InvalidValue(f"{kind}: {name} is neither true nor false")


def _free(kind: str, name: str, value: object, *, depth: int) -> object:
    """Check a field the table does not know: plain data, not too large, not too deep."""
    if depth > 4:
        raise InvalidValue(f"{kind}: {name} is nested too deeply")
    match value:
        case None | bool() | int() | float():
            return value
        case str():
            return _short(kind, name, value, RUN_TEXT_CHARS_MAX)
        case list() | tuple():
            return [_free(kind, name, each, depth=depth + 1) for each in value[:1_000]]
        case dict():
            return {
                str(key): _free(kind, name, each, depth=depth + 1) for key, each in value.items()
            }
        case _:
            raise InvalidValue(f"{kind}: {name} is nothing that JSON can hold")


def _short(kind: str, name: str, value: str, limit: int) -> str:
    if len(value) > limit:
        raise InvalidValue(
            f"{kind}: {name} has {len(value):,} characters, at most {limit:,} are kept",
            hint="write a summary, and name the file that has the rest",
        )
    return value
