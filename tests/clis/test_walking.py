"""The real Claude Code and Codex carry a feature along its workflow: a question, a person's word.

Method: both play roles headless, in turn, in a small repository, against a scripted model that lets
them run one command, which is allowed to them; what each role does there a script says. The
architect asks the product manager, who answers; the engineer asks what only a person can decide.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.clis import drive
from tests.clis.scripted_model import ScriptedModel
from tests.clis.test_runners import prepared

pytestmark = pytest.mark.clis

CHECK = "sh check.sh"
# By the sections of the templates that ship. Whoever answers a question changes nothing.
WORK = r"""
document() {
    [ -e "$1" ] && exit
    mkdir -p "${1%/*}"
    file=$1
    shift
    for part; do printf '## %s\n\n%s\n\n' "${part%=*}" "${part#*=}"; done > "$file"
}
case $AGENTX_AGENT in
    product-manager) document docs/prd/PRD-1.md Problem=x Users=x 'Requirements=R1: it adds.' \
        'Out of scope=x' 'Open questions=none';;
    architect)
        [ -e docs/adr/ADR-1.md ] && exit
        agentx clarify ask --issue 1 --from architect --to product-manager --topic sums \
            --question 'Negative numbers, too?' --wait
        document docs/adr/ADR-1.md Context=x Options=x Decision=x Consequences=x;;
    engineer)
        agentx clarify --issue 1 | grep -q CLR-1-002 || {
            agentx clarify ask --issue 1 --from engineer --to architect --topic text \
                --question 'What of text?' --wait
            exit
        }
        echo 'add() { echo $(($1 + $2)); }' > calc.sh;;
    reviewer) document docs/reviews/REVIEW-1.md Requirements=x Findings=none Verdict=Approved;;
esac
"""
ANSWERS = {
    "Negative numbers, too?": "STATUS: resolved\nANSWER: Yes.\nCONFIDENCE: high",
    "What of text?": "STATUS: needs-human\nANSWER: The owner must say.\nCONFIDENCE: low",
}
CAST = "claude-code, product-manager=codex, reviewer=codex"


class _Model(ScriptedModel):
    """A model that answers what it is asked by its words."""

    def _say(self) -> str:
        text = self.asked[-1].text if self.asked else ""
        if "## How to answer" in text:
            return next(said for asked, said in ANSWERS.items() if asked in text)
        return "It is done.\n\nVerdict: approved"

    @property
    def reply(self) -> str:
        """What it says in the end."""
        return self._say()

    @reply.setter
    def reply(self, _said: str) -> None:
        """Take nothing."""

    @property
    def answer(self) -> str:
        """What it says where no command may be run."""
        return self._say()

    @answer.setter
    def answer(self, _said: str) -> None:
        """Take nothing."""


def test_two_agent_clis_carry_a_feature_to_code_that_passes_its_tests(tmp_path: Path) -> None:
    where = drive.place(tmp_path / "place")
    files = {"calc.sh": "", "check.sh": '. ./calc.sh; test "$(add 2 3)" = 5\n', "work.sh": WORK}
    files |= {"Makefile": "work:\n\tsh work.sh\n"}
    for name, text in files.items():
        (where.repo / name).write_text(text)
    for name, value in (("name", "Dev"), ("email", "dev@example.org")):
        where.run(("git", "config", f"user.{name}", value))
    for words in (("add", "."), ("commit", "-q", "-m", "calc"), ("switch", "-q", "-c", "issue-1")):
        assert where.run(("git", *words)).code == 0
    places = (where.root / "bin", drive.CLIS / "bin", Path(sys.executable).parent)
    path = os.pathsep.join((*map(str, places), os.environ["PATH"]))

    with _Model(command="make work").serving() as model:
        extra = {"PATH": path}
        for harness in ("claude-code", "codex"):
            extra |= prepared(harness, where, model)

        def agentx(*words: str, code: int = 0) -> str:
            ran = where.run((str(places[-1] / "agentx"), *words), extra)
            assert ran.code == code, ran.out + ran.err
            return ran.out + ran.err

        agentx("trust", "--yes")
        agentx("config", "set", "agents.commands", "make")
        agentx("config", "set", "--user", "agents.runner", CAST)
        agentx("issue", "create", "--title", "A calculator", "--label", "type:feature")
        first = agentx("workflow", "run", "feature", "--issue", "1", "--check", CHECK, code=6)
        agentx("clarify", "resolve", "CLR-1-002", "It raises.", "--as-person")
        second = agentx("workflow", "run", "feature", "--issue", "1")
        thread = agentx("clarify", "--issue", "1")

    assert "waits: CLR-1-002 waits for human" in first, first
    assert f"[implement] passed: {CHECK}" in second
    assert "CLR-1-001  sums  [answered" in thread, thread
    assert "CLR-1-002  text  [resolved" in thread, thread
    log = where.run(("git", "log", "--reverse", "--format=%s", "main..")).out.splitlines()
    steps = ["requirements", "architecture", "implement", "review"]
    assert [line.split()[1].rstrip(":") for line in log] == steps
    assert where.run(("git", "status", "--porcelain", "--", ".", ":!.agentx")).out == ""
    assert where.run(("sh", "check.sh")).code == 0
    told = [asked.text for asked in model.questions()]
    assert any("It raises." in text and "You build it" in text for text in told)
    assert any("R1: it adds." in text for text in told)  # what an earlier step wrote
