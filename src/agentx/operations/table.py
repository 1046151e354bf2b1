"""Every verb of the product, and where it stands: the list that `docs/operations.md` is made from.

A verb is named by where it lives, `module:function`, so that reading the list imports
nothing. What is on a surface and not in here, or in here and nowhere, fails a test.
"""

from __future__ import annotations

from agentx.kernel.values import frozen


@frozen(kw_only=False)
class Operation:
    """A verb: its name, where it lives, and what it is called on each surface."""

    name: str
    verb: str  # below `agentx`
    cli: tuple[str, ...] = ()
    mcp: tuple[str, ...] = ()
    grpc: tuple[str, ...] = ()
    hook: tuple[str, ...] = ()
    page: tuple[str, ...] = ()  # the places of the page that show it, or where it is done


def _row(
    name: str, verb: str, cli: str = "", mcp: str = "", grpc: str = "", *, page: str = ""
) -> Operation:
    """Return an operation; several names on one surface stand side by side, with commas."""
    cli_names, mcp_names, grpc_names, pages = (
        tuple(filter(None, names.split(", "))) for names in (cli, mcp, grpc, page)
    )
    return Operation(name, verb, cli_names, mcp_names, grpc_names, page=pages)


_CAPTURE = (
    Operation("capture.hook", "surfaces.hooks.capture:capture", hook=("every call",)),
    _row("capture.append", "memory.port:Memory.append", grpc="IngestEvent, IngestEvents"),
    _row("capture.drain", "memory.port:Memory.drain", grpc="DrainSpool"),
    _row("capture.sync", "operations.capture.sync:sync", "sync", grpc="SyncViews"),
    _row("capture.import", "operations.capture.import_history:import_history", "import"),
    _row(
        "capture.forget",
        "operations.capture.forget:forget",
        "forget",
        grpc="ForgetEvents",
        page="/forget/session",
    ),
    _row("capture.exclude", "operations.capture.exclude:exclude_from_capture", "exclude"),
    _row("capture.live", "operations.setup.programs.live:try_hooks", "doctor"),
)

_RECALL = (
    Operation("recall.announce", "surfaces.hooks.telling.digest:announce", hook=("session start",)),
    _row("recall.recall", "operations.recall.recall:recall", "recall", "recall", page="/told"),
    _row(
        "recall.search",
        "memory.port:Memory.search",
        "search",
        "search",
        "TeleportSearch, VectorTeleport, HybridSearch, RouteQuery",
        page="/search",
    ),
    _row(
        "recall.search_everywhere",
        "operations.recall.everywhere:search_everywhere",
        "search",
        "search",
    ),
    _row(
        "recall.expand", "memory.port:Memory.expand", "expand", "expand", "ExpandGrip", page="/grip"
    ),
    _row("recall.show", "operations.recall.document:open_document", "show", page="/show"),
    _row("recall.read", "operations.recall.read:read", mcp="get"),
    _row("recall.timeline", "operations.recall.timeline:timeline", mcp="timeline"),
    _row("recall.stretch", "operations.recall.stretch:read_stretch", "toc", "timeline, standup"),
    _row("recall.session", "operations.recall.stretch:read_session", mcp="timeline"),
    _row("recall.why", "operations.recall.why:why", "why", "why", page="/why, /memory/one"),
    _row("recall.told", "operations.recall.uses:list_told", page="/session"),
    _row("recall.session_part", "operations.recall.session.part:read_part", page="/session"),
    _row("recall.session_tail", "operations.recall.session.part:read_tail", page="/session"),
    _row(
        "recall.toc",
        "operations.recall.toc:toc",
        "toc",
        grpc="GetTocRoot, GetNode, BrowseToc",
        page="/time",
    ),
    _row(
        "recall.events",
        "memory.port:Memory.events",
        "events",
        grpc="GetEvents, GetEvent",
        page="/session",
    ),
    _row(
        "recall.sessions",
        "memory.port:Memory.sessions",
        "sessions",
        grpc="ListSessions",
        page="/sessions, /day",
    ),
    _row("recall.capabilities", "memory.port:Memory.capabilities", grpc="GetRetrievalCapabilities"),
    _row("recall.index_report", "memory.port:Memory.index_report", grpc="GetIndexStatus"),
)

