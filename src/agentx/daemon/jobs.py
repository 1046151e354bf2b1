"""The jobs of a project's store: what is done by itself, and when.

A job opens the memory for as long as it needs it. In the daemon that is the one that
is open already; without a daemon the job opens the store itself, and a job that does
not need the store leaves it alone.

What a job needs is imported when it runs, most of it at night: a daemon is sent for by a session
that begins, and serves in half the time so.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace

from agentx.agents.happenings import TaskFired
from agentx.daemon.scheduler.cron import parse_cron
from agentx.daemon.scheduler.door import LocalScheduler
from agentx.daemon.scheduler.model import Every, JobSpec
from agentx.daemon.scheduler.registry import Registry
from agentx.daemon.scheduler.scheduler import Scheduler
from agentx.host.files.plain import is_folder
from agentx.kernel.clock import MINUTE_MS
from agentx.kernel.periods import Level
from agentx.memory.local import LocalMemory
from agentx.project.project import Project
from agentx.project.zone import project_zone

# After midnight, days before weeks before months before years.
_ROLLUPS = (
    (Level.DAY, "5 0 * * *"),
    (Level.WEEK, "10 0 * * mon"),
    (Level.MONTH, "15 0 * * mon"),
    (Level.YEAR, "20 0 * * mon"),
)

OpenMemory = Callable[[], AbstractContextManager[LocalMemory]]


def job_specs(project: Project, memory: OpenMemory) -> tuple[JobSpec, ...]:
    """Return every job. They run at night, one after the other, each a little late by chance."""

    def compact() -> str:
        with memory() as opened:
            return str(opened.compact())

    def close(level: Level) -> Callable[[], str]:
        def run() -> str:
            with memory() as opened:
                changed = opened.catch_up().nodes
                return f"nodes changed: {changed + opened.close_periods(level)}"

        return run

    def polish() -> str:
        with memory() as opened:
            opened.catch_up()
            return f"segments written by a model: {opened.polish()}"

    return (
        *(
            JobSpec(
                name=f"rollup-{level}",
                about=f"Close the {level} that is over in the table of contents.",
                when=parse_cron(cron),
                run=close(level),
                jitter_ms=MINUTE_MS,
            )
            for level, cron in _ROLLUPS
        ),
        JobSpec(
            name="summaries",
            about="Let the model, if one is set, write closed segments again, within the caps.",
            when=Every(15 * MINUTE_MS),
            run=polish,
        ),
        *_keeping_jobs(project, memory),
        JobSpec(
            name="compact",
            about="Give back the room of what was deleted or replaced in the store.",
            when=parse_cron("30 4 * * sun"),
            run=compact,
            jitter_ms=10 * MINUTE_MS,
        ),
        *_observation_jobs(project),
        _run_job(project),
        _question_job(project),
    )


def _keeping_jobs(project: Project, memory: OpenMemory) -> tuple[JobSpec, ...]:
    """Return what keeps a memory as long as it is wanted, and safe for so long."""

    def retain() -> str:
        from agentx.operations.capture.retention import forget_aged, keeps_forever  # noqa: PLC0415  see above
        from agentx.operations.questions.aging import compact as compact_questions  # noqa: PLC0415  see above
        from agentx.operations.upkeep.leftovers import sweep  # noqa: PLC0415  see above

        shortened = compact_questions(project) if any(map(is_folder, project.asked)) else 0
        said = str(sweep(project))
        if shortened:
            said = f"settled questions shortened: {shortened:,}; {said}"
        if keeps_forever(project):
            return said
        with memory() as opened:
            return f"{forget_aged(project, opened)}; {said}"

    def keep_backup() -> str:
        from agentx.wiring.keeping.backup import backup_memory  # noqa: PLC0415  see above

        return str(backup_memory(project))

    return (
        JobSpec(
            name="retention",
            about="Forget what is older than `retention.days`; shorten threads settled "
            "30 days ago; remove old copies of settings, logs, unfinished files.",
            when=parse_cron("50 3 * * *"),
            run=retain,
            jitter_ms=10 * MINUTE_MS,
        ),
        JobSpec(
            name="backup",
            about="Keep a backup of every fact, sealed; the keys lie elsewhere, in two copies.",
            when=parse_cron("10 3 * * *"),
            run=keep_backup,
            jitter_ms=10 * MINUTE_MS,
        ),
    )


def _observation_jobs(project: Project) -> tuple[JobSpec, ...]:
    """Return what keeps the observations in order; they lie in files and need no store."""

    def settle() -> str:
        from agentx.wiring.kept.said import keep_said  # noqa: PLC0415  see above
        from agentx.wiring.observation_upkeep import settle_observations  # noqa: PLC0415  see above

        keep_said(project)
        return f"acts moved into files: {settle_observations(project)}"

    def verify() -> str:
        if not is_folder(project.observations):
            return "no observations"
        from agentx.operations.memory.check import memory_verify  # noqa: PLC0415  see above

        found = memory_verify(project)
        return f"checked {found.checked:,}, stale {found.stale:,}, marked anew {found.amended:,}"

    def compact() -> str:
        if not is_folder(project.observations):
            return "no observations"
        from agentx.operations.memory.write import memory_compact  # noqa: PLC0415  see above

        done = memory_compact(project)
        return f"merged {done.archived:,} observations into {len(done.merged):,}"

    return (
        JobSpec(
            name="memory-settle",
            about="Bring the files of the observations up to date.",
            when=Every(15 * MINUTE_MS),
            run=settle,
        ),
        JobSpec(
            name="memory-verify",
            about="Mark observations whose files have changed since, as git tells it.",
            when=parse_cron("40 3 * * *"),
            run=verify,
            jitter_ms=10 * MINUTE_MS,
        ),
        JobSpec(
            name="memory-compact",
            about="Merge related observations that are older than 90 days.",
            when=parse_cron("10 4 * * sun"),
            run=compact,
            jitter_ms=10 * MINUTE_MS,
        ),
    )


def _run_job(project: Project) -> JobSpec:
    """Return what packs runs away that have stayed long enough."""

    def pack() -> str:
        if not (project.has_runs and project.trust.has_data):
            return "no runs of ours"
        from agentx.operations.runs.archive import clean_runs  # noqa: PLC0415  see above

        done, _ = clean_runs(project)
        return f"packed away: {len(done.archived):,}, kept: {done.kept:,}"

    return JobSpec(
        name="run-retention",
        about="Pack away runs completed 30 days ago or failed 7 days ago; what they taught stays.",
        when=parse_cron("20 4 * * *"),
        run=pack,
        jitter_ms=10 * MINUTE_MS,
    )


def _question_job(project: Project) -> JobSpec:
    """Return what looks after the questions while nobody types a command."""

    def look() -> str:
        if not (any(map(is_folder, project.asked)) and project.trust.has_data):
            return "no questions of ours"
        from agentx.operations.questions.routing import watch  # noqa: PLC0415  see above
        from agentx.wiring.hub import listen_on_github, send_waiting  # noqa: PLC0415  see above
        from agentx.wiring.kept.decided import keep_decisions  # noqa: PLC0415  see above
        from agentx.wiring.work import take_time  # noqa: PLC0415  see above

        unhurried = take_time(project)
        replies = listen_on_github(unhurried)
        keep_decisions(unhurried)
        heard = f", answered on GitHub: {replies:,}" if replies else ""
        waiting = send_waiting(unhurried)
        unsent = f", waiting for GitHub: {waiting:,}" if waiting else ""
        return f"open: {len(watch(unhurried).active):,}{heard}{unsent}"

    return JobSpec(
        name="questions",
        about="Find questions that are late, stuck or deadlocked; ask again, or call a person; "
        "take people's replies on GitHub.",
        when=Every(MINUTE_MS),
        run=look,
    )


def _tell_fired(project: Project, spec: JobSpec) -> JobSpec:
    """Return a job that tells when it begins; what is done every minute would only fill the log."""
    if isinstance(spec.when, Every) and spec.when.ms <= MINUTE_MS:
        return spec

    def run() -> object:
        from agentx.wiring.listeners.happenings import tell_news  # noqa: PLC0415  see above

        at = project.clock.now_ms()
        news = TaskFired(
            timestamp=at, task_id=spec.name, schedule=spec.when.text, description=spec.about
        )
        tell_news(project, news)
        return spec.run()

    return replace(spec, run=run)


def daemon_scheduler(project: Project, memory: OpenMemory) -> Scheduler:
    """Return the scheduler of the daemon that serves a store."""
    return Scheduler(
        tuple(_tell_fired(project, spec) for spec in job_specs(project, memory)),
        Registry(project.store.scheduler, project.clock),
        clock=project.clock,
        zone=project_zone(project),
        entropy=project.entropy,
    )


def local_scheduler(project: Project) -> LocalScheduler:
    """Return the way to the jobs of a store that no daemon serves."""
    from agentx.wiring.memory import open_store  # noqa: PLC0415  see above

    specs = job_specs(project, lambda: open_store(project))
    return LocalScheduler(
        tuple(_tell_fired(project, spec) for spec in specs),
        project.store,
        clock=project.clock,
        zone=project_zone(project),
        entropy=project.entropy,
    )
