"""How a run looks on a terminal: phases, tasks, lanes, what blocks it, what is next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from agentx.kernel.clock import age
from agentx.kernel.limits import RUN_TITLE_CHARS_MAX
from agentx.kernel.text import preview, printable
from agentx.operations.runs.read import ArchivedRow, RunOverview, RunRow, TaskRow
from agentx.runs.model import Lane
from agentx.runs.rendering import tell_answered
from agentx.runs.replies import Landed, Rebuilt, Resumption, Unmerged
from agentx.surfaces.cli import render
from agentx.surfaces.cli.layout import flatten, lay, lay_facts

if TYPE_CHECKING:
    from agentx.operations.runs.recover import PullRequest

_STATUS = {
    "COMPLETED": "green",
    "PASSED": "green",
    "MERGED": "green",
    "IN_PROGRESS": "cyan",
    "ACTIVE": "cyan",
    "FINISHED": "cyan",
    "PASSED_WITH_WARNINGS": "yellow",
    "BLOCKED": "yellow",
    "CONFLICT": "red",
    "FAILED": "red",
    "DROPPED": "dim",
    "REASSIGNED": "dim",
    "PENDING": "dim",
}
_SIGNS = {"COMPLETED": "x", "IN_PROGRESS": ">", "PENDING": " ", "BLOCKED": "!", "FAILED": "-"}
_STEPS_MAX = 6
_TASKS_MAX = 40
_TASK_HEADS = ("TASK", "STATUS", "LANE", "NOTE", "TITLE")
_NOTE_CHARS = 24
_TITLE_CHARS = 100
# What is worked on or stuck comes first, then what is ready, then what is over.
_URGENT = {"IN_PROGRESS": -3, "FAILED": -2, "BLOCKED": -2, "PENDING": -1}
_FAULTS_MAX = 5
_ANSWERS_MAX = 5
_QUESTION_CHARS = 400


def draw_list(screen: Console, rows: tuple[RunRow, ...], now_ms: int, packed: int = 0) -> None:
    """Draw all runs; where none is there, how many are packed away."""
    if not rows and packed:
        screen.print(f"No run is laid out here; {render.count(packed, 'run')} packed away.")
        hint = (
            "\nhint: `agentx run list --archived` shows them, `agentx run restore RUN` lays one out"
        )
        screen.print(hint, style="dim", soft_wrap=True)
        return
    if not rows:
        screen.print("There are no runs yet.")
        screen.print('\nhint: `agentx run start "TITLE"` begins one', style="dim")
        return
    for row in rows:
        counted = f"{row.tasks_done} of {render.count(row.tasks, 'task')}"
        changed = age(row.updated_ms, now_ms=now_ms)
        facts = (row.phase, _status(row.status), counted, changed)
        _entry(screen, f"{'*' if row.active else ' '} {row.run_id}", row.title, facts)


def _entry(screen: Console, head: str, title: str, facts: tuple[str | Text, ...]) -> None:
    """Draw a run in a list: its id whole, to be copied, and below it what fits."""
    screen.print(Text(head, style="bold"), soft_wrap=True)
    cells = [Text("  "), *(Text().append(fact) for fact in (*facts, _cut(title)))]
    for line in lay_facts(cells, screen.width):
        screen.print(line)


def _cut(title: str) -> str:
    return preview(title, RUN_TITLE_CHARS_MAX)


def draw_archived(screen: Console, rows: tuple[ArchivedRow, ...]) -> None:
    """Draw the runs that are packed away."""
    if not rows:
        screen.print("No run is packed away.")
        return
    for row in rows:
        status = _status(row.status) if row.status else Text("damaged", style="red")
        when = (f"ended {row.completed_at[:10]}", f"packed {row.archived_at[:10]}")
        _entry(screen, f"  {row.run_id}", row.title, (status, *when))
    screen.print("\nhint: `agentx run restore RUN` lays one out again", style="dim")


def draw_run(screen: Console, run: RunOverview, now_ms: int) -> None:
    """Draw where a run stands."""
    head = (Text(_cut(flatten(run.title)), style="bold"), _status(run.status))
    for line in lay_facts(head, screen.width, indent=0):
        screen.print(line)
    began = f"began {age(run.created_ms, now_ms=now_ms)}"
    changed = f"last change {age(run.updated_ms, now_ms=now_ms)}"
    for line in lay_facts((Text(run.run_id), Text(f"{began}, {changed}")), screen.width, indent=0):
        screen.print(line, style="dim")
    if run.description:
        screen.print(Text(printable(run.description)), soft_wrap=True)
    if run.reason:
        screen.print(Text(printable(run.reason)), soft_wrap=True)
    screen.print()
    phases = [
        Text(f"[{_SIGNS.get(row.status, ' ')}] {row.phase}", style=_STATUS[row.status])
        for row in run.phases
    ]
    for line in lay_facts(phases, screen.width, indent=0):
        screen.print(line)
    if run.tasks:
        screen.print()
        _draw_first_tasks(screen, run.tasks)
    if run.lanes:
        screen.print()
        draw_lanes(screen, run, now_ms)
    for each in run.missing[:_STEPS_MAX]:
        screen.print(Text(f"\nmissing: {printable(each.text)}", style="yellow"), soft_wrap=True)
    _draw_blockers(screen, run, now_ms)
    for given in run.lessons_given[:_STEPS_MAX]:
        told = f"\nlesson {given.lesson} was given to: {', '.join(given.to)}"
        screen.print(Text(printable(told)), style="dim", soft_wrap=True)
    _draw_next(screen, run)
    if run.faults:
        screen.print()
        for fault in run.faults[:_FAULTS_MAX]:
            screen.print(Text(f"damaged: {fault}"), style="red", soft_wrap=True)
        if len(run.faults) > _FAULTS_MAX:
            screen.print(f"and {len(run.faults) - _FAULTS_MAX} more", style="red")
        screen.print("\nhint: `agentx run rebuild` moves aside what cannot be read", style="dim")


def _draw_first_tasks(screen: Console, rows: tuple[TaskRow, ...]) -> None:
    """Draw the tasks; of many those first that are worked on, and how many more there are."""
    if len(rows) <= _TASKS_MAX:
        draw_tasks(screen, rows)
        return
    urgent = sorted(rows, key=lambda row: (_URGENT.get(row.status, 0), not row.ready))
    shown = {row.task_id for row in urgent[:_TASKS_MAX]}
    draw_tasks(screen, tuple(row for row in rows if row.task_id in shown))
    done = sum(row.status in ("COMPLETED", "DROPPED") for row in rows)
    more = f"and {len(rows) - len(shown):,} more, {done:,} of {len(rows):,} are done"
    screen.print(f"{more}: `agentx run task list`", style="dim", soft_wrap=True)


def draw_tasks(screen: Console, rows: tuple[TaskRow, ...]) -> None:
    """Draw tasks."""
    table = render.table(*_TASK_HEADS)
    for row in rows:
        table.add_row(
            row.task_id,
            _status(row.status),
            row.lane,
            Text(_note_task(row), style="green" if row.ready else "dim"),
            _cut(row.title),
        )
    screen.print(table)


def write_tasks(rows: tuple[TaskRow, ...]) -> str:
    """Return many tasks as plain lines: a table of a thousand rows takes long to draw."""
    cells = [_TASK_HEADS]
    cells += [
        (row.task_id, row.status.replace("_", " ").lower(), row.lane, _note_task(row), row.title)
        for row in rows
    ]
    wide = [max(len(row[column]) for row in cells) for column in range(3)]
    lines = []
    for row in cells:
        head = "  ".join(row[column].ljust(wide[column]) for column in range(3))
        note = preview(row[3], _NOTE_CHARS)
        lines.append(f"{head}  {note.ljust(_NOTE_CHARS)}  {preview(row[4], _TITLE_CHARS)}".rstrip())
    return printable("\n".join(lines)) + "\n"


def _note_task(row: TaskRow) -> str:
    if row.status == "PENDING" and not row.reason:
        waits = f"waits for {', '.join(row.waits_for)}" if row.waits_for else ""
        return row.held or ("ready" if row.ready else waits)
    return "; ".join(word for word in (row.held, row.reason or row.said_verdict) if word)


def draw_lanes(screen: Console, run: RunOverview, now_ms: int) -> None:
    """Draw lanes."""
    if not run.lanes:
        screen.print("No lanes: `agentx run lane open --task TASK` makes one.")
        return
    table = render.table("LANE", "STATUS", "TASK", "CHANGED", "NOTE")
    lost = {each.lane: each for each in run.unmerged}
    held = {row.lane: row.held for row in run.tasks if row.lane}
    for lane in run.lanes:
        tries = f"try {lane.attempts}" if lane.attempts > 1 else ""
        table.add_row(
            lane.id,
            _status(_name_status(lane, lost.get(lane.id))),
            lane.task,
            age(lane.changed_ms, now_ms=now_ms),
            "; ".join(
                word
                for word in (
                    held.get(lane.id, "") if lane.open else "",
                    " ".join(
                        each
                        for each in (
                            tries,
                            lane.reason,
                            lost[lane.id].why if lane.id in lost else "",
                        )
                        if each
                    ),
                )
                if word
            ),
        )
    screen.print(table)
    where = f"branches agent/{run.run_id}/lane-*, merged into .../work, made from {run.base_branch}"
    screen.print(where, style="dim", soft_wrap=True)


def _name_status(lane: Lane, lost: Unmerged | None) -> str:
    if lost is None:
        return str(lane.status)
    if lost.is_shallow or (lost.is_over and lost.lacks_branch):
        return "not known here"
    return "not merged here" if lost.is_elsewhere else "merged in part"


def _draw_blockers(screen: Console, run: RunOverview, now_ms: int) -> None:
    for asked in run.blockers:
        line = Text(f"\n{asked.id} blocks it: ", style="yellow")
        line.append(preview(printable(asked.question), _QUESTION_CHARS), style="default")
        screen.print(line.append(f" ({age(asked.at_ms, now_ms=now_ms)})", "dim"), soft_wrap=True)
    for claim in run.unverified[:_ANSWERS_MAX]:
        screen.print(Text(f"\n{printable(claim)}", style="yellow"), soft_wrap=True)
    if run.answered:
        screen.print()
    for asked in run.answered[-_ANSWERS_MAX:]:
        screen.print(Text(printable(tell_answered(asked))), soft_wrap=True)


def _draw_next(screen: Console, run: RunOverview) -> None:
    if not run.next:
        return
    screen.print()
    for step in run.next[:_STEPS_MAX]:
        lead = Text("next: ", style="bold")
        for line in lay(lead, Text(printable(step.text)), screen.width):
            screen.print(line)
        if step.command:
            render.print_whole(screen, f"      {step.command}", "dim")
    if len(run.next) > _STEPS_MAX:
        screen.print(f"and {len(run.next) - _STEPS_MAX} more", style="dim")


def draw_resumption(screen: Console, found: Resumption, rebuilt: Rebuilt) -> None:
    """Draw how to go on with a run."""
    screen.print(Text(found.run_id, style="bold"), soft_wrap=True)
    screen.print("\nwhat happened", style="bold")
    for line in found.happened:
        screen.print(Text(f"  {printable(line)}"), soft_wrap=True)
    for answered in found.answered:
        screen.print(Text(f"  {printable(answered)}"), soft_wrap=True)
    for remark in rebuilt.remarks:
        screen.print(Text(f"  note: {printable(remark)}"), style="yellow", soft_wrap=True)
    for fault in rebuilt.faults:
        screen.print(Text(f"  not understood: {printable(fault)}"), style="red", soft_wrap=True)
    screen.print("\nwhere it stopped", style="bold")
    stops = {
        str(found.interruption): found.stopped_at,
        "last checkpoint": found.last_checkpoint,
        "last noted": found.last_log,
    }
    for name, said in stops.items():
        if said:  # on one line: no further one begins as what somebody else said does
            screen.print(Text(f"  {name}: {flatten(said)}"), soft_wrap=True)
    screen.print("\nwhat to do next", style="bold")
    for number, step in enumerate(found.next, 1):
        for laid in lay(Text(f"  {number}. "), Text(printable(step.text)), screen.width):
            screen.print(laid)
        if step.command:
            render.print_whole(screen, f"     {step.command}", "cyan")


def draw_rebuilt(screen: Console, found: tuple[Rebuilt, ...]) -> None:
    """Draw what a rebuild did."""
    if not found:
        screen.print("no run is left of which files could be made")
    for each in found:
        changed = render.count(each.files_changed, "file")
        screen.print(f"{each.run.id}: {each.run.events:,} events, {changed} made again")
        for remark in each.remarks:
            screen.print(Text(f"  {printable(remark)}"), style="yellow", soft_wrap=True)
        for fault in each.faults:
            screen.print(Text(f"  not understood: {printable(fault)}"), style="red", soft_wrap=True)


def draw_pull_request(screen: Console, found: PullRequest) -> None:
    """Draw what the pull request says, then what is still to be done for it."""
    screen.print(Text(printable(found.description)), soft_wrap=True)
    screen.print(Text(printable(found.checklist)), soft_wrap=True)
    for remark in found.remarks:
        screen.print(Text(printable(remark)), style="yellow", soft_wrap=True)
    if found.changes is not None:
        files = render.count(len(found.changes.files), "file")
        lines = f"+{found.changes.lines_added:,} -{found.changes.lines_removed:,} lines"
        screen.print(f"{files}, {lines} on {found.work_branch}", style="dim", soft_wrap=True)
    if found.landed is not None:
        screen.print(Text(_say_landed(found.landed)), style="yellow", soft_wrap=True)
        if found.ready:
            return
    word = "ready to be opened" if found.ready else "not ready: see the open boxes above"
    screen.print(word, style="green" if found.ready else "yellow")


def _say_landed(found: Landed) -> str:
    if not found.is_other:
        return f"it is merged into {found.where} already"
    if found.is_sure:
        return f"{found.where} has all of it already, as other commits"
    return (
        f"{found.where} seems to have it already, as other commits, and was changed since: look "
        "there before it is opened"
    )


def _status(word: str) -> Text:
    return Text(word.replace("_", " ").lower(), style=_STATUS.get(word, ""))
