"""Goal: what was learnt on a branch is told where it holds, and never hidden by a doubt."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.kernel.clock import DAY_MS, Millis
from agentx.observations.model import Category, Observation
from agentx.recall.branches.bonds import is_bound, part_wishes
from agentx.recall.branches.history import BranchHistory
from agentx.recall.branches.lines import find_holders, find_roots
from agentx.recall.branches.marks import Reaches
from agentx.recall.branches.reach import (
    Bond,
    BranchFacts,
    BranchLine,
    Extent,
    Landing,
    Reach,
    find_reach,
)
from agentx.recall.section.choose import Tellable
from agentx.recall.section.elsewhere import put_elsewhere_last, say_elsewhere
from agentx.recall.section.kinds import Kind
from tests.support.observations import observation
from tests.support.time_and_chance import FakeClock

NOW = Millis(1_772_445_600_000)

names = st.sampled_from(["", "main", "feature/x", "feature/y", "gone"])
commits = st.sampled_from(["", "a", "b", "c"])
lines = st.builds(
    BranchLine,
    tip=commits,
    landed=st.sampled_from([None, *Landing]),
    holders=st.lists(names.filter(bool), max_size=3).map(tuple),
    committed_ms=st.integers(0, NOW),
    created_ms=st.integers(0, NOW),
    authored_ms=st.integers(0, NOW),
    is_empty=st.booleans(),
    is_known=st.booleans(),
)
facts = st.builds(
    BranchFacts,
    default=st.sampled_from(["", "main"]),
    branches=st.dictionaries(names.filter(bool), lines, max_size=4),
    commits=st.dictionaries(commits.filter(bool), lines, max_size=3),
    last_tips=st.dictionaries(names.filter(bool), commits.filter(bool), max_size=3),
    merges=st.dictionaries(names.filter(bool), st.integers(0, NOW), max_size=2),
)
things = st.builds(Bond, branch=names, head=commits, at_ms=st.integers(0, NOW))


def test_a_branch_that_was_rebased_or_cloned_since_is_the_one_something_was_learnt_on() -> None:
    learnt_ms = NOW - 10 * DAY_MS
    for written_ms, extent in [
        (learnt_ms - DAY_MS, Extent.ELSEWHERE),  # made anew here, of commits from before
        (NOW - DAY_MS, Extent.EVERYWHERE),  # another of the same name
        (0, Extent.EVERYWHERE),
    ]:
        made = BranchLine(
            tip="a", created_ms=NOW - DAY_MS, committed_ms=NOW - DAY_MS, authored_ms=written_ms
        )
        known = BranchFacts(default="main", branches={"feature/x": made})
        found = find_reach(Bond(branch="feature/x", at_ms=learnt_ms), known, "main", NOW)
        assert found.extent is extent, written_ms


@given(things, facts, names)
def test_only_what_git_knows_to_be_unmerged_is_marked(
    learnt: Bond, known: BranchFacts, here: str
) -> None:
    found = find_reach(learnt, known, here, NOW)

    assert bool(found.mark) == (found.extent in (Extent.ELSEWHERE, Extent.ABANDONED))
    if found.mark:
        assert known.default
        assert learnt.branch not in ("", here, known.default)
        line = known.branches.get(learnt.branch)
        if line is not None:
            assert line.is_known or line.landed is not None
            assert line.landed is None or line.is_empty
            assert known.commits.get(learnt.head, line).landed in (None, line.landed)
        else:
            tips = {known.last_tips.get(learnt.branch, ""), learnt.head}
            assert any(tip in known.commits for tip in tips)


@given(things, names)
def test_without_facts_nothing_is_marked(learnt: Bond, here: str) -> None:
    assert find_reach(learnt, BranchFacts(), here, NOW).mark == ""


@given(things, facts, names)
def test_a_merge_lifts_whatever_was_said_before(
    learnt: Bond, known: BranchFacts, here: str
) -> None:
    merged = BranchLine(tip="z", landed=Landing.CONTAINED)
    after = replace(known, branches={**known.branches, learnt.branch: merged})

    assert find_reach(learnt, after, here, NOW).mark == ""


@given(things, facts, names, st.integers(0, 400))
def test_what_fades_stays_faded(learnt: Bond, known: BranchFacts, here: str, days: int) -> None:
    now = find_reach(learnt, known, here, NOW)
    later = find_reach(learnt, known, here, Millis(NOW + days * DAY_MS))

    if now.extent is not Extent.ELSEWHERE:
        assert later.extent is now.extent
    else:
        assert later.extent in (Extent.ELSEWHERE, Extent.ABANDONED)


graphs = st.dictionaries(
    st.sampled_from("abcdefgh"), st.lists(st.sampled_from("abcdefgh"), max_size=2).map(tuple)
)


@given(graphs, st.dictionaries(st.sampled_from("mn"), st.sampled_from("abcdefgh")))
def test_a_point_holds_what_its_parents_lead_to(
    apart: dict[str, tuple[str, ...]], points: dict[str, str]
) -> None:
    held = find_holders(apart, points, set("abcdefgh"))

    for name, tip in points.items():
        assert (name in held.get(tip, ())) == (tip in apart)
    for commit, holders in held.items():
        for parent in apart[commit]:
            if parent in apart:
                assert set(holders) <= set(held[parent])
    for commit in find_roots(apart, set("abcdefgh")):
        assert commit in apart


# --- what is bound --------------------------------------------------------------------------


def learnt(
    content: str, category: Category = Category.KEY_FACT, *, by_hand: bool = False, **more: object
) -> Observation:
    return Observation(
        id="obs-engineer-1-1-abcdef",
        agent="engineer",
        issue_number=1,
        category=category,
        content=content,
        summary=content,
        tokens=9,
        timestamp_ms=NOW,
        session_id="s",
        event_ids=() if by_hand else ("e",),
        branch="feature/x",
        **more,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("content", "category"),
    [
        ("Retries wait 5 s at most, because the page times out.", Category.DECISION),
        ("The queue keeps its order only within a shard.", Category.KEY_FACT),
        ("`git blame` says queue.py was moved from shards.py.", Category.KEY_FACT),
        ("Renamed the queue.", Category.CODE_CHANGE),
        ("It takes 3 s to make a shard.", Category.KEY_FACT),
        ("The mailer uses SES now. Note that `ses` needs a key in CI.", Category.KEY_FACT),
        ("Done in 1f0c2ab: the docker image has the fonts.", Category.KEY_FACT),
    ],
)
def test_what_speaks_of_the_code_is_bound_to_its_branch(content: str, category: Category) -> None:
    assert is_bound(learnt(content, category))


@pytest.mark.parametrize(
    ("content", "category"),
    [
        ("The user said: never push on Fridays", Category.DECISION),
        ("The user prefers small commits.", Category.DECISION),
        ("`psql -1` wraps every file in a transaction.", Category.KEY_FACT),
        ("pnpm install needs --shamefully-hoist in the sandbox.", Category.KEY_FACT),
        ("`make` does not find bash on NixOS.", Category.ERROR),
        ("The CI has no network.", Category.KEY_FACT),
    ],
)
def test_what_the_user_wants_and_how_tools_behave_is_bound_to_none(
    content: str, category: Category
) -> None:
    assert not is_bound(learnt(content, category))


def test_what_was_written_down_is_bound_where_it_names_files_or_a_change() -> None:
    said = "Deploys go out on Tuesdays."

    assert not is_bound(learnt(said, by_hand=True))
    assert not is_bound(learnt(said, Category.DECISION, by_hand=True))
    assert is_bound(learnt(said, by_hand=True, files=("deploy.py",)))
    assert is_bound(learnt(said, Category.CODE_CHANGE, by_hand=True))
    assert not is_bound(replace(learnt(said), branch=""))


# --- how it is told -------------------------------------------------------------------------


def tellable(name: str, kind: Kind = Kind.FACT, *, elsewhere: bool = False) -> Tellable:
    return Tellable(
        doc_id=name,
        text=name,
        words=frozenset({name}),
        kind=kind,
        session=name,
        at_ms=1,
        worth=1.0,
        is_elsewhere=elsewhere,
    )


@given(
    st.lists(
        st.tuples(st.sampled_from([Kind.FACT, Kind.ERROR, Kind.CHANGE]), st.booleans()), max_size=12
    )
)
def test_in_each_group_what_holds_comes_first_and_no_group_loses_a_place(
    drawn: list[tuple[Kind, bool]],
) -> None:
    chosen = [
        tellable(str(number), kind, elsewhere=elsewhere)
        for number, (kind, elsewhere) in enumerate(drawn)
    ]

    told = put_elsewhere_last(chosen, lambda one: one.kind)

    assert sorted(one.doc_id for one in told) == sorted(one.doc_id for one in chosen)
    assert [one.kind for one in told] == [one.kind for one in chosen]
    for kind in Kind:
        group = [one.is_elsewhere for one in told if one.kind is kind]
        assert group == sorted(group)


def test_what_was_said_in_a_session_elsewhere_is_marked_and_worth_less() -> None:
    one = say_elsewhere(tellable("s"), {"s": "on feature/x, not merged"})

    assert one.text == "s (on feature/x, not merged)"
    assert one.is_elsewhere
    assert one.worth < 1
    assert say_elsewhere(tellable("t"), {"s": "on feature/x, not merged"}).text == "t"


def test_a_reach_says_where() -> None:
    assert Reach(extent=Extent.ELSEWHERE, branch="a").mark == "on a, not merged"
    assert Reach(extent=Extent.ABANDONED, branch="a").mark == "on a, abandoned"
    assert Reach(extent=Extent.HERE, branch="a").mark == ""


def test_what_the_user_wants_is_told_apart_from_what_was_decided_on_the_branch() -> None:
    said = "The user said: We take TOML for the flags instead of a vendor. Always run `ruff` first."
    one = observation(said, branch="feature/flags", event_ids=("e1",))

    decided, wanted = part_wishes(one)

    assert decided.content == "The user said: We take TOML for the flags instead of a vendor."
    assert wanted.content == "The user said: Always run `ruff` first."
    assert (is_bound(decided), is_bound(wanted)) == (True, False)
    assert decided.id == wanted.id == one.id
    for whole in (
        observation(said),
        observation("The user said: Always run `ruff` first. Thanks.", branch="feature/flags"),
        observation("The user said: We take TOML instead of a vendor.", branch="feature/flags"),
    ):
        assert part_wishes(whole) == (whole,)


def test_the_commit_a_session_began_at_is_no_commit_of_its_branch() -> None:
    """Codex notes the HEAD of the session's start: on a fresh branch that of the default one."""
    start, made = "a" * 40, "b" * 40
    facts = BranchFacts(
        default="main",
        branches={"feature/x": BranchLine(tip=made)},
        commits={
            start: BranchLine(tip=start, landed=Landing.CONTAINED),
            made[:7]: BranchLine(tip=made),
        },
    )

    class Known(BranchHistory):
        def __init__(self) -> None:
            pass

        def read(self, wanted: object, now_ms: Millis, wait_ms: int) -> BranchFacts:
            return facts

    reaches = Reaches(Known(), lambda: "main", FakeClock(NOW), 0)
    told = replace(learnt("We show our own banner.", Category.DECISION, commit=start), id="told")
    change = replace(
        learnt("Web manifest (commit bbbbbbb)", Category.CODE_CHANGE, commit=made[:7]), id="made"
    )
    alone, both = reaches.find([told]), reaches.find([told, change])
    assert [alone["told"].mark, both["told"].mark, both["made"].mark] == [
        "on feature/x, not merged"
    ] * 3


@pytest.mark.parametrize(
    ("said", "bound"),
    [
        ("The user said: ok then we stay on node 22 for the api. drop this branch", False),
        ("The user said: the spike is not worth it, abandon the branch", False),
        ("The user said: drop the builds column of the builds table", True),
        ("The user said: we move the api to Bun", True),
    ],
)
def test_a_decision_against_a_branch_is_bound_to_no_branch(said: str, bound: bool) -> None:
    assert is_bound(learnt(said, Category.DECISION)) is bound
