"""Goal: the house keeps its own rules, where a machine can tell.

Method: the sources are read as text and as syntax trees.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest

from agentx.project.setting_rows import SECTIONS

ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "src" / "agentx"
MODULES = sorted(path for path in SOURCES.rglob("*.py") if "_generated" not in path.parts)
FORBIDDEN_STEMS = ("util", "helper", "common", "misc", "manager", "internal", "base", "core")
LINES_MAX = 450
# A long table of data is not a long file.
TABLES = ("redaction/rules.py",)
FUNCTION_LINES_MAX = 60
SETTINGS_MAX = 40
FILES_IN_FOLDER_MAX = 14
PACKAGE_SHARE_MAX = 0.12


def _name(path: Path) -> str:
    return str(path.relative_to(SOURCES))


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(_text(path))


@pytest.fixture(scope="module", autouse=True)
def _kept_no_longer() -> Iterator[None]:
    yield
    _tree.cache_clear()  # the trees of all modules are large


def _longest_function(path: Path) -> int:
    functions = (node for node in ast.walk(_tree(path)) if isinstance(node, ast.FunctionDef))
    return max(((each.end_lineno or 0) - each.lineno for each in functions), default=0)


def test_a_module_says_what_it_is_for_and_is_ascii() -> None:
    assert len(MODULES) > 500
    assert [_name(path) for path in MODULES if not _text(path).isascii()] == []
    assert [_name(path) for path in MODULES if not ast.get_docstring(_tree(path))] == []


def test_names_are_of_the_domain() -> None:
    nameless = [
        _name(path) for path in MODULES if set(re.split(r"[_.]", path.stem)) & set(FORBIDDEN_STEMS)
    ]

    assert nameless == []


def test_files_and_functions_are_of_a_size_one_can_read() -> None:
    long = [path for path in MODULES if len(_text(path).splitlines()) > LINES_MAX]

    assert [_name(path) for path in long if _name(path) not in TABLES] == []
    assert [_name(path) for path in MODULES if _longest_function(path) > FUNCTION_LINES_MAX] == []


def test_a_folder_is_taken_in_at_a_glance() -> None:
    files = Counter(_name(path.parent) for path in MODULES)

    assert {name: count for name, count in files.items() if count > FILES_IN_FOLDER_MAX} == {}


def _package(path: Path) -> str:
    """Return the package a module belongs to; each surface is one of its own."""
    parts = path.relative_to(SOURCES).parts
    return "/".join(parts[: 2 if parts[0] == "surfaces" else 1])


def test_no_package_becomes_a_drawer() -> None:
    lines: Counter[str] = Counter()
    for path in MODULES:
        lines[_package(path)] += len(_text(path).splitlines())

    largest, count = lines.most_common(1)[0]
    assert count <= PACKAGE_SHARE_MAX * lines.total(), f"{largest} has {count} lines"


def test_a_bound_is_kept_to_and_lies_with_those_who_keep_to_it() -> None:
    limits = {path: _text(path) for path in SOURCES.rglob("limits.py")}
    users: dict[str, set[str]] = defaultdict(set)
    for path in set(MODULES) - limits.keys():
        for name in re.findall(r"\b[A-Z][A-Z_]+\b", _text(path)):
            users[name].add(_package(path))

    for path, text in limits.items():
        least = 2 if _package(path) == "kernel" else 1  # the kernel keeps what several share
        for name in re.findall(r"^([A-Z_]+) =", text, re.MULTILINE):
            assert len(users[name]) >= least, f"{_name(path)}: {name}"


def test_one_class_name_names_one_thing() -> None:
    names = Counter(
        node.name
        for path in MODULES
        for node in _tree(path).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )

    assert [name for name, count in names.items() if count > 1] == []


def test_settings_stay_few() -> None:
    assert sum(len(fields(kind)) for kind in SECTIONS.values()) <= SETTINGS_MAX


def _todo_lines() -> Iterator[str]:
    marks = re.compile(r"#\s*(TODO|FIXME|XXX|HACK)\b")
    for path in MODULES:
        for number, line in enumerate(_text(path).splitlines(), 1):
            if marks.search(line):
                yield f"{_name(path)}:{number}"


def test_no_promise_is_left_in_a_comment() -> None:
    assert list(_todo_lines()) == []


def test_the_code_map_lists_exactly_the_packages_on_disk() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    mapped = set(re.findall(r"^\| `([a-z_]+)/` \|", text, flags=re.MULTILINE))
    packages = {path.parent.name for path in SOURCES.glob("*/__init__.py")}

    assert mapped == packages


# What people and agents say is matched there in their own words; the sample plays such people.
IN_OTHER_WORDS = (
    "adapters/",
    "demo/sample/",
    "prose/cues",
    "redaction/",
    "exchanges/",
    "observations/extract/",
    "views/sessions/issue_of",
)

QUOTING = ("domain.md", "summaries.md")  # they quote: the words themselves, sessions of the sample


def _forbidden_words() -> Iterator[str]:
    """Yield every word that the dictionary says is not used."""
    table = (ROOT / "docs" / "domain.md").read_text(encoding="utf-8").partition("\n## ")[0]
    for row in re.findall(r"^\| \*\*.*\|([^|]*)\|$", table, flags=re.MULTILINE):
        yield from filter(None, (word.strip() for word in row.split(",")))


def test_no_forbidden_word_of_the_dictionary_is_used_anywhere() -> None:
    words = sorted(set(_forbidden_words()))
    wrong = re.compile(
        rf"(?<![a-z])(?:{'|'.join(map(re.escape, words))})s?(?![a-z])", re.IGNORECASE
    )
    ours = [path for path in MODULES if not _name(path).startswith(IN_OTHER_WORDS)]
    pages = [page for page in (ROOT / "docs").rglob("*.md") if page.name not in QUOTING]
    used = [
        f"{path.relative_to(ROOT)}: {found.group()}"
        for path in (*ours, *pages, ROOT / "README.md", ROOT / "CONTRIBUTING.md")
        for found in wrong.finditer(_text(path).replace("_", " "))
    ]

    assert len(words) > 20
    assert used == []


# What ends like a participle and is none, and participles that do not end so.
NO_PARTICIPLES = frozenset("need feed seed embed speed exceed proceed".split())
PARTICIPLES = frozenset(
    "said told made found kept held seen shown written given taken known done gone chosen drawn "
    "grown spoken begun sent built spent lost met paid taught thought brought caught understood "
    "stood hidden driven forgotten fallen frozen proven heard laid led meant felt learnt".split()
)
# Two that read as English where they are used: `with locked(...)`, `@frozen`.
SPOKEN_SO = frozenset({"locked", "frozen"})


def _is_participle(name: str) -> bool:
    word = name.lstrip("_").partition("_")[0]
    ends_so = word.endswith("ed") and len(word) > 3 and word not in NO_PARTICIPLES
    return ends_so or word in PARTICIPLES


def test_functions_are_named_by_verbs_and_facts_by_participles() -> None:
    named = [
        node.name
        for path in MODULES
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.FunctionDef)
        and not any("property" in ast.unparse(mark) for mark in node.decorator_list)
    ]

    assert len(named) > 1_000
    assert {name for name in named if _is_participle(name)} <= SPOKEN_SO


def test_every_adr_has_a_number_of_its_own() -> None:
    names = [path.name for path in (ROOT / "docs" / "adr").glob("*.md")]
    numbers = [name[:4] for name in names]

    assert len(numbers) == len(set(numbers))
    assert all(re.fullmatch(r"\d{4}-[a-z0-9-]+\.md", name) for name in names)


def test_every_package_is_locked_by_its_hash() -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    entries = re.split(r"\n(?=\S)", re.sub(r"^#.*\n", "", lock, flags=re.MULTILINE))
    entries = [entry for entry in entries if entry.strip()]
    locked = {entry.partition("==")[0] for entry in entries}

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = project["dependencies"] + project["optional-dependencies"]["dev"]
    names = {re.split(r"[<>=\[ ]", each)[0].lower().replace("_", "-") for each in wanted}

    assert [entry for entry in entries if "--hash=sha256:" not in entry] == []
    assert names <= locked


def test_the_command_line_writes_through_one_place() -> None:
    # Square brackets are brackets: a style is said beside the words, never in them.
    direct = re.compile(
        r"\[/?(bold|dim|red|green|yellow)\b.*\]|markup=|"
        r"sys\.std(out|err)\.write|click\.(echo|secho|confirm|prompt)\(|\bprint\("
    )
    ours = {"surfaces/cli/screen.py", "surfaces/cli/main.py"}  # main knows nothing but the version
    found = [
        _name(path)
        for path in MODULES
        if _name(path).startswith("surfaces/cli/")
        and _name(path) not in ours
        and direct.search(re.sub(r"\w\.print\(", "", _text(path)))
    ]

    assert found == []


# Who may open files without `host.files`, which follows no link in a repository, and why.
OPENS_FILES_ITSELF = {
    "below the user's home, where links are the user's own": """
        adapters/claude_code/transcripts.py adapters/codex/transcripts.py
        adapters/copilot/transcripts.py adapters/gemini/history.py adapters/gemini/transcripts.py
        adapters/opencode/transcripts.py adapters/folders.py adapters/lines.py adapters/sniff.py
        adapters/settings/edits.py operations/setup/service.py""",
    "below our data folder": """
        capture/cursors.py capture/drain.py capture/transcripts.py daemon/address.py
        daemon/auto/keeping.py
        daemon/control.py daemon/life.py daemon/presence.py kernel/paths.py
        llm/store/cli_home.py llm/store/ledger_file.py
        operations/agents/boundary.py operations/recall/everywhere.py
        operations/setup/leaving/memory.py operations/setup/leaving/uninstall.py
        operations/setup/programs/live.py operations/setup/setup.py operations/upkeep/doctor.py
        operations/upkeep/leftovers.py operations/upkeep/mend.py project/settlement.py
        project/trust/private.py project/trust/record.py
        recall/section/digests.py recall/section/notices.py runs/service.py
        runs/store/git_lanes.py search/text/engine.py search/text/store.py
        surfaces/grpc/access.py surfaces/grpc/server.py
        surfaces/hatch/server.py views/digests.py views/recall_tally.py
        search/checksums.py wiring/keeping/documents.py
        wiring/keeping/backup.py wiring/keeping/inspection.py wiring/keeping/keyring.py
        wiring/trust/changed_replies.py
        wiring/keeping/lost.py wiring/keeping/salvage.py wiring/keeping/tombstones.py
        wiring/kept/views.py work/store/github/pages.py""",
    "what ships with AgentX": """
        adapters/opencode/setup.py agents/roles/texts.py search/kindred.py
        work/store/workflows.py demo/sample/__init__.py surfaces/page/static/__init__.py""",
    "a stage of its own": "demo/stage.py surfaces/cli/commands/begin/demo.py",
    "a terminal, or nothing": """
        agents/runners/person.py surfaces/cli/main.py surfaces/cli/root.py
        surfaces/mcp/wire/lines.py""",
    "the folder that the user is in, and git's own": """
        project/claims.py project/exclusion.py project/moves.py project/project.py
        project/trust/marker.py
        surfaces/hooks/checkout.py""",
    "names and times alone": "kernel/places.py",
    "a file that the user names": "operations/upkeep/carry.py wiring/keeping/export.py",
    "fresh names of its own, swapped in by renaming": "wiring/keeping/restore.py",
    "standard library only, by descriptor": """
        surfaces/hooks/spool.py surfaces/hooks/daemon.py surfaces/hooks/telling/told.py""",
}
OF_A_PATH = frozenset(
    "read_text read_bytes write_text write_bytes iterdir glob rglob unlink mkdir rmdir rename "
    "touch symlink_to hardlink_to chmod stat lstat exists is_file is_dir".split()
)
OF_OS = frozenset(
    "open scandir listdir walk unlink remove mkdir makedirs rename replace stat rmdir".split()
)


def _opens_a_file(call: ast.Call) -> bool:
    """Tell whether a call opens, lists, changes or looks at a file by its path."""
    if isinstance(call.func, ast.Name):
        return call.func.id == "open"
    if not isinstance(call.func, ast.Attribute):
        return False
    name, owner = call.func.attr, ast.unparse(call.func.value)
    given = [ast.unparse(each) for each in call.args]
    if owner == "os":
        return name in OF_OS and not given[0].endswith(".descriptor")
    if owner == "shutil":
        return name != "which"
    if name == "open":
        return any(each in ("'rb'", "'wb'", "'xb'", "'r'", "'w'") for each in given) or any(
            each.arg == "encoding" for each in call.keywords
        )
    # Of our own kind: the module, an entry of a folder that is open, what is asked by name.
    ours = owner in ("plain", "entry") or (name in ("stat", "exists") and bool(given))
    return name in OF_A_PATH and not ours


def test_files_are_opened_in_one_place() -> None:
    known = {name: why for why, names in OPENS_FILES_ITSELF.items() for name in names.split()}
    found = {
        _name(path)
        for path in MODULES
        if not _name(path).startswith("host/")
        and any(
            isinstance(node, ast.Call) and _opens_a_file(node) for node in ast.walk(_tree(path))
        )
    }

    assert found - known.keys() == set(), (
        "use agentx.host.files: it follows no link in a repository"
    )
    assert known.keys() - found == set(), "no longer needed"
