"""What must be so before a run is driven, and the run that is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from agentx.host.git.programs import refuse_among_files
from agentx.kernel.errors import AgentXError, ConflictError, InvalidValue
from agentx.operations.driving.approving import find_lack, list_unseen, refuse_unseen
from agentx.operations.driving.asked import DriveRequest
from agentx.operations.runs.saying import check_speaker
from agentx.operations.runs.write import is_run, start_run
from agentx.project.project import Project
from agentx.redaction.redact import redact
from agentx.runs.model import ORCHESTRATOR, Run
from agentx.wiring.bound.drives import Drive
from agentx.wiring.runners import find_player_name, runner_in_lane
from agentx.wiring.runs import open_run_store, open_runs


def begin_run(project: Project, request: DriveRequest) -> tuple[Run, DriveRequest]:
    """Return the run that is to be driven, begun now where a title was given, and who works on it.

    Raises: ConflictError for a repository that is not trusted, InvalidValue where nobody is named
        who works or nothing says when it is done, NotFound.
    """
    check_speaker(project, ORCHESTRATOR)
    request = replace(request, runners=name_runners(project, request))
    for error in _find_in_the_way(project, request):
        raise error
    if not request.title:
        runs = open_runs(project)
        return runs.run(runs.which.choose(request.run_id))[0], request
    run = start_run(
        project,
        request.title,
        description=request.description,
        checks=request.checks,
        actor=ORCHESTRATOR,
    )
    return run, request


def find_meant(project: Project, what: str) -> str:
    """Return the run that a text means: by its id, or as the title of one that goes on; or nothing.

    Whoever types a command once more, because it was stopped or killed, means no second run; nor
    one that somebody began whom they do not trust, and who may have thought of the same title.
    """
    if is_run(project, what):
        return what
    titles = {_plain(what), _plain(redact(what))}
    runs = open_runs(project)
    going = (each for each in runs.all() if not each.over)  # newest first
    named = (each.id for each in going if _plain(each.title) in titles)
    is_anybodys = open_run_store(project).vouching.is_anybodys
    return next((each for each in named if not is_anybodys(runs.events(each)[0])), "")


def _plain(title: str) -> str:
    return " ".join(title.casefold().split())


def name_runners(project: Project, request: DriveRequest) -> tuple[str, ...]:
    """Return who works: who is named, else whom the user chose for the role."""
    return request.runners or tuple(filter(None, (find_player_name(project, request.role),)))


def list_in_the_way(project: Project, request: DriveRequest, run: Run | None) -> tuple[str, ...]:
    """Return why a run would not be driven as things are, with what to do."""
    found = [*_find_in_the_way(project, request)]
    if run is not None:
        rival = None if request.is_taken else Drive(project, run.id).find_rival()
        lack = None if run.over or request.checks else find_lack(run)
        found += filter(None, (rival, lack))
        found += [refuse_unseen(run, request, each) for each in list_unseen(project, run, request)]
    return tuple(f"{each.message} ({each.hint})" if each.hint else each.message for each in found)


def _find_in_the_way(project: Project, request: DriveRequest) -> Iterator[AgentXError]:
    if not project.trust.was_said:
        yield ConflictError(
            f"{project.root} is not trusted: agents would run what lies there",
            hint="look at it, then say so: agentx trust --show, agentx trust",
        )
    yield from refuse_among_files(project.root)
    names = dict.fromkeys((*request.runners, request.planner))
    if not request.runners:
        yield InvalidValue(
            "nobody is named who does the work",
            hint="name an agent CLI: --runner claude-code (several: --runner codex)",
        )
    for name in filter(None, names):
        try:
            runner_in_lane(project, name, project.root).program()
        except AgentXError as error:  # what is not installed leaves no trace
            yield error
    if request.title and not request.checks:
        yield InvalidValue(
            "nothing says when the work is done",
            hint="name what must pass: --check 'make test'; it may be given several times",
        )
