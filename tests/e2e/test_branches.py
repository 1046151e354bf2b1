"""Goal: what was learnt on a branch is told where it holds, and elsewhere as that.

Method: a real repository, sessions through the real hook, the real commands.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.house import House

FATES = {
    "ff": "we will keep zones in TOML instead of the database, because ops must edit them",
    "merge": "we will store prices in cents instead of floats, because sums were off by one",
    "squash": "we will sign webhooks with ed25519 instead of HMAC, because keys leaked twice",
    "rebase": "we will page orders by cursor instead of offset, because deep pages time out",
    "deleted": "we will render invoices in the browser instead of a worker, because fonts differ",
    "open": "we will cache rates for a minute instead of an hour, because they move at noon",
}


def learn(house: House, session: str, *said: str, cwd: Path | None = None) -> None:
    """Have a session in which a user says something, and that ends."""
    folder = cwd or house.project
    start = {"session_id": session, "transcript_path": "", "cwd": str(folder)}
    prompts = [
        {"hook_event_name": "UserPromptSubmit", "prompt_id": f"{session}-{number}", "prompt": text}
        for number, text in enumerate(said)
    ]
    for payload in (*prompts, {"hook_event_name": "SessionEnd", "reason": "exit"}):
        assert house.hook({**start, **payload}, cwd=folder).returncode == 0


def begin(house: House, cwd: Path | None = None) -> str:
    """Return what a session that begins is told."""
    payload = {"session_id": "next", "hook_event_name": "SessionStart", "source": "startup"}
    payload["cwd"] = str(cwd or house.project)
    said = house.hook(payload, cwd=cwd).stdout
    if not said:
        return ""
    told: str = json.loads(said)["hookSpecificOutput"]["additionalContext"]
    return told


def told_of(text: str, said: str) -> str:
    """Return the line that tells something; empty where none does."""
    return next((line for line in text.splitlines() if said[8:40] in line), "")


def test_a_merge_of_any_kind_lifts_it_and_a_deleted_branch_lets_it_fade(house: House) -> None:
    for name, said in FATES.items():
        house.git("checkout", "-q", "-b", f"feature/{name}", "main")
        learn(house, f"s-{name}", said)
        for number in range(2):
            (house.project / f"{name}{number}.py").write_text(f"{name}\n" * 3, encoding="utf-8")
            house.git("add", "-A", ":!.agentx")
            house.git("commit", "-q", "-m", f"{name} {number}")
    house.agentx("sync")
    house.git("checkout", "-q", "main")

    text = house.agentx("recall").stdout
    for name, said in FATES.items():
        assert f"(on feature/{name}, not merged) [" in told_of(text, said)

    house.git("merge", "-q", "--ff-only", "feature/ff")
    house.git("merge", "-q", "--no-ff", "-m", "bring it in", "feature/merge")
    house.git("merge", "-q", "--squash", "feature/squash")
    house.git("commit", "-q", "-m", "Sign webhooks (#12)")
    house.git("cherry-pick", "feature/rebase~1", "feature/rebase")
    house.git("branch", "-q", "-D", "feature/deleted")

    text = house.agentx("recall").stdout
    for name in ("ff", "merge", "squash", "rebase"):
        assert "(on " not in told_of(text, FATES[name]), name
        assert told_of(text, FATES[name])
    assert "(on feature/open, not merged)" in told_of(text, FATES["open"])
    assert "(on feature/deleted, abandoned)" in told_of(text, FATES["deleted"])
    # What holds comes first in its group, what faded last.
    rows = [line for line in text.splitlines() if line.startswith("- The user said: we will")]
    assert ["(on " in row for row in rows] == [False] * 4 + [True] * 2
    assert "abandoned" in rows[-1]

    listed = house.json("memory", "list")
    assert set(listed["elsewhere"].values()) == {
        "on feature/open, not merged",
        "on feature/deleted, abandoned",
    }
    found = {one["branch"]: one["id"] for one in listed["observations"]}
    why = house.agentx("why", found["feature/squash"]).stdout
    assert "learnt on feature/squash (holds everywhere:" in " ".join(why.split())
    shown = house.agentx("memory", "show", found["feature/deleted"]).stdout
    assert "learnt on feature/deleted (abandoned: the branch is gone and was not merged)" in shown
    assert "on feature/open, not merged" in house.agentx("search", "cache rates").stdout


def test_each_working_tree_is_told_what_holds_on_its_branch(house: House) -> None:
    tree = house.root / "work" / "tree"
    learn(house, "s-0", FATES["ff"], "Note for later: never run migrations before 08:00 UTC")
    house.agentx("sync")
    house.git("worktree", "add", "-q", "-b", "feature/x", str(tree))
    back = "let's switch from TOML to the database for zones after all, because ops want a form"
    learn(house, "s-1", back, "Note for later: always squash", cwd=tree)
    house.agentx("sync")

    main, there = house.agentx("recall").stdout, house.agentx("recall", cwd=tree).stdout
    # What only a branch took back stands elsewhere, and says so.
    line = told_of(main, FATES["ff"])
    assert "(replaced by obs-" in line
    assert " on feature/x, not merged)" in line
    assert "(on " not in there
    assert told_of(there, back)
    assert not told_of(there, FATES["ff"])
    for text in (main, there):
        assert "(on " not in told_of(text, "always squash    ")
    # What hooks print was prepared for both.
    assert " on feature/x, not merged)" in told_of(begin(house), FATES["ff"])
    assert "(on " not in begin(house, cwd=tree)
    assert told_of(begin(house, cwd=tree), back)

    (tree / "zones.py").write_text("zones = {}\n", encoding="utf-8")
    house.git("add", "zones.py", cwd=tree)
    house.git("commit", "-q", "-m", "zones", cwd=tree)
    house.git("merge", "-q", "--ff-only", "feature/x")
    house.agentx("sync")
    for text in (house.agentx("recall").stdout, begin(house)):
        assert told_of(text, back)
        assert "(on " not in text
        assert not told_of(text, FATES["ff"])


def test_what_is_written_down_is_bound_where_it_names_files(house: House) -> None:
    house.git("checkout", "-q", "-b", "feature/x")
    (house.project / "zones.py").write_text("zones = {}\n", encoding="utf-8")
    house.git("add", "zones.py")
    house.git("commit", "-q", "-m", "zones")
    add = ("memory", "add", "--agent", "engineer")
    house.agentx(*add, "Deploys go out on Tuesdays.")
    house.agentx(*add, "Zones are read once at start.", "--file", "zones.py")
    house.git("checkout", "-q", "main")

    text = house.agentx("recall").stdout
    assert "Deploys go out on Tuesdays. [" in text
    assert "Zones are read once at start. (on feature/x, not merged) [" in text
