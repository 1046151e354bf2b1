"""What a driver tells an agent: to plan, to do a task, to mend what failed, to go on.

What others wrote (the output of checks, an answer, files) is fenced as data where it is handed
over.
"""

from __future__ import annotations

from collections.abc import Iterable

HOW_TO_PLAN = """\
## How to plan

Look at the repository; change nothing. Split the work into tasks that agents can do at the same
time, each on a branch of its own: few, and such that two of them do not edit the same file unless
one waits for the other. End with the plan as one JSON object:

    {"tasks": [{"id": "T1", "title": "...", "goal": "what is to be so afterwards",
                "files": ["src/..."], "acceptance": ["..."], "depends_on": [], "checks": ["..."]}]}

`checks` are commands that pass once the task is done; leave them out where the checks of the whole
run do: a person has to approve each new one.
"""

HOW_TO_WORK = """\
## How to work

Work in this folder alone: it is a lane of the run, with a branch of its own. Edit files; you need
not commit, and do not push, merge or change branches: that is done for you. When you are done, the
checks are run; if one fails you are told what it printed.
{checks}
When you cannot go on without an answer, do not guess: end with STATUS: question. End with:

STATUS: done, or question
SUMMARY: what you did and why, in a few lines
QUESTION: what you must know to go on (only with STATUS: question)
OPTIONS: what the answer may be, one a line with a leading "- " (may be left out)
LEARNT: what the next run should know of this repository, one a line: "- pattern: ...",
"- error: ...", "- solution: ...", "- decision: ...", "- debt: ..."; "none" if nothing
"""


def say_work(title: str, goal: str, checks: Iterable[str]) -> tuple[str, str]:
    """Return what the task is, and how to work on it."""
    listed = "\n".join(f"    {each}" for each in checks)
    how = HOW_TO_WORK.replace("{checks}", f"\nThey are:\n\n{listed}\n" if listed else "")
    return f"{title}\n\n{goal}".strip(), how


def say_plan(title: str, description: str, checks: Iterable[str]) -> str:
    """Return what is to be planned."""
    listed = "\n".join(f"    {each}" for each in checks)
    asked = f"\n\nThe whole must pass:\n\n{listed}" if listed else ""
    return f"Plan this piece of work: {title}\n\n{description}".strip() + asked


def say_plan_wrong(fault: str) -> str:
    """Return what was wrong with a plan."""
    return f"The plan that you gave cannot be taken: {fault}\nGive all of it again, mended."


CUT_OFF = (
    "You worked on this before and were cut off. What you had changed lies in this folder, "
    "committed. Look at it (git log, git diff) and go on from there."
)
NO_REPLY = (
    "An agent was given this before and gave no reply. What it changed, if anything, lies here."
)
FAILED = (
    "The checks were run on what you did, and not all passed. What they printed is above. Mend the "
    "cause; do not weaken or remove a test to make it pass."
)
ANSWERED = "You asked, and a person answered; question and answer are above. Go on with that."


def say_conflict(files: Iterable[str]) -> str:
    """Return that two changes are to be put together."""
    return (
        "Your work does not go together with what others merged meanwhile. Their work was merged "
        "into this folder, and git left its marks (<<<<<<<, =======, >>>>>>>) in these files: "
        f"{', '.join(files)}. Put both together so that what either wanted holds, and take the "
        "marks out. A file without marks is no text, or one side took it away: see that it is as "
        "it has to be. Do not drop the others' work."
    )


def say_left(names: str) -> str:
    """Return that something lies in the folder that is not committed."""
    return (
        f"The checks passed. After them this lies here, changed or new, and is not committed: "
        f"{names}. If the checks make it, let git ignore it (.gitignore). If it belongs to the "
        "work, leave it: it is committed after your turn, and the checks run again."
    )
