"""Goal: to read of a repository runs nothing that the repository names.

Method: real repositories whose settings, attributes and hooks would each touch a canary. Plain
git is shown to touch it; then every question of ours is asked, and it stays untouched.
"""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from agentx.host.git import facts
from agentx.host.git.command import quiet_filters, read_git
from agentx.host.git.made_here import is_made_here
from agentx.host.git.programs import list_programs
from agentx.host.git.work import commit_of, is_ancestor
from agentx.kernel.paths import StorePaths
from agentx.runs.model import Run
from agentx.runs.store.git_lanes import GitLanes
from agentx.runs.store.sources import sources

Git = Callable[..., "subprocess.CompletedProcess[bytes]"]


class Scene:
    """A repository of a stranger, and a canary that nothing may touch."""

    def __init__(self, root: Path) -> None:
        self.root = root / "repository"
        self.canary = root / "canary"
        self.program = root / "program"
        self.home = root / "home"
        self.root.mkdir()
        self.home.mkdir()
        self.program.write_text(f"#!/bin/sh\ntouch {self.canary}\nexit 1\n", encoding="ascii")
        self.program.chmod(0o755)
        self.git("init", "-q", "-b", "main")
        (self.root / "a.txt").write_text("one\n", encoding="ascii")
        (self.root / "b.bin").write_text("two\n", encoding="ascii")
        self.commit("first")

    def git(self, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
        """Run plain git, as a person would."""
        return subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words],
            cwd=cwd or self.root,
            env={"PATH": os.environ["PATH"], "HOME": str(self.home)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )

    def commit(self, saying: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", saying)

    def set(self, key: str, value: str) -> None:
        self.git("config", key, value)

    def attribute(self, line: str) -> None:
        (self.root / ".gitattributes").write_text(f"{line}\n", encoding="ascii")

    def change(self) -> None:
        (self.root / "a.txt").write_text("three\n", encoding="ascii")

    def hook(self, folder: Path, name: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.program, folder / name)

    def lose_objects(self, url: str) -> None:
        """Make it a partial clone that lacks what the last commits hold."""
        self.set("core.repositoryFormatVersion", "1")
        self.set("extensions.partialClone", "origin")
        self.set("remote.origin.url", url)
        self.set("remote.origin.promisor", "true")
        tree = self.git("rev-parse", "HEAD^{tree}").stdout.decode().strip()
        objects = self.root / ".git" / "objects"
        (objects / tree[:2] / tree[2:]).unlink()


def _watch_files(scene: Scene) -> None:
    scene.set("core.fsmonitor", str(scene.program))


def _include_settings(scene: Scene) -> None:
    other = scene.root / "settings.inc"
    other.write_text(f"[core]\n\tfsmonitor = {scene.program}\n", encoding="ascii")
    scene.set("include.path", str(other))


def _include_settings_if(scene: Scene) -> None:
    other = scene.root / "settings.inc"
    other.write_text(f"[core]\n\tfsmonitor = {scene.program}\n", encoding="ascii")
    scene.set("includeIf.gitdir:/**.path", str(other))


def _settings_of_the_worktree(scene: Scene) -> None:
    scene.set("core.repositoryFormatVersion", "1")
    scene.set("extensions.worktreeConfig", "true")
    text = f"[core]\n\tfsmonitor = {scene.program}\n"
    (scene.root / ".git" / "config.worktree").write_text(text, encoding="ascii")


def _filter(kind: str, name: str = "evil") -> Callable[[Scene], None]:
    def lay(scene: Scene) -> None:
        scene.set(f"filter.{name}.{kind}", str(scene.program))
        scene.attribute(f"*.txt filter={name}")
        scene.change()

    return lay


def _filter_for_all(scene: Scene) -> None:
    scene.set("filter.evil.clean", str(scene.program))
    info = scene.root / ".git" / "info"
    info.mkdir(exist_ok=True)
    (info / "attributes").write_text("* filter=evil\n", encoding="ascii")
    scene.change()


def _show_outside(scene: Scene) -> None:
    scene.set("diff.external", str(scene.program))
    scene.change()


def _show_by_driver(scene: Scene) -> None:
    scene.set("diff.evil.command", str(scene.program))
    scene.attribute("*.txt diff=evil")
    scene.change()


def _show_as_text(scene: Scene) -> None:
    scene.set("diff.evil.textconv", str(scene.program))
    scene.attribute("*.txt diff=evil")
    scene.change()


def _page(scene: Scene) -> None:
    scene.set("core.pager", str(scene.program))


def _page_one(scene: Scene) -> None:
    scene.set("pager.log", str(scene.program))


def _sign(scene: Scene, form: str) -> None:
    tree = scene.git("rev-parse", "HEAD^{tree}").stdout.decode().strip()
    mark = "SSH" if form == "ssh" else "PGP"
    text = (
        f"tree {tree}\nauthor a <a@example.org> 1700000000 +0000\n"
        f"committer a <a@example.org> 1700000000 +0000\n"
        f"gpgsig -----BEGIN {mark} SIGNATURE-----\n \n iQ\n -----END {mark} SIGNATURE-----\n\nm\n"
    )
    (scene.root / ".git" / "signed").write_text(text, encoding="ascii")
    made = scene.git("hash-object", "-t", "commit", "-w", ".git/signed").stdout.decode().strip()
    scene.git("update-ref", "refs/heads/main", made)
    scene.set("log.showSignature", "true")


def _verify(scene: Scene) -> None:
    _sign(scene, "openpgp")
    scene.set("gpg.program", str(scene.program))


def _verify_ssh(scene: Scene) -> None:
    _sign(scene, "ssh")
    scene.set("gpg.format", "ssh")
    scene.set("gpg.ssh.program", str(scene.program))
    scene.set("gpg.ssh.allowedSignersFile", "/dev/null")


def _hooks_elsewhere(scene: Scene) -> None:
    scene.hook(scene.root / "tools", "post-index-change")
    scene.set("core.hooksPath", str(scene.root / "tools"))
    os.utime(scene.root / "a.txt", (1, 1))


def _hooks(scene: Scene) -> None:
    scene.hook(scene.root / ".git" / "hooks", "post-index-change")
    os.utime(scene.root / "a.txt", (1, 1))


def _fetch_by_program(scene: Scene) -> None:
    scene.set("protocol.ext.allow", "always")
    scene.lose_objects(f"ext::{scene.program} x")


def _fetch_by_ssh(scene: Scene) -> None:
    scene.set("core.sshCommand", str(scene.program))
    scene.lose_objects("ssh://nobody@localhost/x")


def _fetch_by_proxy(scene: Scene) -> None:
    scene.set("core.gitProxy", str(scene.program))
    scene.lose_objects("git://localhost/x")


def _fetch_by_pack_program(scene: Scene) -> None:
    scene.set("remote.origin.uploadpack", str(scene.program))
    other = scene.root.parent / "other.git"
    scene.git("init", "-q", "--bare", str(other))
    scene.lose_objects(str(other))


def _submodule(scene: Scene) -> None:
    inner = scene.root / "inner"
    inner.mkdir()
    scene.git("init", "-q", "-b", "main", cwd=inner)
    scene.git("commit", "-q", "--allow-empty", "-m", "x", cwd=inner)
    scene.git("add", "inner")
    scene.git("commit", "-q", "-m", "a repository in a repository")
    scene.git("config", "core.fsmonitor", str(scene.program), cwd=inner)
    (inner / "new").write_text("x", encoding="ascii")


def _pointer(scene: Scene) -> None:
    _watch_files(scene)
    elsewhere = scene.root / "plainly-named"
    (scene.root / ".git").rename(elsewhere)
    (scene.root / ".git").write_text(f"gitdir: {elsewhere}\n", encoding="ascii")


STATUS = ("status", "--porcelain")
DIFF = ("diff", "HEAD")
LOG = ("log", "--name-only")
# How a trick is laid, and what a person would type to be caught by it.
TRICKS: dict[str, tuple[Callable[[Scene], None], tuple[str, ...]]] = {
    "a program watches the files": (_watch_files, STATUS),
    "settings include others": (_include_settings, STATUS),
    "settings include others for this folder": (_include_settings_if, STATUS),
    "settings of the worktree": (_settings_of_the_worktree, STATUS),
    "a filter cleans": (_filter("clean"), DIFF),
    "a filter is a process": (_filter("process"), DIFF),
    "a filter with an odd name": (_filter("clean", "a=b"), DIFF),
    "a filter for all files": (_filter_for_all, DIFF),
    "a program shows differences": (_show_outside, DIFF),
    "a driver shows differences": (_show_by_driver, DIFF),
    "a program makes text": (_show_as_text, DIFF),
    "a program makes text of old files": (_show_as_text, ("log", "-p")),
    "a pager": (_page, LOG),
    "a pager of one command": (_page_one, LOG),
    "signatures are verified": (_verify, LOG),
    "signatures of another kind are verified": (_verify_ssh, LOG),
    "hooks lie elsewhere": (_hooks_elsewhere, STATUS),
    "hooks": (_hooks, STATUS),
    "what is missing is fetched by a program": (_fetch_by_program, LOG),
    "what is missing is fetched by ssh": (_fetch_by_ssh, LOG),
    "what is missing is fetched by a proxy": (_fetch_by_proxy, LOG),
    "what is missing is packed by a program": (_fetch_by_pack_program, LOG),
    "a submodule has settings too": (_submodule, STATUS),
    "the folder of git is elsewhere": (_pointer, STATUS),
}


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path.resolve())


