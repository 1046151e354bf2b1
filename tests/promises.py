"""Every behaviour the product promises: id -> one sentence.

A promise that is not kept yet says why in `DEFERRED`; then no test may claim it.
"""

from __future__ import annotations

PROMISES: dict[str, str] = {
    "hook.never-disturbs": "Whatever a hook is given, it leaves with 0 and says nothing.",
    "capture.complete": "A recorded session is captured completely and once, also by two hooks.",
    "capture.nothing-lost": "kill -9 at any moment loses nothing and stores nothing twice.",
    "capture.notes": "What no adapter understands is kept as a note and reported by doctor.",
    "capture.one-memory": "Every folder and worktree of a repository has one memory.",
    "redact.before-disk": "No secret and no private text reaches a file, the log or an output.",
    "redact.few-false": "Of the lines of third-party sources fewer than 1 in 100 is touched.",
    "log.append-only": "What was appended is read back whole, in the order of its own time.",
    "log.identity": "An event that arrives again, live or imported, is stored once.",
    "log.forget": "What was forgotten is absent after reopening, re-importing, and from the disk.",
    "import.idempotent": "Importing twice changes nothing; damaged lines are named.",
    "setup.exact-undo": "Uninstalling gives the settings back as they were.",
    "daemon.same-answers": "Commands answer the same with and without a daemon.",
    "daemon.one": "Of two daemons started at once exactly one lives.",
    "lock.no-lost-update": "Many processes updating one file through the lock lose nothing.",
    "lock.no-late-write": "A holder that lost its lock cannot overwrite its successor's write.",
    "toc.proven": "Every bullet has a grip whose excerpt stands verbatim at its span.",
    "toc.rebuild-equal": "A rebuilt table of contents equals the incremental one but for versions.",
    "toc.live": "With the daemon running a live hook becomes a segment without any command.",
    "model.only-proven": "A model that writes nonsense costs only quality, and the cap holds.",
    "search.finds": "Words, questions, identifiers and other scripts are found.",
    "search.never-an-error": "No query is an error.",
    "search.survives-its-index": "A lost or damaged index is made again and finds the same.",
    "recall.next-session": "The next session is told what was decided, and not captured again.",
    "errors.clear": "A wrong request gets an error that says what is wrong and how to mend it.",
    "config.order": "Settings come from environment, project, user, default, in this order.",
}

DEFERRED: dict[str, str] = {}
