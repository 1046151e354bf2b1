"""The real Claude Code and Codex carry a run: lanes, a check that fails, a conflict, a question.

Method: both work headless in lanes of a small repository, against a scripted model that lets them
run one command, which is allowed to them; what they do there a script in the repository says.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from tests.clis import drive
from tests.clis.scripted_model import ScriptedModel
from tests.clis.test_runners import prepared
from tests.support.calculator import CHECK, CHECK_SCRIPT, PLAN

pytestmark = pytest.mark.clis

WORK = r"""
if grep -q '<<<<' calc.sh; then
    sed -i '/^<<<<<<< /d;/^=======$/d;/^>>>>>>> /d' calc.sh
    exit
fi
case $AGENTX_TASK in
    TASK-001) grep -q '^add' calc.sh || echo 'add() { echo $(($1 + $2)); }' >> calc.sh;;
    TASK-002) if grep -q '^mul' calc.sh
        then sed -i '/^mul/s/\$1 + /$1 * /' calc.sh
        else echo 'mul() { echo $(($1 + $2)); }' >> calc.sh
        fi;;
    TASK-003) echo "add and mul" > README.md;;
esac
"""
QUESTION = "STATUS: question\nQUESTION: English or German?"
DONE = "STATUS: done\nSUMMARY: did it\nLEARNT:\n- pattern: calc.sh has a line a function"


class _Model(ScriptedModel):
    """A model that asks a person once."""

    @property
    def reply(self) -> str:
        """What it says in the end."""
        text = self.asked[-1].text if self.asked else ""
        asks = "The task\\n\\nTASK-003" in text and "a person answered" not in text
        return QUESTION if asks else DONE

    @reply.setter
    def reply(self, _said: str) -> None:
        """Take nothing."""


def test_two_agent_clis_carry_a_run_to_a_branch_whose_checks_pass(tmp_path: Path) -> None:
    where = drive.place(tmp_path / "place")
    files = {"calc.sh": "# calc\n", "check.sh": CHECK_SCRIPT, "work.sh": WORK}
    files |= {"Makefile": "work:\n\tsh work.sh\n", "plan.json": json.dumps(PLAN)}
    for name, text in files.items():
        (where.repo / name).write_text(text)
    for words in (("name", "Dev"), ("email", "dev@example.org")):
        where.run(("git", "config", f"user.{words[0]}", words[1]))
    where.run(("git", "add", "."))
    where.run(("git", "commit", "-q", "-m", "calc"))
    places = (where.root / "bin", drive.CLIS / "bin", Path(sys.executable).parent)
    path = os.pathsep.join((*map(str, places), os.environ["PATH"]))
    runners = ("--runner", "claude-code", "--runner", "codex")

    with _Model(command="make work").serving() as model:
        extra = {"PATH": path}
        for harness in ("claude-code", "codex"):
            extra |= prepared(harness, where, model)

        def agentx(*words: str, code: int = 0) -> str:
            ran = where.run((str(places[-1] / "agentx"), *words), extra)
            assert ran.code == code, ran.out + ran.err
            return ran.out

        agentx("trust", "--yes")
        agentx("config", "set", "agents.commands", "make")
        agentx("config", "set", "agents.environment", "LOCAL_KEY")
        begun = ("A calculator", "--check", CHECK, "--plan", "plan.json")
        first = agentx("run", "drive", *begun, *runners, code=6)
        asked = re.search(r"ESC-\w+", first)
        assert asked is not None
        agentx("run", "escalate", "--resolve", asked[0], "English", "--as-person")
        agentx("run", "drive", *runners)

    assert f"failed: {CHECK}" in first
    assert "does not go together with the work in calc.sh" in first
    work = re.search(r"agent/\S+/work", first)
    assert work is not None
    held = where.run(("git", "show", f"{work[0]}:calc.sh")).out
    assert "mul() { echo $(($1 * $2)); }" in held
    assert "add() { echo $(($1 + $2)); }" in held