def _type(scene: Scene, words: tuple[str, ...]) -> None:
    """Type a command of git, at a terminal where pagers run."""
    leader, follower = pty.openpty()
    try:
        subprocess.run(
            ["git", *words],
            cwd=scene.root,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(scene.home),
                "TERM": "dumb",
                "PAGER": "cat",
            },
            stdin=subprocess.DEVNULL,
            stdout=follower,
            stderr=follower,
            timeout=60,
            check=False,
        )
    finally:
        os.close(follower)
        os.close(leader)


def _ask_everything(root: Path, store: Path) -> None:
    facts.find_repository(root)
    facts.branch(root)
    commit = facts.commit(root) or "0" * 40
    facts.remote_url(root)
    facts.commit_time(root, commit)
    facts.last_changes(root, 0, 100)
    facts.list_uncommitted(root)
    facts.list_tracked(root, ".agentx")
    is_made_here(root, root / ".git", ".agentx", head=commit, known=(commit,))
    facts.churn(root, "HEAD~1", "HEAD", without=".agentx")
    facts.churn(root, "HEAD", "HEAD", without=".agentx")
    commit_of(root, "HEAD")
    is_ancestor(root, "HEAD", "HEAD")
    list(sources(root, ("*.txt",)))
    lanes = GitLanes(root, StorePaths(store), is_trusted=lambda: False)
    lanes.base()
    lanes.changes(Run(id="RUN-20261115-120000-abcd"), "HEAD")
    lanes.strays("RUN-20261115-120000-abcd", frozenset())
    read_git(root, "log", "-1", "--format=%H")


