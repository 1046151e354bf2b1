"""What is learnt from the tools themselves: commands that did not do, checks, commits."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.exchanges.commands import find_errors
from agentx.exchanges.tools import inside
from agentx.exchanges.turns import Turn, TurnKind
from agentx.kernel.clock import Millis
from agentx.observations.extract import extract
from agentx.observations.model import Category
from agentx.views.sessions.checkouts import find_root
from tests.support.telling import Talk


def test_a_command_that_only_looks_is_told_where_it_was_not_understood() -> None:
    talk = Talk().user("why does the edit of the tab fail?")
    talk.shell("sed -n 3,9p /repo/web/Tab.tsx | cat -A", "cat: illegal option -- A", 1)
    talk.shell("sed -n 3,9p /repo/web/Tab.tsx | od -c | head -40", "0000000  \\t \\t")

    (line,) = talk.kept()

    assert line == (
        "`sed -n 3,9p web/Tab.tsx | cat -A` failed: cat: illegal option -- A;"
        " `sed -n 3,9p web/Tab.tsx | od -c` worked"
    )


@pytest.mark.parametrize(
    "said",
    [
        "zsh:1: no matches found: repos/x/contents/a.json?ref=next",
        "npm error could not determine executable to run",
    ],
)
def test_what_a_shell_or_a_runner_could_not_make_out_is_a_command_that_does_not_do(
    said: str,
) -> None:
    talk = Talk().user("check the workflows")
    talk.shell("npx --yes flowlint@latest .github/ci.yml", said, 1)
    talk.shell("npx --yes github-flowlint@latest .github/ci.yml")

    assert any("`npx --yes github-flowlint@latest .github/ci.yml` worked" in x for x in talk.kept())


def test_both_commands_have_room_on_the_line_however_long_they_are() -> None:
    where = "apps/" + "very-long-name/" * 12
    talk = Talk().user("check it")
    talk.shell(f"tool check {where} --old", "error: unknown option --old " + "x" * 200, 2)
    talk.shell("tool check --new", "ok")

    (line,) = talk.kept()

    assert line.endswith("`tool check --new` worked")
    assert len(line) <= 240


def test_a_command_that_was_waited_for_ends_as_it_ended() -> None:
    talk = Talk().user("check the workflows")
    talk.add(TurnKind.CALL, tool="Bash", call_id="a", arguments={"command": "npx flowlint ci.yml"})
    talk.add(TurnKind.RESULT, tool="Bash", call_id="a", text="fetching")
    talk.agent("It is still running.")
    waiting = {"session_id": 7, "chars": ""}
    talk.add(TurnKind.CALL, tool="write_stdin", call_id="b", arguments=waiting)
    said = "npm error could not determine executable to run"
    talk.add(TurnKind.RESULT, tool="write_stdin", call_id="b", text=said, exit_code=1, failed=True)
    talk.shell("npx github-flowlint ci.yml")

    assert talk.kept() == [
        f"`npx flowlint ci.yml` failed: {said}; `npx github-flowlint ci.yml` worked"
    ]


def test_nobody_knows_which_of_two_running_commands_was_waited_for() -> None:
    talk = Talk().user("check the workflows")
    for name in ("flowlint", "yamllint"):
        given = {"command": f"npx {name} ci.yml"}
        talk.add(TurnKind.CALL, tool="Bash", call_id=name, arguments=given)
        talk.add(TurnKind.RESULT, tool="Bash", call_id=name, text="fetching")
    waiting = {"session_id": 7, "chars": ""}
    talk.add(TurnKind.CALL, tool="write_stdin", call_id="b", arguments=waiting)
    said = "npm error could not determine executable to run"
    talk.add(TurnKind.RESULT, tool="write_stdin", call_id="b", text=said, exit_code=1)
    talk.shell("npx github-flowlint ci.yml")

    assert not any("failed" in line for line in talk.kept())


def test_a_check_that_the_project_can_mend_by_itself_is_told_with_the_command_that_does() -> None:
    talk = Talk().user("tidy up the prompts").edit("src/prompts.ts", "a", "b")
    output = "$ biome check\n  \u00d7 Formatter would have printed the following content:\n"
    talk.shell("bun run lint", output, 1)
    talk.shell("bun run lint:fix", "Fixed 1 file.")
    talk.shell("bun run lint", "Checked 9 files.")

    (error,) = talk.found(Category.ERROR)

    assert error.content == (
        "`bun run lint` failed (exit 1): Formatter would have printed the following content:;"
        " Fixed by: `bun run lint:fix`"
    )


def test_a_complaint_about_the_format_that_an_edit_mended_is_nobodys_business() -> None:
    talk = Talk().user("tidy up the prompts").edit("src/prompts.ts", "a", "b")
    talk.shell("bun run lint", "  \u00d7 Formatter would have printed the following content:\n", 1)
    talk.edit("src/prompts.ts", "b", "c").shell("bun run lint", "Checked 9 files.")

    assert talk.found(Category.ERROR) == []


@pytest.mark.parametrize("mark", ["\u00d7", "\u2716", "\u2717", "\u274c"])
def test_what_a_check_marks_with_a_cross_is_what_went_wrong(mark: str) -> None:
    output = f"src/a.ts check\n\n  {mark} Some variable is never used.\nerror: exited with code 1"

    assert find_errors(output) == ["Some variable is never used."]


def test_to_record_what_was_changed_mends_nothing() -> None:
    talk = Talk().user("the build is broken, mend it")
    talk.shell("npm run build", "Error: cannot find module 'left-pad'", 1)
    talk.shell("git add -A && git commit -m 'Mend the build'", "[main 1a2b3c4] Mend the build")

    assert not any("git add" in one.content for one in talk.found(Category.ERROR))


def test_a_commit_is_named_as_git_named_it() -> None:
    talk = Talk().user("fix the release script please").edit("a.ts", "a", "b")
    talk.shell("git commit -am 'Fix the release'", "[main fd07a0a5] Fix the release")

    (change,) = talk.found(Category.CODE_CHANGE)

    assert change.content.startswith("Fix the release (commit fd07a0a5)")


def test_a_commit_is_told_with_the_request_before_it_and_with_all_that_was_edited() -> None:
    talk = Talk().user("we moved the dev server to 9090, 8080 clashes with Jenkins")
    talk.edit("vite.config.ts", "8080", "9090")
    talk.agent("The dev server runs on 9090.")
    talk.user("and write the changelog with git-cliff, by hand nobody does it")
    talk.edit("cliff.toml", "x", "y")
    talk.shell(
        'git add -A && git commit -m "Changelog by git-cliff"',
        "[main 4567ddd] Changelog by git-cliff\n 2 files changed, 40 insertions(+)",
    )
    [change] = [one for one in talk.found(Category.CODE_CHANGE) if one.commit == "4567ddd"]

    assert "Asked: and write the changelog with git-cliff" in change.content
    assert change.files == ("cliff.toml", "vite.config.ts")


def test_what_was_reported_on_the_way_to_a_commit_is_named_by_its_own_words() -> None:
    talk = Talk().user("move the dev server to another port than 8080")
    talk.edit("vite.config.ts", "8080", "9090")
    talk.agent("I moved the dev server from port 8080 to 9090.")
    talk.user("and write the changelog with git-cliff, by hand nobody does it")
    talk.edit("cliff.toml", "x", "y")
    talk.shell("git commit -am 'Changelog by git-cliff'", "[main 4567ddd] Changelog by git-cliff")
    told = [one.content for one in talk.found(Category.CODE_CHANGE) if one.commit == "4567ddd"]
    named, reported = sorted(told)

    assert named.startswith("Changelog by git-cliff (commit 4567ddd)")
    assert "Asked: and write the changelog" in named
    assert reported.startswith("Moved the dev server from port 8080 to 9090. (commit 4567ddd)")


def test_a_commit_whose_whole_hash_was_told_is_named_in_short() -> None:
    talk = Talk().user("fix the release script please").edit("a.ts", "a", "b")
    whole = "fd07a0a5d1e2f3a4b5c6fd07a0a5d1e2f3a4b5c6"
    talk.shell("git commit -qam 'Fix the release' && git rev-parse HEAD", whole)

    (change,) = talk.found(Category.CODE_CHANGE)

    assert change.content.startswith("Fix the release (commit fd07a0a)")


def test_lines_of_a_message_that_were_broken_to_fit_are_one_sentence() -> None:
    talk = Talk().user("open the newest card at once").edit("a.ts", "a", "b")
    message = (
        "Open the newest card\n\nWhen it is done the list now\nopens the newest card.\n\n"
        "- first of\n  all\n- second"
    )
    talk.shell(f"git commit -F - <<'EOF'\n{message}\nEOF", "[main 1a2b3c4] Open the newest card")

    (change,) = talk.found(Category.CODE_CHANGE)

    assert "When it is done the list now opens the newest card; first of all; second" in (
        change.content
    )


def test_a_commit_in_a_place_that_was_made_to_try_it_is_none() -> None:
    talk = Talk().user("make the release script safe to run twice")
    talk.shell(
        'T=$(mktemp -d) && git worktree add "$T" && cd "$T" && git commit -qm "try it"', "1a2b3c4"
    )

    assert talk.found(Category.CODE_CHANGE) == []


def test_a_commit_is_told_with_what_was_done_and_not_with_what_was_wrong() -> None:
    talk = (
        Talk()
        .user("the tags never start the publish workflow, fix that")
        .edit("release.yml", "a", "b")
    )
    talk.shell("git commit -am 'Call publish directly'", "[main 1a2b3c4] Call publish directly")
    talk.agent(
        "Root cause: tags of `GITHUB_TOKEN` start nothing. The release job creates tags with it.\n"
        "\nI patched:\n\n- `release.yml`: calls the publish job with the tag it made.\n"
    )

    (change,) = [x for x in talk.found(Category.CODE_CHANGE) if "(commit" in x.content]

    assert "calls the publish job with the tag it made" in change.content
    assert "creates tags" not in change.content


def test_what_a_plan_says_is_planned_and_nobodys_word() -> None:
    plan = (
        "Implement the following plan:\n\n# Cache the rates\n\n"
        "`rates.py` asks the bank for every invoice, which takes 400 ms each.\n\n"
        "- Add `cached_rates()` to `rates.py`, which keeps a rate for a day in `rates.json`\n"
        "- `cron/rates.sh` must ask for what is older at night, so that no invoice waits for it;"
        " without network it keeps what `rates.json` has and says so in `rates.log`\n"
    )
    talk = Talk().user(plan).edit("rates.py", "a", "def cached_rates(): ...")
    talk.agent("The rates are cached.")

    kept = talk.kept()

    assert any(line.startswith("Planned: ") for line in kept)
    assert not any(line.startswith("The user said: ") for line in kept)


def test_what_was_planned_and_done_is_told_by_what_was_done() -> None:
    plan = (
        "Implement the following plan:\n\n# Cache the rates\n\n"
        "- Add `cached_rates()` to `rates.py`, which keeps a rate for a day in `rates.json`\n"
        "- Let `cron/night.sh` ask the bank for `old_rates()` so that no invoice has to wait\n"
    )
    talk = Talk().user(plan).edit("rates.py", "a", "def cached_rates(): ...")
    talk.agent("Added `cached_rates()` to `rates.py`: it keeps a rate for a day in `rates.json`.")

    planned = [line for line in talk.kept() if line.startswith("Planned: ")]

    assert not any("cached_rates" in line for line in planned)
    assert any("old_rates" in line for line in talk.kept())


def _propose(talk: Talk, plan: str, answer: str) -> Talk:
    given = {"plan": plan}
    talk.add(TurnKind.CALL, tool="ExitPlanMode", call_id=plan, arguments=given)
    return talk.add(TurnKind.RESULT, tool="ExitPlanMode", call_id=plan, text=answer, failed=True)


def test_a_plan_that_the_user_wanted_otherwise_is_told_by_what_the_user_said() -> None:
    refused = "The user doesn't want to proceed with this tool use. the user said:\n"
    talk = Talk().user("restore the paths of sessions")
    said = "store the path for both agents instead, as simple as can be"
    _propose(
        talk, "# Paths\n\n- Add `guess_path()` to `gemini.py` for old sessions", refused + said
    )
    talk.agent("Then the path is stored.")

    kept = talk.kept()

    assert any(said in line for line in kept)
    assert not any("guess_path" in line for line in kept)


def test_a_plan_that_was_only_stopped_may_be_taken_up_elsewhere() -> None:
    talk = Talk().user("restore the paths of sessions")
    stopped = "The user doesn't want to proceed with this tool use. STOP what you are doing."
    _propose(talk, "# Paths\n\n- Add `store_path()` to `state.py` for every session", stopped)

    assert any("store_path" in line for line in talk.kept())


def test_a_warning_that_the_user_pasted_is_told_with_the_command() -> None:
    talk = Talk().user(
        "\u276f git push\n[hooks] Pushing the notes...\n[hooks] Warning: no notes sent"
    )

    assert talk.kept() == ["The user was shown: `git push`: [hooks] Warning: no notes sent"]


def test_what_names_code_of_the_session_is_of_the_file_in_which_that_is() -> None:
    talk = Talk().user("name the files of sessions by their start please")
    talk.edit("src/naming.go", "", "func shortName(id string) string {\n}\n")
    talk.edit("src/other.go", "", "func twice() {\n}\n").edit("src/third.go", "", "func twice() {}")
    talk.agent("`shortName()` builds the name out of the start and eight letters of the id.")

    placed = {one.content: one.files for one in extract(talk.turns)}

    assert placed[
        "`shortName()` builds the name out of the start and eight letters of the id."
    ] == ("src/naming.go",)


_FAULT = "`export` holds all of it: `list(Voyage.all())` at `ports/tasks.py:88`, not in pages."


@pytest.mark.parametrize(
    ("path", "old", "new", "stays"),
    [
        ("ports/tasks.py", "rows = list(Voyage.all())", "rows = Voyage.stream()", False),
        ("ports/tasks.py", "rows = list(Voyage.all())", "rows = sorted(list(Voyage.all()))", True),
        ("ports/other.py", "rows = list(Voyage.all())", "rows = Voyage.stream()", True),
        ("ports/tasks.py", "limit = 3", "limit = 4", True),
    ],
)
def test_a_fault_is_no_fact_once_the_code_that_it_quotes_was_taken_out(
    path: str, old: str, new: str, stays: bool
) -> None:
    talk = Talk().user("why does the nightly export of the voyages need 4 GB?").agent(_FAULT)
    talk.user("mend it").edit(path, old, new).agent("The export needs 96 MB now.")

    assert (_FAULT in talk.kept()) is stays


def test_a_fault_stands_where_its_mending_was_taken_back() -> None:
    talk = Talk().user("why does the nightly export of the voyages need 4 GB?").agent(_FAULT)
    talk.user("mend it").edit("ports/tasks.py", "list(Voyage.all())", "Voyage.stream()")
    talk.shell("git checkout ports/tasks.py").agent("Taken back, the driver cannot stream.")

    assert _FAULT in talk.kept()


def test_what_was_planned_says_so_once_it_was_committed() -> None:
    plan = (
        "Implement the following plan:\n\n# Cache the rates\n\n"
        "- Add `cached_rates()` to `rates.py`, which keeps a rate for a day in `rates.json`\n"
        "- `cron/rates.sh` must ask for what is older at night, so that no invoice waits for it;"
        " without network it keeps what `rates.json` has and says so in `rates.log`\n"
    )
    talk = Talk().user(plan).edit("rates.py", "a", "def cached_rates(): ...")
    talk.shell("git commit -qam 'Cache the rates'", "[main 1a2b3c4] Cache the rates")
    kept = talk.agent("The rates are cached.").kept()

    assert any(line.startswith("Planned, then committed as 1a2b3c4: ") for line in kept)
    assert not any(line.startswith("Planned: ") for line in kept)


@pytest.mark.parametrize(
    ("path", "directory", "root", "named"),
    [
        ("/repo/packages/web/src/v.ts", "/repo/packages/web", "/repo", "packages/web/src/v.ts"),
        ("/repo/packages/api/src/v.ts", "/repo/packages/web", "/repo", "packages/api/src/v.ts"),
        ("src/v.ts", "/repo/packages/web", "/repo", "packages/web/src/v.ts"),
        ("./src/v.ts", "/repo/packages/web/", "/repo/", "packages/web/src/v.ts"),
        ("../api/src/v.ts", "/repo/packages/web", "/repo", "packages/api/src/v.ts"),
        ("../../../etc/v.ts", "/repo/packages/web", "/repo", ""),
        ("/repo/src/v.ts", "/repo", "/repo", "src/v.ts"),
        ("src/v.ts", "/repo", "/repo", "src/v.ts"),
        ("/repo/web/src/v.ts", "/repo/web", "", "src/v.ts"),  # no repository that is known
        ("src/v.ts", "", "", "src/v.ts"),
        ("/elsewhere/v.ts", "/repo/packages/web", "/repo", "/elsewhere/v.ts"),
    ],
)
def test_a_file_is_named_from_the_root_of_its_repository(
    path: str, directory: str, root: str, named: str
) -> None:
    call = Turn(event_id="e", at_ms=Millis(1), kind=TurnKind.CALL, directory=directory, root=root)

    assert inside(path, call) == named


def test_the_root_of_a_folder_is_found_though_the_folder_is_gone(tmp_path: Path) -> None:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")

    assert find_root(str(tmp_path / "repo")) == str(tmp_path / "repo")
    assert find_root(str(tmp_path / "repo" / "packages" / "gone")) == str(tmp_path / "repo")
    assert find_root(str(tmp_path / "bare")) == ""
    assert find_root("packages/web") == ""
