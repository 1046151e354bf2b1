"""Every behaviour the product promises: id -> one sentence.

A promise that is not kept yet says why in `DEFERRED`; then no test may claim it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).parent

PROMISES: dict[str, str] = {
    "hook.never-disturbs": "Whatever a hook is given, it leaves with 0 and says nothing.",
    "capture.complete": "A recorded session is captured completely and once, also by two hooks.",
    "capture.nothing-lost": "kill -9 at any moment loses nothing and stores nothing twice.",
    "capture.right-store": "What was captured goes to its own home and project, whoever drains.",
    "capture.excluded": "What the user excluded is neither captured nor imported.",
    "capture.moved": "A repository or a home that was moved keeps its memory.",
    "capture.notes": "What no adapter understands is kept as a note and reported by doctor.",
    "capture.one-memory": "Every folder and worktree of a repository has one memory.",
    "redact.before-disk": "No secret and no private text reaches a file, the log or an output.",
    "redact.across-parts": "A private key is found in lists, patches and parts of a message too.",
    "redact.few-false": "Of the lines of third-party sources fewer than 1 in 1,000 is touched.",
    "output.only-read": "Words shown or told can only be read: no control, no hiding, no fence.",
    "reading.leaves-nothing": "A command that reads makes no file where nothing was set up.",
    "log.append-only": "What was appended is read back whole, in the order of its own time.",
    "log.identity": "An event that arrives again, live or imported, is stored once.",
    "log.forget": "What was forgotten is absent after reopening, re-importing, and from the disk.",
    "import.idempotent": "Importing twice changes nothing; damaged lines are named.",
    "setup.exact-undo": "Uninstalling gives the settings back as they were.",
    "setup.vscode": "VS Code asks the memory of the folder it has open; its files are given back.",
    "setup.persons-leave": "No agent takes AgentX, its hooks or its service out.",
    "daemon.same-answers": "Commands answer the same with and without a daemon.",
    "daemon.auto": "A session is told what another one decided, though nobody typed a command.",
    "daemon.one": "Of two daemons started at once exactly one lives.",
    "lock.no-lost-update": "Many processes updating one file through the lock lose nothing.",
    "lock.no-late-write": "A holder that lost its lock cannot overwrite its successor's write.",
    "page.one-browser": "The page is for the one browser that opens its link, and for nobody else.",
    "page.only-words": "Nothing that was said does more on the page than be read.",
    "page.persons-hands": "What is changed by the page is asked first, and no agent changes it.",
    "toc.proven": "Every bullet has a grip whose excerpt stands verbatim at its span.",
    "toc.rebuild-equal": "A rebuilt table of contents equals the incremental one but for versions.",
    "toc.live": "With the daemon running a live hook becomes a segment without any command.",
    "model.people-stand": "No model takes away, rewrites or turns around what a person said.",
    "model.only-proven": "A model that writes nonsense costs only quality, and the cap holds.",
    "search.finds": "Words, questions, identifiers and other scripts are found.",
    "search.never-an-error": "No query is an error.",
    "search.survives-its-index": "A lost or damaged index is made again and finds the same.",
    "search.everywhere": "Every project is searched at once; one that cannot be is named.",
    "recall.section": "Recall gives what is close, then what is wanted, then the newest.",
    "recall.superseded": "What was replaced comes after what replaced it, where both are found.",
    "recall.counted": "What sessions are told is counted once, and never found as conversation.",
    "why.down-to-events": "Every recalled line goes down to the words of an event.",
    "mcp.answers": "An agent asks its memory through MCP and is answered, from cheap to dear.",
    "mcp.within-budget": "No answer of a tool costs more than its budget.",
    "mcp.light": "A server is ready before it imports anything, and lists what a project uses.",
    "mcp.runs": "An agent takes a run from its beginning to a merged lane through MCP.",
    "mcp.not-captured": "What memory answers is not captured as if it were said.",
    "recall.next-session": "The next session is told what was decided, and not captured again.",
    "runs.layout": "What the document of the memory's layout states is so on disk.",
    "runs.merge": "Two clones of a run merge without conflict, agree, and lose nothing.",
    "runs.recover": "A run killed, torn or edited anywhere is taken up again, nothing lost.",
    "runs.lanes": "Lanes run side by side in git and nothing of the user's is touched.",
    "runs.signed": "What claims a person in a run counts only where a trusted writer signed it.",
    "lessons.held": "What a person taught, or took back, stays so whatever git takes away.",
    "lessons.signed": "A lesson is told as a person's, or taken from one, only as they signed it.",
    "runs.holds": "A run that waits for a person is taken on by no agent.",
    "runs.facts": "What only the doing proves, a run takes on nobody's word.",
    "runs.answers-told": "A person's answer to a run is told with its question to whoever goes on.",
    "runs.persons-word": "What a run asks a person only a person answers; it waits in the inbox.",
    "runs.gates": "A task is done, and a run verified and ready, only with what was asked.",
    "runs.checks": "A check is really run where the work is; exit code, output, commit are kept.",
    "runs.reopen": "A task that was done can be reopened, dropped, retried; what waits is held.",
    "runs.roles": "What a role may say of a run is one table, asked wherever an event is written.",
    "runs.schema": "Every event of a run is checked against the schema file, written and read.",
    "runs.many-tasks": "A command on a run of many tasks makes only the files that it changes.",
    "runs.kept": "No switch, clean or reset loses a run: a branch of its own keeps it.",
    "runs.kept-exchange": "Clones exchange runs by that branch: nothing lost, no stranger obeyed.",
    "runs.git-is-true": "A lane counts as merged only where its commits are in the work branch.",
    "runs.claims": "A task has one holder, equal in every clone; nobody else begins or ends it.",
    "runs.lane-take": "A lane moves to another clone with its commits, folder and claim, or not.",
    "runs.resume-elsewhere": "Who resumes a run elsewhere has what it names, or is told why not.",
    "runs.session-attached": "A session in a lane's folder is noted in the run and renews a claim.",
    "runs.where-you-stand": "In a lane's folder its run, lane and task are meant, and no other.",
    "runs.context": "A task's context never drops what is pinned nor overspends its budget.",
    "drive.whole": "Agents carry a run to a branch whose checks pass; what fails goes back.",
    "drive.walls": "An agent in a lane has what it needs, and nothing to push with.",
    "drive.killed": "After a driver that was killed another goes on; no agent outlives it.",
    "drive.lessons": "What a driven run taught is offered with its proof, and given to the next.",
    "drive.reviews": "What named people say of its pull request goes back to an agent.",
    "drive.pull-request": "A driven run has one pull request, whatever ends its driver.",
    "drive.elsewhere": "A run is driven from one clone at a time, and taken up in another.",
    "runs.whole": "A run goes from plan to pull request, with parallel lanes and a conflict.",
    "runs.lessons-merge": "Lessons of two branches merge: nothing lost, no number twice.",
    "runs.lessons-editable": "What a person edits on a page of lessons is kept.",
    "runs.archive-whole": "A run is packed, checked and only then removed, wherever it is killed.",
    "observations.kept": "An observation that is stored is found, by whichever store and process.",
    "observations.extracted": "Of labelled sessions most is taken, and most of that is right.",
    "observations.captured-once": "A session is captured once, killed, continued or imported.",
    "observations.stale": "An observation says which of its files changed and what replaced it.",
    "observations.compaction-told": "A full conversation is made short and what it taught is told.",
    "observations.nothing-lost": "Eight captures at once and kill -9 anywhere lose no observation.",
    "observations.compaction": "Old observations are halved and still found by their words.",
    "observations.budget": "What is recalled never costs more tokens than the budget.",
    "observations.degrades": "A lost or damaged file costs its own part and nothing else.",
    "observations.recall-counted": "What a hook prints is counted once, and what it saved is told.",
    "observations.migrate": "Observations move to SQLite and back, verified before the switch.",
    "clarify.flow": "Agents ask, answer and settle; a person is called when they cannot.",
    "clarify.scope": "Nobody asks whom their workflow step does not name.",
    "clarify.rounds": "After five rounds, six where nobody waits, a person is called.",
    "clarify.deadlock": "Agents that wait in a circle are freed; the upstream question stays.",
    "clarify.hub": "A question goes to its target and its answer back, and both are free again.",
    "clarify.waits": "A question to an agent that is not running is shown at its next start.",
    "clarify.person": "What waits for a person is shown where they look; who asked is told.",
    "clarify.killed": "Whoever waits may be killed or leave: the answer is kept when it comes.",
    "clarify.retry": "A late question is asked once more, once, and what came of it is kept.",
    "clarify.worth": "An answer keeps how good it is, and that says what its asker can do next.",
    "clarify.signed": "No agent signs for a person or for another role, however it was started.",
    "clarify.held": "Whatever git takes out of the files, what was asked and said there counts on.",
    "clarify.events": "Every change of a clarification is told on the bus.",
    "github.others-labels": "A change of ours leaves the labels that others set on GitHub alone.",
    "clarify.same-in-both-modes": "Files or GitHub: the same words give the same thread.",
    "clarify.damage": "A damaged ledger is named by every command until somebody mends it.",
    "clarify.merge": "Clones that ask and answer apart merge without conflict and lose no word.",
    "clarify.compact": "Settled threads get small; what was shortened or forgotten stays so.",
    "clarify.concurrent": "Processes that write one ledger at once lose nothing.",
    "loop.bounds": "Whatever a model does wrong, the loop ends at a bound and says at which.",
    "loop.walls": "A model reads and writes below its folder alone, and runs what was allowed.",
    "loop.once": "The loop is taken up after any kill, and does nothing twice unsaid.",
    "walk.valid": "No output of a step is handed on that lacks a part, a check or a verdict.",
    "walk.once": "A workflow is gone on with after any kill, and each step is committed once.",
    "work.unique-numbers": "Issues made by many processes at once have numbers of their own.",
    "work.ready": "Ready is what can be begun, most urgent first; what waits is marked.",
    "work.workflow-errors": "A mistake in a workflow is named with file, line, field and mend.",
    "github.mirror-once": "Every round is one comment on GitHub, however often it is synced.",
    "github.replies": "What named people reply on GitHub decides, once; nobody else's words do.",
    "github.catches-up": "What happened offline reaches GitHub later, in order, once.",
    "strangers.no-links": "No link, pipe or device in a repository is followed, read or written.",
    "strangers.no-programs": "Reading a repository runs nothing that its git settings name.",
    "strangers.obeyed-in-nothing": "A repository full of tricks runs, reads and sends nothing.",
    "errors.clear": "A wrong request gets an error that says what is wrong and how to mend it.",
    "config.order": "Settings come from environment, here, project, user, default, in this order.",
    "trust.nothing-told": "Nothing of a stranger's repository is obeyed or told before `trust`.",
    "trust.origin": "What is not trusted is found and shown only with its origin.",
    "trust.content": "What acts is trusted by its content; a change is shown and asked again.",
    "trust.pull": "What a pull brings into a repository of ours is not told as the user's.",
    "trust.nobody-stopped": "A folder whose settings are wrong is named, and stops nobody.",
    "trust.other-projects": "Other projects are searched only once the user agreed to it.",
}

DEFERRED: dict[str, str] = {}


@dataclass(frozen=True)
class Claim:
    """A test that says it keeps a promise."""

    promise: str
    path: Path  # below the folder of the tests
    test: str


def find_claims() -> Iterator[Claim]:
    """Yield what the tests claim with `@pytest.mark.promise("id")`, a file or class at a time."""
    for path in sorted(TESTS.rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if "mark.promise" not in text:
            continue
        tree = ast.parse(text)
        for owner in ast.walk(tree):
            for promise in _promised(owner, path):
                yield Claim(promise, path.relative_to(TESTS), getattr(owner, "name", ""))


def _promised(owner: ast.AST, path: Path) -> Iterator[str]:
    match owner:
        case ast.FunctionDef() | ast.ClassDef():
            marks: list[ast.expr] = owner.decorator_list
        case ast.Module():  # `pytestmark = pytest.mark.promise(...)` holds for the whole file
            marks = [each.value for each in owner.body if isinstance(each, ast.Assign)]
        case _:
            return
    for mark in (call for each in marks for call in ast.walk(each)):
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.promise":
            for argument in mark.args:
                assert isinstance(argument, ast.Constant), f"{path}: name it by its id"
                yield str(argument.value)