_MEMORY = (
    _row("memory.add", "operations.memory.write:memory_add", "memory add", "remember"),
    _row("memory.list", "operations.memory.read:memory_list", "memory list", "observations"),
    _row("memory.search", "operations.memory.read:memory_search", "memory search", "observations"),
    _row(
        "memory.show",
        "operations.memory.read:memory_show",
        "memory show, expand",
        "observations",
        page="/memory/one",
    ),
    _row("memory.learnt", "operations.memory.learnt:list_learnt", page="/session"),
    _row("memory.as_of", "operations.memory.past:memory_as_of", page="/memory"),
    _row("memory.areas", "operations.memory.areas:map_areas", page="/memory/map"),
    _row("memory.remove", "operations.memory.write:memory_remove", "memory remove"),
    _row(
        "memory.pin",
        "operations.memory.curate:memory_pin",
        "memory pin, memory unpin",
        page="/memory/one",
    ),
    _row(
        "memory.keep",
        "operations.memory.curate:memory_keep",
        "memory keep, memory review",
        page="/memory/one",
    ),
    _row(
        "memory.edit",
        "operations.memory.curate:memory_edit",
        "memory edit, memory review",
        page="/memory/one",
    ),
    _row(
        "memory.drop",
        "operations.memory.curate:memory_drop",
        "memory drop, memory review",
        page="/memory/one",
    ),
    _row(
        "memory.undrop",
        "operations.memory.curate:memory_undrop",
        "memory undrop",
        page="/memory/one",
    ),
    _row("memory.dropped", "operations.memory.curate:memory_dropped", "memory dropped"),
    _row("memory.review", "operations.memory.review:memory_review", "memory review"),
    _row("memory.compact", "operations.memory.write:memory_compact", "memory compact", "compact"),
    _row("memory.migrate", "operations.memory.write:memory_migrate", "memory migrate"),
    _row("memory.stats", "operations.memory.stats:memory_stats", "memory stats", "stats", page="/"),
    _row("memory.verify", "operations.memory.check:memory_verify", "memory verify"),
    _row("memory.budget", "operations.memory.check:memory_budget", "memory budget"),
    _row(
        "memory.session_budget",
        "operations.memory.session:session_budget",
        "memory budget",
        page="/session",
    ),
)

_QUESTIONS = (
    _row("questions.ask", "operations.questions.ask:ask", "clarify ask", "ask"),
    _row("questions.follow_up", "operations.questions.ask:follow_up", "clarify ask", "ask"),
    _row(
        "questions.answer",
        "operations.questions.settle:answer",
        "clarify answer",
        "answer",
        page="/question",
    ),
    _row("questions.resolve", "operations.questions.settle:resolve", "clarify resolve", "answer"),
    _row("questions.accept", "operations.questions.settle:accept", "clarify accept", "answer"),
    _row("questions.escalate", "operations.questions.settle:escalate", "clarify escalate"),
    _row("questions.forget", "operations.questions.settle:forget", "clarify forget"),
    _row("questions.put_back", "operations.questions.held:put_back", "clarify put-back"),
    _row("questions.compact", "operations.questions.aging:compact", "clarify compact"),
    _row(
        "questions.active",
        "operations.questions.read:active",
        "clarify",
        "inbox, clarify",
        page="/work",
    ),
    _row(
        "questions.thread",
        "operations.questions.read:thread",
        "clarify",
        "clarify",
        page="/question",
    ),
    _row("questions.inbox", "operations.questions.read:inbox_of", "clarify inbox", "inbox"),
    _row("questions.late", "operations.questions.read:late", "clarify stale"),
    _row("questions.ask_again", "operations.questions.routing:ask_again", "clarify stale"),
    _row("questions.wait", "operations.questions.waiting:wait", "clarify wait"),
    _row("questions.route", "operations.questions.routing:route", "clarify route"),
)

_ISSUES = (
    _row("issues.create", "operations.issues.edit:create_issue", "issue create", "issue_create"),
    _row("issues.update", "operations.issues.edit:update_issue", "issue update", "issue_update"),
    _row(
        "issues.comment",
        "operations.issues.edit:comment_issue",
        "issue comment, issue update",
        "issue_update",
    ),
    _row("issues.close", "operations.issues.edit:close_issue", "issue close"),
    _row("issues.reopen", "operations.issues.edit:reopen_issue", "issue reopen"),
    _row("issues.list", "operations.issues.read:list_issues", "issue list"),
    _row("issues.show", "operations.issues.read:show_issue", "issue show", "issue"),
    _row("issues.sync", "operations.issues.sync:sync_issues", "issue sync"),
    _row("issues.ready", "operations.issues.ready_queue:ready", "ready", "ready"),
    _row("issues.deps", "operations.issues.deps:deps", "deps"),
    _row("issues.digest", "operations.issues.week:digest", "digest"),
    _row("issues.state", "operations.issues.state:state", "state"),
    _row("workflows.list", "operations.issues.workflows:list_workflows", "workflow list"),
    _row("workflows.show", "operations.issues.workflows:show_workflow", "workflow show"),
    _row("workflows.check", "operations.issues.workflows:check_workflows", "workflow check"),
    _row("workflows.next", "operations.issues.workflows:next_steps", "workflow next", "issue"),
    _row("workflows.run", "operations.walking.walk:walk_issue", "workflow run"),
    _row("workflows.stands", "operations.walking.walk:show_walk", "workflow run"),
)