@pytest.mark.promise("strangers.no-programs")
@pytest.mark.parametrize("trick", TRICKS)
def test_reading_runs_nothing_that_a_repository_names(scene: Scene, trick: str) -> None:
    lay, typed = TRICKS[trick]
    lay(scene)
    scene.canary.unlink(missing_ok=True)

    _ask_everything(scene.root, scene.root.parent / "store")
    assert not scene.canary.exists(), "ours"

    assert list_programs(scene.root) or lay is _submodule, "told before git may run all"

    _type(scene, typed)
    assert scene.canary.exists(), "plain git would have: the trick is real"


def test_a_repository_that_includes_what_never_ends_is_given_up_once(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(facts, "GIT_WAIT_MS", 500)
    os.mkfifo(scene.root / "pipe")
    scene.git("config", "include.path", str(scene.root / "pipe"))
    began = os.times().elapsed

    for _ in range(5):
        assert facts.branch(scene.root) is None

    assert os.times().elapsed - began < 2


def test_filters_are_named_to_be_switched_off(scene: Scene) -> None:
    assert quiet_filters(scene.root) == ()

    scene.set("filter.lfs.process", "git-lfs filter-process")
    assert "filter.lfs.process=" in (quiet_filters(scene.root) or ())


def _secret(scene: Scene) -> Path:
    """Make another project of the user's, with a worktree."""
    secret = scene.root.parent / "secret"
    secret.mkdir()
    scene.git("init", "-q", "-b", "main", cwd=secret)
    scene.git("commit", "-q", "--allow-empty", "-m", "x", cwd=secret)
    scene.git("worktree", "add", "-q", "-b", "side", str(scene.root.parent / "side"), cwd=secret)
    return secret


def _pointer_to(scene: Scene, text: str) -> Path:
    shutil.rmtree(scene.root / ".git")
    (scene.root / ".git").write_text(text, encoding="ascii")
    return scene.root


def _point_to_git(scene: Scene, secret: Path) -> Path:
    return _pointer_to(scene, f"gitdir: {secret}/.git\n")


def _point_to_a_worktree(scene: Scene, secret: Path) -> Path:
    return _pointer_to(scene, f"gitdir: {secret}/.git/worktrees/side\n")


def _link_git(scene: Scene, secret: Path) -> Path:
    shutil.rmtree(scene.root / ".git")
    (scene.root / ".git").symlink_to(secret / ".git")
    return scene.root


def _share_the_folder(scene: Scene, secret: Path) -> Path:
    (scene.root / ".git" / "commondir").write_text(f"{secret}/.git\n", encoding="ascii")
    return scene.root


def _name_the_work_tree(scene: Scene, secret: Path) -> Path:
    scene.set("core.worktree", str(secret))
    return scene.root


def _ship_a_bare_one(scene: Scene, secret: Path) -> Path:
    bare = scene.root / "docs"
    scene.git("init", "-q", "--bare", str(bare))
    scene.git("config", "core.bare", "false", cwd=bare)
    scene.git("config", "core.worktree", str(secret), cwd=bare)
    return bare


CLAIMS = (
    _point_to_git,
    _point_to_a_worktree,
    _link_git,
    _share_the_folder,
    _name_the_work_tree,
    _ship_a_bare_one,
)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.__name__.strip("_"))
def test_no_repository_can_claim_to_be_another(
    scene: Scene, claim: Callable[[Scene, Path], Path]
) -> None:
    secret = _secret(scene)
    place = claim(scene, secret)

    found = facts.find_repository(place)

    assert found is None or found.root.is_relative_to(scene.root)
    assert found is None or found.common is None or not found.common.is_relative_to(secret)
    # The honest ones are still known.
    assert facts.repository(scene.root.parent / "side") == secret


def test_files_elsewhere_are_not_compared(scene: Scene) -> None:
    elsewhere = scene.root.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "a.txt").write_text("one\n", encoding="ascii")
    scene.set("core.worktree", str(elsewhere))

    assert facts.list_uncommitted(scene.root) == frozenset()
