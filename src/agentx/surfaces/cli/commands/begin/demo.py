"""`agentx demo`: three weeks of a small team, replayed into a throw-away project."""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from agentx.demo import sample
from agentx.demo.sample.timeline import SampleSession
from agentx.demo.stage import DemoStage
from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation, Verb

# The last days are captured live, through the real hook; what came before is imported.
_LIVE_SESSIONS = 6


@click.command(cls=Verb)
@click.option("--keep", is_flag=True, help="Keep the demo's folder, to look around in it.")
@click.option("--fast", is_flag=True, help="Import everything instead of replaying the hooks.")
@click.option("--view", "is_viewed", is_flag=True, help="Then open the page on it, until Ctrl-C.")
@click.pass_obj
def command(invocation: Invocation, keep: bool, fast: bool, is_viewed: bool) -> None:
    """Replay three weeks of a small team and show what AgentX remembers.

    Everything happens in a throw-away home: nothing of yours is read or changed.
    """
    folder = Path(tempfile.mkdtemp(prefix="agentx-demo-"))
    stage = DemoStage(folder, sys.executable)
    try:
        _play(stage, invocation.screen, invocation.talk, fast=fast)
        if is_viewed:
            _say(invocation.screen, "All of it on a page. Ctrl-C ends it.")
            stage.view()
    finally:
        stage.run("daemon", "stop", quiet=True)
        if keep:
            invocation.screen.print(f"\nKept in {folder}. Look around:")
            render.print_whole(invocation.screen, f"  {stage.environment_line} agentx sessions")
        else:
            shutil.rmtree(folder, ignore_errors=True)


def _play(stage: DemoStage, screen: Console, talk: Console, *, fast: bool) -> None:
    story = sample.sessions()
    live = () if fast else story[-_LIVE_SESSIONS:]
    past = [session for session in story if session not in live]
    screen.print(
        render.assemble(
            "Mira and Tomas build ",
            ("Tidebook", "bold"),
            ", a booking service for harbour berths, with\n"
            "Claude Code, Codex and Gemini CLI, from 2 to 20 March 2026. Nothing below is canned:\n"
            "these are the real commands.",
        )
    )
    stage.set_up(past)
    _say(
        screen,
        "Set the project up. It finds the agent CLIs, installs their hooks, imports history.",
    )
    _show(stage, screen, "init")
    if live:
        _say(screen, "The last sessions come in live: every line goes through the real hook.")
        _replay(stage, talk, live)
        _show(stage, screen, "sync")
    _say(screen, "What is remembered now.")
    _show(stage, screen, "status")
    _say(screen, "Three weeks, a few lines each. Every line is proven.")
    _show(stage, screen, "toc")
    _say(screen, "One day of them; and from a line to the very words it came from.")
    _show(stage, screen, "toc", "toc:day:2026-03-05", "--depth", "1")
    grip = stage.first_grip("toc:week:2026:W10")
    _show(stage, screen, "expand", grip, "--before", "1", "--after", "1")
    _say(screen, "Ask in plain words.")
    _show(stage, screen, "search", "why did we move from SQLite to Postgres?", "--limit", "3")
    _say(screen, "What the sessions taught, kept per issue, by rules and without a model.")
    _show(stage, screen, "memory", "search", "webhooks retries", "--limit", "4")
    _say(screen, "What the next agent is told before it begins, within its budget.")
    _show(stage, screen, "recall", "--context", "retries of webhooks", "--budget", "500")
    _say(screen, "Who worked on what.")
    _show(stage, screen, "sessions", "--limit", "12")
    _say(screen, "The incident of the third week, as it happened.")
    incident = next(one for one in story if one.slug == "incident")
    _show(stage, screen, "events", "--session", incident.session_id[:8], "--limit", "14")
    _say(screen, "Nothing is stored twice: a transcript adds only what its hooks could not tell.")
    stage.leave_transcripts(story)
    _show(stage, screen, "import")
    _show(stage, screen, "import")
    _teamwork(stage, screen)
    _privacy(stage, screen, [text for one in story for text in one.planted])


def _teamwork(stage: DemoStage, screen: Console) -> None:
    _say(screen, "Agents ask each other: the engineer asks, the architect answers, you watch.")
    title = ("--title", "Retry webhooks with backoff", "--label", "type:story")
    _show(stage, screen, "issue", "create", *title)
    ask = ("--issue", "1", "--from", "engineer", "--to", "architect", "--topic", "Retry limit")
    _show(stage, screen, "clarify", "ask", *ask, "--question", "How often do we retry at most?")
    _show(stage, screen, "clarify", "answer", "CLR-1-001", "Eight times, then it is dead.")
    _show(stage, screen, "clarify", "--issue", "1")
    _say(screen, "Work in phases is a run: it survives anything, and what it taught stays.")
    _show(stage, screen, "run", "start", "Retry webhooks with backoff")
    task = ("--file", "tidebook/webhooks.py", "--accept", "no retry after eight")
    _show(stage, screen, "run", "task", "add", "Count the tries", *task)
    _show(stage, screen, "run", "show")
    lesson = ("--kind", "code-pattern", "--area", "webhooks", "--file", "tidebook/webhooks.py")
    _show(stage, screen, "ltm", "add", "Back off with jitter, or all retries come at once", *lesson)
    _show(stage, screen, "ltm", "patterns")


def _privacy(stage: DemoStage, screen: Console, planted: list[str]) -> None:
    _say(screen, "Secrets and <private> text never reached the disk; forgetting is for good.")
    survived = [text for text in planted if stage.anywhere(text)]
    screen.print(
        f"{len(planted)} planted secrets and private texts, searched in every file and event: "
        f"{len(survived)} found"
    )
    _show(stage, screen, "forget", "--session", sample.sessions()[0].session_id[:8])
    _show(stage, screen, "status")


def _replay(stage: DemoStage, talk: Console, live: tuple[SampleSession, ...]) -> None:
    calls = [(session, at_ms, payload) for session, at_ms, payload in stage.calls(live)]
    columns = (
        TextColumn("replaying"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total} hooks"),
    )
    with Progress(*columns, console=talk, transient=True, disable=not talk.file.isatty()) as bar:
        for session, at_ms, payload in bar.track(calls):
            stage.hook(session, at_ms, payload)


def _say(screen: Console, text: str) -> None:
    screen.print(f"\n# {text}", style="bold cyan", soft_wrap=True)


def _show(stage: DemoStage, screen: Console, *arguments: str) -> None:
    typed = shlex.join(arguments)
    screen.print(render.assemble(("$ ", "dim"), (f"agentx {typed}", "bold")), soft_wrap=True)
    screen.file.flush()
    stage.run(*arguments)
