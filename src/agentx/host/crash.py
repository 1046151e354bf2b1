"""Named places where a process may die, so that a test can make it die there.

Production code says `passing(CrashPoint.X)`. It costs one comparison. The fault
suite arms a point in a child process and proves that a reopened disk is whole.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum


class CrashPoint(StrEnum):
    """Where the fault suite may strike; the value is its name on the command line of a child."""

    ATOMIC_TEMP_WRITTEN = "atomic-temp-written"
    ATOMIC_REPLACED = "atomic-replaced"
    JOURNAL_WRITTEN = "journal-written"
    SPOOL_TEMP_WRITTEN = "spool-temp-written"
    DRAIN_READ = "drain-read"
    DRAIN_APPENDED = "drain-appended"
    DRAIN_PARTLY_REMOVED = "drain-partly-removed"
    LOG_BEFORE_WRITE = "log-before-write"
    LOG_AFTER_WRITE = "log-after-write"
    FORGET_KEY_DELETED = "forget-key-deleted"
    LOCK_BEFORE_NAMED = "lock-before-named"
    LOCK_BEFORE_TAKEOVER = "lock-before-takeover"
    LOCK_IN_GUARD = "lock-in-guard"
    LOCK_BEFORE_COMMIT = "lock-before-commit"
    IMPORT_FILE_DONE = "import-file-done"
    INDEX_REPLACED = "index-replaced"
    POLISH_NOTED = "polish-noted"
    POLISH_STORED = "polish-stored"
    LLM_RESERVED = "llm-reserved"
    LLM_ANSWERED = "llm-answered"
    QUESTION_TAKEN_IN = "question-taken-in"
    QUESTION_WRITTEN = "question-written"
    QUESTION_SCRUBBED = "question-scrubbed"
    QUESTION_SHORTENED = "question-shortened"
    RUN_EVENTS_WRITTEN = "run-events-written"
    RUN_VIEW_WRITTEN = "run-view-written"
    RUN_BRANCH_MADE = "run-branch-made"
    RUN_WORKTREE_MADE = "run-worktree-made"
    RUN_GIT_BEGUN = "run-git-begun"
    RUN_GIT_DONE = "run-git-done"
    RUN_DAMAGE_COPIED = "run-damage-copied"
    LESSONS_WRITTEN = "lessons-written"
    LESSON_PAGE_WRITTEN = "lesson-page-written"
    RUN_PACKED = "run-packed"
    RUN_PACK_NAMED = "run-pack-named"
    RUN_FOLDER_GONE = "run-folder-gone"
    RUN_KEPT = "run-kept"
    CAPTURE_BEGUN = "capture-begun"
    CAPTURE_STORED = "capture-stored"
    OBSERVATIONS_ISSUE_WRITTEN = "observations-issue-written"
    OBSERVATIONS_MANIFEST_WRITTEN = "observations-manifest-written"
    OBSERVATIONS_JOURNAL_EMPTIED = "observations-journal-emptied"
    OBSERVATIONS_ARCHIVED = "observations-archived"
    STORE_MENDED = "store-mended"
    STORE_SWAPPED = "store-swapped"
    RESTORE_LAID = "restore-laid"
    RESTORE_BEGUN = "restore-begun"
    LOOP_HEARD = "loop-heard"
    LOOP_BEGUN = "loop-begun"
    LOOP_DONE = "loop-done"
    LOOP_ANSWERED = "loop-answered"
    RESTORE_PARTLY_SWAPPED = "restore-partly-swapped"


_armed: dict[CrashPoint, Callable[[], None]] = {}


def arm(point: CrashPoint, strike: Callable[[], None]) -> None:
    """Let `strike` happen whenever the point is passed. For tests only."""
    _armed[point] = strike


def disarm() -> None:
    """Let nothing happen any more."""
    _armed.clear()


def passing(point: CrashPoint) -> None:
    """Say that the process is here."""
    if _armed:
        strike = _armed.get(point)
        if strike is not None:
            strike()
