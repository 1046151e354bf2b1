"""A small repository, and two agent CLIs that do the work there as a script has it.

The plan has three tasks: two change the same lines of one file, so their lanes conflict, and one of
them is wrong at first; the third asks a person, and waits for both.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.support.house import House

CHECK = "sh check.sh"

_PROGRAM = """#!__PYTHON__ -SE
import json, os, re, sys, time
NAME = os.path.basename(sys.argv[0])
prompt = sys.stdin.read()
home = os.environ["HOME"]
said = {"name": NAME, "argv": sys.argv[1:], "cwd": os.getcwd(), "pid": os.getpid()}
with open(os.path.join(home, "asked.jsonl"), "a") as log:
    log.write(json.dumps({**said, "prompt": prompt, "env": dict(os.environ)}) + "\\n")

def end(text):
    if NAME == "claude":
        print(json.dumps({"type": "result", "subtype": "success", "result": text,
            "session_id": "s-1", "usage": {"input_tokens": 1000, "output_tokens": 200},
            "modelUsage": {"claude-sonnet-4-5": {}}}))
    else:
        print(json.dumps({"type": "thread.started", "thread_id": "t-1"}))
        print(json.dumps({"type": "item.completed",
            "item": {"type": "agent_message", "text": text}}))
    sys.exit(0)

def read(name):
    with open(name) as file:
        return file.read()

def write(name, text):
    with open(name, "w") as file:
        file.write(text)

found = re.search(r"## The task\\n\\nTASK-\\d+: (.*)", prompt)
title = found[1] if found else "plan"
waits = os.path.join(home, "hang-" + title.split()[0].lower())
if os.path.exists(waits):
    write("half-done.txt", "half done\\n") if found else None
    time.sleep(300)
if not found:
    end(read(os.path.join(home, "plan.txt")))
if "left its marks" in prompt:
    text = read("calc.sh")
    write("calc.sh", re.sub(r"<<<<<<< .*\\n|=======\\n|>>>>>>> .*\\n", "", text))
    end("STATUS: done\\nSUMMARY: put both together")
if title.startswith("Add"):
    if "add()" not in read("calc.sh"):
        write("calc.sh", read("calc.sh") + "add() { echo $(($1 + $2)); }\\n")
    end("STATUS: done\\nSUMMARY: added it\\nLEARNT:\\n- pattern: calc.sh has a line a function")
if title.startswith("Multiply"):
    if "not all passed" in prompt:
        write("calc.sh", read("calc.sh").replace("$1 + $2", "$1 * $2"))
    elif "mul()" not in read("calc.sh"):
        write("calc.sh", read("calc.sh") + "mul() { echo $(($1 + $2)); }\\n")
    end("STATUS: done\\nSUMMARY: added it")
if title.startswith("Write"):
    if "a person answered" not in prompt:
        end("STATUS: question\\nQUESTION: English or German?\\nOPTIONS:\\n- English\\n- German")
    write("README.md", "add and mul\\n")
    end("STATUS: done\\nSUMMARY: wrote it")
end("I could do nothing")
"""

CHECK_SCRIPT = """\
. ./calc.sh
if grep -q '<<<<' calc.sh; then echo marks; exit 1; fi
if grep -q '^add' calc.sh && [ "$(add 2 3)" != 5 ]; then echo "add is wrong"; exit 1; fi
if grep -q '^mul' calc.sh && [ "$(mul 2 3)" != 6 ]; then echo "mul says $(mul 2 3)"; exit 1; fi
"""

PLAN: dict[str, Any] = {
    "tasks": [
        {"id": "a", "title": "Add two numbers", "goal": "add", "files": ["calc.sh"]},
        {"id": "b", "title": "Multiply two numbers", "goal": "mul", "files": ["calc.sh"]},
        {"id": "c", "title": "Write the readme", "depends_on": ["a", "b"]},
    ]
}


class Calculator:
    """A house with such a repository in it, trusted, and the agent CLIs on the PATH."""

    def __init__(self, house: House) -> None:
        self.house = house
        for name, text in (("calc.sh", "# calc\n"), ("check.sh", CHECK_SCRIPT)):
            (house.project / name).write_text(text)
        house.git("add", ".")
        house.git("commit", "-q", "-m", "calc")
        self.install(house)

    def install(self, house: House) -> None:
        """Give somebody the agent CLIs, and let them trust the repository."""
        self.give(house.home)
        house.agentx("trust", "--yes", env=self.environment(house))

    @staticmethod
    def give(home: Path) -> None:
        """Put the agent CLIs into a home."""
        programs = home / "bin"
        programs.mkdir()
        for name in ("claude", "codex"):
            text = _PROGRAM.replace("__PYTHON__", sys.executable)
            (programs / name).write_text(text)
            (programs / name).chmod(0o755)
        (home / "plan.txt").write_text(f"Here it is:\n```json\n{json.dumps(PLAN)}\n```\n")

    @staticmethod
    def environment(house: House) -> dict[str, str]:
        """What commands are given there besides."""
        return {
            "PATH": f"{house.home / 'bin'}:{house.environment['PATH']}",
            "GITHUB_TOKEN": "not-for-agents",
            "ANTHROPIC_API_KEY": "dummy",
        }

    def drive(
        self, *words: str, expect: int | None = 0, house: House | None = None
    ) -> list[dict[str, Any]]:
        """Drive, and return what was told; how it ended is the last."""
        where = house or self.house
        runners = ("--runner", "claude-code", "--runner", "codex")
        done = where.agentx(
            "run", "drive", *words, *runners, "--json", expect=expect, env=self.environment(where)
        )
        return [json.loads(line) for line in done.stdout.splitlines()]

    def answer(self, told: list[dict[str, Any]], house: House | None = None) -> None:
        """Answer what a drive ended with."""
        name = told[-1]["end"]["waits_for"][0].partition(":")[0]
        where = house or self.house
        where.agentx("run", "escalate", "--resolve", name, "English", "--as-person")

    def asked(self, house: House | None = None) -> list[dict[str, Any]]:
        """Return what the agent CLIs were asked, in order."""
        log = (house or self.house).home / "asked.jsonl"
        lines = log.read_text().splitlines() if log.exists() else []
        return [json.loads(line) for line in lines]

    def show(self, branch: str, name: str) -> str:
        """Return a file as a branch has it."""
        return self.house.git("show", f"{branch}:{name}")