_AGENTS = (
    _row("agents.start", "operations.agents.boundary:start", "hook start"),
    _row("agents.finish", "operations.agents.boundary:finish", "hook finish"),
    _row("agents.run", "operations.agents.run:run_agent", "agent run"),
    _row("agents.resume", "operations.agents.loop:resume_loop", "agent resume"),
    _row("agents.sessions", "operations.agents.loop:list_sessions", "agent resume"),
    _row("agents.played", "operations.agents.playing:show_played", "agent role"),
    _row("agents.play", "operations.agents.playing:set_played", "agent role"),
    _row("agents.roles", "operations.agents.roles:list_roles", "agent roles"),
    _row("agents.copy_roles", "operations.agents.roles:copy_roles", "agent roles"),
    _row("agents.show_role", "operations.agents.roles:show_role", "agent show"),
)

_TASK_STEPS = ("start", "log", "done", "fail", "drop", "block", "reopen", "retry")

_RUNS = (
    _row("runs.start", "operations.runs.write:start_run", "run start", "run_do"),
    _row("runs.list", "operations.runs.read:list_runs", "run list", page="/work"),
    _row("runs.list_archived", "operations.runs.read:list_archived", "run list"),
    _row(
        "runs.show",
        "operations.runs.read:show_run",
        "run show, run phase, run task list, run lane list",
        "run_status",
        page="/run",
    ),
    _row("runs.events", "operations.runs.read:run_events", "run event", page="/run"),
    _row("runs.schema", "operations.runs.read:show_schema", "run event"),
    _row(
        "runs.record",
        "operations.runs.write:record_event",
        "run event, run checkpoint, run escalate, run propose",
        "run_event, propose_lesson",
        page="/run",
    ),
    _row("runs.phase", "operations.runs.phases:go_to_phase", "run phase"),
    _row("runs.drive", "operations.driving.drive:drive", "run drive"),
    _row("runs.artifact", "operations.runs.write:write_artifact", "run artifact"),
    _row("runs.verify", "operations.runs.write:record_verification", "run verify"),
    _row("runs.check", "operations.runs.write:run_checks", "run verify"),
    _row("runs.declare", "operations.runs.write:declare_checks", "run verify"),
    _row("runs.context", "operations.runs.context:run_context", "run context", "run_task_context"),
    _row("runs.resume", "operations.runs.recover:resume_run", "run resume", "run_do"),
    _row("runs.rebuild", "operations.runs.recover:rebuild_runs", "run rebuild"),
    _row("runs.pull_request", "operations.runs.recover:pull_request", "run pr"),
    _row("runs.archive", "operations.runs.archive:archive_run", "run archive"),
    _row("runs.clean", "operations.runs.archive:clean_runs", "run clean"),
    _row("runs.restore", "operations.runs.archive:restore_run", "run restore"),
    _row("runs.sync", "operations.runs.sync:sync_runs", "run sync"),
    _row("runs.prune", "operations.runs.prune:prune_runs", "run prune"),
    _row("tasks.add", "operations.runs.write:add_task", "run task add", "run_do"),
    _row("tasks.revise", "operations.runs.write:revise_task", "run task revise"),
    _row(
        "tasks.step",
        "operations.runs.write:task_step",
        ", ".join(f"run task {step}" for step in _TASK_STEPS),
    ),
    _row("tasks.take", "operations.runs.claiming:take_task", "run task take", "run_do"),
    _row("tasks.release", "operations.runs.claiming:release_task", "run task release", "run_do"),
    _row("lanes.open", "operations.runs.lane:open_lane", "run lane open", "run_do"),
    _row("lanes.finish", "operations.runs.lane:finish_lane", "run lane finish", "run_do"),
    _row("lanes.merge", "operations.runs.lane:merge_lane", "run lane merge", "run_do"),
    _row("lanes.rebase", "operations.runs.lane:rebase_work", "run lane rebase"),
    _row("lanes.fail", "operations.runs.lane:fail_lane", "run lane fail"),
    _row("lanes.retry", "operations.runs.lane:retry_lane", "run lane retry"),
    _row("lanes.take", "operations.runs.claiming:take_lane", "run lane take"),
    _row("lanes.reassign", "operations.runs.lane:reassign_lane", "run lane reassign"),
)

_LESSON_LISTS = ("patterns", "decisions", "debt", "learnings")
_VERDICTS = ("confirm", "contradict", "resolve", "retire")

