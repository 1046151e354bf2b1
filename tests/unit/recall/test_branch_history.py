"""Goal: git tells of each branch whether it was merged, however it was, and is asked once.

Method: real repositories; what was learnt on a branch is judged as a reader of another sees it.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from agentx.kernel.clock import DAY_MS, Millis
from agentx.recall.branches.history import BranchHistory
from agentx.recall.branches.reach import Bond, Extent, Reach, find_reach
from tests.support.branching import Repository

WAIT_MS = 20_000


@pytest.fixture
def shop(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "shop")


def judge(
    shop: Repository,
    name: str = "feature/x",
    head: str = "",
    *,
    here: str = "main",
    at_ms: int | None = None,
    days_later: int = 0,
    is_start: bool = False,
) -> Reach:
    now_ms = time.time_ns() // 1_000_000
    at_ms = now_ms if at_ms is None else at_ms
    learnt = Bond(branch=name, head=head, at_ms=at_ms, is_start=is_start)
    kept = BranchHistory(shop.folder, shop.common, shop.folder.parent / "branches.json")
    facts = kept.read(frozenset({(name, head)}), Millis(now_ms), WAIT_MS)
    return find_reach(learnt, facts, here, Millis(now_ms + days_later * DAY_MS))


def extent(shop: Repository, *given: str, **more: object) -> Extent:
    return judge(shop, *given, **more).extent  # type: ignore[arg-type]


def test_a_branch_that_is_not_merged_is_named_elsewhere(shop: Repository) -> None:
    shop.branch("feature/x", "one", "two")

    assert judge(shop).mark == "on feature/x, not merged"
    assert extent(shop, here="feature/x") is Extent.HERE


def test_a_fast_forward_and_a_merge_commit_lift_it(shop: Repository) -> None:
    shop.branch("feature/x", "one")
    shop.branch("feature/y", "other")
    shop.git("merge", "-q", "--ff-only", "feature/x")

    assert extent(shop) is Extent.EVERYWHERE
    assert extent(shop, "feature/y") is Extent.ELSEWHERE

    shop.git("merge", "-q", "--no-ff", "-m", "in", "-X", "ours", "feature/y")
    assert extent(shop, "feature/y") is Extent.EVERYWHERE


@pytest.mark.parametrize("is_gone", [False, True])
def test_a_squash_lifts_it_also_when_the_default_branch_went_on(
    shop: Repository, is_gone: bool
) -> None:
    shop.commit("far", *[f"{n}.txt" for n in range(3)])
    tip = shop.branch("feature/x", "one", "two", "three")
    shop.commit("main goes on", "a.py", "c.py")
    assert extent(shop, head=tip) is Extent.ELSEWHERE

    shop.git("merge", "-q", "--squash", "feature/x")
    shop.git("commit", "-q", "-m", "feature x (#12)")
    shop.commit("and on", "b.py")
    if is_gone:
        shop.git("branch", "-q", "-D", "feature/x")

    found = judge(shop, head=tip)
    assert found.extent is Extent.EVERYWHERE
    assert "as one commit" in found.why


def put(shop: Repository, subject: str, *lines: str) -> None:
    (shop.folder / "app.py").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    shop.git("add", ".")
    shop.git("commit", "-q", "-m", subject)


@pytest.mark.parametrize(
    ("own", "resolved", "subject", "wanted"),
    [
        # The line beside it moved meanwhile: what the branch added came in whole.
        (("fonts = whole", "size = 9"), ("size = 9", "fonts = whole"), "PDFs", Extent.EVERYWHERE),
        # Its one commit gave the subject; half of what it added was changed while it came in.
        (
            ("fonts = whole", "size = 9"),
            ("fonts = whole", "size = 10"),
            "Embed (#91)",
            Extent.EVERYWHERE,
        ),
        # Another commit on the same file is none of it, whatever it is called.
        (("fonts = whole", "size = 9"), ("size = 11",), "Embed (#91)", Extent.ELSEWHERE),
        (("fonts = whole", "size = 9"), ("fonts = whole", "size = 10"), "Other", Extent.ELSEWHERE),
    ],
)
def test_a_squash_whose_conflict_was_resolved_lifts_it(
    shop: Repository, own: tuple[str, ...], resolved: tuple[str, ...], subject: str, wanted: Extent
) -> None:
    put(shop, "begin", "margin = 1", "end = 1")
    shop.git("checkout", "-q", "-b", "feature/x")
    put(shop, "Embed", "margin = 1", *own, "end = 1")
    shop.git("checkout", "-q", "main")
    put(shop, "beside", "margin = 2", "end = 2")
    put(shop, subject, "margin = 2", *resolved, "end = 2")

    assert extent(shop) is wanted


def test_a_rebase_lifts_it(shop: Repository) -> None:
    shop.branch("feature/x", "one", "two")
    shop.commit("main goes on", "a.py")
    shop.git("cherry-pick", "feature/x~1", "feature/x")

    found = judge(shop)
    assert found.extent is Extent.EVERYWHERE
    assert "as others" in found.why


def test_half_of_a_branch_does_not_lift_it(shop: Repository) -> None:
    shop.branch("feature/x", "one", "two")
    shop.commit("main goes on", "a.py")
    shop.git("cherry-pick", "feature/x~1")

    assert extent(shop) is Extent.ELSEWHERE


def test_a_branch_deleted_without_a_merge_fades_by_its_head_or_by_what_was_seen_of_it(
    shop: Repository,
) -> None:
    tip = shop.branch("feature/x", "one")
    shop.branch("feature/y", "two")
    assert extent(shop, "feature/y") is Extent.ELSEWHERE
    shop.git("branch", "-q", "-D", "feature/x", "feature/y")

    assert judge(shop, head=tip).mark == "on feature/x, abandoned"
    assert extent(shop, "feature/y") is Extent.ABANDONED
    assert extent(shop, "feature/never-seen") is Extent.EVERYWHERE

    # What git throws away later stays given up.
    shop.git("reflog", "expire", "--expire=now", "--all")
    shop.git("gc", "-q", "--prune=now")
    assert extent(shop, "feature/y") is Extent.ABANDONED


def test_a_commit_that_is_not_here_counts_as_merged(shop: Repository) -> None:
    found = judge(shop, head="1" * 40)

    assert found.extent is Extent.EVERYWHERE
    assert "cannot tell" in found.why


def test_a_branch_that_nobody_touched_for_months_fades(shop: Repository) -> None:
    shop.branch("feature/x", "one")

    assert extent(shop, days_later=89) is Extent.ELSEWHERE
    assert judge(shop, days_later=100).why == "untouched for 100 days"


def test_a_renamed_branch_goes_by_its_new_name(shop: Repository) -> None:
    tip = shop.branch("feature/x", "one")
    shop.git("branch", "-m", "feature/x", "feature/better")

    assert judge(shop, head=tip).mark == "on feature/better, not merged"
    assert extent(shop, head=tip, here="feature/better") is Extent.HERE


def test_a_branch_on_top_of_another_holds_what_that_one_taught(shop: Repository) -> None:
    shop.branch("feature/x", "one")
    shop.git("checkout", "-q", "-b", "feature/on-top", "feature/x")
    shop.commit("more", "d.py")

    assert extent(shop, here="feature/on-top") is Extent.HERE
    assert extent(shop, "feature/on-top", here="feature/x") is Extent.ELSEWHERE


def test_a_detached_head_holds_what_it_contains(shop: Repository) -> None:
    tip = shop.branch("feature/x", "one")
    shop.git("checkout", "-q", "--detach", "feature/x")

    assert extent(shop, here=tip) is Extent.HERE
    shop.git("checkout", "-q", "--detach", "main")
    assert extent(shop, here=shop.tip("HEAD")) is Extent.ELSEWHERE


def test_on_a_branch_on_which_nothing_is_committed_nothing_was_merged(shop: Repository) -> None:
    shop.branch("feature/x")
    assert judge(shop).why == "nothing is committed on it"

    shop.commit("main goes on", "a.py")
    shop.git("checkout", "-q", "feature/x")
    shop.git("merge", "-q", "--ff-only", "main")
    shop.git("checkout", "-q", "main")
    assert extent(shop) is Extent.ELSEWHERE

    shop.git("checkout", "-q", "feature/x")
    shop.commit("own", "e.py")
    shop.git("checkout", "-q", "main")
    shop.git("merge", "-q", "--ff-only", "feature/x")
    assert extent(shop) is Extent.EVERYWHERE


def test_where_a_session_began_says_nothing_of_a_merge(shop: Repository) -> None:
    began = {"head": shop.tip("main"), "is_start": True}
    shop.branch("feature/x")
    assert judge(shop, **began).why == "nothing is committed on it"  # type: ignore[arg-type]

    for name in ("feature/x", "feature/y", "feature/z"):
        shop.git("checkout", "-q", *(() if name == "feature/x" else ("-b",)), name)
        shop.commit("own", f"{name[-1]}.py")
        shop.git("checkout", "-q", "main")
        assert judge(shop, name, **began).mark == f"on {name}, not merged"  # type: ignore[arg-type]
        assert extent(shop, name, here=name, **began) is Extent.HERE
    shop.git("merge", "-q", "--squash", "feature/x")
    shop.git("commit", "-q", "-m", "squashed")
    shop.git("merge", "-q", "--no-ff", "-m", "in", "feature/y")
    shop.git("branch", "-D", "feature/z")
    assert [extent(shop, name, **began) for name in ("feature/x", "feature/y", "feature/z")] == [
        Extent.EVERYWHERE,
        Extent.EVERYWHERE,
        Extent.ABANDONED,
    ]


def test_a_later_branch_of_the_same_name_is_another(shop: Repository) -> None:
    shop.branch("feature/x", "one")
    days_ago = time.time_ns() // 1_000_000 - 3 * DAY_MS

    assert extent(shop, at_ms=days_ago) is Extent.EVERYWHERE
    assert extent(shop, head=shop.tip("feature/x"), at_ms=days_ago) is Extent.ELSEWHERE


def test_a_commit_tells_that_it_is_the_same_branch_also_by_its_beginning(
    shop: Repository,
) -> None:
    tip = shop.branch("feature/x", "one")
    days_ago = time.time_ns() // 1_000_000 - 3 * DAY_MS

    assert extent(shop, head=tip[:7], at_ms=days_ago) is Extent.ELSEWHERE
    assert extent(shop, head="0badbad", at_ms=days_ago) is Extent.EVERYWHERE

    shop.git("merge", "-q", "--ff-only", "feature/x")

    assert extent(shop, head=tip[:7], at_ms=days_ago) is Extent.EVERYWHERE


def test_what_was_merged_stays_so_when_its_branch_goes_on(shop: Repository) -> None:
    first = shop.branch("dev", "one")
    shop.git("merge", "-q", "--no-ff", "-m", "in", "dev")
    shop.git("checkout", "-q", "dev")
    second = shop.commit("two", "d.py")
    shop.git("checkout", "-q", "main")

    assert extent(shop, "dev", head=first) is Extent.EVERYWHERE
    assert extent(shop, "dev", head=second) is Extent.ELSEWHERE

    shop.git("merge", "-q", "--squash", "dev")
    shop.git("commit", "-q", "-m", "squashed")
    shop.git("checkout", "-q", "dev")
    shop.commit("three", "e.py")
    shop.git("checkout", "-q", "main")
    assert extent(shop, "dev", head=second) is Extent.EVERYWHERE
    assert extent(shop, "dev") is Extent.ELSEWHERE


def test_a_squash_is_found_after_the_default_branch_was_merged_in(shop: Repository) -> None:
    shop.branch("feature/x", "one", "two")
    shop.commit("main goes on", "a.py")
    shop.git("checkout", "-q", "feature/x")
    shop.git("merge", "-q", "--no-ff", "-m", "catch up", "main")
    shop.commit("three", "b.py")
    shop.git("checkout", "-q", "main")
    shop.git("merge", "-q", "--squash", "feature/x")
    shop.git("commit", "-q", "-m", "squashed")

    assert judge(shop).extent is Extent.EVERYWHERE


def test_what_a_fork_is_shared_by_counts_too(shop: Repository, tmp_path: Path) -> None:
    fork = Repository(tmp_path / "fork")
    fork.git("remote", "add", "upstream", str(shop.folder))
    fork.git("fetch", "-q", "upstream")
    fork.git("checkout", "-q", "-B", "main", "upstream/main")
    fork.branch("feature/x", "one")
    shop.git("fetch", "-q", str(fork.folder), "feature/x:theirs")
    shop.git("merge", "-q", "--no-ff", "-m", "in", "theirs")
    assert extent(fork) is Extent.ELSEWHERE

    fork.git("fetch", "-q", "upstream")
    assert extent(fork) is Extent.EVERYWHERE


def test_a_merge_that_names_the_branch_lifts_it(shop: Repository) -> None:
    shop.branch("feature/x", "one")
    shop.branch("side", "two")
    before_ms = time.time_ns() // 1_000_000 - 5_000
    said = "Merge pull request #12 from mira/feature/x"
    shop.git("merge", "-q", "--no-ff", "-m", said, "side")

    assert judge(shop, at_ms=before_ms).why == "a merge names it"
    assert extent(shop, at_ms=before_ms + DAY_MS) is Extent.ELSEWHERE


def test_a_clone_goes_by_what_it_saw_of_the_remote(shop: Repository, tmp_path: Path) -> None:
    tip = shop.branch("feature/x", "one")
    shop.git("clone", "-q", str(shop.folder), str(tmp_path / "other" / "shop"))
    clone = Repository.__new__(Repository)
    clone.folder = tmp_path / "other" / "shop"

    assert judge(clone).mark == "on feature/x, not merged"
    assert extent(clone, head=tip) is Extent.ELSEWHERE
    shop.git("merge", "-q", "--squash", "feature/x")
    shop.git("commit", "-q", "-m", "squashed")
    assert extent(clone) is Extent.ELSEWHERE
    clone.git("fetch", "-q")
    # What is merged at the remote is merged, though nobody has pulled it.
    assert extent(clone) is Extent.EVERYWHERE


def test_where_history_is_cut_off_unknown_counts_as_merged(
    shop: Repository, tmp_path: Path
) -> None:
    for number in range(5):
        shop.commit(f"m{number}", "a.py")
    shop.git("checkout", "-q", "-b", "feature/x", "main~3")
    shop.commit("one", "b.py")
    shop.git("checkout", "-q", "main")
    target = tmp_path / "other" / "shop"
    shop.git("clone", "-q", "--depth=1", "--no-single-branch", f"file://{shop.folder}", str(target))
    clone = Repository.__new__(Repository)
    clone.folder = target

    assert extent(clone) is Extent.EVERYWHERE


def test_without_a_default_branch_everything_holds_everywhere(tmp_path: Path) -> None:
    shop = Repository(tmp_path / "shop", "stable")
    shop.branch("feature/x", "one")
    shop.branch("feature/y", "two")

    assert extent(shop, here="stable") is Extent.EVERYWHERE


@pytest.mark.parametrize(
    "name",
    [
        "--upload-pack=touch /tmp/owned",
        "-n",
        "../../etc/passwd",
        "x" * 250,
        "a\nb\0c\x1b[31m",
        "$(touch owned)",
        "feature/\u202egpj",
        "HEAD",
        "refs/heads/main",
        "\udcff",
    ],
)
def test_a_hostile_name_is_only_compared(shop: Repository, name: str) -> None:
    shop.branch("feature/x", "one")

    assert extent(shop, name, head="--exec=touch owned") is Extent.EVERYWHERE
    assert not list(shop.folder.rglob("owned"))


def test_git_is_not_asked_again_while_no_branch_moved(
    shop: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.branch("feature/x", "one")
    time.sleep(1.1)  # files that just changed may change again unseen
    assert extent(shop) is Extent.ELSEWHERE

    with monkeypatch.context() as without_git:
        without_git.setenv("PATH", "/nowhere")
        assert extent(shop) is Extent.ELSEWHERE
        # What is new is asked about.
        assert extent(shop, head="1" * 40) is Extent.EVERYWHERE
    shop.git("merge", "-q", "--ff-only", "feature/x")
    assert extent(shop) is Extent.EVERYWHERE


def test_a_damaged_note_is_made_again(shop: Repository) -> None:
    shop.branch("feature/x", "one")
    note = shop.folder.parent / "branches.json"
    for text in ("", "[" * 100_000, '{"version": 7}', '{"look": 3}', "\0"):
        note.write_text(text, encoding="utf-8")
        assert extent(shop) is Extent.ELSEWHERE


def test_where_git_has_no_time_nothing_is_said_to_be_unmerged(shop: Repository) -> None:
    shop.branch("feature/x", "one")
    kept = BranchHistory(shop.folder, shop.common, shop.folder / "none" / "branches.json")
    now_ms = Millis(time.time_ns() // 1_000_000)

    facts = kept.read(frozenset({("feature/x", "")}), now_ms, 0)

    learnt = Bond(branch="feature/x", at_ms=now_ms)
    assert find_reach(learnt, facts, "main", now_ms).extent is Extent.EVERYWHERE


def test_what_git_could_not_say_is_asked_again(
    shop: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.branch("feature/x", "one")
    time.sleep(1.1)
    with monkeypatch.context() as without_git:
        without_git.setenv("PATH", "/nowhere")
        assert extent(shop) is Extent.EVERYWHERE

    assert extent(shop) is Extent.ELSEWHERE


def test_a_change_of_a_picture_is_compared_by_what_it_is(shop: Repository) -> None:
    for name, colour in (("feature/x", b"\0red"), ("feature/y", b"\0blue")):
        shop.git("checkout", "-q", "-b", name, "main")
        (shop.folder / "logo.png").write_bytes(colour * 400)
        shop.commit("logo")
    shop.git("checkout", "-q", "main")
    shop.git("merge", "-q", "--squash", "feature/x")
    shop.commit("squashed")

    assert extent(shop) is Extent.EVERYWHERE
    assert extent(shop, "feature/y") is Extent.ELSEWHERE