_LESSONS = (
    _row(
        "lessons.list",
        "operations.lessons.known:list_lessons",
        ", ".join(f"ltm {kind}" for kind in _LESSON_LISTS),
        page="/lessons",
    ),
    _row("lessons.show", "operations.lessons.known:show_lesson", "ltm show"),
    _row("lessons.metrics", "operations.lessons.known:show_metrics", "ltm metrics"),
    _row("lessons.add", "operations.lessons.known:add_lesson", "ltm add"),
    _row(
        "lessons.judge",
        "operations.lessons.known:judge_lesson",
        ", ".join(f"ltm {verdict}" for verdict in _VERDICTS),
    ),
    _row(
        "lessons.candidates",
        "operations.lessons.candidates:list_candidates",
        "ltm candidates",
        page="/lessons",
    ),
    _row("lessons.accept", "operations.lessons.candidates:accept", "ltm accept", page="/lessons"),
    _row("lessons.reject", "operations.lessons.candidates:reject", "ltm reject", page="/lessons"),
)

_SETUP = (
    _row("setup.init", "operations.setup.init:init", "init"),
    _row("setup.setup", "operations.setup.setup:setup", "setup"),
    _row("setup.uninstall", "operations.setup.leaving.uninstall:uninstall", "uninstall"),
    _row("setup.trust", "operations.setup.trust:give_trust", "trust"),
    _row("setup.look_at_trust", "operations.setup.trust:look_at_trust", "trust"),
    _row("setup.revoke_trust", "operations.setup.trust:revoke_trust", "trust"),
    _row("setup.trust_writer", "operations.setup.writers:trust_writer", "trust"),
    _row("setup.withdraw_writer", "operations.setup.writers:withdraw_writer", "trust"),
    _row("setup.settings", "project.config:Config", "config, config get"),
    _row("setup.set", "operations.setup.settings:set_setting", "config set"),
    _row("setup.unset", "operations.setup.settings:unset_setting", "config unset"),
    _row("setup.plugin", "operations.setup.plugin:write_plugin", "setup"),
    _row("setup.serve_tools", "surfaces.mcp.__main__:main", "mcp"),
    _row("setup.demo", "demo.stage:DemoStage", "demo"),
    _row("setup.view", "surfaces.page.__main__:main", "view"),
)

_SCHEDULER = "daemon.scheduler.door:SchedulerDoor."

_UPKEEP = (
    _row("upkeep.status", "operations.upkeep.status:status", "status", grpc="GetStatus", page="/"),
    _row("upkeep.lately", "operations.upkeep.home.lately:look_lately", page="/"),
    _row("upkeep.visit", "operations.upkeep.home.visits:note_visit", page="/"),
    _row("upkeep.diagnose", "operations.upkeep.doctor:diagnose", "doctor"),
    _row("upkeep.fix", "operations.upkeep.doctor:fix", "doctor"),
    _row("upkeep.plan_mending", "operations.upkeep.mend:plan_mending", "doctor"),
    _row("upkeep.mend", "operations.upkeep.mend:mend", "doctor"),
    _row(
        "upkeep.rebuild",
        "operations.upkeep.rebuild:rebuild",
        "rebuild",
        grpc="RebuildToc, RebuildIndex",
    ),
    _row("upkeep.export", "operations.upkeep.carry:export", "export"),
    _row("upkeep.restore", "operations.upkeep.carry:restore", "restore"),
    _row(
        "upkeep.completion",
        "surfaces.cli.commands.behind.completion:write_script",
        "completion",
    ),
    _row("upkeep.logs", "operations.upkeep.logs:logs", "logs"),
    _row("upkeep.audit", "operations.upkeep.logs:audit", "logs"),
    _row("daemon.start", "daemon.launch:launch", "daemon start"),
    _row("daemon.status", "daemon.control:state", "daemon status"),
    _row("daemon.install", "operations.setup.service:install_service", "daemon install"),
    _row("daemon.uninstall", "operations.setup.service:remove_service", "daemon uninstall"),
    _row("daemon.stop", "daemon.control:stop", "daemon stop", grpc="Stop"),
    _row(
        "scheduler.status",
        _SCHEDULER + "status",
        "scheduler status",
        grpc="GetSchedulerStatus",
    ),
    _row("scheduler.pause", _SCHEDULER + "pause", "scheduler pause", grpc="PauseJob"),
    _row("scheduler.resume", _SCHEDULER + "resume", "scheduler resume", grpc="ResumeJob"),
    _row("scheduler.run", _SCHEDULER + "run_now", "scheduler run", grpc="RunJob"),
)

OPERATIONS: tuple[Operation, ...] = (
    *_CAPTURE,
    *_RECALL,
    *_MEMORY,
    *_QUESTIONS,
    *_ISSUES,
    *_AGENTS,
    *_RUNS,
    *_LESSONS,
    *_SETUP,
    *_UPKEEP,
)
